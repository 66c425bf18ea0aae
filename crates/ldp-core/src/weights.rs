//! The integer kernel: output laws as weights that sum to 2⁶⁴, so that what is drawn is what is claimed.
//!
//! Every law here has cells of two weights, the likely and the unlikely one, whose quotient is at most e^ε. The
//! unlikely weight is rounded up, so the ε of the executed integers never exceeds the one asked for. One random word
//! decides; no float takes part in a draw.

use crate::placement::Placement;
use crate::{Bounds, Epsilon, Error};

/// 2⁶⁴, the sum of all weights of a law.
pub const TOTAL: u128 = 1 << 64;
/// 2⁶⁴ as a double.
pub(crate) const TOTAL_F64: f64 = TOTAL as f64;

/// e^ε − 1 in units of 2⁻⁶³, rounded down, saturating at 2⁶⁴ (ε about 44.36).
///
/// The relative margin 2⁻⁴⁸·max(1, ε) covers the error of `expm1` and of the double that
/// [`FiniteRandomizer::achieved_epsilon`](crate::FiniteRandomizer::achieved_epsilon) is later rounded to.
pub(crate) fn excess(epsilon: Epsilon) -> u128 {
    let nats = epsilon.nats();
    let margin = nats.max(1.0) / (1_u64 << 48) as f64;
    let value = libm::expm1(nats) * (1.0 - margin);
    // 2⁶⁴ is 2¹²⁷ in these units.
    (value * (1_u64 << 63) as f64).min((1_u128 << 127) as f64) as u128
}

/// The smallest unlikely weight q for `likely` cells of weight up to e^ε·q and `unlikely` cells of weight q:
/// q = ⌈2⁶⁴ / (likely·e^ε + unlikely)⌉.
pub(crate) fn unlikely_weight(epsilon: Epsilon, likely: u64, unlikely: u64) -> u64 {
    let cells = u128::from(likely) + u128::from(unlikely);
    let excess = excess(epsilon);
    // 2¹²⁷ / (cells·2⁶³ + likely·excess), without overflow: a product above 2¹²⁷ means q = 1.
    let denominator = u128::from(likely).checked_mul(excess).and_then(|e| e.checked_add(cells << 63));
    denominator.map_or(1, |d| (1_u128 << 127).div_ceil(d).max(1) as u64)
}

/// ln(likely / unlikely), accurate also when the two are almost equal.
pub(crate) fn log_quotient(likely: u128, unlikely: u128) -> f64 {
    if likely >= unlikely {
        libm::log1p((likely - unlikely) as f64 / unlikely as f64)
    } else {
        -log_quotient(unlikely, likely)
    }
}

/// A uniform index below `bound` from one word, by multiply and shift.
///
/// Index i has weight ⌈(i+1)·2⁶⁴/bound⌉ − ⌈i·2⁶⁴/bound⌉ of 2⁶⁴, see [`index_weight`]: at most one unit from uniform.
#[inline]
pub(crate) fn index_below(bound: u32, word: u64) -> u32 {
    split_index(bound, word).0
}

/// [`index_below`] and the part of the word that it leaves over: the position inside the index's cell, for a second
/// index. A pair's weight is at most one unit from 2⁶⁴/(bound·second bound).
#[inline]
pub(crate) fn split_index(bound: u32, word: u64) -> (u32, u64) {
    let product = u128::from(word) * u128::from(bound);
    ((product >> 64) as u32, product as u64)
}

/// Exact weight of 2⁶⁴ with which a uniform draw below `bound` yields `index`; zero at or above `bound`.
#[must_use]
pub fn index_weight(bound: u32, index: u32) -> u64 {
    if index >= bound {
        return 0;
    }
    let edge = |i: u128| (i << 64).div_ceil(u128::from(bound));
    (edge(u128::from(index) + 1) - edge(u128::from(index))).min(u128::from(u64::MAX)) as u64
}

/// A coin whose heads probability is anything between q and p of 2⁶⁴, with p + q = 2⁶⁴ and p/q ≤ e^ε.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Coin {
    pub(crate) likely: u64,
    pub(crate) unlikely: u64,
}

impl Coin {
    pub(crate) fn new(epsilon: Epsilon) -> Self {
        let unlikely = unlikely_weight(epsilon, 1, 1);
        Self { likely: (TOTAL - u128::from(unlikely)) as u64, unlikely }
    }

    /// (p − q) / 2⁶⁴ = tanh(ε/2): what is left of a sign after the coin.
    pub(crate) fn gain(self) -> f64 {
        (self.likely - self.unlikely) as f64 / TOTAL_F64
    }

