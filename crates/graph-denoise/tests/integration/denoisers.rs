//! Report weights, variance, NFR and labels, against dense f64 definitions and simulated noise.

use graph_denoise::{
    CsrGraph, CsrMatrix, EdgeKind, Error, FeatureMatrix, Filter, Moments, Normalization, Regularization, Rows,
    SelfLoops, Weights, aggregate_threshold, mse_estimate, propagate, propagate_channels, propagate_labels,
    propagate_regularized, regularize, report_threshold, report_weight, signal_variance, soft_threshold,
    universal_thresholds,
};
use rand::{Rng, RngExt};

use crate::graphs::{dense, generator, rough};

/// The filter as a dense f64 matrix, from the weights of each hop.
fn dense_filter(weights: &Weights<'_>, filter: &Filter) -> Vec<Vec<f64>> {
    let n = weights.nodes();
    let mut power: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    let mut total = vec![vec![0.0; n]; n];
    for k in 0..=filter.steps() {
        if k > 0 {
            let hop = weights.to_matrix(k - 1);
            power = (0..n)
                .map(|i| {
                    let mut sum = vec![0.0; n];
                    let (columns, values) = hop.row(i);
                    for (&j, &weight) in columns.iter().zip(values) {
                        for (sum, value) in sum.iter_mut().zip(&power[j as usize]) {
                            *sum += f64::from(weight) * value;
                        }
                    }
                    sum
                })
                .collect();
        }
        for (total, power) in total.iter_mut().flatten().zip(power.iter().flatten()) {
            *total += f64::from(filter.coefficient(k)) * power;
        }
    }
    total
}

fn variances(nodes: usize, rng: &mut impl Rng) -> Vec<f32> {
    (0..nodes).map(|_| 4f32.powi(rng.random_range(0..5))).collect()
}

