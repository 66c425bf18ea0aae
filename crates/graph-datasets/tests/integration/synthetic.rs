//! Generated graphs have the properties that their parameters promise.

use graph_datasets::{BlockModel, Dataset, Error};

use crate::rng;

fn homophily(dataset: &Dataset) -> f64 {
    let labels = dataset.labels();
    let alike = dataset.graph().iter_edges().filter(|&(u, v)| labels[u as usize] == labels[v as usize]).count();
    alike as f64 / dataset.edges() as f64
}

/// Seeds 1 to 5, one graph of 4,000 edges each. The number of edges within a class is binomial, so its share deviates
/// by more than 5.2 standard deviations (at most 0.041) with probability 2e-7 a graph, α = 1e-6 in all.
#[test]
fn block_model_has_the_homophily_and_size_asked_for() {
    for (seed, asked) in [(1, 0.05), (2, 0.2), (3, 0.5), (4, 0.8), (5, 0.95)] {
        let model = BlockModel { nodes: 1000, mean_degree: 8.0, homophily: asked, ..BlockModel::default() };
        let dataset = model.generate(&mut rng(seed)).unwrap();
        assert_eq!((dataset.nodes(), dataset.edges(), dataset.classes()), (1000, 4000, 5));
        assert_eq!(dataset.class_counts(), [200; 5]);
        let bound = 5.2 * (asked * (1.0 - asked) / 4000.0).sqrt();
        assert!((homophily(&dataset) - asked).abs() < bound, "asked {asked}, found {}", homophily(&dataset));
        assert_eq!(dataset.marks().len(), 1);
    }
}

#[test]
fn extreme_homophily_is_exact() {
    for asked in [0.0, 1.0] {
        let dataset = BlockModel { homophily: asked, ..BlockModel::default() }.generate(&mut rng(6)).unwrap();
        assert_eq!(homophily(&dataset), asked);
    }
}

/// Seed 7. With equal attractions degrees are near Poisson(4): the chance that any of 2,000 nodes reaches 20 is 4e-6 ·
/// 10⁻³ (P(X ≥ 20) = 1.0e-8 a node, 2e-5 in all). A power law of exponent 2.5 has hubs far above.
#[test]
fn degree_correction_makes_hubs() {
    let largest = |degree_exponent| {
        let dataset = BlockModel { degree_exponent, ..BlockModel::default() }.generate(&mut rng(7)).unwrap();
        (0..dataset.nodes()).map(|node| dataset.graph().degree(node)).max().unwrap()
    };
    assert!(largest(f64::INFINITY) < 20);
    assert!(largest(2.5) > 30);
}

/// Share of used columns that belong to the node's class.
fn own_share(dataset: &Dataset) -> (f64, f64) {
    let features = dataset.features().unwrap();
    let own: usize = (0..dataset.nodes())
        .map(|node| {
            let class = dataset.labels()[node] as usize;
            features.row(node).0.iter().filter(|&&column| column as usize % dataset.classes() == class).count()
        })
        .sum();
    let density = features.entries() as f64 / (features.rows() * features.columns()) as f64;
    (own as f64 / features.entries() as f64, density)
}

/// Seeds 8 to 10, 2,000 nodes of about 10 words. Own share = signal + (1 − signal)/classes but for words that are
/// drawn twice (about 3 % of a topic of 100 columns, hence the bias of 0.02 allowed); its standard deviation is 0.0035,
/// so 0.02 + 5.2 · 0.0035 = 0.04 gives α < 1e-6 for the three together. Density: words are uniform on 5..=15, mean 10,
/// standard deviation of the mean 0.07, that is 0.00014 of density.
#[test]
fn words_have_the_signal_and_density_asked_for() {
    for (seed, signal) in [(8, 0.0), (9, 0.3), (10, 0.9)] {
        let dataset = BlockModel { feature_signal: signal, ..BlockModel::default() }.generate(&mut rng(seed)).unwrap();
        let (own, density) = own_share(&dataset);
        assert!((own - (signal + (1.0 - signal) / 5.0)).abs() < 0.04, "signal {signal}: {own}");
        assert!((density - 0.02).abs() < 0.0008, "{density}");
    }
}

#[test]
fn full_signal_and_full_density_end() {
    let model = BlockModel { feature_signal: 1.0, ..BlockModel::default() };
    assert_eq!(own_share(&model.generate(&mut rng(11)).unwrap()).0, 1.0);
    let model = BlockModel { dimensions: 5, feature_density: 1.0, feature_signal: 1.0, ..BlockModel::default() };
    assert!(own_share(&model.generate(&mut rng(11)).unwrap()).1 > 0.7);
}

#[test]
fn same_seed_same_graph() {
    let draw = |seed| BlockModel::default().generate(&mut rng(seed)).unwrap();
    assert_eq!(draw(12), draw(12));
    assert_ne!(draw(12).graph(), draw(13).graph());
}

#[test]
fn parameters_outside_their_bounds() {
    let base = BlockModel::default;
    let bad = [
        BlockModel { mean_degree: -1.0, ..base() },
        BlockModel { mean_degree: f64::NAN, ..base() },
        BlockModel { mean_degree: 1e9, ..base() },
        BlockModel { homophily: 1.1, ..base() },
        BlockModel { homophily: f64::NAN, ..base() },
        BlockModel { feature_density: -0.1, ..base() },
        BlockModel { feature_signal: 2.0, ..base() },
        BlockModel { degree_exponent: 2.0, ..base() },
        BlockModel { degree_exponent: f64::NAN, ..base() },
        BlockModel { dimensions: 4, ..base() },
    ];
    for model in bad {
        let error = model.generate(&mut rng(1)).unwrap_err();
        assert!(matches!(error, Error::Parameter { .. }), "{error}");
    }
    let error = BlockModel { classes: 1, ..base() }.generate(&mut rng(1)).unwrap_err();
    assert!(matches!(error, Error::TooFewClasses { classes: 1 }), "{error}");
    let error = BlockModel { nodes: 1, ..base() }.generate(&mut rng(1)).unwrap_err();
    assert!(matches!(error, Error::TooFewNodes { nodes: 1, at_least: 10, .. }), "{error}");
    let error = BlockModel { mean_degree: 0.0, ..base() }.generate(&mut rng(1)).unwrap_err();
    assert!(matches!(error, Error::NoEdges), "{error}");
}
