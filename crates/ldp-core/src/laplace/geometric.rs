//! The magnitude of Laplace noise: a geometric variable by its digits, and the random bytes that they are drawn from.

use alloc::vec::Vec;

use rand_core::CryptoRng;

use crate::alias::{AliasTable, CELLS, TIE};
use crate::survival::{multiply, quotient};

/// Outcomes of the leading digit; the last one means that the draw goes on.
const LEADING: usize = 80;
/// Leading digits that are added up at most.
const LAPS: usize = 64;
/// Random bytes that are read at once: three digits, or two and what is for the value.
pub(super) const BLOCK: usize = 12;
/// Blocks that a batch reads at once.
pub(super) const BATCH: usize = 64;

/// A geometric law with ratio e^{−1/t}, drawn by its digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Geometric {
    radix: u32,
    digits: Vec<AliasTable>,
    /// What a unit of the leading digit is worth.
    place: i64,
    leading: AliasTable,
}

impl Geometric {
    pub(super) fn new(scale: u32) -> Self {
        // e^{−1/t} in units of 2⁻¹²⁸: the alternating series, each term the last divided by t·k.
        let (mut ratio, mut term) = (1_u128 << 127, 1_u128 << 127);
        for k in 1..64 {
            term /= u128::from(scale) * k;
            ratio = if k % 2 == 1 { ratio - term } else { ratio + term };
        }
        // In units of 2⁻¹²⁷ so far; 1 itself would not fit.
        let mut ratio = ratio.min((1 << 127) - 1) << 1;
        // As few digits as reach t/5, and the smallest radix: the leading digit then goes on with probability e^{−15.8}.
        let reaches = |radix: u64, count: u32| radix.pow(count) >= u64::from(scale.div_ceil(5));
        let count = (1..=3).find(|&count| reaches(CELLS as u64, count)).unwrap_or(3);
        let radix = (2..CELLS as u64).find(|&radix| reaches(radix, count)).unwrap_or(CELLS as u64);
        let mut digits = Vec::new();
        for _ in 0..count {
            let powers: Vec<u128> =
                core::iter::successors(Some(ratio), |&p| Some(multiply(p, ratio))).take(radix as usize).collect();
            let next = powers[radix as usize - 1];
            // P(digit > j) = (r^(j+1) − r^R)/(1 − r^R).
            let survival = powers[..radix as usize - 1].iter().map(|p| quotient(p - next, 0_u128.wrapping_sub(next)));
            digits.push(AliasTable::new(&differences(survival)));
            ratio = next;
        }
        let powers = core::iter::successors(Some(ratio), |&p| Some(multiply(p, ratio))).take(LEADING - 1);
        let leading = AliasTable::new(&differences(powers));
        Self { radix: radix as u32, digits, place: radix.pow(count) as i64, leading }
    }

    /// The digit below the leading one, when it is the only one.
    pub(super) fn single(&self) -> Option<&AliasTable> {
        if let [single] = self.digits.as_slice() { Some(single) } else { None }
    }

    /// Blocks of a draw, what is for the value included.
    pub(super) fn blocks(&self) -> usize {
        (self.digits.len() + 2).div_ceil(3)
    }

    /// A word of the leading digit after which the draw goes on.
    #[cfg(test)]
    pub(super) fn word_that_goes_on(&self) -> u32 {
        let mut words = (0..u32::MAX).step_by(1 << 10).map(|word| word | 1);
        words.find(|&word| self.leading.quick(word) as usize == LEADING - 1).expect("every outcome has words")
    }

    /// The largest value that can be drawn.
    pub(super) fn largest(&self) -> i64 {
        self.place - 1 + (LAPS * (LEADING - 1)) as i64 * self.place
    }

    /// A draw with one digit below the leading one, without a loop or a branch. The flag is 0 unless the words do not
    /// decide; then [`Geometric::draw`] does with further ones.
    #[inline]
    pub(super) fn quick(&self, single: &AliasTable, [low, leading]: [u32; 2]) -> (i64, u32) {
        let (low, digit) = (single.quick(low), self.leading.quick(leading));
        let leaves = digit + (TIE - LEADING as u32 + 1);
        (i64::from(low) + self.place * i64::from(digit), (low | leaves) & TIE)
    }

    /// `words`: one a digit, then one for the leading digit.
    #[inline]
    pub(super) fn draw(&self, words: &[u32], more: &mut impl FnMut() -> [u8; BLOCK]) -> i64 {
        let (mut value, mut place) = (0, 1);
        for (table, &word) in self.digits.iter().zip(words) {
            value += place * i64::from(table.draw(word, more));
            place *= i64::from(self.radix);
        }
        let digit = self.leading.draw(words[self.digits.len()], more);
        let on = digit as usize == LEADING - 1;
        value + self.place * if on { self.go_on(more) } else { i64::from(digit) }
    }

    /// The leading digit once its table is left: it has no end and no memory, so the table starts over. So many laps end
    /// the loop for any generator; their probability is e⁻¹⁰⁰⁰.
    #[cold]
    fn go_on(&self, more: &mut impl FnMut() -> [u8; BLOCK]) -> i64 {
        let mut sum = LEADING as i64 - 1;
        for _ in 1..LAPS {
            let [word, ..] = words(more());
            let digit = self.leading.draw(word, more) as usize;
            sum += digit as i64;
            if digit < LEADING - 1 {
                break;
            }
        }
        sum
    }
}

