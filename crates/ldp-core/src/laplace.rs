//! Laplace noise on a public grid, exact and without a float.
//!
//! The range is cut into N cells of equal width; the value is put on a grid point by randomized rounding, which keeps
//! its mean, and integer noise with P(z) ∝ e^{−|z+½|/t}, t = N/ε, is added. Two values are at most N cells apart, so
//! the loss is at most N/t ≤ ε. The noise is symmetric around −½, which saves rejecting a second zero; the rectifier
//! adds the half cell. Textbook noise x + Laplace in doubles is no substitute: from x = 0 and x = 1 different doubles
//! can be reached, and one report tells which it was.
//!
//! The magnitude is drawn digit by digit: a geometric variable's digits in any radix are independent, so one small
//! table a digit suffices whatever t is. 32 bits a digit, 32 for the sign and the rounding: sixteen bytes a report for
//! ε above 2.5·10⁻⁴, 32 below. Further words are read with probability 10⁻⁶ or less, whatever the value is.
//!
//! Variance on [α, β]: about 2((β−α)/ε)². Report unbounded; use it where a sum must stay exactly unbiased and values
//! need more than a bit. The one-bit mechanism has a lower variance for ε below 2.

use rand_core::CryptoRng;

mod geometric;

use geometric::{BLOCK, Blocks, Geometric, words};

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
        let (lower, next) = self.lower_point(value);
        let first = words(block());
        // The lowest bit is the sign, the others round the value.
        let point = lower + i64::from(first[0] >> 1 < next);
        let magnitude = if self.noise.blocks() == 1 {
            self.noise.draw(&first[1..], &mut block)
        } else {
            let mut all = [0; 8];
            all[..4].copy_from_slice(&first);
            for words_of in all.chunks_exact_mut(4).take(self.noise.blocks()).skip(1) {
                words_of.copy_from_slice(&words(block()));
            }
            self.noise.draw(&all[1..], &mut block)
        };
        // −1 − magnitude is its complement.
        point + (magnitude ^ -i64::from(first[0] & 1))
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
        let mut blocks = Blocks::new(rng);
        for (left, (report, &value)) in (1..=values.len()).rev().zip(reports.iter_mut().zip(values)) {
            blocks.owe(left * self.noise.blocks());
            *report = self.respond(value, || blocks.take());
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
