//! Laplace and Gaussian noise on the grid: loss, law, moments, calibration.

use ldp_core::gaussian::{GridGaussian, Sensitivity, analytic_sigma, classical_sigma, gaussian_delta};
use ldp_core::{Bounds, Delta, Epsilon, Error, GridLaplace, Randomizer, Rectify};
use proptest::prelude::*;

use crate::golden::near;
use crate::statistics::{assert_law, assert_moments, rng};
use crate::unbiased::assert_scalar;

fn epsilon(nats: f64) -> Epsilon {
    Epsilon::new(nats).unwrap()
}

/// The largest log-ratio over pairs of values and reports of the range is N/t, at most ε and close to it.
#[test]
fn laplace_loss() {
    for nats in [1e-6, 0.01, 1.0, 4.0, 30.0] {
        let mechanism = GridLaplace::new(epsilon(nats), Bounds::SYMMETRIC).unwrap();
        let (cells, achieved) = (i64::from(mechanism.cells()), mechanism.achieved_epsilon());
        assert!(achieved <= nats && achieved >= nats * (1.0 - 2e-3), "{achieved} of {nats}");
        let mut worst = 0.0_f64;
        for report in [-3 * cells, -1, 0, cells / 2, cells - 1, cells, cells + 1, 5 * cells] {
            for one in [-1.0, 1.0, 0.0, 0.3, -0.777] {
                for other in [-1.0, 1.0, 0.0, 0.3, -0.777] {
                    let p = |v| mechanism.log_probability(v, report).unwrap();
                    worst = worst.max(p(one) - p(other));
                }
            }
        }
        assert!((worst - achieved).abs() < 1e-9 * achieved.max(1.0), "{worst} of {achieved}");
    }
}

/// Seed 61, 300 000 draws in 64 bins of 500 cells around the value and two tails: sees Σ(Δp)²/p of 3e-4.
#[test]
fn laplace_law() {
    let mechanism = GridLaplace::new(epsilon(1.0), Bounds::UNIT).unwrap();
    for value in [0.0, 1.0, 0.33] {
        let (low, width, bins) = (-16_000_i64, 500_i64, 64_i64);
        let bin = |report: i64| ((report - low).div_euclid(width).clamp(-1, bins) + 1) as usize;
        let mut law = vec![0.0; bins as usize + 2];
        let mut mean = 0.0;
        for report in low - 150_000..low + bins * width + 150_000 {
            let probability = mechanism.log_probability(value, report).unwrap().exp();
            law[bin(report)] += probability;
            mean += probability * mechanism.rectify(&report);
        }
        near(law.iter().sum::<f64>(), 1.0, 1e-9);
        // Half a cell is 1.2e-4: no simulation sees it.
        assert!((mean - value).abs() < 1e-9, "{mean} of {value}");
        let mut counts = vec![0_u64; law.len()];
        let mut rng = rng(61);
        (0..300_000).for_each(|_| counts[bin(mechanism.randomize(&value, &mut rng).unwrap())] += 1);
        assert_law(&counts, &law, &format!("value {value}"));
    }
    // The finest structure: the magnitude modulo the radix and another number, with one, two and three digits before the leading one.
    for (nats, scale, moduli) in [(1.0, 4097, [820, 64]), (2e-6, 500_001, [317, 64]), (1e-8, 100_000_001, [272, 27])] {
        let mechanism = GridLaplace::new(epsilon(nats), Bounds::UNIT).unwrap();
        assert_eq!(mechanism.scale(), scale);
        let mut rng = rng(62);
        let mut counts = moduli.map(|modulus| vec![0_u64; modulus]);
        let mut quarters = vec![0_u64; 17];
        for _ in 0..200_000 {
            let report = mechanism.randomize(&0.0, &mut rng).unwrap();
            let magnitude = (if report < 0 { -1 - report } else { report }) as usize;
            counts.iter_mut().zip(moduli).for_each(|(counts, modulus)| counts[magnitude % modulus] += 1);
            quarters[(4 * magnitude / scale as usize).min(16)] += 1;
        }
        let power = |k: usize| (-(k as f64) / f64::from(scale)).exp();
        for (counts, modulus) in counts.iter().zip(moduli) {
            let law: Vec<f64> = (0..modulus).map(|j| power(j) * (1.0 - power(1)) / (1.0 - power(modulus))).collect();
            assert_law(counts, &law, &format!("ε = {nats}, magnitude modulo {modulus}"));
        }
        let above = |k: usize| if k < 17 { power((k * scale as usize).div_ceil(4)) } else { 0.0 };
        let law: Vec<f64> = (0..17).map(|k| above(k) - above(k + 1)).collect();
        assert_law(&quarters, &law, &format!("ε = {nats}, quarters of the scale"));
    }
}

