//! Measuring ε from outside: run a mechanism many times on two inputs, and bound ε from below.
//!
//! If an event has probability a on one input and b on the other, then ε ≥ ln((a − δ)/b). With Clopper–Pearson limits
//! for a and b the bound holds with the stated confidence, whatever the mechanism does inside; so a bound above the
//! claim is a fault \[LDP-Auditor\]. The reverse does not hold: a low bound proves nothing.
//!
//! `cargo run -p ldp-core --release --example audit` prints claimed, exact and audited ε of all mechanisms, and of
//! those that are [`broken`] on purpose.

pub mod broken;

use alloc::vec::Vec;

use rand_core::CryptoRng;

use crate::{Error, FiniteRandomizer};

/// How often an event occurred in how many trials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hits {
    /// Occurrences, at most `trials`.
    pub hits: u64,
    /// Trials.
    pub trials: u64,
}

/// What an audit found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AuditResult {
    /// With the stated confidence ε is at least this.
    pub lower_bound: f64,
    /// Occurrences on the input where the event is likely.
    pub likely: Hits,
    /// Occurrences on the other.
    pub unlikely: Hits,
}

/// Lower limit of Clopper and Pearson: with probability at least 1 − `alpha` the event's probability is above it.
///
/// # Panics
/// When there are more hits than trials, no trial, or `alpha` is not in (0, 1).
#[must_use]
pub fn lower_limit(hits: Hits, alpha: f64) -> f64 {
    check(hits, alpha);
    if hits.hits == 0 {
        return 0.0;
    }
    // The largest p whose probability of this many hits or more is at most alpha; the unsafe side is above.
    let (mut low, mut high) = (0.0, hits.hits as f64 / hits.trials as f64);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if log_upper_tail(hits, middle) <= libm::log(alpha) { low = middle } else { high = middle }
    }
    // Outward by more than the error of the log-gamma function and of the sum.
    (low * (1.0 - 1e-9)).max(0.0)
}

/// Upper limit of Clopper and Pearson: with probability at least 1 − `alpha` the event's probability is below it.
///
/// # Panics
/// As [`lower_limit`].
#[must_use]
pub fn upper_limit(hits: Hits, alpha: f64) -> f64 {
    check(hits, alpha);
    // P(X ≤ k) under p is P(misses ≥ n − k) under 1 − p; computed in the small probability to keep its digits.
    let (mut low, mut high) = (hits.hits as f64 / hits.trials as f64, 1.0);
    if hits.hits == hits.trials {
        return 1.0;
    }
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if log_lower_tail(hits, middle) <= libm::log(alpha) { high = middle } else { low = middle }
    }
    (high * (1.0 + 1e-9)).min(1.0)
}

fn check(hits: Hits, alpha: f64) {
    assert!(hits.trials > 0 && hits.hits <= hits.trials, "hits {} of {} trials", hits.hits, hits.trials);
    assert!(alpha > 0.0 && alpha < 1.0, "alpha {alpha}");
}

/// ln P(X = k) for X ~ Binomial(n, p).
fn log_mass(n: f64, k: f64, p: f64) -> f64 {
    let choose = libm::lgamma(n + 1.0) - libm::lgamma(k + 1.0) - libm::lgamma(n - k + 1.0);
    choose + k * libm::log(p) + (n - k) * libm::log1p(-p)
}

/// ln P(X ≥ hits), summed from the hits upward; the terms fall fast because p is below hits/trials.
fn log_upper_tail(hits: Hits, p: f64) -> f64 {
    let (n, k) = (hits.trials as f64, hits.hits as f64);
    if p <= 0.0 {
        return f64::NEG_INFINITY;
    }
    let (mut term, mut sum, mut at) = (1.0, 1.0, k);
    while at < n && term > 1e-18 * sum {
        term *= (n - at) / (at + 1.0) * (p / (1.0 - p));
        sum += term;
        at += 1.0;
    }
    log_mass(n, k, p) + libm::log(sum)
}

/// ln P(X ≤ hits), summed from the hits downward; p is above hits/trials.
fn log_lower_tail(hits: Hits, p: f64) -> f64 {
    let (n, k) = (hits.trials as f64, hits.hits as f64);
    if p >= 1.0 {
        return f64::NEG_INFINITY;
    }
    let (mut term, mut sum, mut at) = (1.0, 1.0, k);
    while at > 0.0 && term > 1e-18 * sum {
        term *= at / (n - at + 1.0) * ((1.0 - p) / p);
        sum += term;
        at -= 1.0;
    }
    log_mass(n, k, p) + libm::log(sum)
}

