//! Rectified reports have the true mean (five standard errors) and the stated variance.

use ldp_core::{Bounds, Epsilon, MultiBitEncoder, RandomizedResponse, Randomizer, SampleSize};

use crate::statistics::{assert_moments, rng};

pub(crate) const EPSILONS: [f64; 5] = [0.01, 0.1, 1.0, 3.0, 10.0];

/// Seed 21, 200 000 reports a case; sees a bias of 5/√200000 = 1.1 % of the standard deviation.
#[test]
fn multi_bit() {
    for bounds in [Bounds::UNIT, Bounds::SYMMETRIC, Bounds::new(-3.0, 5.0).unwrap()] {
        for nats in EPSILONS {
            let encoder = MultiBitEncoder::new(Epsilon::new(nats).unwrap(), 4, bounds, SampleSize::Optimal).unwrap();
            let rectifier = encoder.rectifier();
            let at = |f: f64| (bounds.lower() + f * bounds.width()) as f32;
            let row = [at(0.0), at(1.0), at(0.5), at(0.137)];
            let mut rng = rng(21);
            let mut samples = vec![Vec::new(); 4];
            for _ in 0..200_000 {
                let report = encoder.randomize(&row, &mut rng).unwrap();
                let mut estimate = [rectifier.midpoint(); 4];
                report.entries().for_each(|(i, bit)| estimate[i as usize] = rectifier.value(bit));
                samples.iter_mut().zip(estimate).for_each(|(s, e)| s.push(e));
            }
            for (j, sample) in samples.iter().enumerate() {
                let value = f64::from(row[j]);
                assert_moments(
                    sample,
                    value,
                    rectifier.variance(value),
                    &format!("ε = {nats}, {bounds:?}, x = {value}"),
                );
            }
        }
    }
}

/// Seed 22, 400 000 users; each share within five standard errors, which is 5·√(p(1−p)/n)/(p−q).
#[test]
fn frequencies() {
    for nats in EPSILONS {
        for categories in [2_u32, 7] {
            let mechanism = RandomizedResponse::new(Epsilon::new(nats).unwrap(), categories).unwrap();
            let mut rng = rng(22);
            let users = 400_000_u32;
            let values: Vec<u32> = (0..users).map(|u| (u % 10).min(categories - 1)).collect();
            let mut reports = vec![0; values.len()];
            mechanism.randomize_all(&values, &mut reports, &mut rng).unwrap();
            let count = |list: &[u32]| {
                let mut counts = vec![0_u64; categories as usize];
                list.iter().for_each(|&v| counts[v as usize] += 1);
                counts
            };
            let estimates = mechanism.estimate_frequencies(&count(&reports)).unwrap();
            for (estimate, truth) in estimates.iter().zip(count(&values)) {
                let truth = truth as f64 / f64::from(users);
                let error = estimate.variance.sqrt();
                assert!((estimate.value - truth).abs() <= 5.0 * error, "ε = {nats}: {estimate:?} is not {truth}");
            }
        }
    }
}
