//! What the honest crowd looks like, learned from the reports alone: how friends grade each other, how many friends
//! a node with so many mutual endorsements has, and how many of these are noise.
//!
//! Among mutual pairs the noise is known exactly: it is uniform on the κ² cells with q² a cell and pair. What exceeds
//! it are edges seen through the randomizer; expectation-maximization with that known background turns the table
//! back into the law of true grades. The same is done with the number of mutual pairs a node has: the noise part is
//! Bin(n−1, ρ²), the rest is the degree. No label and no true edge is used.

use crate::binomial::log_mass;
use crate::{EndorsementLaw, MutualPairs};

/// Steps of expectation-maximization; both problems have at most κ² or a few hundred unknowns.
const STEPS: usize = 100;

/// The honest crowd's law, estimated.
#[derive(Debug, Clone, PartialEq)]
pub struct Population {
    levels: usize,
    edges: f64,
    joint: Vec<f64>,
    /// Posterior mean number of noise pairs, by the number of mutual pairs.
    noise: Vec<f64>,
    /// How much more likely two friends are a mutual pair than two strangers.
    contrast: f64,
}

impl Population {
    /// Estimates from the mutual pairs whose both ends are not `excluded`.
    ///
    /// # Panics
    /// When `excluded` has not one entry a node.
    ///
    /// # Complexity
    /// Time O(pairs + κ² + m²) with m the largest number of mutual pairs of a node, space O(n + m + κ²).
    pub fn estimate(pairs: &MutualPairs, law: &EndorsementLaw, excluded: &[bool]) -> Self {
        assert_eq!(excluded.len(), pairs.nodes(), "one flag a node");
        let weights: Vec<f64> = excluded.iter().map(|&out| f64::from(u8::from(!out))).collect();
        let nodes = excluded.iter().filter(|&&out| !out).count();
        let mut counts = vec![0_usize; pairs.nodes()];
        for pair in pairs.all().iter().filter(|p| !excluded[p.low as usize] && !excluded[p.high as usize]) {
            counts[pair.low as usize] += 1;
            counts[pair.high as usize] += 1;
        }
        let kept = counts.iter().zip(excluded).filter(|&(_, &out)| !out).map(|(&count, _)| count);
        let noise = noise_by_count(kept, nodes.saturating_sub(1) as u64, law.noise_rate().powi(2));
        let levels = usize::from(law.levels());
        let contrast = (1.0 - law.lie()).powi(2) - law.noise_rate().powi(2);
        let mut population = Self { levels, edges: 0.0, joint: Vec::new(), noise, contrast };
        population.reweigh(pairs, law, &weights);
        population
    }

    /// Estimates the law of grades anew, each pair with the product of its ends' weights (0: excluded, 1: trusted).
    ///
    /// # Panics
    /// When `weights` has not one entry a node.
    pub(crate) fn reweigh(&mut self, pairs: &MutualPairs, law: &EndorsementLaw, weights: &[f64]) {
        assert_eq!(weights.len(), pairs.nodes(), "one weight a node");
        let levels = self.levels;
        let mut table = vec![0.0; levels * levels];
        for pair in pairs.all() {
            let (i, j) = (usize::from(pair.low_says) - 1, usize::from(pair.high_says) - 1);
            let weight = weights[pair.low as usize] * weights[pair.high as usize];
            table[i * levels + j] += weight;
            table[j * levels + i] += weight;
        }
        let sum = |power: i32| weights.iter().map(|w| w.powi(power)).sum::<f64>();
        let (joint, ends) = grades_of_edges(&table, law, (sum(1).powi(2) - sum(2)).max(0.0));
        (self.joint, self.edges) = (joint, ends / 2.0);
    }

    /// π_ab: the probability that an edge has true grade `given` one way and `received` the other.
    pub fn joint(&self, given: u8, received: u8) -> f64 {
        self.joint[(usize::from(given) - 1) * self.levels + usize::from(received) - 1]
    }

    /// Estimated number of edges.
    pub fn edges(&self) -> f64 {
        self.edges
    }

    /// Share of noise among the mutual pairs of a node that has `count` of them.
    pub fn noise_share(&self, count: usize) -> f64 {
        if count == 0 { 1.0 } else { (self.noise_pairs(count) / count as f64).clamp(0.0, 1.0) }
    }

    /// Posterior mean degree of a node with `count` mutual pairs. The noise is that of a node without friends, of which
    /// each friend takes ρ² away; hence the contrast.
    pub fn degree(&self, count: usize) -> f64 {
        (count as f64 - self.noise_pairs(count)).max(0.0) / self.contrast
    }

    fn noise_pairs(&self, count: usize) -> f64 {
        // Beyond the largest count seen, noise grows no further.
        self.noise.get(count).or(self.noise.last()).map_or(0.0, |&m| m.min(count as f64))
    }

