//! The one-bit mechanism: a number becomes one biased coin.
//!
//! Duchi et al.'s optimum in one dimension, LPGNN's 1BM: on [-1, 1] the report ±coth(ε/2) is + with probability
//! ½ + ½·x·tanh(ε/2). Variance ((β−α)/2)²·coth²(ε/2) − (x−mid)². Best worst case at small ε; the simplest there is.

use rand_core::CryptoRng;

use crate::weights::{BoundedCoin, TOTAL, TOTAL_F64, log_quotient};
use crate::{Bounds, Epsilon, Error, FiniteRandomizer, Randomizer, Rectify, ScalarMechanism};

/// Reports whose random words are read at once.
const BATCH: usize = 64;

/// One number in, one bit out. One random word a report.
///
/// ```
/// use chacha20::{ChaCha12Rng, rand_core::SeedableRng};
/// use ldp_core::{Bounds, Epsilon, OneBit, Randomizer, Rectify};
/// let mechanism = OneBit::new(Epsilon::new(1.0)?, Bounds::SYMMETRIC)?;
/// let report = mechanism.randomize(&0.25, &mut ChaCha12Rng::from_seed([7; 32]))?;
/// assert!((mechanism.rectify(&report).abs() - 1.0 / 0.5_f64.tanh()).abs() < 1e-12);
/// # Ok::<(), ldp_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OneBit {
    epsilon: Epsilon,
    coin: BoundedCoin,
}

impl OneBit {
    /// For numbers inside `bounds`.
    ///
    /// # Errors
    /// [`Error::Resolution`] does not occur for supported ε; the constructor is fallible as the others are.
    pub fn new(epsilon: Epsilon, bounds: Bounds) -> Result<Self, Error> {
        Ok(Self { epsilon, coin: BoundedCoin::new(epsilon, bounds)? })
    }

    /// Exact weight of 2⁶⁴ of `report` given `value`.
    ///
    /// # Errors
    /// [`Error::Value`] when the value is outside the bounds.
    pub fn weight(&self, value: f64, report: bool) -> Result<u64, Error> {
        let plus = self.coin.threshold(self.coin.bounds.check(value)?);
        Ok(if report { plus } else { (TOTAL - u128::from(plus)) as u64 })
    }

    /// Draws one report a value, in order, as repeated [`Randomizer::randomize`] would; no allocation.
    ///
    /// # Errors
    /// [`Error::Length`] when the slices differ in length, [`Error::Value`] when any value is outside; nothing is
    /// written or drawn then.
    pub fn randomize_all<R: CryptoRng + ?Sized>(
        &self,
        values: &[f64],
        reports: &mut [bool],
        rng: &mut R,
    ) -> Result<(), Error> {
        self.coin.bounds.check_all(values, reports.len())?;
        let mut bytes = [0; 8 * BATCH];
        for (reports, values) in reports.chunks_mut(BATCH).zip(values.chunks(BATCH)) {
            let bytes = &mut bytes[..8 * values.len()];
            rng.fill_bytes(bytes);
            let (words, _) = bytes.as_chunks::<8>();
            for ((report, &value), &word) in reports.iter_mut().zip(values).zip(words) {
                *report = u64::from_le_bytes(word) < self.coin.threshold(value);
            }
        }
        Ok(())
    }
}

impl Randomizer for OneBit {
    type Value = f64;
    type Report = bool;

    fn epsilon(&self) -> Epsilon {
        self.epsilon
    }

    fn randomize<R: CryptoRng + ?Sized>(&self, value: &f64, rng: &mut R) -> Result<bool, Error> {
        let value = self.coin.bounds.check(*value)?;
        Ok(rng.next_u64() < self.coin.threshold(value))
    }

    fn accepts(&self, _: &bool) -> bool {
        true
    }
}

impl FiniteRandomizer for OneBit {
    fn probability(&self, value: &f64, report: &bool) -> Result<f64, Error> {
        Ok(self.weight(*value, *report)? as f64 / TOTAL_F64)
    }

    fn log_ratio(&self, one: &f64, other: &f64, report: &bool) -> Result<f64, Error> {
        Ok(log_quotient(self.weight(*one, *report)?.into(), self.weight(*other, *report)?.into()))
    }

    fn achieved_epsilon(&self) -> f64 {
        self.coin.coin.achieved_epsilon()
    }
}

impl Rectify for OneBit {
    fn bounds(&self) -> Bounds {
        self.coin.bounds
    }

    fn rectify(&self, report: &bool) -> f64 {
        let scale = self.coin.bounds.width() / 2.0 / self.coin.coin.gain();
        self.coin.bounds.midpoint() + if *report { scale } else { -scale }
    }

    fn variance(&self, value: f64) -> f64 {
        let (scale, offset) =
            (self.coin.bounds.width() / 2.0 / self.coin.coin.gain(), value - self.coin.bounds.midpoint());
        scale * scale - offset * offset
    }
}

impl ScalarMechanism for OneBit {
    fn build(epsilon: Epsilon, bounds: Bounds) -> Result<Self, Error> {
        Self::new(epsilon, bounds)
    }
}
