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

#[test]
fn folds_test_and_validate_each_node_once() {
    let splits = Split::k_fold(23, 5, &mut rng(3)).unwrap();
    let (mut tested, mut validated) = ([0; 23], [0; 23]);
    for split in &splits {
        split.check(23).unwrap();
        assert_eq!(split.train.len() + split.validation.len() + split.test.len(), 23);
        assert!((4..=5).contains(&split.test.len()));
        split.test.iter().for_each(|&node| tested[node as usize] += 1);
        split.validation.iter().for_each(|&node| validated[node as usize] += 1);
    }
    assert_eq!((tested, validated), ([1; 23], [1; 23]));
    assert_eq!(splits, Split::k_fold(23, 5, &mut rng(3)).unwrap());
    assert!(matches!(Split::k_fold(23, 2, &mut rng(3)), Err(Error::Parameter { .. })));
    assert!(matches!(Split::k_fold(4, 5, &mut rng(3)), Err(Error::TooFewNodes { .. })));
}

#[test]
fn split_files_come_back_and_bad_ones_say_the_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("split.csv");
    let split = Split::random(50, 0.25, 0.25, &mut rng(4)).unwrap();
    split.write_csv(&path).unwrap();
    assert_eq!(Split::read_csv(&path, 50).unwrap(), split);
    for (text, line) in [
        ("", 1),
        ("node\n1\n", 1),
        ("node,part\n0,train\n1,validation\n1,test\n", 4),
        ("node,part\n50,train\n", 2),
        ("node,part\n0,val\n", 2),
    ] {
        std::fs::write(&path, text).unwrap();
        let error = Split::read_csv(&path, 50).unwrap_err();
        assert!(matches!(error, Error::Line { line: found, .. } if found == line), "{text:?}: {error}");
    }
    std::fs::write(&path, "node,part\n0,train\n1,test\n").unwrap();
    assert!(matches!(Split::read_csv(&path, 50), Err(Error::In { .. })));
}
