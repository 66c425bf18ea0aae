//! The hybrid mechanism: a public coin chooses between piecewise and one-bit.
//!
//! HM of Wang et al. 2019: piecewise with probability 1 − e^{−ε/2} when ε > 0.61, one-bit always otherwise. Its worst
//! variance is flatter over the range than either's. The choice does not depend on the value and is part of the
//! report.

use rand_core::CryptoRng;

use crate::weights::TOTAL_F64;
use crate::{Bounds, Epsilon, Error, FiniteRandomizer, OneBit, Piecewise, Randomizer, Rectify, ScalarMechanism};

/// Below this ε the one-bit mechanism is used always.
const THRESHOLD: f64 = 0.61;

/// A bounded number through one of two mechanisms. Twenty random bytes a report, whichever is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hybrid {
    piecewise: Piecewise,
    one_bit: OneBit,
    /// Weight of 2⁶⁴ of the piecewise mechanism.
    share: u64,
}

/// A report of [`Hybrid`]: which mechanism, and its report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub enum HybridReport {
    /// From the one-bit mechanism.
    OneBit(bool),
    /// From the piecewise mechanism.
    Piecewise(u32),
}

impl Hybrid {
    /// For numbers inside `bounds`.
    ///
    /// # Errors
    /// Those of [`Piecewise::new`] and [`OneBit::new`].
    pub fn new(epsilon: Epsilon, bounds: Bounds) -> Result<Self, Error> {
        let nats = epsilon.nats();
        let share = if nats > THRESHOLD { (-libm::expm1(-nats / 2.0) * TOTAL_F64) as u64 } else { 0 };
        Ok(Self { piecewise: Piecewise::new(epsilon, bounds)?, one_bit: OneBit::new(epsilon, bounds)?, share })
    }

    /// The piecewise mechanism that is chosen from.
    #[must_use]
    pub fn piecewise(&self) -> &Piecewise {
        &self.piecewise
    }

    /// Probability of the piecewise mechanism.
    #[must_use]
    pub fn piecewise_share(&self) -> f64 {
        self.share as f64 / TOTAL_F64
    }
}

impl Randomizer for Hybrid {
    type Value = f64;
    type Report = HybridReport;

    fn epsilon(&self) -> Epsilon {
        self.one_bit.epsilon()
    }

    fn randomize<R: CryptoRng + ?Sized>(&self, value: &f64, rng: &mut R) -> Result<HybridReport, Error> {
        self.bounds().check(*value)?;
        if rng.next_u64() < self.share {
            self.piecewise.randomize(value, rng).map(HybridReport::Piecewise)
        } else {
            let report = self.one_bit.randomize(value, rng).map(HybridReport::OneBit);
            // The other branch reads half a word more.
            rng.next_u32();
            report
        }
    }

    fn accepts(&self, report: &HybridReport) -> bool {
        match report {
            HybridReport::OneBit(bit) => self.share < u64::MAX && self.one_bit.accepts(bit),
            HybridReport::Piecewise(cell) => self.share > 0 && self.piecewise.accepts(cell),
        }
    }
}

impl FiniteRandomizer for Hybrid {
    fn probability(&self, value: &f64, report: &HybridReport) -> Result<f64, Error> {
        let share = self.piecewise_share();
        match report {
            HybridReport::OneBit(bit) => Ok((1.0 - share) * self.one_bit.probability(value, bit)?),
            HybridReport::Piecewise(cell) => Ok(share * self.piecewise.probability(value, cell)?),
        }
    }

    fn log_ratio(&self, one: &f64, other: &f64, report: &HybridReport) -> Result<f64, Error> {
        match report {
            HybridReport::OneBit(bit) => self.one_bit.log_ratio(one, other, bit),
            HybridReport::Piecewise(cell) => self.piecewise.log_ratio(one, other, cell),
        }
    }

    fn achieved_epsilon(&self) -> f64 {
        let one_bit = self.one_bit.achieved_epsilon();
        if self.share > 0 { one_bit.max(self.piecewise.achieved_epsilon()) } else { one_bit }
    }
}

impl Rectify for Hybrid {
    fn bounds(&self) -> Bounds {
        self.one_bit.bounds()
    }

    fn rectify(&self, report: &HybridReport) -> f64 {
        match report {
            HybridReport::OneBit(bit) => self.one_bit.rectify(bit),
            HybridReport::Piecewise(cell) => self.piecewise.rectify(cell),
        }
    }

    fn variance(&self, value: f64) -> f64 {
        let share = self.piecewise_share();
        share * self.piecewise.variance(value) + (1.0 - share) * self.one_bit.variance(value)
    }
}

impl ScalarMechanism for Hybrid {
    fn build(epsilon: Epsilon, bounds: Bounds) -> Result<Self, Error> {
        Self::new(epsilon, bounds)
    }
}