/// Close to a normal deviate: the sum of 12 uniform ones.
fn deviate(rng: &mut impl Rng) -> f64 {
    (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0
}

#[test]
fn flexprop_is_the_row_normalised_product_with_the_levels() {
    let graph = rough(40, 100, EdgeKind::Undirected, 31);
    let mut rng = generator(32);
    let levels: Vec<f32> = (0..40).map(|_| rng.random_range(0..4) as f32).collect();
    let weights = Weights::from_node_weights(&graph, &levels).unwrap();
    let matrix = weights.to_matrix(0);
    for node in 0..40 {
        let sum: f64 = graph.neighbours(node).iter().map(|&j| f64::from(levels[j as usize])).sum();
        let (columns, values) = matrix.row(node);
        for (&j, &value) in columns.iter().zip(values) {
            let expected = if sum == 0.0 { 0.0 } else { f64::from(levels[j as usize]) / sum };
            assert!((f64::from(value) - expected).abs() < 1e-6, "({node}, {j}): {value} instead of {expected}");
        }
    }
}

#[test]
fn rows_whose_weights_are_all_zero_give_zero() {
    let graph = CsrGraph::from_edges(3, &[(0, 1), (1, 2)], EdgeKind::Undirected).unwrap();
    let weights = Weights::from_node_weights(&graph, &[1.0, 0.0, 3.0]).unwrap();
    let x = FeatureMatrix::new(3, 1, vec![1.0, 5.0, 3.0]).unwrap();
    assert_eq!(propagate(&weights, &x, &Filter::power(1)).unwrap().as_slice(), [0.0, 2.5, 0.0]);
}

#[test]
fn extreme_node_weights_keep_their_ratios() {
    let graph = CsrGraph::from_edges(3, &[(0, 1), (0, 2)], EdgeKind::Undirected).unwrap();
    for unit in [1e-38f32, 1e-20, 1e20, 1e38] {
        let weights = Weights::from_node_weights(&graph, &[unit, unit, 3.0 * unit]).unwrap();
        let matrix = weights.to_matrix(0);
        let (_, values) = matrix.row(0);
        assert!((values[0] - 0.25).abs() < 1e-6 && (values[1] - 0.75).abs() < 1e-6, "{unit}: {values:?}");
    }
}

#[test]
fn random_effects_weights_lie_between_uniform_and_inverse_variance() {
    let graph = CsrGraph::from_edges(3, &[(0, 1), (0, 2)], EdgeKind::Undirected).unwrap();
    let share = |signal| {
        let weights = Weights::inverse_variance(&graph, &[1.0, 1.0, 4.0], signal).unwrap();
        weights.to_matrix(0).row(0).1[0]
    };
    assert!((share(0.0) - 0.8).abs() < 1e-6);
    assert!((share(2.0) - 6.0 / 9.0).abs() < 1e-6);
    assert!((share(1e9) - 0.5).abs() < 1e-6);
}

/// A hub and 30 neighbours whose reports have variances 0.05, 1 and 30 and whose true values differ by σ_s² = 1; 2,000
/// dimensions, seed 71. The squared error of the hub's mean is 0.153 with random-effects weights, 0.709 with uniform and
/// 0.362 with inverse-variance ones; each is measured to √(2/2000) = 3 %, and 4.9 of those (α = 1e-6) are 16 %.
#[test]
fn random_effects_weights_win_where_both_variances_count() {
    const DIMENSIONS: usize = 2000;
    let edges: Vec<(u32, u32)> = (1..=30).map(|leaf| (0, leaf)).collect();
    let graph = CsrGraph::from_edges(31, &edges, EdgeKind::Directed).unwrap();
    let variance: Vec<f32> =
        (0..31).map(|node| [0.05, 1.0, 30.0][(usize::from(node > 2)) + usize::from(node > 10)]).collect();
    let mut rng = generator(71);
    let means: Vec<f64> = (0..DIMENSIONS).map(|_| 3.0 * deviate(&mut rng)).collect();
    let reports = (0..31 * DIMENSIONS)
        .map(|at| {
            let noise = f64::from(variance[at / DIMENSIONS]).sqrt() * deviate(&mut rng);
            (means[at % DIMENSIONS] + deviate(&mut rng) + noise) as f32
        })
        .collect();
    let reports = FeatureMatrix::new(31, DIMENSIONS, reports).unwrap();
    let signal = signal_variance(&graph, &reports, &variance).unwrap() as f32;
    assert!((signal - 1.0).abs() < 0.16, "{signal} instead of 1");
    let error = |weights: Weights<'_>| {
        let found = propagate(&weights, &reports, &Filter::power(1)).unwrap();
        found.row(0).iter().zip(&means).map(|(&a, b)| (f64::from(a) - b).powi(2)).sum::<f64>() / DIMENSIONS as f64
    };
    for (name, weights, expected) in [
        ("random effects", Weights::inverse_variance(&graph, &variance, signal).unwrap(), 0.153),
        ("uniform", Weights::normalized(&graph, Normalization::Row, SelfLoops::AsIs), 0.709),
        ("inverse variance", Weights::inverse_variance(&graph, &variance, 0.0).unwrap(), 0.362),
    ] {
        let found = error(weights);
        assert!((found / expected - 1.0).abs() < 0.16, "{name}: {found} instead of {expected}");
    }
}

