//! What the lists cost each user, said in full.

use std::fmt;

use ldp_core::Epsilon;

/// The privacy that a user spends on a graded list and a feature report, by what is protected.
///
/// VERITAS states only ε_a. It protects one entry; an undirected edge stands in two lists, and a user in n − 1
/// entries of its own. Grades that are computed from other entries ([`TrustModel::CommonNeighbours`]) make one edge
/// move several entries; each moved entry costs another ε_a.
///
/// [`TrustModel::CommonNeighbours`]: crate::TrustModel::CommonNeighbours
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BudgetStatement {
    /// ε_a: one list entry.
    pub entry: f64,
    /// 2·ε_a: one undirected edge, over both lists.
    pub edge: f64,
    /// (n−1)·ε_a: everything a user says of its relations.
    pub user: f64,
    /// ε_x: one feature report, zero where none is sent.
    pub features: f64,
    /// Entries that one edge can move, beyond its own two, under the trust model in use.
    pub moved_entries: usize,
}

impl BudgetStatement {
    /// For `nodes` users, ε_a an entry, and ε_x for the features where they are reported.
    pub fn new(nodes: usize, entry: Epsilon, features: Option<Epsilon>, moved_entries: usize) -> Self {
        let entry = entry.nats();
        Self {
            entry,
            edge: (2 + moved_entries) as f64 * entry,
            user: nodes.saturating_sub(1) as f64 * entry,
            features: features.map_or(0.0, Epsilon::nats),
            moved_entries,
        }
    }
}

impl fmt::Display for BudgetStatement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "epsilon in nats: {} for one list entry, {} for one undirected edge ({} entries), {} for all entries of a \
             user, {} for the features of a user",
            self.entry,
            self.edge,
            2 + self.moved_entries,
            self.user,
            self.features
        )
    }
}
