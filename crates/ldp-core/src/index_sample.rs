//! m distinct indices of d by Floyd's method, with the same number of words whatever comes out.
//!
//! Each step draws below j + 1 by multiply and shift (`weights::index_weight`); below 2¹⁶ dimensions one word serves
//! two steps, the second with what the first leaves over. So a set's probability differs from 1/C(d, m) by a factor
//! within 1 ± m·d²·2⁻⁶⁴, which is 1 ± m·2⁻³² at most. That deviation is public and the same for every value: it
//! cancels in every likelihood ratio. Ranking single-precision uniforms instead, as research code does, has ties in half of the
//! rows of width 4714, broken by position.

use alloc::vec::Vec;

use crate::weights::{index_below, split_index};

/// Up to here a scan over the indices chosen so far is faster than a bitmap.
const SCAN_LIMIT: usize = 64;
/// Up to so many dimensions one word serves two steps.
const PAIRED_LIMIT: u32 = 1 << 16;

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

    /// Words that one set takes: none when everything is reported, one for two indices below 2¹⁶ dimensions.
    pub(crate) fn words(&self) -> usize {
        match self.size {
            all if all == self.dimensions as usize => 0,
            size if self.dimensions <= PAIRED_LIMIT => size.div_ceil(2),
            size => size,
        }
    }

    /// Writes one set, ascending, from [`IndexSampler::words`] words.
    pub(crate) fn sample(&mut self, word: impl FnMut() -> u64, indices: &mut [u32]) {
        if self.size == self.dimensions as usize {
            for (slot, index) in indices.iter_mut().zip(0..) {
                *slot = index;
            }
        } else if self.size <= SCAN_LIMIT {
            self.sample_by_scan(word, indices);
        } else {
            self.sample_with_bitmap(word, indices);
        }
    }

    /// Sets of a size known when compiled: the loops are unrolled and hold no branch.
    ///
    /// # Panics
    /// When the sampler is for sets of another size.
    #[inline]
    pub(crate) fn sample_few<const M: usize>(&self, word: impl FnMut() -> u64) -> [u32; M] {
        assert!(self.size == M && M < self.dimensions as usize, "sets of {M}, not of {}", self.size);
        let mut indices = [0; M];
        self.sample_by_scan(word, &mut indices);
        indices
    }

    #[inline(always)]
    fn sample_by_scan(&self, word: impl FnMut() -> u64, indices: &mut [u32]) {
        let first = self.dimensions - indices.len() as u32;
        let mut steps = steps(self.dimensions, word);
        for chosen in 0..indices.len() {
            let last = first + chosen as u32;
            let index = steps(chosen, last + 1);
            let taken = indices[..chosen].iter().fold(false, |taken, &i| taken | (i == index));
            // Put in its place by carrying the larger along: no branch to mispredict.
            let mut carry = if taken { last } else { index };
            for slot in &mut indices[..chosen] {
                (*slot, carry) = ((*slot).min(carry), (*slot).max(carry));
            }
            indices[chosen] = carry;
        }
    }

    fn sample_with_bitmap(&mut self, word: impl FnMut() -> u64, indices: &mut [u32]) {
        let first = self.dimensions - self.size as u32;
        let mut steps = steps(self.dimensions, word);
        self.taken.fill(0);
        for (step, last) in (first..self.dimensions).enumerate() {
            let index = steps(step, last + 1);
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

/// The draw of step number n below a bound: a new word, or at odd steps what the last one left over.
#[inline(always)]
fn steps(dimensions: u32, mut word: impl FnMut() -> u64) -> impl FnMut(usize, u32) -> u32 {
    let mut rest = 0;
    move |step, bound| {
        if dimensions <= PAIRED_LIMIT && step % 2 == 1 {
            return index_below(bound, rest);
        }
        let (index, left) = split_index(bound, word());
        rest = left;
        index
    }
}
