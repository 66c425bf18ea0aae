//! Binomial tails by direct summation of the probability function, accurate far out.

use libm::{lgamma, log, log1p};

/// ln P(Bin(trials, rate) = count), −∞ where impossible.
pub(crate) fn log_mass(trials: u64, rate: f64, count: u64) -> f64 {
    if count > trials {
        return f64::NEG_INFINITY;
    }
    let (n, x) = (trials as f64, count as f64);
    let term = |times: f64, log_rate: f64| if times == 0.0 { 0.0 } else { times * log_rate };
    lgamma(n + 1.0) - lgamma(x + 1.0) - lgamma(n - x + 1.0) + term(x, log(rate)) + term(n - x, log1p(-rate))
}

/// P(Bin(trials, rate) ≤ count).
pub fn binomial_lower_tail(trials: u64, rate: f64, count: u64) -> f64 {
    if count >= trials || rate <= 0.0 {
        return 1.0;
    }
    if rate >= 1.0 {
        return 0.0;
    }
    // Above the mean the complement is the small sum.
    if count as f64 > trials as f64 * rate {
        return 1.0 - binomial_upper_tail(trials, rate, count + 1);
    }
    let mut mass = libm::exp(log_mass(trials, rate, count));
    let odds = (1.0 - rate) / rate;
    let mut sum = 0.0;
    let mut x = count;
    loop {
        sum += mass;
        if x == 0 || mass < sum * 1e-17 {
            return sum.min(1.0);
        }
        mass *= x as f64 / (trials - x + 1) as f64 * odds;
        x -= 1;
    }
}

/// P(Bin(trials, rate) ≥ count).
pub fn binomial_upper_tail(trials: u64, rate: f64, count: u64) -> f64 {
    if count == 0 {
        return 1.0;
    }
    if count > trials || rate <= 0.0 {
        return 0.0;
    }
    if rate >= 1.0 {
        return 1.0;
    }
    if (count as f64) <= trials as f64 * rate {
        return 1.0 - binomial_lower_tail(trials, rate, count - 1);
    }
    let mut mass = libm::exp(log_mass(trials, rate, count));
    let odds = rate / (1.0 - rate);
    let mut sum = 0.0;
    let mut x = count;
    loop {
        sum += mass;
        if x == trials || mass < sum * 1e-17 {
            return sum.min(1.0);
        }
        mass *= (trials - x) as f64 / (x + 1) as f64 * odds;
        x += 1;
    }
}
