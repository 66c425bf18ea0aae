//! How many of the d dimensions a user reports: each gets ε/m, so more dimensions mean noisier ones.

use crate::{Epsilon, Error};

/// The rule for m, the number of reported dimensions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum SampleSize {
    /// The m with the smallest worst-case variance, by comparing ⌊ε/u*⌋ and ⌈ε/u*⌉.
    ///
    /// For multi-bit u* = 2.1773… solves sinh u = 2u, and m steps up at ε = 3.0571, 5.3199, 7.5328, 9.7297, ….
    #[default]
    Optimal,
    /// The papers' m = max(1, min(d, ⌊ε/2.18⌋)) \[LPGNN, Eq. 9\]; up to 32 % more variance than the optimum.
    FloorRule,
    /// This m.
    Fixed(usize),
}

/// A mechanism's continuous optimum u* and the papers' rounding of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SplitPoint {
    pub(crate) optimum: f64,
    pub(crate) printed: f64,
}

/// Root of sinh u = 2u, and the papers' 2.18.
pub(crate) const MULTI_BIT: SplitPoint = SplitPoint { optimum: 2.177_318_984_965_306_7, printed: 2.18 };

impl SampleSize {
    /// m for `epsilon` and `dimensions`; `variance(ε/m)` is the worst variance of one reported dimension at that
    /// budget, of which d/m times counts.
    ///
    /// # Errors
    /// [`Error::Count`] when there is no dimension, or a fixed m is not in 1 … d.
    pub(crate) fn resolve(
        self,
        epsilon: Epsilon,
        dimensions: usize,
        split: SplitPoint,
        variance: impl Fn(f64) -> f64,
    ) -> Result<usize, Error> {
        let optimal = || {
            let ratio = epsilon.nats() / split.optimum;
            let (low, high) = (clip(libm::floor(ratio), dimensions), clip(libm::ceil(ratio), dimensions));
            let cost = |m: usize| variance(epsilon.nats() / m as f64) / m as f64;
            if cost(high) < cost(low) { high } else { low }
        };
        self.choose(epsilon, dimensions, split.printed, optimal)
    }

    /// m by trying 1, 2, … until `worst(m)`, the worst variance with m dimensions, has grown twice in a row.
    ///
    /// # Errors
    /// As [`SampleSize::resolve`].
    pub(crate) fn search(
        self,
        epsilon: Epsilon,
        dimensions: usize,
        printed: f64,
        worst: impl Fn(usize) -> f64,
    ) -> Result<usize, Error> {
        let optimal = || {
            let (mut best, mut grown) = ((1, worst(1)), 0);
            for m in 2..=dimensions {
                let cost = worst(m);
                grown = if cost < best.1 { 0 } else { grown + 1 };
                best = if cost < best.1 { (m, cost) } else { best };
                if grown == 2 {
                    break;
                }
            }
            best.0
        };
        self.choose(epsilon, dimensions, printed, optimal)
    }

    fn choose(
        self,
        epsilon: Epsilon,
        dimensions: usize,
        printed: f64,
        optimal: impl FnOnce() -> usize,
    ) -> Result<usize, Error> {
        let (max, got) = (u64::from(u32::MAX), dimensions as u64);
        if got == 0 || got > max {
            return Err(Error::Count { what: "dimensions", min: 1, max, got });
        }
        match self {
            Self::Optimal => Ok(optimal()),
            Self::FloorRule => Ok(clip(libm::floor(epsilon.nats() / printed), dimensions)),
            Self::Fixed(m) if (1..=dimensions).contains(&m) => Ok(m),
            Self::Fixed(m) => Err(Error::Count { what: "sampled dimensions", min: 1, max: got, got: m as u64 }),
        }
    }
}

fn clip(m: f64, dimensions: usize) -> usize {
    (m as usize).clamp(1, dimensions)
}
