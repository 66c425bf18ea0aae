//! Imbalance: does a node claim more than it is granted? With a threshold whose error rate is known.
//!
//! S_v = Σ_u (r_vu − r_uv) over all other nodes; pairs outside N̂_v add nothing. Under honest, exchangeable grading
//! each term is symmetric about zero, terms are independent, and the law of the sum is a convolution of the 2κ+1-point
//! law of one difference: n − 1 times that of two zeros, d times that of an edge [papers.md 11.9, 11.10].

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::lattice::{LatticeLaw, UpperTails};
use crate::{EndorsementLaw, MutualPairs, Population, Tallies};

/// S_v with what it means.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Imbalance {
    /// S_v.
    pub sum: i64,
    /// S_v over its standard deviation under honesty.
    pub z: f64,
    /// P(S ≥ S_v) under honesty; 1 where S_v is below one standard deviation.
    pub p_value: f64,
}

/// The law of r − r′ where the true grades are `given` and `received`.
pub fn difference_law(law: &EndorsementLaw, given: u8, received: u8) -> LatticeLaw {
    weighted_difference(law, &[(given, received, 1.0)])
}

fn weighted_difference(law: &EndorsementLaw, grades: &[(u8, u8, f64)]) -> LatticeLaw {
    let mut points = Vec::new();
    for &(given, received, weight) in grades {
        for i in 0..=law.levels() {
            for j in 0..=law.levels() {
                let mass = weight * law.probability(given, i) * law.probability(received, j);
                points.push((i64::from(i) - i64::from(j), mass));
            }
        }
    }
    LatticeLaw::new(&points)
}

/// Tests every node whose flag in `excluded` is not set; the excluded get S = 0 and p = 1.
///
/// `tallies` must leave out the excluded on both sides. The degree of a node is the population's estimate from its
/// mutual pairs.
///
/// # Panics
/// When the arguments do not speak of the same nodes.
///
/// # Complexity
/// One convolution power of length O(√n · κ), and one product for each estimated degree that occurs above one
/// standard deviation.
pub fn imbalance(
    tallies: &Tallies,
    pairs: &MutualPairs,
    population: &Population,
    law: &EndorsementLaw,
    excluded: &[bool],
) -> Vec<Imbalance> {
    assert_eq!(tallies.nodes(), excluded.len(), "one flag a node");
    assert_eq!(pairs.nodes(), excluded.len(), "pairs of the same nodes");
    let others = excluded.iter().filter(|&&out| !out).count().saturating_sub(1);
    let zero = difference_law(law, 0, 0);
    let mut grades = Vec::new();
    for a in 1..=law.levels() {
        for b in 1..=law.levels() {
            grades.push((a, b, population.joint(a, b)));
        }
    }
    let edge = weighted_difference(law, &grades);
    let base = zero.power(others as u64);
    let (noise_variance, edge_variance) = (base.variance(), edge.variance());

    let mut all = vec![Imbalance { sum: 0, z: 0.0, p_value: 1.0 }; excluded.len()];
    let mut groups: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for node in (0..excluded.len()).filter(|&node| !excluded[node]) {
        let sum = tallies.imbalance(node);
        let degree = libm::round(population.degree(pairs.count(node)));
        let deviation = (noise_variance + degree * edge_variance).sqrt();
        let z = if deviation > 0.0 { sum as f64 / deviation } else { 0.0 };
        all[node] = Imbalance { sum, z, p_value: 1.0 };
        if z >= 1.0 {
            groups.entry(degree as u64).or_default().push(node);
        }
    }
    let tails: Vec<(Vec<usize>, UpperTails)> =
        groups.into_par_iter().map(|(degree, nodes)| (nodes, base.convolve(&edge.power(degree)).tails())).collect();
    for (nodes, tails) in tails {
        for node in nodes {
            all[node].p_value = tails.at(all[node].sum);
        }
    }
    all
}

/// γ_v for φ_v = S_v/|N̂_v| such that with honest users only any φ_v > γ_v with probability about `level`, by the
/// normal approximation: sqrt(V_v)·Φ⁻¹(1 − level/n)/|N̂_v|. With |N̂_v| = 0 the node has nothing to be judged by: +∞.
pub fn family_wise_threshold(variance: f64, nodes: usize, level: f64, neighbourhood: usize) -> f64 {
    if neighbourhood == 0 {
        return f64::INFINITY;
    }
    variance.sqrt() * normal_upper_quantile(level / nodes.max(1) as f64) / neighbourhood as f64
}

/// Bernstein's bound P(S_v ≥ s) ≤ exp(−s²/(2(V_v + κs/3))): a guarantee without any approximation.
pub fn bernstein_tail(sum: f64, variance: f64, levels: u8) -> f64 {
    if sum <= 0.0 {
        return 1.0;
    }
    libm::exp(-sum * sum / (2.0 * (variance + f64::from(levels) * sum / 3.0)))
}

/// The z with P(N(0,1) ≥ z) = `tail`, by bisection on the complementary error function.
fn normal_upper_quantile(tail: f64) -> f64 {
    let (mut low, mut high) = (-40.0, 40.0);
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if libm::erfc(middle / std::f64::consts::SQRT_2) / 2.0 > tail { low = middle } else { high = middle }
    }
    (low + high) / 2.0
}
