//! Rectified reports have the true mean (five standard errors) and the stated variance.

use ldp_core::gaussian::{GridGaussian, Sensitivity};
use ldp_core::{
    Bounds, Delta, Epsilon, GradedListRandomizer, GridLaplace, Hybrid, MultiBitEncoder, OneBit, Piecewise, PrivUnit,
    RandomizedResponse, Randomizer, Rectify, SampleSize, Sampled, ScalarMechanism, SquareWave,
};

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

/// Seed 23, 200 000 reports a case: mean to five standard errors, variance as stated.
pub(crate) fn assert_scalar<M: ScalarMechanism>(name: &str) {
    for bounds in [Bounds::SYMMETRIC, Bounds::new(-3.0, 5.0).unwrap()] {
        for nats in EPSILONS {
            let mechanism = M::build(Epsilon::new(nats).unwrap(), bounds).unwrap();
            let mut rng = rng(23);
            for fraction in [0.0, 1.0, 0.5, 0.137] {
                let value = bounds.lower() + fraction * bounds.width();
                let draw = |_| mechanism.rectify(&mechanism.randomize(&value, &mut rng).unwrap());
                let sample: Vec<f64> = (0..200_000).map(draw).collect();
                let what = format!("{name}, ε = {nats}, {bounds:?}, x = {value}");
                assert_moments(&sample, value, mechanism.variance(value), &what);
            }
        }
    }
}

#[test]
fn scalar_mechanisms() {
    assert_scalar::<OneBit>("one-bit");
    assert_scalar::<Piecewise>("piecewise");
    assert_scalar::<SquareWave>("square wave");
    assert_scalar::<Hybrid>("hybrid");
}

/// A row's mechanism, seed 24, 50 000 rows of both ends, the middle and an irregular value: mean to five standard errors,
/// variance as stated. Sees a bias of 5/√50000 = 2.2 % of the standard deviation.
fn assert_rows(bounds: Bounds, what: &str, mut draw: impl FnMut(&[f64]) -> Vec<f64>, variance: impl Fn(f64) -> f64) {
    let row = [0.0, 1.0, 0.5, 0.137].map(|f| bounds.lower() + f * bounds.width());
    let mut samples = vec![Vec::new(); 4];
    for _ in 0..50_000 {
        samples.iter_mut().zip(draw(&row)).for_each(|(s, e)| s.push(e));
    }
    for (sample, value) in samples.iter().zip(row) {
        assert_moments(sample, value, variance(value), &format!("{what}, {bounds:?}, x = {value}"));
    }
}

fn assert_sampled<M: ScalarMechanism>(name: &str) {
    for bounds in [Bounds::SYMMETRIC, Bounds::new(-3.0, 5.0).unwrap()] {
        for (nats, m) in EPSILONS.iter().flat_map(|&nats| [(nats, 1), (nats, 2), (nats, 4)]) {
            let epsilon = Epsilon::new(nats).unwrap();
            let mechanism = Sampled::<M>::new(epsilon, 4, bounds, SampleSize::Fixed(m)).unwrap();
            let mut rng = rng(24);
            let draw = |row: &[f64]| mechanism.rectify(&mechanism.randomize(row, &mut rng).unwrap());
            assert_rows(bounds, &format!("{name}, ε = {nats}, m = {m}"), draw, |x| mechanism.variance(x));
        }
    }
}

#[test]
fn sampled() {
    assert_sampled::<Piecewise>("sampled piecewise");
    assert_sampled::<GridLaplace>("sampled Laplace");
}

#[test]
fn gaussian_rows() {
    let delta = Delta::new(1e-6).unwrap();
    for bounds in [Bounds::SYMMETRIC, Bounds::new(-3.0, 5.0).unwrap()] {
        for nats in EPSILONS {
            let epsilon = Epsilon::new(nats).unwrap();
            let mechanism = GridGaussian::new(epsilon, delta, 4, bounds, Sensitivity::WholeRow).unwrap();
            let mut rng = rng(24);
            let draw = |row: &[f64]| mechanism.rectify(&mechanism.randomize(row, &mut rng).unwrap()).collect();
            assert_rows(bounds, &format!("grid Gaussian, ε = {nats}"), draw, |_| mechanism.variance());
        }
    }
}

/// The stated variance against the papers' closed forms on [-1, 1].
#[test]
fn closed_forms() {
    for nats in [0.1, 1.0, 3.0, 5.0_f64] {
        for x in [-1.0, 0.0, 0.4, 1.0_f64] {
            let epsilon = Epsilon::new(nats).unwrap();
            let half = (nats / 2.0).exp();
            let printed = x * x / (half - 1.0) + (half + 3.0) / (3.0 * (half - 1.0) * (half - 1.0));
            let near = |got: f64, want: f64| assert!((got - want).abs() < 2e-5 * want, "{got} {want}");
            near(Piecewise::build(epsilon, Bounds::SYMMETRIC).unwrap().variance(x), printed);
            let hybrid = Hybrid::build(epsilon, Bounds::SYMMETRIC).unwrap().variance(x);
            if nats > 0.61 {
                // The mixture in which x cancels [Wang et al. 2019].
                let coth = 1.0 / (nats / 2.0).tanh();
                near(hybrid, (half + 3.0) / (3.0 * half * (half - 1.0)) + coth * coth / half);
            } else {
                near(hybrid, (nats / 2.0).tanh().powi(-2) - x * x);
            }
            near(OneBit::build(epsilon, Bounds::SYMMETRIC).unwrap().variance(x), (nats / 2.0).tanh().powi(-2) - x * x);
        }
    }
}

