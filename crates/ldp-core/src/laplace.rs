//! Laplace noise on a public grid, exact and without a float.
//!
//! The range is cut into N cells of equal width; the value is put on a grid point by randomized rounding, which keeps
//! its mean, and integer noise with P(z) ∝ e^{−|z+½|/t}, t = N/ε, is added. Two values are at most N cells apart, so
//! the loss is at most N/t ≤ ε. The noise is symmetric around −½, which saves rejecting a second zero; the rectifier
//! adds the half cell. Textbook noise x + Laplace in doubles is no substitute: from x = 0 and x = 1 different doubles
//! can be reached, and one report tells which it was.
//!
//! The magnitude is drawn digit by digit: a geometric variable's digits in any radix are independent, so one small
//! table a digit suffices whatever t is. 32 bits a digit, 32 for the sign and the rounding: twelve bytes a report for ε
//! above 10⁻³, 24 below. Further ones are read with probability below 10⁻⁶, which the value has no part in.
//!
//! Variance on [α, β]: about 2((β−α)/ε)². Report unbounded; use it where a sum must stay exactly unbiased and values
//! need more than a bit. The one-bit mechanism has a lower variance for ε below 2.

use rand_core::CryptoRng;

mod geometric;

use geometric::{BATCH, BLOCK, Blocks, Geometric, words};

use crate::placement::Placement;
use crate::{Bounds, Epsilon, Error, Randomizer, Rectify, ScalarMechanism};

/// The scale t is at least this many cells.
const FINENESS: f64 = 4096.0;
/// The largest scale.
const LARGEST_SCALE: f64 = 4_294_967_295.0;
/// Bits of the randomized rounding.
const ROUNDING: u32 = 31;

/// A bounded number with Laplace noise on the grid. Report: a grid point, unbounded.
///
/// ```
/// use chacha20::{ChaCha12Rng, rand_core::SeedableRng};
/// use ldp_core::{Bounds, Epsilon, GridLaplace, Randomizer, Rectify};
/// let mechanism = GridLaplace::new(Epsilon::new(1.0)?, Bounds::UNIT)?;
/// let report = mechanism.randomize(&0.25, &mut ChaCha12Rng::from_seed([7; 32]))?;
/// assert!(mechanism.rectify(&report).is_finite());
/// # Ok::<(), ldp_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct GridLaplace {
    epsilon: Epsilon,
    bounds: Bounds,
    place: Placement,
    cells: u32,
    scale: u32,
    noise: Geometric,
}

impl GridLaplace {
    /// For numbers inside `bounds`.
    ///
    /// # Errors
    /// [`Error::Resolution`] when ε is above about 10⁶, where a cell would be finer than the noise can resolve.
    pub fn new(epsilon: Epsilon, bounds: Bounds) -> Result<Self, Error> {
        let nats = epsilon.nats();
        let cells = libm::ceil(nats * FINENESS).max(1.0);
        // Rounded up, with the margin that also covers the 128-bit tables.
        let scale = libm::ceil(cells / nats * (1.0 + 1e-12));
        if scale > LARGEST_SCALE || cells > LARGEST_SCALE {
            return Err(Error::Resolution { epsilon: nats, cells: cells as u64 });
        }
        let (cells, scale) = (cells as u32, scale as u32);
        let (place, noise) = (Placement::new(bounds), Geometric::new(scale));
        Ok(Self { epsilon, bounds, place, cells, scale, noise })
    }

    /// N, the number of cells of the range.
    #[must_use]
    pub fn cells(&self) -> u32 {
        self.cells
    }

    /// t, the scale of the noise in cells.
    #[must_use]
    pub fn scale(&self) -> u32 {
        self.scale
    }

    /// The largest loss between two values: N/t.
    #[must_use]
    pub fn achieved_epsilon(&self) -> f64 {
        f64::from(self.cells) / f64::from(self.scale)
    }

