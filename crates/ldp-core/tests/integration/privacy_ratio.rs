//! Exact: over all values and all reports the largest log-ratio is the achieved ε, at most the claimed one, and close
//! to it.

use ldp_core::{
    Bounds, Epsilon, FiniteRandomizer, MultiBitEncoder, MultiBitReport, RandomizedResponse, Randomizer, SampleSize,
};
use proptest::prelude::*;

const TOLERANCE: f64 = 1e-12;

/// Enumerates values × values × reports; checks that probabilities sum to one and ratios agree with them.
pub(crate) fn assert_private<M: FiniteRandomizer>(
    mechanism: &M,
    values: &[&M::Value],
    reports: &[M::Report],
    what: &str,
) {
    let claimed = mechanism.epsilon().nats();
    let mut largest = 0.0_f64;
    for &one in values {
        let sum: f64 = reports.iter().map(|r| mechanism.probability(one, r).unwrap()).sum();
        assert!((sum - 1.0).abs() < TOLERANCE, "{what}: probabilities sum to {sum}");
        for &other in values {
            for report in reports {
                let ratio = mechanism.log_ratio(one, other, report).unwrap();
                let (p, q) =
                    (mechanism.probability(one, report).unwrap(), mechanism.probability(other, report).unwrap());
                assert!(
                    ((p / q).ln() - ratio).abs() < 1e-9 + TOLERANCE * ratio.abs(),
                    "{what}: {ratio} is not ln {p}/{q}"
                );
                largest = largest.max(ratio);
            }
        }
    }
    let achieved = mechanism.achieved_epsilon();
    assert!(
        (largest - achieved).abs() <= TOLERANCE * achieved.max(1.0),
        "{what}: enumerated {largest}, stated {achieved}"
    );
    assert!(achieved <= claimed, "{what}: achieved {achieved} above claimed {claimed}");
    // The unlikely weight is rounded up by less than one of 2⁶⁴ / (e^ε + k).
    let rounding = (claimed.min(44.0) - 43.0).exp() * values.len() as f64;
    assert!(achieved >= claimed.min(44.0) * (1.0 - 1e-6) - rounding, "{what}: achieved {achieved} far below {claimed}");
}

#[test]
fn randomized_response() {
    for nats in [1e-9, 1e-3, 0.5, 1.0, 5.0, 20.0, 40.0, 60.0] {
        for categories in [2, 3, 7, 64] {
            let epsilon = Epsilon::new(nats).unwrap();
            let mechanism = RandomizedResponse::new(epsilon, categories).unwrap();
            let reports: Vec<u32> = (0..categories).collect();
            let values: Vec<&u32> = reports.iter().collect();
            assert_private(&mechanism, &values, &reports, &format!("k = {categories}, ε = {nats}"));
            for value in 0..categories {
                let sum: u128 = reports.iter().map(|&r| u128::from(mechanism.weight(value, r))).sum();
                assert_eq!(sum, ldp_core::weights::TOTAL);
            }
        }
    }
}

#[test]
fn multi_bit() {
    // All reports of 2 of 3 dimensions, over the corners, the middle and an irregular row.
    let mut reports = Vec::new();
    for pair in [[0, 1], [0, 2], [1, 2]] {
        for bits in [[false, false], [false, true], [true, false], [true, true]] {
            reports.push(MultiBitReport::new(pair.to_vec(), bits.to_vec()).unwrap());
        }
    }
    let mut rows: Vec<[f32; 3]> = (0..8).map(|c| [0, 1, 2].map(|j| if c >> j & 1 == 1 { 1.0 } else { -1.0 })).collect();
    rows.push([0.0; 3]);
    rows.push([0.3, -0.77, 0.999]);
    let values: Vec<&[f32]> = rows.iter().map(|r| &r[..]).collect();
    for nats in [2e-9, 0.01, 1.0, 4.0, 60.0] {
        let mechanism =
            MultiBitEncoder::new(Epsilon::new(nats).unwrap(), 3, Bounds::SYMMETRIC, SampleSize::Fixed(2)).unwrap();
        assert_private(&mechanism, &values, &reports, &format!("ε = {nats}"));
        assert!(reports.iter().all(|r| mechanism.accepts(r)));
    }
}

proptest! {
    #[test]
    fn achieved_never_above_requested(exponent in -9.0_f64..6.0, categories in 2_u32..100_000, m in 1_usize..50) {
        let epsilon = Epsilon::new(10_f64.powf(exponent)).unwrap();
        if let Ok(mechanism) = RandomizedResponse::new(epsilon, categories) {
            prop_assert!(mechanism.achieved_epsilon() <= epsilon.nats());
        }
        if let Ok(mechanism) = MultiBitEncoder::new(epsilon, 50, Bounds::UNIT, SampleSize::Fixed(m)) {
            prop_assert!(mechanism.achieved_epsilon() <= epsilon.nats());
        }
    }
}