    /// P(i, j | edge, both report a grade), row-major over grades 1 … κ.
    pub(crate) fn reported_joint(&self, law: &EndorsementLaw) -> Vec<f64> {
        let mut reported = through(&self.joint, law);
        let total: f64 = reported.iter().sum();
        reported.iter_mut().for_each(|cell| *cell /= total);
        reported
    }
}

/// Σ_ab x_ab K_a(i) K_b(j) for i, j ≥ 1. K = q + (p−q)·I makes it two rank-one updates instead of κ⁴ products.
fn through(joint: &[f64], law: &EndorsementLaw) -> Vec<f64> {
    let levels = usize::from(law.levels());
    let (gain, lie) = (law.gain(), law.lie());
    let total: f64 = joint.iter().sum();
    let row: Vec<f64> = joint.chunks(levels).map(|row| row.iter().sum()).collect();
    let column: Vec<f64> = (0..levels).map(|j| joint.iter().skip(j).step_by(levels).sum()).collect();
    let cell = |at: usize| {
        let (i, j) = (at / levels, at % levels);
        gain * gain * joint[at] + gain * lie * (row[i] + column[j]) + lie * lie * total
    };
    (0..joint.len()).map(cell).collect()
}

/// EM for the expected number of ordered pairs by true grades among `all`, above the known background. Returns the normalised
/// joint law and the number of ordered pairs (twice the edges).
fn grades_of_edges(table: &[f64], law: &EndorsementLaw, all: f64) -> (Vec<f64>, f64) {
    let cells = table.len();
    let background = law.lie() * law.lie();
    let observed: f64 = table.iter().sum();
    let recall = (1.0 - law.lie()).powi(2);
    let start = (observed - all * background * cells as f64).max(0.01 * observed).max(1.0) / recall;
    let mut mass = vec![start / cells as f64; cells];
    for _ in 0..STEPS {
        let ends: f64 = mass.iter().sum();
        let noise = (all - ends).max(0.0) * background;
        let ratio: Vec<f64> = through(&mass, law)
            .iter()
            .zip(table)
            .map(|(edge, seen)| seen / (edge + noise).max(f64::MIN_POSITIVE))
            .collect();
        // K is symmetric, so the same product carries the ratios back.
        for (m, back) in mass.iter_mut().zip(through(&ratio, law)) {
            *m *= back / recall;
        }
    }
    // Half an edge in every cell: a grade never seen is rare, not impossible.
    let ends: f64 = mass.iter().sum();
    let total = ends + cells as f64;
    (mass.iter().map(|m| (m + 1.0) / total).collect(), ends)
}

/// E[noise pairs | mutual pairs = k] for every k up to the largest seen, with the law of the rest by EM.
fn noise_by_count(counts: impl Iterator<Item = usize>, others: u64, rate: f64) -> Vec<f64> {
    let mut seen = Vec::new();
    for count in counts {
        if count >= seen.len() {
            seen.resize(count + 1, 0.0_f64);
        }
        seen[count] += 1.0;
    }
    let noise: Vec<f64> = (0..seen.len()).map(|m| libm::exp(log_mass(others, rate, m as u64))).collect();
    let Some(first) = noise.iter().position(|&m| m > 1e-18) else { return vec![0.0; seen.len()] };
    let last = noise.iter().rposition(|&m| m > 1e-18).unwrap_or(first);
    let total: f64 = seen.iter().sum();
    let mut rest = vec![1.0 / seen.len().max(1) as f64; seen.len()];
    let mut share = vec![0.0; seen.len()];
    for _ in 0..STEPS {
        for (k, share) in share.iter_mut().enumerate() {
            let likely: f64 = (first..=last.min(k)).map(|m| noise[m] * rest[k - m]).sum();
            *share = if likely > 0.0 { seen[k] / likely } else { 0.0 };
        }
        let back =
            |d: usize| (first..=last).take_while(|m| d + m < share.len()).map(|m| noise[m] * share[d + m]).sum::<f64>();
        let next: Vec<f64> = (0..rest.len()).map(|d| rest[d] * back(d) / total.max(1.0)).collect();
        let sum: f64 = next.iter().sum();
        if sum <= 0.0 {
            break;
        }
        rest = next.iter().map(|r| r / sum).collect();
    }
    // A little of every degree: a count never seen must still have a posterior.
    let smooth = 1e-3 / rest.len().max(1) as f64;
    rest.iter_mut().for_each(|r| *r += smooth);
    (0..seen.len())
        .map(|k| {
            let weights = (first..=last.min(k)).map(|m| (m as f64, noise[m] * rest[k - m]));
            let (sum, moment) = weights.fold((0.0, 0.0), |(s, t), (m, w)| (s + w, t + m * w));
            if sum > 0.0 { moment / sum } else { k as f64 }
        })
        .collect()
}
