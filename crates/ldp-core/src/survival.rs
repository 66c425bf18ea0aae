//! Draws from a tabulated discrete law in 128-bit fixed point, usually with one word.
//!
//! Entry j holds P(result > j) in units of 2⁻¹²⁸, rounded down. One word decides by the upper halves; only when it
//! ties with an entry (probability below entries·2⁻⁶⁴) a second word settles the lower half. The law drawn is within
//! entries·2⁻¹²⁸ of the exact one, far below the margin by which every budget is undercut.

use alloc::vec::Vec;

use rand_core::CryptoRng;

/// Probabilities P(result > 0), P(result > 1), …, descending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SurvivalTable {
    high: Vec<u64>,
    low: Vec<u64>,
}

impl SurvivalTable {
    /// From descending survival probabilities in units of 2⁻¹²⁸.
    pub(crate) fn new(survival: impl IntoIterator<Item = u128>) -> Self {
        let (high, low) = survival.into_iter().map(|s| ((s >> 64) as u64, s as u64)).unzip();
        Self { high, low }
    }

    /// P(result > j) = base^(j+1) for `entries` entries: a geometric law cut at `entries`, where base is in units of
    /// 2⁻¹²⁸.
    pub(crate) fn powers(base: u128, entries: usize) -> Self {
        Self::new(core::iter::successors(Some(base), |&s| Some(multiply(s, base))).take(entries))
    }

    /// The largest result.
    pub(crate) fn largest(&self) -> usize {
        self.high.len()
    }

    /// Draws: how many entries exceed a uniform number.
    #[inline]
    pub(crate) fn draw<R: CryptoRng + ?Sized>(&self, rng: &mut R) -> usize {
        let word = rng.next_u64();
        let count = self.high.partition_point(|&high| high > word);
        if self.high.get(count) == Some(&word) { self.settle(count, word, rng.next_u64()) } else { count }
    }

    /// The tie: entries with the same upper half are compared by the lower one.
    #[cold]
    fn settle(&self, count: usize, high: u64, low: u64) -> usize {
        let ties = self.high[count..].iter().zip(&self.low[count..]).take_while(|&(&h, &l)| h == high && l > low);
        count + ties.count()
    }
}

/// a·b/2¹²⁸, rounded down.
pub(crate) fn multiply(a: u128, b: u128) -> u128 {
    let (ah, al, bh, bl) = (a >> 64, a & u128::from(u64::MAX), b >> 64, b & u128::from(u64::MAX));
    let (cross, other) = (ah * bl, al * bh);
    let carry = ((al * bl) >> 64) + (cross & u128::from(u64::MAX)) + (other & u128::from(u64::MAX));
    ah * bh + (cross >> 64) + (other >> 64) + (carry >> 64)
}

/// ⌊a·2¹²⁸/b⌋ for a < b.
///
/// # Panics
/// When a ≥ b.
pub(crate) fn quotient(a: u128, b: u128) -> u128 {
    assert!(a < b, "a quotient below one");
    let (mut rest, mut bits) = (a, 0);
    for _ in 0..128 {
        let carry = rest >> 127;
        rest <<= 1;
        let fits = carry == 1 || rest >= b;
        rest = if fits { rest.wrapping_sub(b) } else { rest };
        bits = bits << 1 | u128::from(fits);
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_point_products_and_quotients() {
        let half = 1_u128 << 127;
        assert_eq!(multiply(half, half), half >> 1);
        assert_eq!(multiply(u128::MAX, u128::MAX), u128::MAX - 1);
        assert_eq!(multiply(u128::MAX, 1), 0);
        assert_eq!(multiply(0x1234_5678_9abc_def0_1234_5678_9abc_def0, 1 << 64), 0x1234_5678_9abc_def0);
        assert_eq!(quotient(1, 2), half);
        assert_eq!(quotient(1, 3), u128::MAX / 3);
        assert_eq!(quotient(u128::MAX - 1, u128::MAX), u128::MAX - 1);
        assert_eq!(quotient(half, half + 1), u128::MAX - 1);
    }

    /// Words given in advance.
    struct Tape(&'static [u64]);

    impl rand_core::TryRng for Tape {
        type Error = core::convert::Infallible;
        fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
            self.try_next_u64().map(|w| w as u32)
        }
        fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
            let (first, rest) = self.0.split_first().expect("no more words than expected are read");
            self.0 = rest;
            Ok(*first)
        }
        fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Self::Error> {
            unreachable!("not read bytewise")
        }
    }

    impl rand_core::TryCryptoRng for Tape {}

    #[test]
    fn ties_take_a_second_word() {
        let table = SurvivalTable::new([9 << 64 | 5, 9 << 64 | 3, 4 << 64]);
        let draw = |words| table.draw(&mut Tape(words));
        assert_eq!(draw(&[10]), 0);
        assert_eq!(draw(&[8]), 2);
        assert_eq!(draw(&[3]), 3);
        assert_eq!(draw(&[9, 5]), 0);
        assert_eq!(draw(&[9, 4]), 1);
        assert_eq!(draw(&[9, 2]), 2);
        assert_eq!(draw(&[4, 0]), 2);
    }
}