#[test]
fn laplace_is_unbiased() {
    assert_scalar::<GridLaplace>("grid Laplace");
    let variance = |nats| GridLaplace::new(epsilon(nats), Bounds::SYMMETRIC).unwrap().variance(0.0);
    // 2·(2/ε)².
    near(variance(1.0), 8.0, 2e-3);
    near(variance(0.01), 80_000.0, 5e-2);
    assert!(GridLaplace::new(epsilon(4e6), Bounds::UNIT).is_err());
}

/// `vectors/gaussian.py` (Δ = 1, δ = 1e-5).
#[test]
fn analytic_calibration() {
    let delta = Delta::new(1e-5).unwrap();
    for (nats, sigma) in [
        (0.1, 30.7496),
        (0.5, 7.0318),
        (1.0, 3.7306),
        (2.0, 1.9938),
        (3.0, 1.3906),
        (5.0, 0.8919),
        (8.0, 0.6002),
        (10.0, 0.4999),
        (16.0, 0.3442),
    ] {
        assert!((analytic_sigma(epsilon(nats), delta, 1.0) - sigma).abs() < 6e-5, "ε = {nats}");
    }
    // Whole row and its composition, d = 1433, Δ₂ = 2√d: 282 against 17 669.
    near(analytic_sigma(epsilon(1.0), delta, 2.0 * 1433_f64.sqrt()), 282.4, 1e-3);
    // Clipped to 18 ones: Δ₂ = 2·√36.
    near(analytic_sigma(epsilon(1.0), delta, 2.0 * 36_f64.sqrt()), 44.77, 1e-3);
    assert_eq!(classical_sigma(epsilon(1.0), delta, 1.0), Err(Error::Classical { epsilon: 1.0 }));
    near(classical_sigma(epsilon(0.5), delta, 1.0).unwrap(), (2.0 * (1.25e5_f64).ln()).sqrt() / 0.5, 1e-9);
    // PPGNN's formula without the sensitivity: the true δ at a nominal 1e-5.
    for (nats, truth) in [(0.1, 1.1e-4), (1.0, 1.7e-3), (3.0, 1.2e-2)] {
        let printed = (2.0 * (1.25e5_f64).ln()).sqrt() / nats;
        near(gaussian_delta(nats, printed, 2.0), truth, 0.05);
    }
}

proptest! {
    /// Always on the safe side, and not far from the edge.
    #[test]
    fn calibration_ends_on_the_safe_side(exponent in -3.0_f64..2.0, delta_exponent in -15.0_f64..-0.5) {
        let (epsilon, delta) = (epsilon(10_f64.powf(exponent)), Delta::new(10_f64.powf(delta_exponent)).unwrap());
        let sigma = analytic_sigma(epsilon, delta, 1.0);
        prop_assert!(gaussian_delta(epsilon.nats(), sigma, 1.0) <= delta.get());
        prop_assert!(gaussian_delta(epsilon.nats(), sigma * (1.0 - 1e-6), 1.0) > delta.get() * (1.0 - 1e-4));
    }
}

