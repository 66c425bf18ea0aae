//! Conformity: honest lists of any degree pass, those that were not randomized do not.

use veritas_defense::{
    EndorsementLists, Error, Oddity, Tallies, TrueGrades, benjamini_hochberg, binomial_upper_tail, conformity,
    feature_conformity,
};

use crate::scenario::{law, randomized_entry_by_entry};

/// Users of degree 0, 1, … 59 (a half graph), 400 users.
fn every_degree(nodes: u32) -> TrueGrades {
    let mut rows = vec![Vec::new(); nodes as usize];
    for u in 0..60_u32 {
        for v in 60..60 + u {
            rows[u as usize].push((v, 5));
            rows[v as usize].push((u, 5));
        }
    }
    rows.iter_mut().for_each(|row: &mut Vec<(u32, u8)>| row.sort_unstable());
    let empty = EndorsementLists::new(5, vec![0; nodes as usize + 1], vec![], vec![]).unwrap();
    TrueGrades::new(empty).with_rows(0, &rows).unwrap()
}

/// p-values of honest lists are no smaller than uniform, whatever the degree: 30 graphs of 400 users at ε = 1, 3 and 5,
/// seeds 0 … 29, α = 1e-6 a comparison; 12,000 lists see 7.2 % below 5 %.
#[test]
fn honest_lists_conform() {
    for epsilon in [1.0, 3.0, 5.0] {
        let law = law(epsilon, 5);
        let mut low = [0_u64; 2];
        for seed in 0..30 {
            let lists = randomized_entry_by_entry(&every_degree(400), &law, &[false; 400], seed);
            for found in conformity(&Tallies::of(&lists), &law) {
                low[0] += u64::from(found.p_value <= 0.05);
                low[1] += u64::from(found.p_value <= 0.002);
            }
        }
        for (count, rate) in low.into_iter().zip([0.05, 0.002]) {
            assert!(binomial_upper_tail(12_000, rate, count) > 1e-6, "{epsilon}: {count} p-values ≤ {rate}");
        }
    }
}

#[test]
fn lists_past_the_randomizer_do_not_conform() {
    let (law, nodes) = (law(5.0, 5), 2708_u32);
    let empty = EndorsementLists::new(5, vec![0; nodes as usize + 1], vec![], vec![]).unwrap();
    let victims: Vec<(u32, u8)> = (100..112).map(|v| (v, 5)).collect();
    let grades = TrueGrades::new(empty).with_rows(0, &[victims]).unwrap();
    let mut bypass = vec![false; nodes as usize];
    bypass[0] = true;
    let lists = randomized_entry_by_entry(&grades, &law, &bypass, 1);
    let found = conformity(&Tallies::of(&lists), &law);
    // papers.md 11.10: 88 ± 9 expected, 12 seen, z = −8.3.
    assert_eq!((found[0].oddity, found[0].seen), (Oddity::TooFewEntries, 12));
    assert!((found[0].expected - 88.0).abs() < 1.0 && found[0].p_value < 1e-15);
    let p_values: Vec<f64> = found.iter().map(|c| c.p_value).collect();
    assert_eq!(benjamini_hochberg(&p_values, 0.001), vec![0]);
}

/// A list as long as honest ones, but all of one grade.
#[test]
fn forged_noise_does_not_conform() {
    let (law, nodes) = (law(3.0, 5), 2000_u32);
    let empty = EndorsementLists::new(5, vec![0; nodes as usize + 1], vec![], vec![]).unwrap();
    let forged: Vec<(u32, u8)> = (0..400).map(|i| (4 * i + 3, 2)).collect();
    let grades = TrueGrades::new(empty).with_rows(0, &[forged]).unwrap();
    let mut bypass = vec![false; nodes as usize];
    bypass[0] = true;
    let lists = randomized_entry_by_entry(&grades, &law, &bypass, 1);
    let found = conformity(&Tallies::of(&lists), &law);
    assert!(matches!(found[0].oddity, Oddity::GradeMissing(g) if g != 2) && found[0].p_value < 1e-15);
}

/// Thirty fakes push the same two of 100 features among 1000 users who draw theirs: a set is met by 0.2 others on
/// average, and by three or more with probability .0011.
#[test]
fn shared_feature_sets_stand_out() {
    let mut features: Vec<u32> = Vec::new();
    let mut rng = crate::scenario::rng(1, 0);
    let mut below = |bound: u64| (chacha20::rand_core::Rng::next_u64(&mut rng) % bound) as u32;
    for _ in 0..1000 {
        let (first, second) = (below(100), below(99));
        let second = second + u32::from(second >= first);
        features.extend([first.min(second), first.max(second)]);
    }
    features.extend([40, 41].repeat(30));
    let indptr: Vec<usize> = (0..=1030).map(|user| 2 * user).collect();
    let p_values = feature_conformity(&indptr, &features, 100, 2).unwrap();
    assert!(p_values[1000..].iter().all(|&p| p < 1e-20));
    let rejected = benjamini_hochberg(&p_values, 0.001);
    assert!(rejected.len() >= 30 && rejected.len() <= 33, "{}", rejected.len());
    assert!(matches!(feature_conformity(&[0, 1], &[3], 100, 2), Err(Error::Size { expected: 2, found: 1, .. })));
    assert!(matches!(feature_conformity(&[0, 2], &[3, 3], 100, 2), Err(Error::EntryOrder { user: 0, about: 3 })));
    assert!(matches!(feature_conformity(&[0, 2], &[3, 100], 100, 2), Err(Error::UnknownNode { about: 100, .. })));
    assert!(feature_conformity(&[], &[], 100, 2).unwrap().is_empty());
}
