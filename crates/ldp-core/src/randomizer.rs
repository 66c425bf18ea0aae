//! The two traits: what a randomizer does, and what one with a finite output can say about itself.

use rand_core::CryptoRng;

use crate::{Epsilon, Error};

/// One user's side of a mechanism: a value goes in, a report leaves the device.
pub trait Randomizer {
    /// What the user holds.
    type Value: ?Sized;
    /// What leaves the device.
    type Report;

    /// The ε that one report spends.
    fn epsilon(&self) -> Epsilon;

    /// Draws one report.
    ///
    /// The number of random words read does not depend on the value.
    ///
    /// # Errors
    /// When the value is outside the public domain; nothing is drawn then.
    fn randomize<R: CryptoRng + ?Sized>(&self, value: &Self::Value, rng: &mut R) -> Result<Self::Report, Error>;

    /// Whether this randomizer can emit `report` at all. Servers reject the rest; attackers stay inside.
    fn accepts(&self, report: &Self::Report) -> bool;
}

/// A randomizer whose output law can be written down, so that its ε can be checked exactly.
///
/// Laws are computed from the integer thresholds that the sampler executes, not from the formula they came from.
pub trait FiniteRandomizer: Randomizer {
    /// Probability of `report` given `value`; zero when [`Randomizer::accepts`] is false.
    ///
    /// # Errors
    /// When the value is outside the public domain.
    fn probability(&self, value: &Self::Value, report: &Self::Report) -> Result<f64, Error>;

    /// ln P(report | one) − ln P(report | other), from the integer weights; does not underflow where the
    /// probabilities do.
    ///
    /// # Errors
    /// When a value is outside the public domain, or the report cannot be emitted.
    fn log_ratio(&self, one: &Self::Value, other: &Self::Value, report: &Self::Report) -> Result<f64, Error>;

    /// The largest [`FiniteRandomizer::log_ratio`] over all values and reports: the ε that the executed integers
    /// really spend. Never above [`Randomizer::epsilon`].
    fn achieved_epsilon(&self) -> f64;
}
