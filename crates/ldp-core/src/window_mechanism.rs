//! Piecewise mechanism and square wave: a bounded number through the window kernel on a public grid.
//!
//! The value is placed on one of 2²⁰ + 1 offsets by randomized rounding, which keeps the mean; the window then moves
//! over output cells. The two differ in the width of the window only.
//!
//! * **Piecewise** (PM, Wang et al. 2019): W/N = e^{−ε/2}, that is (C−1)/(C+1) with C = coth(ε/4). Its variance
//!   x²/(e^{ε/2}−1) + (e^{ε/2}+3)/(3(e^{ε/2}−1)²) on [-1, 1] is smallest at the middle: use it for ε above about 2
//!   and values that are mostly near the middle.
//! * **Square wave** (SW, Li et al. 2020): W/N = 2b, b = (ε − 1 + e^{−ε})/(2(e^ε − 1 − ε)), the width with the most
//!   mutual information for a uniform input. Use it with [`distribution`](crate::distribution) to estimate a
//!   distribution; as a mean estimator its variance is higher.

use core::marker::PhantomData;

use rand_core::CryptoRng;

use crate::placement::Placement;
use crate::weights::log_quotient;
use crate::window::WindowKernel;
use crate::{Bounds, Epsilon, Error, FiniteRandomizer, Randomizer, Rectify, ScalarMechanism};

/// Offsets of the value grid: 2²⁰ steps over the range.
const STEPS: u32 = 1 << 20;
/// Places of 2⁵² in one step of the grid: the randomized rounding has weights of 2³².
const PLACES: u64 = Placement::END / STEPS as u64;
/// Bytes of a report's random words: four for the rounding, eight for the window.
const BYTES: usize = 12;
/// Reports whose words are read at once.
const BATCH: usize = 64;

/// How wide a mechanism's window is.
pub trait WindowShape {
    /// W/N, the window's width in widths of the input range.
    fn relative_width(epsilon: f64) -> f64;
}

/// The shape of the piecewise mechanism.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PiecewiseShape;

/// The shape of the square wave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SquareWaveShape;

impl WindowShape for PiecewiseShape {
    fn relative_width(epsilon: f64) -> f64 {
        libm::exp(-epsilon / 2.0)
    }
}

impl WindowShape for SquareWaveShape {
    fn relative_width(epsilon: f64) -> f64 {
        2.0 * half_width(epsilon)
    }
}

/// The square wave's optimal half width b = β(ε), in widths of the input range: ½ as ε → 0, about (ε/2)·e^{−ε} for
/// large ε.
///
/// The textbook (εe^ε − e^ε + 1)/(2e^ε(e^ε − 1 − ε)) cancels: it is −0.913 at ε = 1e-8. Here β =
/// (ε−1+e^{−ε})/(2(e^ε−1−ε)) above 0.01 and below it the quotient of the two series.
#[must_use]
pub fn half_width(epsilon: f64) -> f64 {
    if epsilon > 0.01 {
        return (epsilon + libm::expm1(-epsilon)) / (2.0 * (libm::expm1(epsilon) - epsilon));
    }
    // Σ_{k≥2} (k−1)/k!·ε^{k−2} over 2e^ε·Σ_{k≥2} ε^{k−2}/k!
    let (mut term, mut above, mut below) = (0.5, 0.0, 0.0);
    for k in 2..12 {
        let k = f64::from(k);
        above += (k - 1.0) * term;
        below += term;
        term *= epsilon / (k + 1.0);
    }
    above / (2.0 * libm::exp(epsilon) * below)
}