#[test]
fn variance_propagation_follows_its_recursion() {
    let graph = rough(50, 120, EdgeKind::Undirected, 33);
    let variance = variances(50, &mut generator(34));
    let signal = 0.7f64;
    let (weights, last) = Weights::variance_propagated(&graph, &variance, signal as f32, 3).unwrap();
    let mut current: Vec<f64> = variance.iter().map(|&v| f64::from(v)).collect();
    for hop in 0..3 {
        let matrix = weights.to_matrix(hop);
        let weight = |j: u32| {
            let without_value = hop > 0 && graph.degree(j as usize) == 0;
            if without_value { 0.0 } else { 1.0 / (signal + current[j as usize]) }
        };
        let mut next = vec![0.0; 50];
        for (node, next) in next.iter_mut().enumerate() {
            let sum: f64 = graph.neighbours(node).iter().map(|&j| weight(j)).sum();
            for (&j, &found) in matrix.row(node).0.iter().zip(matrix.row(node).1) {
                let expected = weight(j) / sum;
                assert!((f64::from(found) - expected).abs() < 1e-5, "hop {hop}, ({node}, {j})");
                *next += expected * expected * current[j as usize];
            }
        }
        current = next;
    }
    for (found, expected) in last.iter().zip(&current) {
        assert!((f64::from(*found) - expected).abs() <= 1e-4 * expected, "{found} instead of {expected}");
    }
}

#[test]
fn exact_moments_are_those_of_the_dense_filter() {
    let graph = rough(60, 150, EdgeKind::Undirected, 35);
    let variance = variances(60, &mut generator(36));
    let (multi_hop, _) = Weights::variance_propagated(&graph, &variance, 0.5, 3).unwrap();
    let symmetric = Weights::normalized(&graph, Normalization::Symmetric, SelfLoops::Add);
    for weights in [&multi_hop, &symmetric] {
        for filter in [Filter::power(0), Filter::power(3), Filter::mean_of_powers(3).unwrap()] {
            let found = Moments::exact(weights, &filter, &variance).unwrap();
            let f = dense_filter(weights, &filter);
            for (i, row) in f.iter().enumerate() {
                let expected: f64 = row.iter().zip(&variance).map(|(f, &v)| f * f * f64::from(v)).sum();
                assert!((f64::from(found.variance[i]) - expected).abs() <= 1e-5 * (1.0 + expected), "variance of {i}");
                let expected = row[i] * f64::from(variance[i]);
                assert!((f64::from(found.covariance[i]) - expected).abs() <= 1e-5 * (1.0 + expected), "own of {i}");
            }
        }
    }
}

/// Seed 38, 4,096 probes: √(2/4096) = 2.2 % relative deviation a node; 60 nodes, α = 1e-6 gives 5.6 deviations; the
/// smallest error this sees is 12.5 % of a node's variance.
#[test]
fn probed_moments_estimate_the_exact_ones() {
    let graph = rough(60, 150, EdgeKind::Undirected, 37);
    let mut rng = generator(38);
    let variance = variances(60, &mut rng);
    let weights = Weights::normalized(&graph, Normalization::Row, SelfLoops::Add);
    let filter = Filter::power(2);
    let exact = Moments::exact(&weights, &filter, &variance).unwrap();
    let probed = Moments::probed(&weights, &filter, &variance, 4096, &mut rng).unwrap();
    for (node, &variance) in variance.iter().enumerate() {
        let (found, expected) = (probed.variance[node], exact.variance[node]);
        assert!((found - expected).abs() <= 0.125 * expected, "node {node}: {found} instead of {expected}");
        let scale = (exact.variance[node] * variance).sqrt();
        let difference = (probed.covariance[node] - exact.covariance[node]).abs();
        assert!(difference <= 0.0875 * scale, "covariance of node {node} off by {difference}");
    }
}