/// Enumerated mean and variance of one graded entry against the closed forms.
#[test]
fn graded_entry_moments() {
    let mechanism = GradedListRandomizer::new(Epsilon::new(3.0).unwrap(), 10, 5).unwrap();
    for grade in 0..=5_u8 {
        let law = |r: u32| mechanism.entry().weight(u32::from(grade), r) as f64 / 2_f64.powi(64);
        let mean: f64 = (0..6).map(|r| f64::from(r) * law(r)).sum();
        let square: f64 = (0..6).map(|r| f64::from(r * r) * law(r)).sum();
        assert!((mechanism.entry_mean(grade) - mean).abs() < 1e-12);
        assert!((mechanism.entry_variance(grade) - (square - mean * mean)).abs() < 1e-12);
    }
}

/// PrivUnit, seed 25, 40 000 reports: every coordinate unbiased to five standard errors, squared error as stated.
#[test]
fn priv_unit() {
    for (nats, dimensions) in [(1.0, 2), (2.0, 6), (6.0, 30)] {
        let mechanism = PrivUnit::new(Epsilon::new(nats).unwrap(), dimensions).unwrap();
        let mut row = vec![0.0; dimensions];
        (row[0], row[1]) = (3e200, -4e200);
        let mut rng = rng(25);
        let (mut sums, mut squares, draws) = (vec![0.0; dimensions], 0.0, 40_000_u32);
        for _ in 0..draws {
            let estimate = mechanism.rectify(mechanism.randomize(&row, &mut rng).unwrap());
            sums.iter_mut().zip(&estimate).for_each(|(s, e)| *s += e / f64::from(draws));
            squares += estimate.iter().map(|e| e * e).sum::<f64>() / f64::from(draws);
        }
        // One coordinate has at most the whole squared error as variance.
        let error = (mechanism.squared_error() / f64::from(draws)).sqrt();
        for (j, sum) in sums.iter().enumerate() {
            let truth = [0.6, -0.8].get(j).copied().unwrap_or(0.0);
            assert!((sum - truth).abs() < 5.0 * error, "ε = {nats}, d = {dimensions}, {j}: {sum}");
        }
        assert!((squares - mechanism.squared_error() - 1.0).abs() < 1e-9 * squares);
    }
    // papers.md 6: 9 070 on Cora's 1433 dimensions at ε = 1.
    let cora = PrivUnit::new(Epsilon::new(1.0).unwrap(), 1433).unwrap();
    assert!((cora.squared_error() / 9070.0 - 1.0).abs() < 5e-3, "{}", cora.squared_error());
    assert!(PrivUnit::new(Epsilon::new(13.0).unwrap(), 10).is_err());
    assert!(PrivUnit::new(Epsilon::new(1e-7).unwrap(), 10).is_err());
    assert!(PrivUnit::new(Epsilon::new(1.0).unwrap(), 1).is_err());
    assert!(cora.randomize(&[0.0; 3], &mut rng(26)).is_err());
    assert!(PrivUnit::new(Epsilon::new(1.0).unwrap(), 2).unwrap().randomize(&[f64::NAN, 0.0], &mut rng(26)).is_err());
    let zero = PrivUnit::new(Epsilon::new(1.0).unwrap(), 2).unwrap().randomize(&[0.0, 0.0], &mut rng(26));
    assert!(zero.is_ok());
}

/// PrivUnit, seed 27, 20 000 reports a case: every coordinate within five of its own standard errors of the direction.
#[test]
fn priv_unit_over_the_grid() {
    for nats in EPSILONS {
        let mechanism = PrivUnit::new(Epsilon::new(nats).unwrap(), 5).unwrap();
        for row in [[1.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, -3.0], [1.0; 5], [0.137, -2.0, 0.31, 5.5, 0.0]] {
            let norm = row.iter().map(|v| v * v).sum::<f64>().sqrt();
            let mut rng = rng(27);
            let (mut sums, mut squares, draws) = ([0.0; 5], [0.0; 5], 20_000.0);
            for _ in 0..20_000 {
                let estimate = mechanism.rectify(mechanism.randomize(&row, &mut rng).unwrap());
                sums.iter_mut().zip(&estimate).for_each(|(s, e)| *s += e / draws);
                squares.iter_mut().zip(&estimate).for_each(|(s, e)| *s += e * e / draws);
            }
            for ((sum, square), value) in sums.iter().zip(squares).zip(row) {
                let error = ((square - sum * sum) / draws).sqrt();
                let truth = value / norm;
                assert!((sum - truth).abs() <= 5.0 * error, "ε = {nats}, {row:?}: {sum} is not {truth} ± 5·{error}");
            }
        }
    }
}
