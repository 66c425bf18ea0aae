//! Draws from a small discrete law by one lookup in a table of 64 cells: no search, no branch, 32 random bits.
//!
//! The law is in 128-bit fixed point. Ten bits choose a cell of 2⁻¹⁰; the position inside it decides between the cell's
//! own outcome and one other, its alias \[Walker 1977\]. 22 bits of the position are read at once; only when they tie
//! with the threshold (probability 2⁻²²) 96 more settle it. So the law drawn is the law given, to the last bit.

use alloc::boxed::Box;
#[cfg(test)]
use alloc::vec;
use alloc::vec::Vec;
use core::hint::select_unpredictable;

/// Bits that choose a cell.
const CELL_BITS: u32 = 10;
/// Cells, and the most outcomes.
pub(crate) const CELLS: usize = 1 << CELL_BITS;
/// Set in what [`AliasTable::quick`] returns when further bits must decide.
pub(crate) const TIE: u32 = CELLS as u32;
/// Bits of a word below those that choose the cell.
const FRACTION: u32 = 32 - CELL_BITS;
/// 2⁻¹⁰ in units of 2⁻¹²⁸.
const CELL: u128 = 1 << (128 - CELL_BITS);
/// Bits of a threshold that the first word does not reach.
const BELOW: u32 = 96;

/// A law on 0 … 1023.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AliasTable {
    /// Upper 22 bits of the threshold, then ten bits of the alias.
    entries: Box<[u32; CELLS]>,
    /// The lower 96 bits of the threshold.
    below: Vec<u128>,
}

impl AliasTable {
    /// From at most 1024 probabilities in units of 2⁻¹²⁸ that sum to one.
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
        let mut entries = Box::new([0; CELLS]);
        for (entry, (threshold, alias)) in entries.iter_mut().zip(&cells) {
            *entry = ((threshold >> BELOW) as u32) << CELL_BITS | *alias as u32;
        }
        Self { entries, below: cells.iter().map(|(threshold, _)| threshold & ((1 << BELOW) - 1)).collect() }
    }

    /// The outcome for `word`, with [`TIE`] set when the word does not decide.
    #[inline]
    pub(crate) fn quick(&self, word: u32) -> u32 {
        let (cell, fraction) = (word >> FRACTION, word & ((1 << FRACTION) - 1));
        let entry = self.entries[cell as usize];
        let (threshold, alias) = (entry >> CELL_BITS, entry & (TIE - 1));
        select_unpredictable(fraction < threshold, cell, alias) | u32::from(fraction == threshold) << TIE.ilog2()
    }

    /// The outcome for `word`; `more` gives further random bytes at a tie.
    #[inline]
    pub(crate) fn draw(&self, word: u32, more: &mut impl FnMut() -> [u8; 12]) -> u32 {
        let outcome = self.quick(word);
        if outcome & TIE == 0 { outcome } else { self.settle(word >> FRACTION, outcome & !TIE, more()) }
    }

    #[cold]
    fn settle(&self, cell: u32, alias: u32, bytes: [u8; 12]) -> u32 {
        let mut position = [0; 16];
        position[..12].copy_from_slice(&bytes);
        if u128::from_le_bytes(position) < self.below[cell as usize] { cell } else { alias }
    }

    /// The probability of every outcome, from the cells that are drawn from.
    #[cfg(test)]
    fn law(&self) -> Vec<u128> {
        let mut law = vec![0_u128; CELLS];
        for (cell, (entry, below)) in self.entries.iter().zip(&self.below).enumerate() {
            let threshold = u128::from(entry >> CELL_BITS) << BELOW | below;
            law[cell] = law[cell].wrapping_add(threshold);
            let alias = (entry & (TIE - 1)) as usize;
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
        // Cell 0 is halved between 0 and 1 with a threshold of 2¹¹⁷ + 5; all others are 1's.
        let table = AliasTable::new(&[(1 << 117) + 5, 0_u128.wrapping_sub((1 << 117) + 5)]);
        let draw = |word, more: &[u128]| {
            let mut more = more.iter();
            let outcome = table.draw(word, &mut || {
                more.next().expect("not read").to_le_bytes()[..12].try_into().expect("twelve of sixteen")
            });
            assert!(more.next().is_none());
            outcome
        };
        assert_eq!(draw(0, &[]), 0);
        assert_eq!(draw((1 << 21) - 1, &[]), 0);
        assert_eq!(draw((1 << 21) + 1, &[]), 1);
        assert_eq!(draw(1 << 21, &[4]), 0);
        assert_eq!(draw(1 << 21, &[5]), 1);
        assert_eq!(draw(1 << 22 | 1, &[]), 1);
        assert_eq!(draw(u32::MAX, &[]), 1);
    }
}
