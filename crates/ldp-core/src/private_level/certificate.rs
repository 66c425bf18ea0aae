//! What the mechanism guarantees, in numbers computed from the executed integers.

use alloc::vec::Vec;
use core::fmt;

use super::PrivateLevelEncoder;
use crate::weights::log_quotient;
use crate::{FiniteRandomizer, Randomizer};

/// The three guarantees of [`PrivateLevelEncoder`], exact. Prints itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Certificate {
    levels: usize,
    budgets: Vec<f64>,
    level_budget: f64,
    features: Vec<f64>,
    level: Vec<f64>,
    joint: Vec<f64>,
}

impl Certificate {
    pub(super) fn new(encoder: &PrivateLevelEncoder) -> Self {
        let channel = encoder.channel();
        let (levels, outputs) = (channel.levels(), channel.outputs());
        let m = |y: u32| encoder.sampled()[y as usize] as f64;
        let feature =
            |l: u32| (0..outputs).map(|y| m(y) * encoder.coin(l, y).coin.achieved_epsilon()).fold(0.0, f64::max);
        let pairs = || (0..levels).flat_map(|l| (0..levels).map(move |k| (l, k)));
        // The worst output, where the bits add m' times `bits(coin, other coin)`.
        let worst = |l: u32, k: u32, bits: &dyn Fn(&PrivateLevelEncoder, u32, u32, u32) -> f64| {
            (0..outputs)
                .filter_map(|y| Some(channel.log_ratio(&l, &k, &y).ok()? + m(y) * bits(encoder, l, k, y)))
                .fold(f64::NEG_INFINITY, f64::max)
        };
        let same_features = |e: &PrivateLevelEncoder, l: u32, k: u32, y: u32| {
            let (one, other) = (e.coin(l, y).coin, e.coin(k, y).coin);
            log_quotient(one.likely.into(), other.likely.into())
                .max(log_quotient(one.unlikely.into(), other.unlikely.into()))
        };
        let any_features = |e: &PrivateLevelEncoder, l: u32, k: u32, y: u32| {
            log_quotient(e.coin(l, y).coin.likely.into(), e.coin(k, y).coin.unlikely.into())
        };
        Self {
            levels: levels as usize,
            budgets: encoder.budgets().as_slice().iter().map(|b| b.nats()).collect(),
            level_budget: channel.epsilon().nats(),
            features: (0..levels).map(feature).collect(),
            level: pairs().map(|(l, k)| worst(l, k, &same_features)).collect(),
            joint: pairs().map(|(l, k)| worst(l, k, &any_features)).collect(),
        }
    }

    /// Feature ε of each level, the level fixed: at most ε₂(τ).
    #[must_use]
    pub fn features(&self) -> &[f64] {
        &self.features
    }

    /// ε between two levels when the adversary knows the features: row-major, numerator's level first. Includes the
    /// residual leak of the bits' reliability; at most ε_L + |ε₂(τ) − ε₂(τ̃)|.
    #[must_use]
    pub fn level(&self) -> &[f64] {
        &self.level
    }

    /// ε between (level, any features) and (other level, any features): row-major; at most ε_L + the larger ε₂.
    #[must_use]
    pub fn joint(&self) -> &[f64] {
        &self.joint
    }
}

impl fmt::Display for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "level budget of everybody: {:.4}", self.level_budget)?;
        writeln!(f, "features, level fixed:")?;
        for (level, (budget, epsilon)) in self.budgets.iter().zip(&self.features).enumerate() {
            writeln!(f, "  level {level} (budget {budget:.4}): {epsilon:.4}")?;
        }
        for (name, matrix) in [("level, features known", &self.level), ("level and features", &self.joint)] {
            writeln!(f, "{name} (row: level of the user, column: level it is compared with):")?;
            for row in matrix.chunks_exact(self.levels) {
                row.iter().try_for_each(|epsilon| write!(f, " {epsilon:9.4}"))?;
                writeln!(f)?;
            }
        }
        Ok(())
    }
}