/// P(0), P(1), … in units of 2⁻¹²⁸ from P(> 0), P(> 1), ….
fn differences(survival: impl Iterator<Item = u128>) -> Vec<u128> {
    let mut above = 0_u128;
    // The first difference is taken from 1 = 2¹²⁸ ≡ 0.
    let step = |s: u128| core::mem::replace(&mut above, s).wrapping_sub(s);
    survival.chain([0]).map(step).collect()
}

pub(super) fn words(block: [u8; BLOCK]) -> [u32; 3] {
    let (words, _) = block.as_chunks::<4>();
    core::array::from_fn(|k| u32::from_le_bytes(words[k]))
}

/// A generator's bytes in blocks, read ahead for the values that are still to come and never further: the generator
/// ends where it would have, had each block been read by itself.
pub(super) struct Blocks<'a, R: ?Sized> {
    rng: &'a mut R,
    bytes: [u8; BLOCK * BATCH],
    at: usize,
    end: usize,
}

impl<'a, R: CryptoRng + ?Sized> Blocks<'a, R> {
    pub(super) fn new(rng: &'a mut R) -> Self {
        Self { rng, bytes: [0; BLOCK * BATCH], at: 0, end: 0 }
    }

    /// Reads `count` ≤ 64 blocks ahead and shows them; all before must have been taken.
    #[inline]
    pub(super) fn read(&mut self, count: usize) -> &[[u8; BLOCK]] {
        (self.at, self.end) = (0, count);
        self.rng.fill_bytes(&mut self.bytes[..BLOCK * count]);
        self.bytes[..BLOCK * count].as_chunks().0
    }

    /// The next block; `owed` is how many, this one included, will be taken for certain.
    pub(super) fn take(&mut self, owed: usize) -> [u8; BLOCK] {
        if self.at == self.end {
            self.read(owed.clamp(1, BATCH));
        }
        self.at += 1;
        self.bytes.as_chunks().0[self.at - 1]
    }

    /// All that was read has been taken.
    pub(super) fn skip(&mut self) {
        self.at = self.end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts in bytes.
    struct Counter(u32);

    impl rand_core::TryRng for Counter {
        type Error = core::convert::Infallible;
        fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
            unreachable!("read in blocks")
        }
        fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
            unreachable!("read in blocks")
        }
        fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
            assert!(bytes.len().is_multiple_of(BLOCK));
            for word in bytes.chunks_exact_mut(4) {
                word.copy_from_slice(&self.0.to_le_bytes());
                self.0 += 1;
            }
            Ok(())
        }
    }

    impl rand_core::TryCryptoRng for Counter {}

    /// Blocks come in the generator's order, none is left over, whatever number of further blocks a value takes.
    #[test]
    fn blocks_are_read_in_order_and_none_is_lost() {
        for (values, each, further) in [(1, 1, 0), (1, 2, 3), (200, 1, 0), (200, 2, 1), (130, 1, 7), (64_usize, 1, 1)] {
            let (mut rng, mut count) = (Counter(0), 0);
            let mut blocks = Blocks::new(&mut rng);
            for left in (1..=values).rev() {
                // Every third value takes further blocks, and so does the last.
                let further = if left % 3 == 1 { further } else { 0 };
                for taken in 0..each + further {
                    assert_eq!(words(blocks.take((left * each).saturating_sub(taken)))[0], 3 * count);
                    count += 1;
                }
            }
            assert_eq!(rng.0, 3 * count);
        }
    }

    /// The smallest scale, the largest, and one on either side of every change of form.
    #[test]
    fn digits_reach_the_scale() {
        for (scale, digits) in
            [(4096, 1), (4097, 1), (5120, 1), (5121, 2), (5_242_880, 2), (5_242_881, 3), (u32::MAX, 3)]
        {
            let law = Geometric::new(scale);
            assert_eq!((law.digits.len(), law.blocks()), (digits, if digits == 1 { 1 } else { 2 }));
            let place = law.place as f64 / f64::from(scale);
            assert!((0.2..0.22).contains(&place), "{scale}: {place}");
            assert!(law.largest() > 900 * i64::from(scale));
        }
    }

    /// Digits that go on: their sum by hand, and the end for a generator that always goes on.
    #[test]
    fn laps_add_up() {
        let law = Geometric::new(4097);
        let word_of = |digit: usize| {
            let mut words = (0..u32::MAX).step_by(1 << 10).map(|word| word | 1);
            let leads = |word: &u32| law.leading.draw(*word, &mut || unreachable!("no tie")) as usize == digit;
            words.find(leads).expect("a word of every digit")
        };
        let draw = |digits: &[usize]| {
            let mut digits = digits.iter().map(|&digit| word_of(digit)).peekable();
            let first = digits.next().expect("one at least");
            // Cell 0 of the other digit.
            law.draw(&[1, first], &mut || {
                let mut block = [0; BLOCK];
                // The last one for ever.
                let last = *digits.peek().expect("asked for one too many");
                block[..4].copy_from_slice(&last.to_le_bytes());
                if digits.len() > 1 {
                    digits.next();
                }
                block
            })
        };
        assert_eq!(draw(&[5]), 5 * law.place);
        assert_eq!(draw(&[78]), 78 * law.place);
        assert_eq!(draw(&[79, 0]), 79 * law.place);
        assert_eq!(draw(&[79, 79, 7]), (79 + 79 + 7) * law.place);
        assert_eq!(draw(&[79, 79]), 79 * LAPS as i64 * law.place);
        assert!(law.largest() >= draw(&[79, 79]) + law.place - 1);
    }
}
