//! Generated graphs have the properties that their parameters promise.

use graph_datasets::{BlockModel, ContextualBlockModel, Dataset, Error};

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

#[test]
fn no_columns_no_features() {
    let dataset = BlockModel { dimensions: 0, ..BlockModel::default() }.generate(&mut rng(14)).unwrap();
    assert!(dataset.features().is_none());
}

#[test]
fn heterophilous_graphs_are_below_chance() {
    let dataset = BlockModel::heterophilous().generate(&mut rng(15)).unwrap();
    assert!(homophily(&dataset) < 0.1, "{}", homophily(&dataset));
}

/// Squared distance of the two class means, per column.
fn separation(dataset: &Dataset) -> f64 {
    let features = dataset.features().unwrap();
    let mut sums = vec![[0.0; 2]; features.columns()];
    for node in 0..features.rows() {
        let (columns, values) = features.row(node);
        let class = dataset.labels()[node] as usize;
        columns.iter().zip(values).for_each(|(&column, &value)| sums[column as usize][class] += f64::from(value));
    }
    let counts = dataset.class_counts();
    let gap = |[a, b]: [f64; 2]| (a / counts[0] as f64 - b / counts[1] as f64).powi(2);
    sums.into_iter().map(gap).sum::<f64>() / features.columns() as f64
}

/// Seeds 21 to 23, n = 4,000, d = 16, p = 400. Same-class edges are about E·(1 + λ/√d)/2 of E ≈ 32,000, standard
/// deviation of the share 0.0028. Mean degree: Poisson, standard deviation of the mean 0.09. The gap of the class means
/// in a column is 2√(μ/n)·g + noise of variance 4/n; its square has mean 4(μ + 1)/n and, over 400 columns, a relative
/// standard deviation of √(2/400) = 0.071. Bounds at 5.3 standard deviations: α = 9 · 1.2e-7 = 1.0e-6.
#[test]
fn contextual_model_has_the_lambda_and_mu_asked_for() {
    for (seed, lambda, mu) in [(21, 2.0, 0.0), (22, 0.0, 9.0), (23, -3.0, 2.0)] {
        let model = ContextualBlockModel { nodes: 4000, mean_degree: 16.0, dimensions: 400, lambda, mu };
        let dataset = model.generate(&mut rng(seed)).unwrap();
        assert_eq!(dataset.class_counts(), [2000, 2000]);
        let degree = 2.0 * dataset.edges() as f64 / 4000.0;
        assert!((degree - 16.0).abs() < 5.3 * 0.09, "{degree}");
        let alike = (1.0 + lambda / 4.0) / 2.0;
        assert!((homophily(&dataset) - alike).abs() < 5.3 * 0.0028, "{} for {alike}", homophily(&dataset));
        let expected = 4.0 * (mu + 1.0) / 4000.0;
        let found = separation(&dataset);
        assert!((found / expected - 1.0).abs() < 5.3 * 0.071, "{found} for {expected}");
    }
    let model = ContextualBlockModel { lambda: 0.6, mu: 4.0, nodes: 1000, dimensions: 40, ..Default::default() };
    assert!((model.signal() - 1.0).abs() < 1e-12, "0.36 + 16 · 40 / 1000 = 1");
}

#[test]
fn contextual_parameters_outside_their_bounds() {
    let base = ContextualBlockModel::default;
    for model in [
        ContextualBlockModel { lambda: 3.2, ..base() },
        ContextualBlockModel { lambda: f64::NAN, ..base() },
        ContextualBlockModel { mu: -1.0, ..base() },
        ContextualBlockModel { mu: f64::INFINITY, ..base() },
        ContextualBlockModel { mean_degree: 0.0, ..base() },
        ContextualBlockModel { mean_degree: 501.0, ..base() },
        ContextualBlockModel { dimensions: 0, ..base() },
    ] {
        let error = model.generate(&mut rng(1)).unwrap_err();
        assert!(matches!(error, Error::Parameter { .. }), "{error}");
    }
    let error = ContextualBlockModel { nodes: 3, ..base() }.generate(&mut rng(1)).unwrap_err();
    assert!(matches!(error, Error::TooFewNodes { nodes: 3, .. }), "{error}");
    assert_eq!(base().generate(&mut rng(2)).unwrap(), base().generate(&mut rng(2)).unwrap());
}

/// Seed 24. Class means of 1,000 nodes are off by about √(8/1000) = 0.09 in length; two centres at distance 3 from the
/// origin are at least 0.5 apart in eight dimensions but for directions within 10°, which this seed does not draw.
#[test]
fn table_features_lie_around_their_centres() {
    let graph = BlockModel { classes: 2, ..BlockModel::default() }.generate(&mut rng(24)).unwrap();
    let dataset = graph.with_table_features(8, 3.0, &mut rng(24)).unwrap();
    assert_eq!((dataset.dimensions(), dataset.features().unwrap().entries()), (8, 16_000));
    assert!(separation(&dataset) * 8.0 > 0.25);
    // Each class mean is 3 away from the origin, up to a noise of length 0.09.
    for (class, count) in (0..).zip(dataset.class_counts()) {
        let of_class = (0..dataset.nodes()).filter(|&node| dataset.labels()[node] == class);
        let mut mean = [0.0; 8];
        for node in of_class {
            let values = dataset.features().unwrap().row(node).1;
            mean.iter_mut().zip(values).for_each(|(sum, &value)| *sum += f64::from(value) / count as f64);
        }
        let length = mean.iter().map(|x| x * x).sum::<f64>().sqrt();
        assert!((length - 3.0).abs() < 0.3, "{length}");
    }
    assert_eq!(dataset.feature_range().hull(), (-7.0, 7.0));
    assert!(dataset.marks().iter().any(|mark| mark.contains("table")));
    let none = graph.with_table_features(8, 0.0, &mut rng(24)).unwrap();
    assert!(separation(&none) * 8.0 < 0.1);
    for (dimensions, separation) in [(0, 1.0), (8, -1.0), (8, f64::NAN)] {
        let error = graph.with_table_features(dimensions, separation, &mut rng(1)).unwrap_err();
        assert!(matches!(error, Error::Parameter { .. }), "{error}");
    }
}

/// 10⁶ nodes and 10⁷ edges. Time and memory are measured by the bench and by `time`; here: that it works at all.
#[test]
#[ignore = "slow: a graph of ten million edges"]
fn ten_million_edges() {
    let dataset = BlockModel::of_size(1_000_000).generate(&mut rng(25)).unwrap();
    assert_eq!((dataset.nodes(), dataset.edges()), (1_000_000, 10_000_000));
}
