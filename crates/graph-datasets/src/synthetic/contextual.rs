//! Contextual block model: how much the graph says and how much the features say are two separate numbers.

use rand::{Rng, RngExt};
use rand_distr::{Binomial, Distribution, StandardNormal};

use super::block_model::{balanced_labels, distinct_pairs, merge};
use super::table::dense;
use crate::{Dataset, DatasetParts, Error, FeatureRange};

/// Parameters of the contextual stochastic block model with two classes [DSMM18].
///
/// With d = `mean_degree`, n = `nodes`, p = `dimensions` and labels v = ±1: two nodes of the same class are joined with
/// probability (d + λ√d)/n, two of different classes with (d − λ√d)/n; features are
/// x_ij = √(μ/n)·v_i·g_j + z_ij with standard normal g and z. The classes can be told from graph and features together
/// exactly when λ² + μ²·p/n > 1 (n, p → ∞): λ = 0 leaves only the features, μ = 0 only the graph, λ < 0 is a
/// heterophilous graph.
///
/// Different from [DSMM18]: features are √p times theirs, so that each has unit noise, and are cut off at the public
/// range ±(4 + 4√(μ/n)), which touches fewer than one value in 10,000; the classes are balanced.
///
/// [DSMM18]: https://arxiv.org/abs/1807.09596
#[derive(Debug, Clone, PartialEq)]
pub struct ContextualBlockModel {
    /// Number of nodes.
    pub nodes: usize,
    /// Mean degree d.
    pub mean_degree: f64,
    /// Number of feature columns p.
    pub dimensions: usize,
    /// What the graph says: λ, from −√d to √d.
    pub lambda: f64,
    /// What the features say: μ, at least 0.
    pub mu: f64,
}

impl Default for ContextualBlockModel {
    /// 2,000 nodes of mean degree 10, 200 columns; graph and features each just suffice alone: λ = 1.2, μ = 4.
    fn default() -> Self {
        Self { nodes: 2000, mean_degree: 10.0, dimensions: 200, lambda: 1.2, mu: 4.0 }
    }
}

impl ContextualBlockModel {
    /// λ² + μ²·p/n: above 1 the classes can be told, by theory and for large graphs.
    pub fn signal(&self) -> f64 {
        self.lambda * self.lambda + self.mu * self.mu * self.dimensions as f64 / self.nodes as f64
    }

    /// Draws labels, graph and features.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a parameter outside its bounds, [`Error::TooFewNodes`] below four nodes,
    /// [`Error::NoEdges`] when the graph happens to have none.
    pub fn generate<R: Rng + ?Sized>(&self, rng: &mut R) -> Result<Dataset, Error> {
        self.check()?;
        let labels = balanced_labels(self.nodes, 2, rng);
        let members: [Vec<u32>; 2] = [0, 1].map(|class| {
            let of_class = labels.iter().enumerate().filter(|&(_, &label)| label == class);
            of_class.map(|(node, _)| node as u32).collect()
        });
        let shift = self.lambda * self.mean_degree.sqrt();
        let mut edges = Vec::new();
        for (a, b) in [(0, 0), (1, 1), (0, 1)] {
            let (from, to) = (&members[a], &members[b]);
            let (pairs, degree) = if a == b {
                (from.len() as u64 * (from.len() as u64 - 1) / 2, self.mean_degree + shift)
            } else {
                (from.len() as u64 * to.len() as u64, self.mean_degree - shift)
            };
            // Given how many there are, the edges of a block are a uniform set of pairs.
            let count = binomial(pairs, (degree / self.nodes as f64).clamp(0.0, 1.0))?.sample(rng);
            let drawn = distinct_pairs(count as usize, rng, |rng| {
                (from[rng.random_range(0..from.len())], to[rng.random_range(0..to.len())])
            })?;
            edges = if edges.is_empty() { drawn } else { merge(edges, drawn) };
        }
        let edges = edges.into_iter().map(|key| ((key >> 32) as u32, key as u32)).collect();
        let strength = (self.mu / self.nodes as f64).sqrt();
        let direction: Vec<f64> = (0..self.dimensions).map(|_| StandardNormal.sample(rng)).collect();
        let bound = (4.0 + 4.0 * strength) as f32;
        let features = dense(self.nodes, self.dimensions, bound, rng, |node, column| {
            let sign = if labels[node] == 0 { -1.0 } else { 1.0 };
            strength * sign * direction[column]
        })?;
        let dataset = Dataset::new(DatasetParts {
            name: "contextual".to_owned(),
            nodes: self.nodes,
            edges,
            self_loops: Vec::new(),
            features: Some(features),
            dimensions: self.dimensions,
            feature_range: FeatureRange::Uniform { low: -bound, high: bound },
            labels,
            classes: 2,
        })?;
        Ok(dataset.with_mark(format!("synthetic: contextual block model, λ = {}, μ = {}", self.lambda, self.mu)))
    }

    fn check(&self) -> Result<(), Error> {
        if self.nodes < 4 {
            return Err(Error::TooFewNodes { what: "a contextual block model", nodes: self.nodes, at_least: 4 });
        }
        if self.nodes > i32::MAX as usize {
            let found = self.nodes as u64;
            return Err(Error::TooLarge { what: "nodes".to_owned(), found, limit: i32::MAX as u64 });
        }
        let densest = self.nodes as f64 / 4.0;
        if !(self.mean_degree > 0.0 && self.mean_degree <= densest) {
            let bound = format!("above 0 and at most {densest}");
            return Err(Error::Parameter { what: "mean_degree", bound, value: self.mean_degree });
        }
        let steepest = self.mean_degree.sqrt();
        if !(-steepest..=steepest).contains(&self.lambda) {
            let bound = format!("from {} to {steepest}, the root of the mean degree", -steepest);
            return Err(Error::Parameter { what: "lambda", bound, value: self.lambda });
        }
        if !(self.mu >= 0.0 && self.mu.is_finite()) {
            let bound = "at least 0 and finite".to_owned();
            return Err(Error::Parameter { what: "mu", bound, value: self.mu });
        }
        if self.dimensions == 0 || self.dimensions > i32::MAX as usize {
            let bound = format!("from 1 to {}", i32::MAX);
            return Err(Error::Parameter { what: "dimensions", bound, value: self.dimensions as f64 });
        }
        Ok(())
    }
}

fn binomial(trials: u64, probability: f64) -> Result<Binomial, Error> {
    Binomial::new(trials, probability).map_err(|_| Error::Parameter {
        what: "probability of an edge",
        bound: "from 0 to 1".to_owned(),
        value: probability,
    })
}
