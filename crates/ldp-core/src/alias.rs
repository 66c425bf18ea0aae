//! Draws from a small discrete law by one lookup in a table of 64 cells: no search, no branch, 32 random bits.
//!
//! The law is in 128-bit fixed point. Six bits choose a cell of 2⁻⁶; the position inside it decides between the cell's
//! own outcome and one other, its alias \[Walker 1977\]. 26 bits of the position are read at once; only when they tie
//! with the threshold (probability 2⁻²⁶) 96 more settle it. So the law drawn is the law given, to the last bit.

#[cfg(test)]
use alloc::vec;
use alloc::vec::Vec;
use core::hint::select_unpredictable;

/// Cells, and the most outcomes.
pub(crate) const CELLS: usize = 64;
/// Bits of a word below those that choose the cell.
const FRACTION: u32 = 26;
/// 2⁻⁶ in units of 2⁻¹²⁸.
const CELL: u128 = 1 << 122;
/// Bits of a threshold that the first word does not reach.
const BELOW: u32 = 96;

/// A law on 0 … 63.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AliasTable {
    /// Upper 26 bits of the threshold, then six bits of the alias.
    entries: [u32; CELLS],
    /// The lower 96 bits of the threshold.
    below: Vec<u128>,
}

impl AliasTable {
    /// From at most 64 probabilities in units of 2⁻¹²⁸ that sum to one.
    ///
    /// # Panics
    /// When they are more, or do not sum to 2¹²⁸.
    pub(crate) fn new(weights: &[u128]) -> Self {
        assert!(weights.len() <= CELLS && weights.iter().fold(0_u128, |sum, w| sum.wrapping_add(*w)) == 0, "a law");
        let mut rest = [0; CELLS];
        rest[..weights.len()].copy_from_slice(weights);
        // A cell that is full stays its own alias.
        let mut cells: Vec<(u128, usize)> = (0..CELLS).map(|cell| (0, cell)).collect();
        let (mut short, mut long): (Vec<usize>, Vec<usize>) = (0..CELLS).partition(|&j| rest[j] < CELL);
        while let (Some(&donor), Some(cell)) = (long.last(), short.pop()) {
            cells[cell] = (rest[cell], donor);
            rest[donor] -= CELL - rest[cell];
            if rest[donor] < CELL {
                long.pop();
                short.push(donor);
            }
        }
        let mut entries = [0; CELLS];
        for (entry, (threshold, alias)) in entries.iter_mut().zip(&cells) {
            *entry = ((threshold >> BELOW) as u32) << 6 | *alias as u32;
        }
        Self { entries, below: cells.iter().map(|(threshold, _)| threshold & ((1 << BELOW) - 1)).collect() }
    }

    /// The outcome for `word`; `more` gives further random bytes at a tie.
    #[inline]
    pub(crate) fn draw(&self, word: u32, more: &mut impl FnMut() -> [u8; 16]) -> u32 {
        let (cell, fraction) = (word >> FRACTION, word & ((1 << FRACTION) - 1));
        let entry = self.entries[cell as usize];
        let (threshold, alias) = (entry >> 6, entry & 63);
        if fraction == threshold {
            return self.settle(cell, alias, more());
        }
        select_unpredictable(fraction < threshold, cell, alias)
    }

    #[cold]
    fn settle(&self, cell: u32, alias: u32, bytes: [u8; 16]) -> u32 {
        if u128::from_le_bytes(bytes) >> (128 - BELOW) < self.below[cell as usize] { cell } else { alias }
    }

    /// The probability of every outcome, from the cells that are drawn from.
    #[cfg(test)]
    fn law(&self) -> Vec<u128> {
        let mut law = vec![0_u128; CELLS];
        for (cell, (entry, below)) in self.entries.iter().zip(&self.below).enumerate() {
            let threshold = u128::from(entry >> 6) << BELOW | below;
            law[cell] = law[cell].wrapping_add(threshold);
            let alias = (entry & 63) as usize;
            law[alias] = law[alias].wrapping_add(CELL - threshold);
        }
        law
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn padded(weights: &[u128]) -> Vec<u128> {
        let mut all = weights.to_vec();
        all.resize(CELLS, 0);
        all
    }

    #[test]
    fn the_cells_add_up_to_the_law() {
        let third = u128::MAX / 3;
        let descending: Vec<u128> = (0..63).map(|j| 1 << (127 - j)).chain([1 << 65]).collect();
        let mut uneven: Vec<u128> = (1..64).map(|j| (j * j + 7) << 105).collect();
        uneven.push(0_u128.wrapping_sub(uneven.iter().sum()));
        for weights in [&[third, third, third + 1][..], &[1, 0_u128.wrapping_sub(2), 1], &descending, &uneven] {
            assert_eq!(AliasTable::new(weights).law(), padded(weights));
        }
    }

    #[test]
    fn first_word_then_the_tie() {
        // Cell 0 is halved between 0 and 1 with a threshold of 2¹²¹ + 5; all others are 1's.
        let table = AliasTable::new(&[(1 << 121) + 5, 0_u128.wrapping_sub((1 << 121) + 5)]);
        let draw = |word, more: &[u128]| {
            let mut more = more.iter();
            let outcome = table.draw(word, &mut || (more.next().expect("not read") << 32).to_le_bytes());
            assert!(more.next().is_none());
            outcome
        };
        assert_eq!(draw(0, &[]), 0);
        assert_eq!(draw((1 << 25) - 1, &[]), 0);
        assert_eq!(draw((1 << 25) + 1, &[]), 1);
        assert_eq!(draw(1 << 25, &[4]), 0);
        assert_eq!(draw(1 << 25, &[5]), 1);
        assert_eq!(draw(1 << 26 | 1, &[]), 1);
        assert_eq!(draw(u32::MAX, &[]), 1);
    }
}
