//! Splits: sizes, disjointness, uniformity, bad shares.

use graph_datasets::{Error, Split};

use crate::rng;

#[test]
fn sizes_are_those_of_the_papers() {
    // 25 % validation and 25 % test rounded down, the rest trains.
    for (nodes, expected) in [(2708, (1354, 677, 677)), (19717, (9859, 4929, 4929)), (4, (2, 1, 1)), (7, (5, 1, 1))] {
        let split = Split::random(nodes, 0.25, 0.25, &mut rng(1)).unwrap();
        assert_eq!((split.train.len(), split.validation.len(), split.test.len()), expected);
        split.check(nodes).unwrap();
        let mut all = [split.train, split.validation, split.test].concat();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..nodes as u32));
    }
}

#[test]
fn same_seed_same_split() {
    let draw = |seed| Split::random(1000, 0.25, 0.25, &mut rng(seed)).unwrap();
    assert_eq!(draw(5), draw(5));
    assert_ne!(draw(5), draw(6));
}

/// Seed 9, 20,000 draws of a split of 8 nodes (4/2/2). Each node's count in each part is binomial; with the bound at
/// 5.7 standard deviations for 24 cells the false-alarm rate is below α = 1e-6 (24 · 2 · Φ(−5.7) = 2.9e-7). The smallest
/// deviation it sees surely is about 11.4 standard deviations: 0.035 in a probability.
#[test]
fn every_node_is_in_every_part_equally_often() {
    const DRAWS: u32 = 20_000;
    let mut counts = [[0u32; 3]; 8];
    let mut rng = rng(9);
    for _ in 0..DRAWS {
        let split = Split::random(8, 0.25, 0.25, &mut rng).unwrap();
        for (part, nodes) in [split.train, split.validation, split.test].iter().enumerate() {
            nodes.iter().for_each(|&node| counts[node as usize][part] += 1);
        }
    }
    for row in counts {
        for (count, share) in row.into_iter().zip([0.5, 0.25, 0.25]) {
            let deviation = (f64::from(count) - f64::from(DRAWS) * share).abs();
            let bound = 5.7 * (f64::from(DRAWS) * share * (1.0 - share)).sqrt();
            assert!(deviation < bound, "{counts:?}");
        }
    }
}

#[test]
fn shares_and_sizes_that_do_not_work() {
    for bad in [0.0, 1.0, -0.1, f64::NAN, 2.0] {
        assert!(matches!(Split::random(100, bad, 0.25, &mut rng(1)), Err(Error::Parameter { .. })), "{bad}");
        assert!(matches!(Split::random(100, 0.25, bad, &mut rng(1)), Err(Error::Parameter { .. })), "{bad}");
    }
    assert!(matches!(Split::random(100, 0.5, 0.5, &mut rng(1)), Err(Error::Parameter { .. })));
    for nodes in 0..4 {
        let error = Split::random(nodes, 0.25, 0.25, &mut rng(1)).unwrap_err();
        assert!(matches!(error, Error::TooFewNodes { at_least: 4, .. }), "{error}");
    }
}

#[test]
fn parts_that_overlap_or_leave_the_graph() {
    let split = Split { train: vec![0, 1], validation: vec![2], test: vec![1, 3] };
    assert!(matches!(split.check(4), Err(Error::SplitOverlap { node: 1 })));
    let split = Split { train: vec![0, 1], validation: vec![2], test: vec![4] };
    assert!(matches!(split.check(4), Err(Error::NodeList { node: 4, .. })));
    let split = Split { train: vec![1, 0], validation: vec![2], test: vec![3] };
    assert!(matches!(split.check(4), Err(Error::NodeList { at: 1, node: 0, .. })));
    let split = Split { train: vec![0, 1], validation: vec![], test: vec![3] };
    assert!(matches!(split.check(4), Err(Error::TooFewNodes { .. })));
}