/// ln((lower(likely) − δ)/upper(unlikely)), at least 0: with probability at least 1 − `alpha` the true ε is above.
///
/// # Panics
/// As [`lower_limit`].
#[must_use]
pub fn epsilon_lower_bound(likely: Hits, unlikely: Hits, delta: f64, alpha: f64) -> f64 {
    let above = lower_limit(likely, alpha / 2.0) - delta;
    if above <= 0.0 {
        return 0.0;
    }
    libm::log(above / upper_limit(unlikely, alpha / 2.0)).max(0.0)
}

/// Audits any procedure: `draw(false)` runs it on one input, `draw(true)` on the other, and says whether the event
/// occurred, which should be likely on the first.
///
/// # Panics
/// When there is no trial.
pub fn audit(trials: u64, alpha: f64, delta: f64, mut draw: impl FnMut(bool) -> bool) -> AuditResult {
    let mut count = |other| Hits { hits: (0..trials).filter(|_| draw(other)).count() as u64, trials };
    let (likely, unlikely) = (count(false), count(true));
    AuditResult { lower_bound: epsilon_lower_bound(likely, unlikely, delta, alpha), likely, unlikely }
}

/// Audits a mechanism whose law is known, with the most telling event for these two inputs.
///
/// The event is "the log-ratio is at least so much". How much is chosen on `trials`/10 pilot reports of the first
/// input, where the law says how likely each event is on the second; the reports that are counted are drawn afresh,
/// so the choice does not touch the confidence.
///
/// # Errors
/// When an input is outside the domain.
///
/// # Panics
/// When there is no trial.
pub fn audit_finite<M: FiniteRandomizer, R: CryptoRng + ?Sized>(
    mechanism: &M,
    inputs: (&M::Value, &M::Value),
    trials: u64,
    alpha: f64,
    rng: &mut R,
) -> Result<AuditResult, Error> {
    let (one, other) = inputs;
    // Both inputs are tried before counting, so that an error is not taken for a miss.
    mechanism.randomize(other, rng)?;
    let mut ratios = Vec::new();
    for _ in 0..(trials / 10).max(1) {
        ratios.push(mechanism.log_ratio(one, other, &mechanism.randomize(one, rng)?)?);
    }
    let threshold = most_telling(ratios, trials, alpha);
    Ok(audit(trials, alpha, 0.0, |second| {
        let value = if second { other } else { one };
        let event = |r: M::Report| mechanism.log_ratio(one, other, &r).is_ok_and(|ratio| ratio >= threshold);
        mechanism.randomize(value, rng).is_ok_and(event)
    }))
}

/// The threshold on the log-ratio whose event promises the largest bound, from ratios drawn on the first input; a
/// little below the ratio itself, against rounding.
fn most_telling(mut ratios: Vec<f64>, trials: u64, alpha: f64) -> f64 {
    const CANDIDATES: usize = 64;
    ratios.sort_unstable_by(|a, b| b.total_cmp(a));
    let drawn = ratios.len() as f64;
    // Σ e^{−ratio} over the event's reports estimates its probability on the second input.
    let on_other = ratios.iter().scan(0.0, |sum, ratio| {
        *sum += libm::exp(-ratio) / drawn;
        Some(*sum)
    });
    let hits = |share: f64| Hits { hits: ((share * trials as f64) as u64).min(trials), trials };
    let ends = ratios.windows(2).map(|pair| pair[1] < pair[0] - 1e-9).chain([true]);
    let mut events: Vec<(f64, f64, f64)> = (1_u32..)
        .zip(ratios.iter().zip(on_other).zip(ends))
        .filter(|&(_, (_, end))| end)
        .map(|(count, ((ratio, other), _))| (*ratio, f64::from(count) / drawn, other))
        .collect();
    // Continuous ratios give as many events as reports: a spread of them is enough.
    let step = events.len().div_ceil(CANDIDATES);
    events = events.into_iter().step_by(step).collect();
    let bound = |&(_, on_one, on_other): &(f64, f64, f64)| {
        epsilon_lower_bound(hits(on_one), hits(on_other.min(1.0)), 0.0, alpha)
    };
    let best = events.into_iter().max_by(|a, b| bound(a).total_cmp(&bound(b)));
    best.map_or(0.0, |(ratio, ..)| ratio - 1e-9 * libm::fabs(ratio).max(1.0))
}