    /// ln P(report | value).
    ///
    /// # Errors
    /// [`Error::Value`] when the value is outside the bounds.
    pub fn log_probability(&self, value: f64, report: i64) -> Result<f64, Error> {
        let (lower, share) = self.lower_point(self.bounds.check(value)?);
        let (lower, share) = (lower as f64, share_of_one(share));
        let t = f64::from(self.scale);
        let at = |point: f64| -libm::fabs(report as f64 - point + 0.5) / t;
        // Symmetric around −½ with ratio r = e^{−1/t}: P(z) = ½(1−r)/√r · e^{−|z+½|/t}.
        let norm = libm::log(-libm::expm1(-1.0 / t) / 2.0) + 0.5 / t;
        let (near, far) = (at(lower), at(lower + 1.0));
        Ok(norm + near + libm::log1p(share * libm::expm1(far - near)))
    }

    /// The grid point at or below a value, and the weight of 2³¹ of the next one.
    #[inline]
    fn lower_point(&self, value: f64) -> (i64, u32) {
        // In units of 2⁻⁵² of a cell.
        let position = u128::from(self.place.of(value)) * u128::from(self.cells);
        ((position >> 52) as i64, (position >> (52 - ROUNDING)) as u32 & ((1 << ROUNDING) - 1))
    }

    /// The value must be inside the bounds.
    #[inline]
    fn respond(&self, value: f64, mut block: impl FnMut() -> [u8; BLOCK]) -> i64 {
        let mut all = [0; 6];
        for three in all.chunks_exact_mut(3).take(self.noise.blocks()) {
            three.copy_from_slice(&words(block()));
        }
        let magnitude = self.noise.draw(&all[1..], &mut block);
        self.report(value, all[0], magnitude)
    }

    #[inline]
    fn report(&self, value: f64, word: u32, magnitude: i64) -> i64 {
        let (lower, next) = self.lower_point(value);
        // The lowest bit is the sign, the others round the value; −1 − magnitude is the complement of the magnitude.
        let point = lower + i64::from(word >> 1 < next);
        point + (magnitude ^ -i64::from(word & 1))
    }

    /// Draws one report a value, in order, as repeated [`Randomizer::randomize`] would; no allocation.
    ///
    /// # Errors
    /// [`Error::Length`] when the slices differ in length, [`Error::Value`] when any value is outside; nothing is
    /// written or drawn then.
    pub fn randomize_all<R: CryptoRng + ?Sized>(
        &self,
        values: &[f64],
        reports: &mut [i64],
        rng: &mut R,
    ) -> Result<(), Error> {
        self.bounds.check_all(values, reports.len())?;
        let (mut blocks, each) = (Blocks::new(rng), self.noise.blocks());
        for (values, reports) in values.chunks(BATCH).zip(reports.chunks_mut(BATCH)) {
            if let Some(single) = self.noise.single() {
                let mut undecided = 0;
                for ((report, &value), &block) in reports.iter_mut().zip(values).zip(blocks.read(values.len())) {
                    let [word, digits @ ..] = words(block);
                    let (magnitude, flag) = self.noise.quick(single, digits);
                    *report = self.report(value, word, magnitude);
                    undecided |= flag;
                }
                if undecided == 0 {
                    blocks.skip();
                    continue;
                }
            }
            for (left, (report, &value)) in (1..=values.len()).rev().zip(reports.iter_mut().zip(values)) {
                let mut owed = left * each;
                *report = self.respond(value, || {
                    let block = blocks.take(owed);
                    owed = owed.saturating_sub(1);
                    block
                });
            }
        }
        Ok(())
    }
}

/// A weight of 2³¹ as a share.
fn share_of_one(weight: u32) -> f64 {
    f64::from(weight) / f64::from(1_u32 << ROUNDING)
}

impl Randomizer for GridLaplace {
    type Value = f64;
    type Report = i64;

    fn epsilon(&self) -> Epsilon {
        self.epsilon
    }

    fn randomize<R: CryptoRng + ?Sized>(&self, value: &f64, rng: &mut R) -> Result<i64, Error> {
        let value = self.bounds.check(*value)?;
        Ok(self.respond(value, || {
            let mut block = [0; BLOCK];
            rng.fill_bytes(&mut block);
            block
        }))
    }