/// Noise of known variance on smooth values; 400 nodes × 200 dimensions, seed 40. The standard error of the estimate is
/// at most √2 · mean(V) / √(80,000) ≈ 0.5 %·mean(V); 4.9 of them (α = 1e-6) is 2.5 % of mean(V).
#[test]
fn the_error_estimate_needs_no_truth() {
    let graph = rough(400, 1600, EdgeKind::Undirected, 39);
    let mut rng = generator(40);
    let variance = variances(400, &mut rng);
    let truth = dense(400, 200, &mut rng);
    let mut reports = truth.clone();
    for (at, value) in reports.as_mut_slice().iter_mut().enumerate() {
        *value += (f64::from(variance[at / 200]).sqrt() * deviate(&mut rng)) as f32;
    }
    let mean_variance = variance.iter().sum::<f32>() / 400.0;
    let weights = Weights::lazy(&graph, Normalization::Row, SelfLoops::AsIs, 0.3).unwrap();
    for filter in [Filter::power(0), Filter::power(1), Filter::power(3), Filter::page_rank(4, 0.2).unwrap()] {
        let denoised = propagate(&weights, &reports, &filter).unwrap();
        let moments = Moments::exact(&weights, &filter, &variance).unwrap();
        let estimate = mse_estimate(&reports, &denoised, &variance, &moments).unwrap();
        let error: f64 =
            truth.as_slice().iter().zip(denoised.as_slice()).map(|(&a, &b)| f64::from(a - b).powi(2)).sum::<f64>()
                / 80_000.0;
        let slack = 0.025 * f64::from(mean_variance);
        assert!((estimate - error).abs() < slack, "{filter:?}: {estimate} instead of {error}, slack {slack}");
    }
}

#[test]
fn the_error_estimate_of_sparse_reports_is_that_of_their_dense_form() {
    let graph = rough(30, 80, EdgeKind::Undirected, 41);
    let mut rng = generator(42);
    let entries = crate::graphs::sparse(30, 20, 0.2, &mut rng);
    let mut written = FeatureMatrix::new(30, 20, vec![0.5; 600]).unwrap();
    for row in 0..30 {
        for (&column, &value) in entries.row(row).0.iter().zip(entries.row(row).1) {
            written.as_mut_slice()[row * 20 + column as usize] += value;
        }
    }
    let variance = vec![1.5; 30];
    let weights = Weights::normalized(&graph, Normalization::Row, SelfLoops::Add);
    let filter = Filter::power(2);
    let moments = Moments::exact(&weights, &filter, &variance).unwrap();
    let denoised = propagate(&weights, &written, &filter).unwrap();
    let sparse = Rows::Sparse { entries: &entries, offset: 0.5 };
    let a = mse_estimate(&written, &denoised, &variance, &moments).unwrap();
    let b = mse_estimate(sparse, &denoised, &variance, &moments).unwrap();
    assert!((a - b).abs() < 1e-5, "{a} and {b}");
}

/// True values differ with variance 4 inside every neighbourhood; reports with known noise. 600 nodes × 100
/// dimensions, seed 44: the pooled estimate has a relative standard error near √(2/(600·100)) = 0.6 % of (4 + V);
/// tolerance 5 %.
#[test]
fn the_signal_variance_is_found_back() {
    let graph = rough(600, 3000, EdgeKind::Undirected, 43);
    let mut rng = generator(44);
    let variance: Vec<f32> = (0..600).map(|_| rng.random_range(0.5..3.0)).collect();
    let reports: Vec<f32> = (0..600 * 100)
        .map(|at| (7.0 + 2.0 * deviate(&mut rng) + f64::from(variance[at / 100]).sqrt() * deviate(&mut rng)) as f32)
        .collect();
    let reports = FeatureMatrix::new(600, 100, reports).unwrap();
    let found = signal_variance(&graph, &reports, &variance).unwrap();
    assert!((found - 4.0).abs() < 0.2, "{found} instead of 4");
    let noise: Vec<f32> =
        (0..600 * 100).map(|at| (f64::from(variance[at / 100]).sqrt() * deviate(&mut rng)) as f32).collect();
    let noise = FeatureMatrix::new(600, 100, noise).unwrap();
    let found = signal_variance(&graph, &noise, &variance).unwrap();
    assert!(found < 0.05, "{found} instead of 0");
}

