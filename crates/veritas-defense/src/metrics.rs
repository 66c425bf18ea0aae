//! How well a defence did, told by who knows the truth: for evaluation only.

use graph_denoise::CsrGraph;

/// Fakes caught and honest users lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Detection {
    /// Fakes in all.
    pub fakes: usize,
    /// Fakes removed.
    pub caught: usize,
    /// Honest users in all.
    pub honest: usize,
    /// Honest users removed.
    pub honest_removed: usize,
}

impl Detection {
    /// Counts `removed` against the truth; a node named twice counts once.
    ///
    /// # Panics
    /// When a removed node is not one of `fake`.
    pub fn of(removed: &[u32], fake: &[bool]) -> Self {
        let mut gone = vec![false; fake.len()];
        for &node in removed {
            gone[node as usize] = true;
        }
        let count =
            |of_fake: bool, out: bool| fake.iter().zip(&gone).filter(|&(&f, &g)| f == of_fake && (g || !out)).count();
        Self {
            fakes: count(true, false),
            caught: count(true, true),
            honest: count(false, false),
            honest_removed: count(false, true),
        }
    }

    /// Share of the removed that are fakes; 1 when nobody was removed.
    pub fn precision(&self) -> f64 {
        let removed = self.caught + self.honest_removed;
        if removed == 0 { 1.0 } else { self.caught as f64 / removed as f64 }
    }

    /// Share of the fakes that were removed; 1 without fakes.
    pub fn recall(&self) -> f64 {
        if self.fakes == 0 { 1.0 } else { self.caught as f64 / self.fakes as f64 }
    }

    /// Share of the honest that were removed; 0 without honest users.
    pub fn honest_loss(&self) -> f64 {
        if self.honest == 0 { 0.0 } else { self.honest_removed as f64 / self.honest as f64 }
    }

    /// Adds the counts of another run.
    pub fn add(&mut self, other: &Self) {
        self.fakes += other.fakes;
        self.caught += other.caught;
        self.honest += other.honest;
        self.honest_removed += other.honest_removed;
    }
}

/// What became of the edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EdgeAccount {
    /// True edges between honest users.
    pub honest: usize,
    /// Of these, not in the kept graph.
    pub honest_lost: usize,
    /// Kept edges that are none: noise.
    pub noise_kept: usize,
    /// Kept edges with a fake at an end.
    pub fake_kept: usize,
}

impl EdgeAccount {
    /// Compares the kept graph with the true one (fakes' links included).
    ///
    /// # Panics
    /// When the graphs and flags do not speak of the same nodes.
    pub fn of(kept: &CsrGraph, truth: &CsrGraph, fake: &[bool]) -> Self {
        assert_eq!(kept.nodes(), truth.nodes(), "graphs on the same nodes");
        assert_eq!(fake.len(), truth.nodes(), "one flag a node");
        let has = |graph: &CsrGraph, u: u32, v: u32| graph.neighbours(u as usize).binary_search(&v).is_ok();
        let with_fake = |u: u32, v: u32| fake[u as usize] || fake[v as usize];
        let mut account = Self::default();
        for (u, v) in truth.iter_edges().filter(|&(u, v)| u != v && !with_fake(u, v)) {
            account.honest += 1;
            account.honest_lost += usize::from(!has(kept, u, v));
        }
        for (u, v) in kept.iter_edges() {
            if with_fake(u, v) {
                account.fake_kept += 1;
            } else if !has(truth, u, v) {
                account.noise_kept += 1;
            }
        }
        account
    }
}
