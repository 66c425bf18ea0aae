//! What the statistical tests share: generators, χ² and the size of five standard errors.

use chacha20::ChaCha12Rng;
use chacha20::rand_core::SeedableRng;

/// A generator for the test with this number; every test names its own.
pub(crate) fn rng(seed: u8) -> ChaCha12Rng {
    ChaCha12Rng::from_seed([seed; 32])
}

/// The same generator placed at a 32-bit word.
pub(crate) fn stream(seed: u8) -> impl Fn(u128) -> ChaCha12Rng {
    move |position| {
        let mut rng = rng(seed);
        rng.set_word_pos(position);
        rng
    }
}

/// Fails when the counts do not follow `probabilities` at false-alarm rate α = 1e-6.
///
/// Cells of probability zero must be empty. The threshold is the χ² quantile by Wilson and Hilferty (4.7534 is the
/// normal quantile of 1 − 1e-6); a deviation of the whole table with Σ (Δp)²/p ≥ `smallest` is seen.
pub(crate) fn assert_law(counts: &[u64], probabilities: &[f64], what: &str) {
    let draws = counts.iter().sum::<u64>() as f64;
    let mut statistic = 0.0;
    let mut cells = 0.0;
    for (&count, &p) in counts.iter().zip(probabilities) {
        if p == 0.0 {
            assert_eq!(count, 0, "{what}: a cell of probability zero was drawn");
            continue;
        }
        let expected = p * draws;
        assert!(expected >= 5.0, "{what}: {expected} expected draws are too few for χ²");
        statistic += (count as f64 - expected).powi(2) / expected;
        cells += 1.0;
    }
    let freedom: f64 = cells - 1.0;
    let t = 2.0 / (9.0 * freedom);
    let limit = freedom * (1.0 - t + 4.7534 * t.sqrt()).powi(3);
    let smallest = (limit - freedom) / draws;
    assert!(statistic <= limit, "{what}: χ² {statistic:.1} above {limit:.1}; smallest deviation seen {smallest:.1e}");
}

/// Fails when the sample mean is more than five standard errors from `mean`, or the sample variance more than 5 % and
/// six of its own standard errors (from the sample's fourth moment) from `variance`.
pub(crate) fn assert_moments(sample: &[f64], mean: f64, variance: f64, what: &str) {
    let n = sample.len() as f64;
    let got = sample.iter().sum::<f64>() / n;
    let error = (variance / n).sqrt();
    assert!((got - mean).abs() <= 5.0 * error + 1e-12, "{what}: mean {got} is not {mean} ± 5·{error}");
    let square = |x: f64| (x - mean) * (x - mean);
    let spread = sample.iter().map(|&x| square(x)).sum::<f64>() / n;
    let fourth = sample.iter().map(|&x| (square(x) - spread).powi(2)).sum::<f64>() / n;
    let bound = 6.0 * (fourth / n).sqrt() + 1e-9 * variance;
    assert!((spread - variance).abs() <= bound, "{what}: variance {spread} is not {variance} ± {bound}");
}