#[test]
fn soft_thresholds() {
    for (value, threshold, expected) in
        [(3.0, 1.0, 2.0), (-3.0, 1.0, -2.0), (0.5, 1.0, 0.0), (-1.0, 1.0, 0.0), (2.0, 0.0, 2.0)]
    {
        assert_eq!(soft_threshold(value, threshold), expected, "{value}, {threshold}");
    }
    assert!((report_threshold(0.25, 8.0) - 2.0).abs() < 1e-6);
    assert!((aggregate_threshold(0.5, 8.0, 4.0, 4) - 1.0).abs() < 1e-6);
    let found = universal_thresholds(&[4.0], 100)[0];
    assert!((f64::from(found) - 2.0 * (2.0 * 100f64.ln()).sqrt()).abs() < 1e-5);
}

#[test]
fn regularization_before_and_after_aggregation() {
    let graph = rough(40, 100, EdgeKind::Undirected, 45);
    let mut rng = generator(46);
    let x = dense(40, 12, &mut rng);
    let weights = Weights::normalized(&graph, Normalization::Symmetric, SelfLoops::Remove);
    let filter = Filter::mean_of_powers(3).unwrap();
    let mut thresholded = x.clone();
    thresholded.as_mut_slice().iter_mut().for_each(|value| *value = soft_threshold(*value, 0.3));
    let before = propagate_regularized(&weights, &x, &filter, &Regularization::Reports { threshold: 0.3 }).unwrap();
    assert_eq!(before, propagate(&weights, &thresholded, &filter).unwrap());
    let mut expected = propagate(&weights, &x, &filter).unwrap();
    expected.as_mut_slice().iter_mut().for_each(|value| *value = soft_threshold(*value, 0.1));
    let after = propagate_regularized(&weights, &x, &filter, &Regularization::Aggregate { threshold: 0.1 }).unwrap();
    assert_eq!(after, expected);
}

#[test]
fn regularization_pulls_towards_the_offset() {
    let graph = CsrGraph::from_edges(2, &[(0, 1)], EdgeKind::Undirected).unwrap();
    let weights = Weights::normalized(&graph, Normalization::Row, SelfLoops::AsIs);
    let entries = CsrMatrix::new(2, vec![0, 1, 2], vec![0, 1], vec![4.0, -1.0]).unwrap();
    let rows = Rows::Sparse { entries: &entries, offset: 0.5 };
    let filter = Filter::power(1);
    for regularization in [
        Regularization::Reports { threshold: 1.5 },
        Regularization::Aggregate { threshold: 1.5 },
        Regularization::AggregatePerNode { thresholds: vec![1.5, 1.5] },
    ] {
        let found = propagate_regularized(&weights, rows, &filter, &regularization).unwrap();
        assert_eq!(found.as_slice(), [0.5, 0.5, 3.0, 0.5], "{regularization:?}");
    }
}

/// 500 nodes × 96 dimensions of multi-bit-like noise (B = 10, one dimension in 96 hit, seed 48) and one dimension with
/// a signal ten deviations high: the threshold from the variance keeps it and leaves at most a tenth of the noise
/// values; the paper's formula at the same aggregate cuts deeper.
#[test]
fn the_propagated_threshold_keeps_signal_and_drops_noise() {
    let graph = rough(500, 4000, EdgeKind::Undirected, 47);
    let mut rng = generator(48);
    let dimensions = 96;
    let bound = 10.0f32;
    let probability = 1.0 / 96.0;
    let weights = Weights::normalized(&graph, Normalization::Row, SelfLoops::Add);
    let filter = Filter::power(1);
    let variance = vec![bound * bound / 96.0; 500];
    let moments = Moments::exact(&weights, &filter, &variance).unwrap();
    let signal = 10.0 * (moments.variance[0]).sqrt();
    let reports: Vec<f32> = (0..500 * dimensions)
        .map(|at| {
            let noise = if rng.random_bool(probability) { bound * if rng.random() { 1.0 } else { -1.0 } } else { 0.0 };
            noise + if at % dimensions == 0 { signal } else { 0.0 }
        })
        .collect();
    let reports = FeatureMatrix::new(500, dimensions, reports).unwrap();
    let thresholds = universal_thresholds(&moments.variance, dimensions);
    let adaptive = Regularization::AggregatePerNode { thresholds };
    let kept = propagate_regularized(&weights, &reports, &filter, &adaptive).unwrap();
    assert!(kept.row(0)[0] > 0.0, "a signal of ten deviations survives");
    let degree = graph.degree(0) as f32;
    let paper = Regularization::Aggregate { threshold: aggregate_threshold(0.99, bound, degree, 1) };
    let erased = propagate_regularized(&weights, &reports, &filter, &paper).unwrap();
    assert!(kept.row(0)[0] > erased.row(0)[0], "the paper's threshold is larger than the noise calls for");
    let survivors = |values: &FeatureMatrix| {
        (0..500).flat_map(|node| values.row(node)[1..].to_vec()).filter(|&value| value != 0.0).count()
    };
    let plain = propagate(&weights, &reports, &filter).unwrap();
    assert!(survivors(&kept) * 10 < survivors(&plain), "{} of {}", survivors(&kept), survivors(&plain));
}