/// A bounded number through a window of the given shape. Report: an output cell. Twelve random bytes a report.
///
/// ```
/// use chacha20::{ChaCha12Rng, rand_core::SeedableRng};
/// use ldp_core::{Bounds, Epsilon, Piecewise, Randomizer, Rectify};
/// let mechanism = Piecewise::new(Epsilon::new(3.0)?, Bounds::SYMMETRIC)?;
/// let report = mechanism.randomize(&0.25, &mut ChaCha12Rng::from_seed([7; 32]))?;
/// let largest = 1.0 / (0.75_f64).tanh(); // C = coth(ε/4)
/// assert!(mechanism.rectify(&report).abs() <= largest + 1e-5);
/// # Ok::<(), ldp_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WindowMechanism<S> {
    epsilon: Epsilon,
    bounds: Bounds,
    kernel: WindowKernel,
    place: Placement,
    shape: PhantomData<S>,
}

/// The piecewise mechanism.
pub type Piecewise = WindowMechanism<PiecewiseShape>;
/// The square wave mechanism.
pub type SquareWave = WindowMechanism<SquareWaveShape>;

impl<S: WindowShape> WindowMechanism<S> {
    /// For numbers inside `bounds`.
    ///
    /// # Errors
    /// [`Error::Resolution`] when ε is so small that 2⁶⁴ cannot hold it over the grid; not for supported ε.
    pub fn new(epsilon: Epsilon, bounds: Bounds) -> Result<Self, Error> {
        let width = libm::round(f64::from(STEPS) * S::relative_width(epsilon.nats())).max(1.0) as u32;
        let kernel = WindowKernel::new(epsilon, STEPS, width)?;
        Ok(Self { epsilon, bounds, kernel, place: Placement::new(bounds), shape: PhantomData })
    }

    /// The integer law.
    #[must_use]
    pub fn kernel(&self) -> &WindowKernel {
        &self.kernel
    }

    /// A value's lower offset and the weight of 2³² of the next one.
    #[inline]
    fn place(&self, value: f64) -> (u32, u32) {
        let place = self.place.of(value);
        ((place / PLACES) as u32, (place % PLACES) as u32)
    }

    /// The value must be inside the bounds.
    #[inline]
    fn respond(&self, value: f64, bytes: [u8; BYTES]) -> u32 {
        let [a, b, c, d, window @ ..] = bytes;
        let (lower, next) = self.place(value);
        let input = lower + u32::from(u32::from_le_bytes([a, b, c, d]) < next);
        self.kernel.draw(input, u64::from_le_bytes(window))
    }

    /// Draws one report a value, in order, as repeated [`Randomizer::randomize`] would; no allocation.
    ///
    /// # Errors
    /// [`Error::Length`] when the slices differ in length, [`Error::Value`] when any value is outside; nothing is
    /// written or drawn then.
    pub fn randomize_all<R: CryptoRng + ?Sized>(
        &self,
        values: &[f64],
        reports: &mut [u32],
        rng: &mut R,
    ) -> Result<(), Error> {
        self.bounds.check_all(values, reports.len())?;
        let mut bytes = [0; BYTES * BATCH];
        for (reports, values) in reports.chunks_mut(BATCH).zip(values.chunks(BATCH)) {
            let bytes = &mut bytes[..BYTES * values.len()];
            rng.fill_bytes(bytes);
            let (words, _) = bytes.as_chunks::<BYTES>();
            for ((report, &value), &words) in reports.iter_mut().zip(values).zip(words) {
                *report = self.respond(value, words);
            }
        }
        Ok(())
    }

    /// Weight of 2⁹⁶ of `report`: the mixture of the two offsets beside the value.
    fn mixture(&self, value: f64, report: u32) -> Result<u128, Error> {
        let (lower, next) = self.place(self.bounds.check(value)?);
        let stay = u128::from(PLACES) - u128::from(next);
        let moved = if next == 0 { 0 } else { self.kernel.weight(lower + 1, report) };
        Ok(stay * u128::from(self.kernel.weight(lower, report)) + u128::from(next) * u128::from(moved))
    }

    /// Mean and mean square of 2·output − cells + 1.
    fn moments(&self, value: f64) -> (f64, f64) {
        let (lower, next) = self.place(value);
        let share = f64::from(next) / PLACES as f64;
        let (mean, square) = self.kernel.centred_moments(lower);
        let (mean_next, square_next) = self.kernel.centred_moments((lower + 1).min(STEPS));
        (mean + share * (mean_next - mean), square + share * (square_next - square))
    }