    fn accepts(&self, report: &i64) -> bool {
        let reach = self.noise.largest();
        (-1 - reach..=i64::from(self.cells) + reach).contains(report)
    }
}

impl Rectify for GridLaplace {
    fn bounds(&self) -> Bounds {
        self.bounds
    }

    fn rectify(&self, report: &i64) -> f64 {
        self.bounds.lower() + (*report as f64 + 0.5) * (self.bounds.width() / f64::from(self.cells))
    }

    fn variance(&self, value: f64) -> f64 {
        let share = share_of_one(self.lower_point(value).1);
        let ratio = libm::exp(-1.0 / f64::from(self.scale));
        // E(k+½)² for k geometric with that ratio.
        let (mean, gap) = (ratio / (1.0 - ratio), 1.0 - ratio);
        let square = ratio * (1.0 + ratio) / (gap * gap) + mean + 0.25;
        let cell = self.bounds.width() / f64::from(self.cells);
        (square + share * (1.0 - share)) * cell * cell
    }
}

impl ScalarMechanism for GridLaplace {
    fn build(epsilon: Epsilon, bounds: Bounds) -> Result<Self, Error> {
        Self::new(epsilon, bounds)
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;
    use alloc::vec::Vec;

    use super::*;

    /// Every fifth word makes the leading digit go on, every seventh is zero; the others are mixed.
    struct Rare {
        on: u32,
        read: u64,
    }

    impl rand_core::TryRng for Rare {
        type Error = core::convert::Infallible;
        fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
            self.read += 1;
            let mixed = crate::public_coin::mix(self.read) as u32;
            Ok(if mixed.is_multiple_of(5) {
                self.on
            } else if mixed.is_multiple_of(7) {
                0
            } else {
                mixed
            })
        }
        fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
            unreachable!("read in blocks")
        }
        fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
            for word in bytes.chunks_exact_mut(4) {
                word.copy_from_slice(&self.try_next_u32()?.to_le_bytes());
            }
            Ok(())
        }
    }

    impl rand_core::TryCryptoRng for Rare {}

    /// Sign and rounding, word by word.
    #[test]
    fn the_first_word() {
        let mechanism = GridLaplace::new(Epsilon::new(1.0).expect("valid"), Bounds::UNIT).expect("valid");
        for value in [0.3, 0.777, 1.0 / 4096.0 / 3.0] {
            let (lower, next) = mechanism.lower_point(value);
            let position = lower as f64 + share_of_one(next);
            assert!((position / f64::from(mechanism.cells) - value).abs() < 1e-12);
            assert_eq!(mechanism.report(value, 2 * (next - 1), 7), lower + 1 + 7);
            assert_eq!(mechanism.report(value, 2 * next, 7), lower + 7);
            assert_eq!(mechanism.report(value, 2 * next + 1, 7), lower - 1 - 7);
            assert_eq!(mechanism.report(value, 0, 0), lower + 1);
            assert_eq!(mechanism.report(value, u32::MAX, 0), lower - 1);
        }
    }

    /// What almost never happens happens all the time: a batch draws as its values do one by one, to the last byte.
    #[test]
    fn a_batch_of_rare_draws() {
        for nats in [1.0, 1e-4, 1e-8] {
            let mechanism = GridLaplace::new(Epsilon::new(nats).expect("valid"), Bounds::UNIT).expect("valid");
            let on = mechanism.noise.word_that_goes_on();
            let (mut one, mut all) = (Rare { on, read: 0 }, Rare { on, read: 0 });
            for length in [1, 63, 64, 65, 1000] {
                let values: Vec<f64> = (0..length).map(|k| f64::from(k) / 1000.0).collect();
                let mut reports = vec![0; values.len()];
                mechanism.randomize_all(&values, &mut reports, &mut all).expect("valid");
                for (value, report) in values.iter().zip(&reports) {
                    assert_eq!(mechanism.randomize(value, &mut one), Ok(*report));
                }
                assert_eq!(one.read, all.read);
                assert!(length < 63 || one.read > 4 * values.len() as u64, "further words were read");
            }
        }
    }
}
