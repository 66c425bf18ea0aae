//! The two traits: what a randomizer does, and what one with a finite output can say about itself.

use rand_core::CryptoRng;

use crate::{Bounds, Delta, Epsilon, Error};

/// One user's side of a mechanism: a value goes in, a report leaves the device.
pub trait Randomizer {
    /// What the user holds.
    type Value: ?Sized;
    /// What leaves the device.
    type Report;

    /// The ε that one report spends.
    fn epsilon(&self) -> Epsilon;

    /// The δ that one report spends beside ε; `None` for pure ε-privacy.
    fn delta(&self) -> Option<Delta> {
        None
    }

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

/// The server's side of a mechanism for one bounded number: from a report to an unbiased estimate.
pub trait Rectify: Randomizer<Value = f64> {
    /// The public range of the value.
    fn bounds(&self) -> Bounds;

    /// The estimate: its mean is the user's value.
    fn rectify(&self, report: &Self::Report) -> f64;

    /// Variance of the estimate when the user's value is `value`, rounding onto the grid included.
    fn variance(&self, value: f64) -> f64;

    /// The largest variance of a sampled estimate, `keep` · (variance + offset²) − offset², over the ends and the
    /// middle of the range, where the mechanisms here have their extremes; `keep` = 1 is the plain worst case.
    fn worst_variance(&self, keep: f64) -> f64 {
        let bounds = self.bounds();
        let middle = bounds.midpoint();
        let at = |value: f64| {
            let square = (value - middle) * (value - middle);
            keep * (self.variance(value) + square) - square
        };
        at(bounds.lower()).max(at(middle)).max(at(bounds.upper()))
    }
}

/// A mechanism for one bounded number that can be built for any budget, as sampling m of d dimensions needs.
pub trait ScalarMechanism: Rectify + Sized {
    /// For numbers inside `bounds`.
    ///
    /// # Errors
    /// Those of the mechanism's own constructor.
    fn build(epsilon: Epsilon, bounds: Bounds) -> Result<Self, Error>;
}