/// Seed 63, 100 000 rows: mean and variance of every dimension, and the law of the noise in 40 bins.
#[test]
fn gaussian() {
    let delta = Delta::new(1e-6).unwrap();
    for (nats, dimensions) in [(1.0, 3), (8.0, 1), (0.1, 2)] {
        let mechanism =
            GridGaussian::new(epsilon(nats), delta, dimensions, Bounds::SYMMETRIC, Sensitivity::WholeRow).unwrap();
        let row = &[-1.0, 0.3, 1.0][..dimensions];
        let mut samples = vec![Vec::new(); dimensions];
        let mut rng = rng(63);
        for _ in 0..100_000 {
            let report = mechanism.randomize(row, &mut rng).unwrap();
            assert!(mechanism.accepts(&report));
            samples.iter_mut().zip(mechanism.rectify(&report)).for_each(|(s, e)| s.push(e));
        }
        for (sample, &value) in samples.iter().zip(row) {
            // Rounding adds a twelfth of a cell squared, cell ≤ σ/256.
            assert_moments(sample, value, mechanism.variance(), &format!("ε = {nats}, x = {value}"));
            let bin = |x: f64| (((x - value) / mechanism.sigma() * 5.0).floor().clamp(-11.0, 10.0) + 11.0) as usize;
            let mut counts = vec![0_u64; 22];
            sample.iter().for_each(|&x| counts[bin(x)] += 1);
            let phi = |z: f64| 0.5 * libm::erfc(-z / 2_f64.sqrt());
            let edge = |k: usize| (k as f64 - 11.0) / 5.0;
            let law: Vec<f64> = (0..22)
                .map(|k| match k {
                    0 => phi(edge(1)),
                    21 => 1.0 - phi(edge(21)),
                    _ => phi(edge(k + 1)) - phi(edge(k)),
                })
                .collect();
            assert_law(&counts, &law, &format!("Gaussian, ε = {nats}, x = {value}"));
        }
    }
}

#[test]
fn gaussian_input() {
    let delta = Delta::new(1e-6).unwrap();
    let sparse = GridGaussian::new(epsilon(1.0), delta, 4, Bounds::UNIT, Sensitivity::Sparse(1)).unwrap();
    let whole = GridGaussian::new(epsilon(1.0), delta, 4, Bounds::UNIT, Sensitivity::WholeRow).unwrap();
    near(whole.sigma() / sparse.sigma(), 2_f64.sqrt(), 1e-6);
    let mut rng = rng(64);
    assert!(sparse.randomize(&[0.0, 1.0, 0.0, 0.0], &mut rng).is_ok());
    assert!(sparse.randomize(&[0.0, 1.0, 0.5, 0.0], &mut rng).is_err());
    assert!(whole.randomize(&[0.0, 1.0, 2.0, 0.0], &mut rng).is_err());
    assert!(whole.randomize(&[0.0], &mut rng).is_err());
    assert_eq!(whole.delta(), delta);
    assert_eq!(Randomizer::delta(&whole), Some(delta));
    assert!(GridGaussian::new(epsilon(1.0), delta, 0, Bounds::UNIT, Sensitivity::WholeRow).is_err());
    assert!(GridGaussian::new(epsilon(1.0), delta, 4, Bounds::UNIT, Sensitivity::Sparse(0)).is_err());
    // δ does not cover what a 64-bit table is off by; noise a million times as wide as the range.
    let tiny = Delta::new(1e-15).unwrap();
    assert!(matches!(
        GridGaussian::new(epsilon(1.0), tiny, 4, Bounds::UNIT, Sensitivity::WholeRow),
        Err(Error::Delta { .. })
    ));
    assert!(GridGaussian::new(epsilon(1e-6), delta, 4, Bounds::UNIT, Sensitivity::WholeRow).is_err());
}