#[test]
fn labels_are_propagated_as_one_hot_rows() {
    let graph = CsrGraph::from_edges(4, &[(0, 1), (0, 2), (0, 3)], EdgeKind::Undirected).unwrap();
    let weights = Weights::normalized(&graph, Normalization::Row, SelfLoops::AsIs);
    let labels = [Some(1), Some(0), Some(2), None];
    let found = propagate_labels(&weights, &labels, 3, &Filter::power(1)).unwrap();
    let third = 1.0f32 / 3.0;
    assert_eq!(found.row(0), [third, 0.0, third]);
    assert_eq!(found.row(3), [0.0, 1.0, 0.0]);
    let error = propagate_labels(&weights, &labels, 2, &Filter::power(1)).unwrap_err();
    assert_eq!(error, Error::Label { node: 2, label: 2, classes: 2 });
}

#[test]
fn channels_are_the_powers() {
    let graph = rough(50, 120, EdgeKind::Undirected, 49);
    let mut rng = generator(50);
    let x = dense(50, 20, &mut rng);
    let variance = variances(50, &mut rng);
    let (weights, _) = Weights::variance_propagated(&graph, &variance, 0.5, 3).unwrap();
    let channels = propagate_channels(&weights, &x, 3).unwrap();
    assert_eq!(channels.len(), 4);
    assert_eq!(channels[0], x);
    for (k, channel) in channels.iter().enumerate() {
        let expected = propagate(&weights, &x, &Filter::power(k)).unwrap();
        for (found, expected) in channel.as_slice().iter().zip(expected.as_slice()) {
            assert!((found - expected).abs() < 1e-6, "hop {k}: {found} instead of {expected}");
        }
    }
}

#[test]
fn lazy_weights_keep_a_share() {
    let graph = CsrGraph::from_edges(4, &[(0, 1), (1, 1), (1, 2)], EdgeKind::Undirected).unwrap();
    let weights = Weights::lazy(&graph, Normalization::Row, SelfLoops::AsIs, 0.25).unwrap();
    let x = FeatureMatrix::new(4, 1, vec![1.0, 2.0, 6.0, 8.0]).unwrap();
    assert_eq!(propagate(&weights, &x, &Filter::power(1)).unwrap().as_slice(), [1.75, 2.75, 3.0, 2.0]);
}

