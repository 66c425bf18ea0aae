//! Confidence: is the edge real, given what both sides report of each other?
//!
//! The posterior odds of an edge are θ/(1−θ) · Σ_ab π_ab K_a(i) K_b(j) / (K_0(i) K_0(j)). Agreement (i = j) multiplies
//! them by (p/q)², a mismatch only by p/q, so agreement is what counts and the printed min(i, j)/κ · e^{−λ|i−j|} is
//! not needed [papers.md 11.10, 5 and 6]. The prior θ_uv is that of a graph with the estimated degrees,
//! d_u·d_v/Σd. Blink's β-model gives the same in a sparse graph and takes O(n²) a step, which we cannot pay.

use crate::{EndorsementLaw, Error, MutualPairs, Population};

/// Which mutual pairs stay edges.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum EdgeRule {
    /// Those with a posterior of at least this much.
    Posterior(f64),
    /// As many as possible, surest first, such that the expected share of noise among them is at most this.
    NoiseShare(f64),
}

impl EdgeRule {
    pub(crate) fn check(self) -> Result<(), Error> {
        match self {
            Self::Posterior(at) => Error::in_range("the posterior that keeps an edge", at, 0.0, 1.0).map(drop),
            Self::NoiseShare(at) => Error::in_range("the share of noise edges", at, 0.0, 1.0).map(drop),
        }
    }
}

/// P(edge | both reports) of every mutual pair, in the order of [`MutualPairs::all`]; zero where an end is excluded.
///
/// # Panics
/// When `excluded` has not one entry a node.
pub fn confidence(pairs: &MutualPairs, population: &Population, law: &EndorsementLaw, excluded: &[bool]) -> Vec<f32> {
    assert_eq!(excluded.len(), pairs.nodes(), "one flag a node");
    let levels = usize::from(law.levels());
    let mut ratio = Vec::with_capacity(levels * levels);
    for i in 1..=law.levels() {
        for j in 1..=law.levels() {
            let mut sum = 0.0;
            for a in 1..=law.levels() {
                for b in 1..=law.levels() {
                    sum += population.joint(a, b) * law.probability(a, i) * law.probability(b, j);
                }
            }
            ratio.push(sum / (law.lie() * law.lie()));
        }
    }
    let mut counts = vec![0_usize; pairs.nodes()];
    let kept = |low: u32, high: u32| !excluded[low as usize] && !excluded[high as usize];
    for pair in pairs.all().iter().filter(|p| kept(p.low, p.high)) {
        counts[pair.low as usize] += 1;
        counts[pair.high as usize] += 1;
    }
    // The prior of a pair comes from the other pairs of its ends, or the pair would speak twice. A node is not ruled
    // out as a friend however few friends it seems to have.
    let others: Vec<f64> = counts.iter().map(|&count| population.degree(count.saturating_sub(1)).max(0.05)).collect();
    let all: f64 =
        counts.iter().zip(excluded).filter(|&(_, &out)| !out).map(|(&count, _)| population.degree(count)).sum();
    let total = all.max(f64::MIN_POSITIVE);
    let posterior = |pair: &crate::Mutual| {
        if !kept(pair.low, pair.high) {
            return 0.0;
        }
        let prior = (others[pair.low as usize] * others[pair.high as usize] / total).min(0.5);
        let cell = (usize::from(pair.low_says) - 1) * levels + usize::from(pair.high_says) - 1;
        let odds = prior / (1.0 - prior) * ratio[cell];
        if odds.is_finite() { (odds / (1.0 + odds)) as f32 } else { 1.0 }
    };
    pairs.all().iter().map(posterior).collect()
}

/// The smallest posterior that `rule` keeps, and the expected share of noise among what is kept.
pub(crate) fn cutoff(posteriors: &[f32], rule: EdgeRule) -> (f32, f64) {
    let mut sorted: Vec<f32> = posteriors.iter().copied().filter(|&p| p > 0.0).collect();
    sorted.sort_unstable_by(|a, b| b.total_cmp(a));
    let (mut noise, mut kept, mut best) = (0.0, 0.0, (f32::INFINITY, 0.0));
    for (at, &posterior) in sorted.iter().enumerate() {
        noise += 1.0 - f64::from(posterior);
        kept += 1.0;
        let fits = match rule {
            EdgeRule::Posterior(least) => f64::from(posterior) >= least,
            EdgeRule::NoiseShare(most) => noise / kept <= most,
        };
        // Ties stand or fall together.
        if fits && sorted.get(at + 1).is_none_or(|&next| next < posterior) {
            best = (posterior, noise / kept);
        }
    }
    best
}
