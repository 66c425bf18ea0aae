//! Label views and synthetic features of the public graphs.

use graph_datasets::{Error, LabelView, SearchPath, load};

use crate::real_data::folder;
use crate::rng;

#[test]
fn names_of_views_read_back() {
    for view in [LabelView::Published, LabelView::Median, LabelView::Largest(10)] {
        assert_eq!(view.to_string().parse::<LabelView>().unwrap(), view);
    }
    for text in ["", "top-", "top-x", "Median", "top-1.5"] {
        assert!(matches!(text.parse::<LabelView>(), Err(Error::NoLabelView { .. })), "{text}");
    }
}

#[test]
fn ten_largest_classes_of_lastfm_are_those_of_lpgnn() {
    let Some(folder) = folder() else { return };
    let lastfm = load("lastfm", &SearchPath::new(vec![folder])).unwrap();
    let view = lastfm.view(LabelView::Largest(10)).unwrap();
    // 7,083 nodes, 25,814 edges, 33 nodes without a neighbour left: as the authors' loader leaves them [LPGNN].
    assert_eq!((view.nodes(), view.edges(), view.statistics().isolated_nodes), (7083, 25_814, 33));
    assert_eq!(view.class_counts(), [1572, 1303, 1098, 655, 570, 515, 468, 391, 257, 254]);
    assert_eq!(view.marks().len(), 1);
    assert!(matches!(lastfm.view(LabelView::Largest(1)), Err(Error::Parameter { .. })));
    assert!(matches!(lastfm.view(LabelView::Largest(19)), Err(Error::Parameter { .. })));
    assert_eq!(lastfm.view(LabelView::Published).unwrap(), lastfm);
    assert!(matches!(lastfm.view(LabelView::Median), Err(Error::NoLabelView { .. })));
}

#[test]
fn features_follow_the_nodes_of_a_view() {
    let Some(folder) = folder() else { return };
    let cora = load("cora", &SearchPath::new(vec![folder])).unwrap();
    let view = cora.view(LabelView::Largest(3)).unwrap();
    let kept: Vec<usize> = (0..cora.nodes()).filter(|&node| [3, 4, 2].contains(&cora.labels()[node])).collect();
    assert_eq!(view.nodes(), kept.len());
    for (new, &old) in kept.iter().enumerate().step_by(97) {
        assert_eq!(view.features().unwrap().row(new), cora.features().unwrap().row(old));
        assert_eq!([3, 4, 2][view.labels()[new] as usize], cora.labels()[old]);
    }
    assert!(view.public_split().is_none());
}

#[test]
fn median_labels_of_wikipedia() {
    let Some(folder) = folder() else { return };
    let wikipedia = load("wikipedia", &SearchPath::new(vec![folder])).unwrap();
    let view = wikipedia.view(LabelView::Median).unwrap();
    assert_eq!(view.class_counts(), [5814, 5817]);
    assert_eq!(view.statistics().edge_homophily, 0.595123);
    assert!(view.marks()[0].contains("median"));
}

#[test]
fn synthetic_features_of_lastfm_are_marked() {
    let Some(folder) = folder() else { return };
    let lastfm = load("lastfm", &SearchPath::new(vec![folder.clone()])).unwrap();
    let made = lastfm.with_synthetic_features(0.0485, 0.2, &mut rng(1)).unwrap();
    let features = made.features().unwrap();
    assert_eq!((features.rows(), features.columns()), (7624, 7842));
    // Words of a node are uniform on 190..=571, standard deviation of the mean 1.3 of 380 words.
    let density = made.statistics().feature.unwrap().feature_density;
    assert!((density - 0.0485).abs() < 0.001, "{density}");
    assert!(made.marks()[0].contains("synthetic") && made.marks()[0].contains("0.2"), "{:?}", made.marks());
    assert_eq!(made, lastfm.with_synthetic_features(0.0485, 0.2, &mut rng(1)).unwrap());
    assert_eq!(lastfm.true_density(), Some(0.0485));
    assert_eq!(made, lastfm.with_synthetic_features_of_true_density(0.2, &mut rng(1)).unwrap());
    assert_ne!(made, lastfm.with_synthetic_features_of_true_density(0.2, &mut rng(2)).unwrap());
    // A fifth of the words come from the topic of the class, a list of 436, and of the rest one in 18 by chance; words
    // drawn twice count once, which lowers the share.
    let own: usize = (0..made.nodes())
        .map(|node| features.row(node).0.iter().filter(|&&word| word % 18 == made.labels()[node]).count())
        .sum();
    let share = own as f64 / features.entries() as f64;
    assert!((share - (0.2 + 0.8 / 18.0)).abs() < 0.03, "{share}");
    assert_eq!((made.graph(), made.labels()), (lastfm.graph(), lastfm.labels()));
    let cora = load("cora", &SearchPath::new(vec![folder.clone()])).unwrap();
    assert!((cora.true_density().unwrap() - 0.012683).abs() < 1e-6);
    let twin = cora.with_synthetic_features_of_true_density(0.5, &mut rng(3)).unwrap();
    assert!((twin.true_density().unwrap() / 0.012683 - 1.0).abs() < 0.05);
    for (density, signal) in [(-0.1, 0.5), (0.1, 1.5), (f64::NAN, 0.1)] {
        let error = lastfm.with_synthetic_features(density, signal, &mut rng(1)).unwrap_err();
        assert!(matches!(error, Error::Parameter { .. }), "{error}");
    }
}
