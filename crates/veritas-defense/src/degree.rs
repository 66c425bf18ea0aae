//! Unbiased degrees from randomized lists.

use crate::{EndorsementLaw, MutualPairs, Tallies};

/// An unbiased degree with its variance (at the estimated degree).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DegreeEstimate {
    /// The estimate; may be negative or above n − 1.
    pub value: f64,
    /// Its variance.
    pub variance: f64,
}

/// d̂_v = (nnz_v − ρ(n−1)) / ((1−q) − ρ) from v's own list [papers.md 11.10, 5]. Mutual friendship is not assumed.
pub fn degree_from_own_list(node: usize, tallies: &Tallies, law: &EndorsementLaw) -> DegreeEstimate {
    estimate(f64::from(tallies.out(node)), tallies.nodes(), law.noise_rate(), 1.0 - law.lie())
}

/// The same from the mutual pairs, (k_v − ρ²(n−1)) / ((1−q)² − ρ²), for undirected friendship. Its noise is that of
/// ρ² instead of ρ, so it is the better one wherever an edge can be seen at all.
pub fn degree_from_mutual_pairs(node: usize, pairs: &MutualPairs, law: &EndorsementLaw) -> DegreeEstimate {
    estimate(pairs.count(node) as f64, pairs.nodes(), law.noise_rate().powi(2), (1.0 - law.lie()).powi(2))
}

fn estimate(seen: f64, nodes: usize, noise: f64, kept: f64) -> DegreeEstimate {
    let others = nodes.saturating_sub(1) as f64;
    let value = (seen - noise * others) / (kept - noise);
    let degree = value.clamp(0.0, others);
    let variance = ((others - degree) * noise * (1.0 - noise) + degree * kept * (1.0 - kept)) / (kept - noise).powi(2);
    DegreeEstimate { value, variance }
}
