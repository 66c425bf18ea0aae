//! Class-wise reports, estimates under label noise, search and label propagation, against numbers worked out by hand.

use crate::graphs::planted;
use gnn_models::{ClassReport, Error, LabelNoise, SearchSpace, label_propagation};
use graph_denoise::{CsrGraph, EdgeKind, FeatureMatrix};

/// Four nodes, classes 0 0 1 2, predicted 0 1 1 1 with confidences 1/(1 + 2 e^−d).
#[test]
fn a_report_by_hand() {
    let logits = FeatureMatrix::new(4, 3, vec![2., 0., 0., 0., 2., 0., 0., 4., 0., 0., 4., 0.]).unwrap();
    let report = ClassReport::new(&logits, &[0, 0, 1, 2], &[0, 1, 2, 3]).unwrap();
    assert_eq!(report.accuracy, 0.5);
    assert_eq!(report.confusion, [[1, 1, 0], [0, 1, 0], [0, 1, 0]]);
    let f1: Vec<f64> = report.classes.iter().map(|class| class.f1).collect();
    assert_eq!(f1, [2.0 / 3.0, 0.5, 0.0]);
    assert!((report.macro_f1 - (2.0 / 3.0 + 0.5) / 3.0).abs() < 1e-12);
    assert_eq!((report.classes[1].precision, report.classes[1].recall), (1.0 / 3.0, 1.0));
    // Confidences 0.787 and 0.965 fall into different bins; each bin is right once of twice.
    let confidence = |d: f64| 1.0 / (1.0 + 2.0 * (-d).exp());
    let expected = (2.0 * (confidence(2.0) - 0.5) + 2.0 * (confidence(4.0) - 0.5)) / 4.0;
    assert!((report.calibration_error - expected).abs() < 1e-6, "{}", report.calibration_error);
    assert_eq!(ClassReport::new(&logits, &[0; 4], &[]), Err(Error::EmptySet { set: "evaluated" }));
    assert!(ClassReport::new(&logits, &[3; 4], &[0]).is_err());
    assert!(ClassReport::new(&logits, &[0; 4], &[4]).is_err());
    assert!(ClassReport::new(&logits, &[0; 3], &[0]).is_err());
}

/// Seven classes, 677 nodes; sd .181, .087, .040 at ε = 0.5, 1, 2 where the noisy accuracy is p/1.
#[test]
fn the_true_accuracy_from_noisy_labels() {
    for (epsilon, sd) in [(0.5, 0.181), (1.0, 0.087), (2.0, 0.040)] {
        let noise = LabelNoise::randomized_response(epsilon, 7).unwrap();
        let noisy = noise.flip + 0.85 * (noise.keep - noise.flip);
        let estimate = noise.true_accuracy(noisy, 677);
        assert!((estimate.value - 0.85).abs() < 1e-12);
        let found = (estimate.high - estimate.low) / (2.0 * 1.96);
        assert!((found - sd).abs() < 0.006, "ε {epsilon}: {found} for {sd}");
    }
}

#[test]
fn a_search_tries_different_points_within_its_budget() {
    let space = SearchSpace {
        steps: vec![2, 4, 8],
        learning_rates: vec![0.01, 0.001],
        weight_decays: vec![0.01, 0.001, 0.0],
        dropouts: vec![0.0, 0.5],
    };
    assert_eq!(space.size(), 36);
    let score = |c: &gnn_models::Candidate| Ok(c.steps as f64 - c.dropout + c.learning_rate);
    let all = space.search(100, 1, score).unwrap();
    assert_eq!(all.len(), 36);
    for (at, trial) in all.iter().enumerate() {
        assert!(all[..at].iter().all(|other| other.candidate != trial.candidate));
    }
    let best = all[0].candidate;
    assert_eq!((best.steps, best.learning_rate, best.dropout), (8, 0.01, 0.0));
    assert!(all.windows(2).all(|pair| pair[0].score >= pair[1].score));
    let some = space.search(5, 7, score).unwrap();
    assert_eq!(some, space.search(5, 7, score).unwrap());
    assert_ne!(some, space.search(5, 8, score).unwrap());
    assert!(space.search(0, 1, score).is_err());
    assert!(space.search(3, 1, |_| Ok(f64::NAN)).is_err());
    let empty = SearchSpace { dropouts: vec![], ..space };
    assert!(empty.search(3, 1, score).is_err());
}

/// A path 0 – 1 – 2 and a node alone. S has entries 1/√2; F₁ = α S Y + (1 − α) Y.
#[test]
fn label_propagation_by_hand() {
    let graph = CsrGraph::from_edges(4, &[(0, 1), (1, 2)], EdgeKind::Undirected).unwrap();
    let scores = label_propagation(&graph, &[0, 0, 1, 1], 2, &[0, 2], 1, 0.5).unwrap();
    let half = 0.5f32 / 2f32.sqrt();
    let expected = [0.5, 0.0, half, half, 0.0, 0.5, 0.0, 0.0];
    for (found, expected) in scores.as_slice().iter().zip(expected) {
        assert!((found - expected).abs() < 1e-6, "{scores:?}");
    }
    assert!(label_propagation(&graph, &[0; 4], 2, &[], 1, 0.5).is_err());
    assert!(label_propagation(&graph, &[0; 4], 2, &[4], 1, 0.5).is_err());
    assert!(label_propagation(&graph, &[2; 4], 2, &[0], 1, 0.5).is_err());
    assert!(label_propagation(&graph, &[0; 4], 2, &[0], 1, 1.5).is_err());
    assert!(label_propagation(&graph, &[0; 3], 2, &[0], 1, 0.5).is_err());
}

/// Four groups with four of five edges inside: chance is 0.25.
#[test]
fn label_propagation_finds_the_groups() {
    let planted = planted(800, 4, 3);
    let scores = label_propagation(&planted.graph, &planted.labels, 4, &planted.train, 10, 0.9).unwrap();
    let report = ClassReport::new(&scores, &planted.labels, &planted.test).unwrap();
    assert!(report.accuracy > 0.8, "{}", report.accuracy);
}
