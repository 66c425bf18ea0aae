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

#[cfg(test)]
mod tests {
    use chacha20::ChaCha12Rng;
    use chacha20::rand_core::SeedableRng;

    use super::AliasTable;

    /// Seed 1, 100,000 draws. Each count is binomial with a standard deviation of at most 158; at 5.3 of them α is
    /// below 5 · 1.2e-7 = 1e-6. What is surely seen is a probability off by 0.017.
    #[test]
    fn items_are_drawn_in_proportion_to_their_weights() {
        const DRAWS: f64 = 1e5;
        let weights = [1.0, 0.01, 7.0, 3.0, 5.0];
        let table = AliasTable::new(&weights);
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        let mut counts = [0.0; 5];
        (0..DRAWS as usize).for_each(|_| counts[table.draw(&mut rng)] += 1.0);
        for (count, weight) in counts.into_iter().zip(weights) {
            let share = weight / weights.iter().sum::<f64>();
            assert!((count - DRAWS * share).abs() < 5.3 * (DRAWS * share * (1.0 - share)).sqrt(), "{counts:?}");
        }
    }
}
