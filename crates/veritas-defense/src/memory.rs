//! How much memory a graph will need, told before anything is drawn.

use crate::{EndorsementLaw, Error};

/// Expected bytes of the lists and of everything that [`defend`](crate::defend) computes from them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryEstimate {
    /// The lists: five bytes a non-zero entry.
    pub lists: u64,
    /// Mutual pairs with their index and the edge filter's output.
    pub pairs: u64,
    /// Tallies and scores by node.
    pub nodes: u64,
}

impl MemoryEstimate {
    /// For `nodes` users joined by `edges` (an upper bound does), six standard deviations above the mean.
    pub fn new(nodes: usize, edges: usize, law: &EndorsementLaw) -> Self {
        let entries = nodes as f64 * nodes as f64 * law.noise_rate() + 2.0 * edges as f64;
        let pairs = law.noise_pairs(nodes, edges) + edges as f64;
        let above = |mean: f64| mean + 6.0 * mean.sqrt();
        let levels = u64::from(law.levels());
        Self {
            // The sampler holds each user's row once more until the rows are joined.
            lists: (above(entries) * 10.0) as u64 + 40 * nodes as u64,
            // 20 bytes a pair, as much again while the blocks are joined, and 32 for the edge filter's arrays.
            pairs: (above(pairs) * 72.0) as u64,
            nodes: nodes as u64 * (8 * levels + 4 * levels * levels + 128),
        }
    }

    /// All of it.
    pub fn total(&self) -> u64 {
        self.lists.saturating_add(self.pairs).saturating_add(self.nodes)
    }

    /// Refuses what would not fit in `limit` bytes.
    ///
    /// # Errors
    /// [`Error::Memory`], which says how dense the lists would be.
    pub fn check(nodes: usize, edges: usize, law: &EndorsementLaw, limit: u64) -> Result<Self, Error> {
        let estimate = Self::new(nodes, edges, law);
        if estimate.total() <= limit {
            return Ok(estimate);
        }
        Err(Error::Memory { nodes, epsilon: law.epsilon(), density: law.noise_rate(), needed: estimate.total(), limit })
    }
}
