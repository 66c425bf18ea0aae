//! Laplace noise on a public grid, exact and without a float.
//!
//! The range is cut into N cells of equal width; the value is put on a grid point by randomized rounding, which keeps
//! its mean, and integer noise with P(z) ∝ e^{−|z+½|/t}, t = N/ε, is added. Two values are at most N cells apart, so
//! the loss is at most N/t ≤ ε. The noise is symmetric around −½, which saves rejecting a second zero; the rectifier
//! adds the half cell. Textbook noise x + Laplace in doubles is no substitute: from x = 0 and x = 1 different doubles
//! can be reached, and one report tells which it was.
//!
//! The magnitude is drawn digit by digit: a geometric variable's digits in any radix are independent, so one small
//! table a digit suffices whatever t is. One word a digit, one for the sign, one for the rounding.
//!
//! Variance on [α, β]: about 2((β−α)/ε)². Report unbounded; use it where a sum must stay exactly unbiased and values
//! need more than a bit. The one-bit mechanism has a lower variance for ε below 2.

use alloc::vec::Vec;

use rand_core::CryptoRng;

use crate::survival::{SurvivalTable, multiply, quotient};
use crate::{Bounds, Epsilon, Error, Randomizer, Rectify, ScalarMechanism};

/// Values of one digit.
const RADIX: usize = 64;
/// Leading digits that are added up at most.
const LAPS: usize = 16;
/// The scale t is at least this many cells.
const FINENESS: f64 = 4096.0;
/// The largest scale.
const LARGEST_SCALE: f64 = 4_294_967_295.0;

/// A geometric law with ratio e^{−1/t}, drawn by its digits.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Geometric {
    digits: Vec<SurvivalTable>,
    top: SurvivalTable,
}

impl Geometric {
    fn new(scale: u32) -> Self {
        // e^{−1/t} in units of 2⁻¹²⁸: the alternating series, each term the last divided by t·k.
        let (mut ratio, mut term) = (1_u128 << 127, 1_u128 << 127);
        for k in 1..64 {
            term /= u128::from(scale) * k;
            ratio = if k % 2 == 1 { ratio - term } else { ratio + term };
        }
        // In units of 2⁻¹²⁷ so far; 1 itself would not fit.
        let mut ratio = ratio.min((1 << 127) - 1) << 1;
        let mut digits = Vec::new();
        let mut place = 1_u64;
        while place < u64::from(scale) {
            let powers: Vec<u128> =
                core::iter::successors(Some(ratio), |&p| Some(multiply(p, ratio))).take(RADIX).collect();
            let (whole, next) = (0_u128.wrapping_sub(powers[RADIX - 1]), powers[RADIX - 1]);
            // P(digit > j) = (r^(j+1) − r^64)/(1 − r^64).
            digits.push(SurvivalTable::new(powers[..RADIX - 1].iter().map(|p| quotient(p - next, whole))));
            ratio = next;
            place *= RADIX as u64;
        }
        // The leading digit has no end; the table is left when its last entry is exceeded, and starts over.
        Self { digits, top: SurvivalTable::powers(ratio, RADIX) }
    }

    /// The largest value that can be drawn.
    fn largest(&self) -> i64 {
        let place = (RADIX as i64).pow(self.digits.len() as u32);
        place - 1 + (LAPS * RADIX) as i64 * place
    }

    fn draw<R: CryptoRng + ?Sized>(&self, rng: &mut R) -> i64 {
        let (mut value, mut place) = (0, 1);
        for table in &self.digits {
            value += place * table.draw(rng) as i64;
            place *= RADIX as i64;
        }
        // A full table has probability e⁻⁶⁴ or less; so many of them end the loop for any generator.
        for _ in 0..LAPS {
            let digit = self.top.draw(rng);
            value += place * digit as i64;
            if digit < self.top.largest() {
                break;
            }
        }
        value
    }
}

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
        Ok(Self { epsilon, bounds, cells, scale, noise: Geometric::new(scale) })
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
        let position = self.position(self.bounds.check(value)?);
        let lower = libm::floor(position);
        let share = position - lower;
        let t = f64::from(self.scale);
        let at = |point: f64| -libm::fabs(report as f64 - point + 0.5) / t;
        // Symmetric around −½ with ratio r = e^{−1/t}: P(z) = ½(1−r)/√r · e^{−|z+½|/t}.
        let norm = libm::log(-libm::expm1(-1.0 / t) / 2.0) + 0.5 / t;
        let (near, far) = (at(lower), at(lower + 1.0));
        Ok(norm + near + libm::log1p(share * libm::expm1(far - near)))
    }

    fn position(&self, value: f64) -> f64 {
        let cells = f64::from(self.cells);
        ((value - self.bounds.lower()) * (cells / self.bounds.width())).clamp(0.0, cells)
    }

    #[inline]
    fn respond<R: CryptoRng + ?Sized>(&self, value: f64, rng: &mut R) -> i64 {
        let position = self.position(value);
        let lower = position as i64;
        // One word: the top bit is the sign, the others round the value.
        let word = rng.next_u64();
        let next = ((position - lower as f64) * (1_u64 << 63) as f64) as u64;
        let point = lower + i64::from(word >> 1 < next);
        let magnitude = self.noise.draw(rng);
        if word & 1 == 1 { point + magnitude } else { point - 1 - magnitude }
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
        for (report, &value) in reports.iter_mut().zip(values) {
            *report = self.respond(value, rng);
        }
        Ok(())
    }
}

impl Randomizer for GridLaplace {
    type Value = f64;
    type Report = i64;

    fn epsilon(&self) -> Epsilon {
        self.epsilon
    }

    fn randomize<R: CryptoRng + ?Sized>(&self, value: &f64, rng: &mut R) -> Result<i64, Error> {
        Ok(self.respond(self.bounds.check(*value)?, rng))
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
        let position = self.position(value);
        let share = position - libm::floor(position);
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
