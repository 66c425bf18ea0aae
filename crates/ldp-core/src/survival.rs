//! Draws from a tabulated discrete law in 128-bit fixed point, usually with one word.
//!
//! Entry j holds P(result > j) in units of 2⁻¹²⁸, rounded down. One word decides by the upper halves; only when it
//! ties with an entry (probability below entries·2⁻⁶⁴) a second word settles the lower half. The law drawn is within
//! entries·2⁻¹²⁸ of the exact one, far below the margin by which every budget is undercut.

use alloc::vec::Vec;

use rand_core::CryptoRng;

/// Bits of a word by which the search is guided, at most.
const GUIDE_BITS: u32 = 12;

/// Probabilities P(result > 0), P(result > 1), …, descending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SurvivalTable {
    high: Vec<u64>,
    low: Vec<u64>,
    /// Entry g: how many entries have upper bits of at least g. A word with the upper bits g is searched for between
    /// entry g + 1 and entry g, on average a step or two.
    guide: Vec<u32>,
    shift: u32,
}

impl SurvivalTable {
    /// From descending survival probabilities in units of 2⁻¹²⁸.
    pub(crate) fn new(survival: impl IntoIterator<Item = u128>) -> Self {
        let (high, low): (Vec<u64>, Vec<u64>) = survival.into_iter().map(|s| ((s >> 64) as u64, s as u64)).unzip();
        let bits = (high.len().max(2).next_power_of_two().ilog2() + 1).min(GUIDE_BITS);
        let shift = 64 - bits;
        let guide = (0..=1 << bits).map(|g| high.partition_point(|h| h >> shift >= g) as u32).collect();
        Self { high, low, guide, shift }
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
        self.draw_for(rng.next_u64(), rng)
    }

    /// The draw for a word that has been read already.
    #[inline]
    pub(crate) fn draw_for<R: CryptoRng + ?Sized>(&self, word: u64, rng: &mut R) -> usize {
        let cell = (word >> self.shift) as usize;
        let (from, to) = (self.guide[cell + 1] as usize, self.guide[cell] as usize);
        let count = from + self.high[from..to].partition_point(|&high| high > word);
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

    /// The same word for ever.
    struct OneWord(u64);

    impl rand_core::TryRng for OneWord {
        type Error = core::convert::Infallible;
        fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
            Ok(self.0 as u32)
        }
        fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
            Ok(self.0)
        }
        fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Self::Error> {
            unreachable!("not read bytewise")
        }
    }

    impl rand_core::TryCryptoRng for OneWord {}

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
        assert_eq!(draw(&[u64::MAX]), 0);
    }

    /// The guided search finds what counting finds, at the entries and beside them.
    #[test]
    fn guided_search() {
        for entries in [1, 2, 3, 60, 5000] {
            let table = SurvivalTable::powers(0_u128.wrapping_sub(u128::MAX / 400), entries);
            for &high in &table.high {
                for word in [high - 1, high + 1] {
                    let counted = table.high.iter().filter(|&&h| h > word).count();
                    assert_eq!(table.draw(&mut OneWord(word)), counted);
                }
            }
        }
    }
}