    /// Width of the range in half cells of estimate: what one unit of 2·output − cells + 1 is worth.
    fn unit(&self) -> f64 {
        self.bounds.width() / (2.0 * f64::from(STEPS) * self.kernel.slope())
    }
}

impl<S: WindowShape> Randomizer for WindowMechanism<S> {
    type Value = f64;
    type Report = u32;

    fn epsilon(&self) -> Epsilon {
        self.epsilon
    }

    fn randomize<R: CryptoRng + ?Sized>(&self, value: &f64, rng: &mut R) -> Result<u32, Error> {
        let value = self.bounds.check(*value)?;
        let mut bytes = [0; BYTES];
        rng.fill_bytes(&mut bytes);
        Ok(self.respond(value, bytes))
    }

    fn accepts(&self, report: &u32) -> bool {
        *report < self.kernel.cells()
    }
}

impl<S: WindowShape> FiniteRandomizer for WindowMechanism<S> {
    fn probability(&self, value: &f64, report: &u32) -> Result<f64, Error> {
        Ok(self.mixture(*value, *report)? as f64 / crate::weights::TOTAL_F64 / PLACES as f64)
    }

    fn log_ratio(&self, one: &f64, other: &f64, report: &u32) -> Result<f64, Error> {
        if !self.accepts(report) {
            return Err(Error::Report { what: "an output cell outside the grid" });
        }
        Ok(log_quotient(self.mixture(*one, *report)?, self.mixture(*other, *report)?))
    }

    fn achieved_epsilon(&self) -> f64 {
        self.kernel.achieved_epsilon()
    }
}

impl<S: WindowShape> Rectify for WindowMechanism<S> {
    fn bounds(&self) -> Bounds {
        self.bounds
    }

    fn rectify(&self, report: &u32) -> f64 {
        let centred = 2.0 * f64::from(*report) - f64::from(self.kernel.cells() - 1);
        // The uneven window cells shift the mean by less than 2⁻⁴⁴ cells; the middle input shows by how much.
        let shift = self.kernel.centred_moments(STEPS / 2).0;
        self.bounds.midpoint() + (centred - shift) * self.unit()
    }

    fn variance(&self, value: f64) -> f64 {
        let (mean, square) = self.moments(value);
        (square - mean * mean) * self.unit() * self.unit()
    }
}

impl<S: WindowShape> ScalarMechanism for WindowMechanism<S> {
    fn build(epsilon: Epsilon, bounds: Bounds) -> Result<Self, Error> {
        Self::new(epsilon, bounds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Window word 0 leads to the window's first cell, which is the offset that the rounding chose: the upper one for
    /// exactly so many of the 2³² rounding words as the value lies above the lower one.
    #[test]
    fn rounding_keeps_the_mean() {
        let mechanism = Piecewise::new(Epsilon::new(1.0).expect("valid"), Bounds::UNIT).expect("valid");
        for (lower, share) in [(0, 0_u32), (5, 1 << 31), (777, 3 << 30), (STEPS - 1, 1), (STEPS, 0)] {
            let value = (f64::from(lower) + f64::from(share) / PLACES as f64) / f64::from(STEPS);
            let offset = |word: u32| {
                let mut bytes = [0; BYTES];
                bytes[..4].copy_from_slice(&word.to_le_bytes());
                mechanism.respond(value, bytes)
            };
            // A place is off by one of 2⁵² at most.
            let (below, next) = mechanism.place(value);
            assert!(below == lower && next.abs_diff(share) <= 1, "{value}: {below} and {next}");
            assert_eq!((offset(next), offset(u32::MAX)), (lower, lower));
            if next > 0 {
                assert_eq!((offset(0), offset(next - 1)), (lower + 1, lower + 1));
            }
        }
    }
}
