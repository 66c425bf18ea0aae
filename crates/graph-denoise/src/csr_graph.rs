//! The graph: who is connected to whom.

use crate::Error;

/// Whether an edge stands for both directions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EdgeKind {
    /// `(u, v)` also means `(v, u)`.
    Undirected,
    /// `(u, v)` means only that `u` lists `v`.
    Directed,
}

/// A graph as sorted neighbour lists without duplicates.
///
/// Node ids are `0..nodes`. Isolated nodes and self-loops are allowed; a self-loop is one entry in its node's list.
/// An undirected graph lists each edge at both ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CsrGraph {
    kind: EdgeKind,
    indptr: Vec<usize>,
    indices: Vec<u32>,
}

impl CsrGraph {
    /// Builds a graph from edges in any order; duplicates (and, undirected, reversed duplicates) count once.
    ///
    /// # Errors
    /// [`Error::EdgeOutOfRange`], [`Error::TooManyNodes`].
    ///
    /// # Complexity
    /// Time O(|V| + |E| log(max degree)), space O(|V| + |E|).
    pub fn from_edges(nodes: usize, edges: &[(u32, u32)], kind: EdgeKind) -> Result<Self, Error> {
        let limit = u32::MAX as usize;
        if nodes > limit {
            return Err(Error::TooManyNodes { nodes, limit });
        }
        let mut degree = vec![0usize; nodes + 1];
        for &(from, to) in edges {
            if from as usize >= nodes || to as usize >= nodes {
                return Err(Error::EdgeOutOfRange { from, to, nodes });
            }
            degree[from as usize] += 1;
            if kind == EdgeKind::Undirected && from != to {
                degree[to as usize] += 1;
            }
        }
        let mut next = Vec::with_capacity(nodes);
        let mut total = 0;
        for &d in &degree[..nodes] {
            next.push(total);
            total += d;
        }
        let starts = next.clone();
        let mut lists = vec![0u32; total];
        for &(from, to) in edges {
            lists[next[from as usize]] = to;
            next[from as usize] += 1;
            if kind == EdgeKind::Undirected && from != to {
                lists[next[to as usize]] = from;
                next[to as usize] += 1;
            }
        }
        let mut indptr = Vec::with_capacity(nodes + 1);
        indptr.push(0);
        let mut kept = 0;
        for node in 0..nodes {
            let (start, end) = (starts[node], next[node]);
            lists[start..end].sort_unstable();
            let mut last = None;
            for at in start..end {
                let target = lists[at];
                if last != Some(target) {
                    lists[kept] = target;
                    kept += 1;
                    last = Some(target);
                }
            }
            indptr.push(kept);
        }
        lists.truncate(kept);
        lists.shrink_to_fit();
        Ok(Self { kind, indptr, indices: lists })
    }

    /// Takes lists that this crate made: sorted, without duplicates, in range.
    pub(crate) fn trusted(kind: EdgeKind, indptr: Vec<usize>, indices: Vec<u32>) -> Self {
        Self { kind, indptr, indices }
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.indptr.len() - 1
    }

    /// Number of stored list entries: in an undirected graph twice the edges, a self-loop once.
    pub fn entries(&self) -> usize {
        self.indices.len()
    }

    /// Number of edges, each once; self-loops count.
    pub fn edges(&self) -> usize {
        match self.kind {
            EdgeKind::Directed => self.indices.len(),
            EdgeKind::Undirected => (self.indices.len() + self.self_loops()) / 2,
        }
    }

    /// Number of nodes that list themselves.
    pub fn self_loops(&self) -> usize {
        (0..self.nodes()).filter(|&u| self.neighbours(u).binary_search(&(u as u32)).is_ok()).count()
    }

    /// Whether edges stand for both directions.
    pub fn kind(&self) -> EdgeKind {
        self.kind
    }

    /// Length of the node's list; a self-loop counts once.
    ///
    /// # Panics
    /// When `node` is not in the graph.
    pub fn degree(&self, node: usize) -> usize {
        self.indptr[node + 1] - self.indptr[node]
    }

    /// The node's neighbours, ascending.
    ///
    /// # Panics
    /// When `node` is not in the graph.
    pub fn neighbours(&self, node: usize) -> &[u32] {
        &self.indices[self.indptr[node]..self.indptr[node + 1]]
    }

    /// Row starts, one more than there are nodes.
    pub fn indptr(&self) -> &[usize] {
        &self.indptr
    }

    /// All lists, one after the other.
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// Every edge once: in an undirected graph as `(u, v)` with `u ≤ v`.
    pub fn iter_edges(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let both = self.kind == EdgeKind::Undirected;
        (0..self.nodes()).flat_map(move |u| {
            let u = u as u32;
            self.neighbours(u as usize).iter().filter(move |&&v| !both || u <= v).map(move |&v| (u, v))
        })
    }
}
