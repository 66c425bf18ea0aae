//! Per-node counts of grades given and received: all that the one-sided entries say, in 2κ numbers a node.

use crate::EndorsementLists;

/// How often each node gives and receives each grade.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tallies {
    levels: usize,
    given: Vec<u32>,
    received: Vec<u32>,
}

impl Tallies {
    /// Counts every entry twice: for who gives it and for whom it is about.
    ///
    /// # Complexity
    /// Time O(entries), space O(κ·n).
    pub fn of(lists: &EndorsementLists) -> Self {
        Self::count(lists, |_| false)
    }

    /// Counts only entries between nodes that are not `excluded`.
    ///
    /// # Panics
    /// When `excluded` has not one entry a node.
    pub fn without(lists: &EndorsementLists, excluded: &[bool]) -> Self {
        assert_eq!(excluded.len(), lists.nodes(), "one flag a node");
        Self::count(lists, |node| excluded[node])
    }

    fn count(lists: &EndorsementLists, out: impl Fn(usize) -> bool) -> Self {
        let levels = usize::from(lists.levels());
        let mut given = vec![0; lists.nodes() * levels];
        let mut received = given.clone();
        for user in (0..lists.nodes()).filter(|&user| !out(user)) {
            let (columns, grades) = lists.row(user);
            let own = &mut given[user * levels..(user + 1) * levels];
            for (&about, &grade) in columns.iter().zip(grades).filter(|&(&about, _)| !out(about as usize)) {
                let grade = usize::from(grade) - 1;
                own[grade] += 1;
                received[about as usize * levels + grade] += 1;
            }
        }
        Self { levels, given, received }
    }

    /// How often `node` gives each grade 1 … κ.
    pub fn given(&self, node: usize) -> &[u32] {
        &self.given[node * self.levels..(node + 1) * self.levels]
    }

    /// How often `node` receives each grade 1 … κ.
    pub fn received(&self, node: usize) -> &[u32] {
        &self.received[node * self.levels..(node + 1) * self.levels]
    }

    /// Number of non-zero entries in the list of `node`.
    pub fn out(&self, node: usize) -> u32 {
        self.given(node).iter().sum()
    }

    /// S_v: what `node` gives minus what it receives, over all others. Pairs with two zeros add nothing.
    pub fn imbalance(&self, node: usize) -> i64 {
        let sum =
            |counts: &[u32]| counts.iter().zip(1_i64..).map(|(&count, grade)| grade * i64::from(count)).sum::<i64>();
        sum(self.given(node)) - sum(self.received(node))
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.given.len() / self.levels
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        (self.given.len() * 8) as u64
    }
}
