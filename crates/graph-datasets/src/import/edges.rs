//! Edges in any order and orientation, brought into the order of the format.

use std::collections::BTreeMap;

/// Edges as the format has them, and what was dropped.
pub(super) struct CanonicalEdges {
    /// (smaller, larger), ascending, each once.
    pub(super) edges: Vec<(u32, u32)>,
    /// Nodes with a self-loop, ascending.
    pub(super) self_loops: Vec<u32>,
    rows: u64,
    loop_rows: u64,
    duplicates: u64,
}

impl CanonicalEdges {
    /// Takes pairs of nodes as a file lists them.
    pub(super) fn new(mut pairs: Vec<(u32, u32)>) -> Self {
        let rows = pairs.len() as u64;
        let mut self_loops: Vec<u32> = pairs.iter().filter(|(from, to)| from == to).map(|&(node, _)| node).collect();
        let loop_rows = self_loops.len() as u64;
        self_loops.sort_unstable();
        self_loops.dedup();
        pairs.retain(|(from, to)| from != to);
        for pair in &mut pairs {
            *pair = (pair.0.min(pair.1), pair.0.max(pair.1));
        }
        let kept = pairs.len() as u64;
        pairs.sort_unstable();
        pairs.dedup();
        let duplicates = kept - pairs.len() as u64;
        Self { edges: pairs, self_loops, rows, loop_rows, duplicates }
    }

    /// The counts, by the names of `stats.json`.
    pub(super) fn upstream(&self) -> BTreeMap<&'static str, u64> {
        BTreeMap::from([
            ("raw_edge_rows", self.rows),
            ("raw_self_loop_rows", self.loop_rows),
            ("raw_duplicate_rows", self.duplicates),
        ])
    }
}
