//! Drawing nodes by weight in constant time.

use rand::{Rng, RngExt};

/// Walker's alias table over weighted items (Vose's construction).
pub(super) struct AliasTable {
    /// Chance to keep the column drawn, and whom to take otherwise.
    columns: Vec<(f64, u32)>,
}

impl AliasTable {
    /// Takes positive weights, at least one.
    pub(super) fn new(weights: &[f64]) -> Self {
        let scale = weights.len() as f64 / weights.iter().sum::<f64>();
        let mut columns: Vec<(f64, u32)> =
            weights.iter().enumerate().map(|(at, weight)| (weight * scale, at as u32)).collect();
        let (mut small, mut large): (Vec<usize>, Vec<usize>) = (0..columns.len()).partition(|&at| columns[at].0 < 1.0);
        while let (Some(below), Some(&above)) = (small.pop(), large.last()) {
            columns[below].1 = above as u32;
            columns[above].0 -= 1.0 - columns[below].0;
            if columns[above].0 < 1.0 {
                large.pop();
                small.push(above);
            }
        }
        // What is left over is 1 but for rounding.
        for at in small.into_iter().chain(large) {
            columns[at] = (1.0, at as u32);
        }
        Self { columns }
    }

    pub(super) fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> usize {
        let column = rng.random_range(0..self.columns.len());
        let (keep, other) = self.columns[column];
        if rng.random::<f64>() < keep { column } else { other as usize }
    }
}