#[test]
fn bad_numbers_are_named() {
    let graph = CsrGraph::from_edges(2, &[(0, 1)], EdgeKind::Undirected).unwrap();
    let negative = Weights::from_node_weights(&graph, &[1.0, -0.5]).unwrap_err();
    assert_eq!(negative, Error::Negative { what: "node weight", node: 1, value: -0.5 });
    assert_eq!(negative.to_string(), "node weight of node 1 must be at least 0, got -0.5");
    for value in [f32::NAN, f32::INFINITY] {
        let error = Weights::from_node_weights(&graph, &[value, 1.0]).unwrap_err();
        assert!(matches!(error, Error::NotFinite { row: 0, .. }));
        assert!(FeatureMatrix::new(2, 1, vec![0.0, value]).is_err());
        assert!(CsrMatrix::new(2, vec![0, 1, 1], vec![0], vec![value]).is_err());
        let entries = CsrMatrix::new(1, vec![0, 0, 0], vec![], vec![]).unwrap();
        let rows = Rows::Sparse { entries: &entries, offset: value };
        let weights = Weights::normalized(&graph, Normalization::Row, SelfLoops::AsIs);
        assert!(matches!(propagate(&weights, rows, &Filter::power(1)), Err(Error::NotFinite { .. })));
    }
    assert!(matches!(Weights::from_node_weights(&graph, &[1.0]), Err(Error::Shape { expected: 2, found: 1, .. })));
    assert_eq!(Weights::inverse_variance(&graph, &[1.0, 0.0], 0.0), Err(Error::NoVariance { node: 1 }));
    assert_eq!(Weights::variance_propagated(&graph, &[1.0, 1.0], 0.0, 0).unwrap_err(), Error::NoSteps);
    assert_eq!(Filter::mean_of_powers(0), Err(Error::NoSteps));
    assert!(matches!(Filter::page_rank(2, 1.5), Err(Error::Fraction { .. })));
    assert!(matches!(Filter::page_rank(2, f32::NAN), Err(Error::Fraction { .. })));
    assert!(matches!(Filter::polynomial(vec![]), Err(Error::Shape { .. })));
    assert!(matches!(Filter::polynomial(vec![1.0, f32::NAN]), Err(Error::NotFinite { row: 1, .. })));
    let mut features = FeatureMatrix::new(2, 1, vec![1.0, 2.0]).unwrap();
    assert!(matches!(regularize(&mut features, &[0.5, -1.0]), Err(Error::Negative { node: 1, .. })));
    assert_eq!(features.as_slice(), [1.0, 2.0], "nothing half-written");
}

#[test]
fn a_million_steps() {
    let graph = CsrGraph::from_edges(4, &[(0, 1), (1, 2), (2, 0)], EdgeKind::Undirected).unwrap();
    let weights = Weights::normalized(&graph, Normalization::Row, SelfLoops::Add);
    let x = FeatureMatrix::new(4, 1, vec![1.0, 2.0, 6.0, 8.0]).unwrap();
    let found = propagate(&weights, &x, &Filter::power(1_000_000)).unwrap();
    for (found, expected) in found.as_slice().iter().zip([3.0, 3.0, 3.0, 8.0]) {
        assert!((found - expected).abs() < 1e-5, "{found} instead of {expected}");
    }
}

/// Node 1 has no neighbours, so it weighs something in the first hop and nothing afterwards.
#[test]
fn an_offset_follows_weights_that_change_from_hop_to_hop() {
    let graph = CsrGraph::from_edges(3, &[(0, 1), (0, 2), (2, 0)], EdgeKind::Directed).unwrap();
    let (weights, _) = Weights::variance_propagated(&graph, &[1.0, 1.0, 1.0], 0.5, 2).unwrap();
    let entries = CsrMatrix::new(1, vec![0, 0, 0, 0], vec![], vec![]).unwrap();
    let found = propagate(&weights, Rows::Sparse { entries: &entries, offset: 2.0 }, &Filter::power(2)).unwrap();
    assert_eq!(found.as_slice(), [2.0, 0.0, 2.0]);
}

#[test]
fn report_weights_grow_with_the_square_of_the_gap() {
    assert_eq!(report_weight(1, 0.25) * 4.0, report_weight(1, 0.5));
    assert_eq!(report_weight(3, 0.5), 0.75);
}
