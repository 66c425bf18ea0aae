//! m distinct indices of d by Floyd's method, with exactly m words whatever comes out.
//!
//! Each step draws below j + 1 by multiply and shift (`weights::index_weight`), so a set's probability differs from
//! 1/C(d, m) by a factor within 1 ± m·d·2⁻⁶⁴. That deviation is public and the same for every value: it cancels in
//! every likelihood ratio. Ranking single-precision uniforms instead, as research code does, has ties in half of the
//! rows of width 4714, broken by position.

use alloc::vec::Vec;

use crate::weights::index_below;

/// Up to here a scan over the indices chosen so far is faster than a bitmap.
const SCAN_LIMIT: usize = 64;

/// Draws index sets of fixed size; holds the bitmap that large sets need.
#[derive(Clone, Debug)]
pub(crate) struct IndexSampler {
    dimensions: u32,
    size: usize,
    taken: Vec<u64>,
}

impl IndexSampler {
    /// Sets of `size` indices below `dimensions`; `size` must be in 1 … `dimensions`.
    pub(crate) fn new(dimensions: u32, size: usize) -> Self {
        let bitmap =
            if size > SCAN_LIMIT && size < dimensions as usize { (dimensions as usize).div_ceil(64) } else { 0 };
        Self { dimensions, size, taken: alloc::vec![0; bitmap] }
    }

    /// Words that one set takes: none when everything is reported.
    pub(crate) fn words(&self) -> usize {
        if self.size == self.dimensions as usize { 0 } else { self.size }
    }

    /// Writes one set, ascending, from [`IndexSampler::words`] words.
    pub(crate) fn sample(&mut self, mut word: impl FnMut() -> u64, indices: &mut [u32]) {
        let size = self.size;
        if size == 1 && self.dimensions > 1 {
            indices[0] = index_below(self.dimensions, word());
        } else if size == self.dimensions as usize {
            for (slot, index) in indices.iter_mut().zip(0..) {
                *slot = index;
            }
        } else if size <= SCAN_LIMIT {
            for (chosen, last) in (self.dimensions - size as u32..self.dimensions).enumerate() {
                let index = index_below(last + 1, word());
                let taken = indices[..chosen].iter().fold(false, |taken, &i| taken | (i == index));
                // Put in its place by carrying the larger along: no branch to mispredict.
                let mut carry = if taken { last } else { index };
                for slot in &mut indices[..chosen] {
                    (*slot, carry) = ((*slot).min(carry), (*slot).max(carry));
                }
                indices[chosen] = carry;
            }
        } else {
            self.sample_with_bitmap(word, indices);
        }
    }

    fn sample_with_bitmap(&mut self, mut word: impl FnMut() -> u64, indices: &mut [u32]) {
        self.taken.fill(0);
        for last in self.dimensions - self.size as u32..self.dimensions {
            let index = index_below(last + 1, word());
            let taken = self.taken[index as usize / 64] >> (index % 64) & 1 == 1;
            let index = if taken { last } else { index };
            self.taken[index as usize / 64] |= 1 << (index % 64);
        }
        let mut slots = indices.iter_mut();
        for (block, &bits) in (0_u32..).zip(&self.taken) {
            let mut bits = bits;
            while bits != 0 {
                let slot = slots.next();
                *slot.expect("as many bits as slots") = 64 * block + bits.trailing_zeros();
                bits &= bits - 1;
            }
        }
    }
}
