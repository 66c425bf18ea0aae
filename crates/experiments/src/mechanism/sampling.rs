//! How many dimensions a user reports.

use serde::{Deserialize, Serialize};

/// How many dimensions a user reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SampleSize {
    /// The integer with the least worst-case variance.
    Optimal,
    /// The papers' rule: ⌊ε/2.18⌋ for one-bit reports, up to 32 % more variance between the switches; ⌊ε/2.5⌋ elsewhere.
    FloorRule,
    /// All: plain composition, ε/d for each.
    All,
    /// This many, or all where there are fewer.
    Fixed(usize),
}

impl SampleSize {
    pub(super) fn rule(self, dimensions: usize) -> ldp_core::SampleSize {
        match self {
            Self::Optimal => ldp_core::SampleSize::Optimal,
            Self::FloorRule => ldp_core::SampleSize::FloorRule,
            Self::All => ldp_core::SampleSize::Fixed(dimensions),
            Self::Fixed(sampled) => ldp_core::SampleSize::Fixed(sampled.min(dimensions)),
        }
    }
}
