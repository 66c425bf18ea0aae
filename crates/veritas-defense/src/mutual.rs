//! Pairs in which both sides report a grade: the only entries from which an edge can be read.

use rayon::prelude::*;

use crate::EndorsementLists;

/// Two users who endorse each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mutual {
    /// The smaller id.
    pub low: u32,
    /// The larger id.
    pub high: u32,
    /// What `low` says of `high`.
    pub low_says: u8,
    /// What `high` says of `low`.
    pub high_says: u8,
}

impl Mutual {
    /// The other end, what `node` says of it, and what it says of `node`.
    pub(crate) fn seen_from(&self, node: u32) -> (u32, u8, u8) {
        if node == self.low {
            (self.high, self.low_says, self.high_says)
        } else {
            (self.low, self.high_says, self.low_says)
        }
    }
}

/// All mutual pairs, ascending, with each node's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MutualPairs {
    pairs: Vec<Mutual>,
    indptr: Vec<usize>,
    of_node: Vec<u32>,
}

/// Users handled by one task; each task finds its places in the later rows anew.
const BLOCK: usize = 1024;

impl MutualPairs {
    /// Finds the pairs by walking all rows upwards together: row v is read at column u when u's row names v.
    ///
    /// # Complexity
    /// Time O(entries + n²/1024 · log(longest list)), space O(n · threads + mutual pairs); no transpose is made.
    pub fn of(lists: &EndorsementLists) -> Self {
        let nodes = lists.nodes();
        let blocks: Vec<Vec<Mutual>> =
            (0..nodes.div_ceil(BLOCK)).into_par_iter().map(|block| pairs_of_block(lists, block * BLOCK)).collect();
        let pairs = blocks.concat();
        let mut indptr = vec![0_usize; nodes + 1];
        for pair in &pairs {
            indptr[pair.low as usize + 1] += 1;
            indptr[pair.high as usize + 1] += 1;
        }
        for node in 0..nodes {
            indptr[node + 1] += indptr[node];
        }
        let mut next = indptr.clone();
        let mut of_node = vec![0_u32; pairs.len() * 2];
        for (at, pair) in (0_u32..).zip(&pairs) {
            for end in [pair.low, pair.high] {
                of_node[next[end as usize]] = at;
                next[end as usize] += 1;
            }
        }
        Self { pairs, indptr, of_node }
    }

    /// All pairs, ascending by `(low, high)`.
    pub fn all(&self) -> &[Mutual] {
        &self.pairs
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.indptr.len() - 1
    }

    /// Number of pairs that `node` is in.
    pub fn count(&self, node: usize) -> usize {
        self.indptr[node + 1] - self.indptr[node]
    }

    /// The pairs that `node` is in, as (other end, what `node` says of it, what it says of `node`).
    pub fn of_node(&self, node: usize) -> impl Iterator<Item = (u32, u8, u8)> + '_ {
        let own = &self.of_node[self.indptr[node]..self.indptr[node + 1]];
        own.iter().map(move |&at| self.pairs[at as usize].seen_from(node as u32))
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        (self.pairs.len() * (size_of::<Mutual>() + 8) + self.indptr.len() * 8) as u64
    }
}

fn pairs_of_block(lists: &EndorsementLists, first: usize) -> Vec<Mutual> {
    let nodes = lists.nodes();
    let last = (first + BLOCK).min(nodes);
    // Where each later row has its first column of this block or above.
    let mut cursor: Vec<u32> =
        (first..nodes).map(|v| lists.row(v).0.partition_point(|&column| (column as usize) < first) as u32).collect();
    let mut found = Vec::new();
    for low in first..last {
        let (columns, grades) = lists.row(low);
        let from = columns.partition_point(|&column| column as usize <= low);
        for (&high, &low_says) in columns[from..].iter().zip(&grades[from..]) {
            let (back, back_grades) = lists.row(high as usize);
            let place = &mut cursor[high as usize - first];
            while back.get(*place as usize).is_some_and(|&column| (column as usize) < low) {
                *place += 1;
            }
            if back.get(*place as usize).is_some_and(|&column| column as usize == low) {
                found.push(Mutual { low: low as u32, high, low_says, high_says: back_grades[*place as usize] });
            }
        }
    }
    found
}
