//! Public tiers: rectified by tier, pooled without bias, and never mixed up.

use ldp_core::{Bounds, Epsilon, Error, OneBit, RandomizedResponse, Randomizer, Tiers, Wire};

use crate::statistics::rng;

fn budgets(nats: &[f64]) -> Vec<Epsilon> {
    nats.iter().map(|&n| Epsilon::new(n).unwrap()).collect()
}

/// Seed 111, 300 pools of 900 users in three tiers: mean and variance of the pooled mean, both to five standard errors
/// (the variance to 5·√(2/300) = 41 %).
#[test]
fn pooled_mean() {
    let tiers = Tiers::new(&budgets(&[0.2, 1.0, 4.0]), |epsilon| OneBit::new(epsilon, Bounds::UNIT)).unwrap();
    let mut rng = rng(111);
    let value = |user: usize| (user / 3 % 5) as f64 / 8.0;
    let truth = (0..900).map(value).sum::<f64>() / 900.0;
    let (pools, mut sum, mut square, mut stated) = (300.0, 0.0, 0.0, 0.0);
    for _ in 0..300 {
        let reports: Vec<(usize, bool)> = (0..900)
            .map(|user| (user % 3, tiers.mechanism(user % 3).unwrap().randomize(&value(user), &mut rng).unwrap()))
            .collect();
        let mean = tiers.pool_mean(reports.iter().map(|(tier, report)| (*tier, report))).unwrap();
        let off = mean.value - truth;
        (sum, square, stated) = (sum + off / pools, square + off * off / pools, mean.variance);
    }
    assert!(sum.abs() < 5.0 * (stated / pools).sqrt(), "{sum}");
    // At most the stated one: values off the middle have less.
    assert!(square < 1.41 * stated && square > 0.5 * stated, "{square} {stated}");
    // The lowest tier alone would be 20 times worse.
    let alone = tiers.mechanism(0).unwrap();
    assert!(ldp_core::Rectify::worst_variance(alone, 1.0) / 300.0 > 20.0 * stated);
}

/// Seed 112, 300 000 users in two tiers; every share within five standard errors.
#[test]
fn pooled_frequencies() {
    let tiers = Tiers::new(&budgets(&[0.5, 2.0]), |epsilon| RandomizedResponse::new(epsilon, 4)).unwrap();
    let mut rng = rng(112);
    let mut counts = vec![vec![0_u64; 4]; 2];
    for user in 0..300_000_u32 {
        let (tier, value) = ((user % 2) as usize, (user / 2 % 10).min(3));
        counts[tier][tiers.mechanism(tier).unwrap().randomize(&value, &mut rng).unwrap() as usize] += 1;
    }
    let pooled = tiers.pool_frequencies(&counts).unwrap();
    let better = tiers.mechanism(1).unwrap().estimate_frequencies(&counts[1]).unwrap();
    for ((estimate, one), truth) in pooled.iter().zip(&better).zip([0.1, 0.1, 0.1, 0.7]) {
        assert!((estimate.value - truth).abs() < 5.0 * estimate.variance.sqrt(), "{estimate:?} is not {truth}");
        assert!(estimate.variance < one.variance);
    }
    counts[0] = vec![0; 4];
    assert!((tiers.pool_frequencies(&counts).unwrap()[3].value - better[3].value).abs() < 1e-12);
    counts[1] = vec![0; 4];
    assert!(matches!(tiers.pool_frequencies(&counts), Err(Error::Count { .. })));
    assert!(matches!(tiers.pool_frequencies(&counts[..1]), Err(Error::Length { .. })));
}

#[test]
fn refusals() {
    let build = |nats: &[f64]| Tiers::new(&budgets(nats), |epsilon| OneBit::new(epsilon, Bounds::UNIT));
    assert!(matches!(build(&[]), Err(Error::Count { .. })));
    assert!(matches!(build(&[1.0, 1.0]), Err(Error::Count { .. })));
    let tiers = build(&[0.5, 1.0]).unwrap();
    assert_eq!((tiers.len(), tiers.is_empty()), (2, false));
    assert!(matches!(tiers.mechanism(2), Err(Error::Category { categories: 2 })));
    assert!(matches!(tiers.pool_mean([(2, &true)]), Err(Error::Category { categories: 2 })));
    assert!(matches!(tiers.pool_mean([]), Err(Error::Count { .. })));
    // The header tells the tier; another deployment's report is of none.
    for tier in 0..2 {
        let bytes = tiers.mechanism(tier).unwrap().encode(&true);
        assert_eq!(tiers.decode(&bytes), Ok((tier, true)));
    }
    assert!(tiers.decode(&build(&[0.7]).unwrap().mechanism(0).unwrap().encode(&true)).is_err());
}