    pub(crate) fn achieved_epsilon(self) -> f64 {
        log_quotient(u128::from(self.likely), u128::from(self.unlikely))
    }
}

/// A [`Coin`] whose bias is a value's place inside public bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BoundedCoin {
    pub(crate) coin: Coin,
    pub(crate) bounds: Bounds,
    place: Placement,
}

impl BoundedCoin {
    pub(crate) fn new(epsilon: Epsilon, bounds: Bounds) -> Result<Self, Error> {
        let coin = Coin::new(epsilon);
        require_signal(coin.likely.into(), coin.unlikely.into(), epsilon, 2)?;
        Ok(Self { coin, bounds, place: Placement::new(bounds) })
    }

    /// Weight of 2⁶⁴ of heads. Monotone in `value`; q at and below the lower end, p at and above the upper one.
    #[inline]
    pub(crate) fn threshold(self, value: f64) -> u64 {
        let gap = self.coin.likely - self.coin.unlikely;
        self.coin.unlikely + ((u128::from(self.place.of(value)) * u128::from(gap)) >> 52) as u64
    }
}

/// Division by a divisor fixed in advance: one multiplication and one correction, exact for every numerator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reciprocal {
    divisor: u64,
    magic: u64,
    shift: u32,
}

impl Reciprocal {
    /// # Panics
    /// When `divisor` is zero.
    pub(crate) fn new(divisor: u64) -> Self {
        assert!(divisor > 0, "a weight is never zero");
        // 2^shift ≤ divisor < 2^(shift+1), so magic = ⌊2^(64+shift)/divisor⌋ has 64 bits (2⁶⁴ itself is cut to 2⁶⁴−1).
        let shift = divisor.ilog2();
        let magic = ((1_u128 << (64 + shift)) / u128::from(divisor)).min(u128::from(u64::MAX)) as u64;
        Self { divisor, magic, shift }
    }

    /// ⌊numerator / divisor⌋.
    #[inline]
    pub(crate) fn divide(&self, numerator: u64) -> u64 {
        // The estimate is the quotient or one less.
        let estimate = ((u128::from(numerator) * u128::from(self.magic)) >> 64) as u64 >> self.shift;
        estimate + u64::from(numerator - estimate * self.divisor >= self.divisor)
    }

    /// What was divided by.
    #[inline]
    pub(crate) fn divisor(&self) -> u64 {
        self.divisor
    }
}

/// Refuses a law whose likely cells are no likelier than the others.
pub(crate) fn require_signal(likely: u128, unlikely: u128, epsilon: Epsilon, cells: u64) -> Result<(), Error> {
    if likely > unlikely { Ok(()) } else { Err(Error::Resolution { epsilon: epsilon.nats(), cells }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reciprocal_divides_exactly() {
        for divisor in [1, 2, 3, 5, 6, 7, 1 << 20, (1 << 20) + 1, 1 << 63, (1 << 63) + 1, u64::MAX - 1, u64::MAX] {
            let by = Reciprocal::new(divisor);
            let near = [0, 1, 2, divisor - 1, divisor, divisor.saturating_add(1), u64::MAX - 1, u64::MAX];
            let multiples = (1..200_u64).filter_map(|k| divisor.checked_mul(k)).flat_map(|n| [n - 1, n]);
            for numerator in near.into_iter().chain(multiples) {
                assert_eq!(by.divide(numerator), numerator / divisor, "{numerator} / {divisor}");
            }
        }
    }

    /// Pairs from one word of a small sample space: words that are multiples of 2⁴⁴ stand for the intervals above
    /// them, so every pair gets its share to within one interval.
    #[test]
    fn two_indices_of_one_word_are_independent() {
        let (first, second) = (7_u32, 5_u32);
        let mut counts = [0_u32; 35];
        for interval in 0..1_u64 << 20 {
            let (one, rest) = split_index(first, interval << 44);
            counts[(one * second + index_below(second, rest)) as usize] += 1;
        }
        assert!(counts.iter().all(|c| c.abs_diff((1 << 20) / 35) <= 1), "{counts:?}");
    }

    #[test]
    fn index_weights_sum_to_the_total() {
        for bound in [2, 3, 5, 7, 1433, 4714] {
            let sum: u128 = (0..bound).map(|i| u128::from(index_weight(bound, i))).sum();
            assert_eq!(sum, TOTAL);
            // The first and the last word of a cell map to it.
            let first = |i: u64| ((u128::from(i) << 64).div_ceil(u128::from(bound))) as u64;
            for i in 1..bound {
                assert_eq!(index_below(bound, first(u64::from(i))), i);
                assert_eq!(index_below(bound, first(u64::from(i)) - 1), i - 1);
            }
        }
    }
}
