//! Randomizing the privacy level itself: a small ordinal value with a public budget ε_L of its own.
//!
//! Three channels with one interface: the extended square wave of PPGNN, shifted so that its rows sum to one and
//! stable for every ε; k-ary randomized response; and the staircase channel that a linear program finds best for a
//! stated objective. All are tables of integer weights of 2⁶⁴.
//!
//! Where ours differs from PPGNN: its window |g − g'| ≤ b over {1 … f+2b} runs off the lower end (f = 5, ε = 1: the
//! first row sums to 0.8586), and renormalising that row raises the loss to 1.15. Here the window is |g + b − g'| ≤ b.
//! And ε_L is one public number: a budget that depends on the level would give the level away.

mod staircase;

pub(crate) use staircase::solve;

use alloc::vec;
use alloc::vec::Vec;

use rand_core::CryptoRng;

use crate::distribution::{Channel, EmOptions};
use crate::weights::{TOTAL_F64, log_quotient};
use crate::window::WindowKernel;
use crate::window_mechanism::half_width;
use crate::{Epsilon, Error, FiniteRandomizer, RandomizedResponse, Randomizer};

/// Most levels that a channel can have.
pub const MOST_LEVELS: u32 = 64;

/// A randomizer for levels 0 … h−1. Report: an output of the channel. One random word a report, every row scanned
/// whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelChannel {
    epsilon: Epsilon,
    levels: u32,
    outputs: u32,
    /// Row-major, one row a level.
    weights: Vec<u64>,
    /// The level that each output speaks for.
    nearest: Vec<u32>,
}

impl LevelChannel {
    /// The extended square wave, shifted \[PPGNN, Alg. 1\]: outputs 0 … h+2b−1 with b = ⌊β(ε)·h⌋, likely within b of
    /// level + b. With b = 0 it is k-ary randomized response.
    ///
    /// # Errors
    /// [`Error::Count`] for fewer than two or more than [`MOST_LEVELS`] levels.
    pub fn square_wave(epsilon: Epsilon, levels: u32) -> Result<Self, Error> {
        check_levels(levels)?;
        let reach = libm::floor(half_width(epsilon.nats()) * f64::from(levels)) as u32;
        let kernel = WindowKernel::new(epsilon, levels - 1, 2 * reach + 1)?;
        let nearest = (0..kernel.cells()).map(|y| y.saturating_sub(reach).min(levels - 1)).collect();
        Self::tabulate(epsilon, levels, nearest, |level, output| kernel.weight(level, output))
    }

    /// k-ary randomized response over the levels.
    ///
    /// # Errors
    /// [`Error::Count`] for fewer than two or more than [`MOST_LEVELS`] levels.
    pub fn randomized_response(epsilon: Epsilon, levels: u32) -> Result<Self, Error> {
        check_levels(levels)?;
        let response = RandomizedResponse::new(epsilon, levels)?;
        Self::tabulate(epsilon, levels, (0..levels).collect(), |level, output| response.weight(level, output))
    }

    /// The ε-private channel that maximises Σ over outputs of `worth(P(output | ·))`, for a `worth` that is convex
    /// and homogeneous (twice the column, twice the worth), such as expected precision.
    ///
    /// Staircase channels, whose columns hold two values with quotient e^ε, suffice; the best mixture of the 2^h − 1
    /// of them is a linear program, solved here by the simplex method. Two to four outputs come out, and one more
    /// with probability 2⁻⁴⁰ that takes up rounding.
    ///
    /// # Errors
    /// [`Error::Count`] for fewer than two or more than 10 levels; [`Error::Resolution`] when ε is too small for the
    /// rounding (below about 1e-4).
    pub fn optimal(epsilon: Epsilon, levels: u32, worth: impl Fn(&[f64]) -> f64) -> Result<Self, Error> {
        if !(2..=10).contains(&levels) {
            return Err(Error::Count { what: "levels", min: 2, max: 10, got: u64::from(levels) });
        }
        let columns = staircase::best_columns(epsilon, levels as usize, worth);
        let outputs = columns.len();
        let likeliest = |column: &[u64]| {
            let top = column.iter().max();
            column.iter().position(|w| Some(w) == top).unwrap_or_default() as u32
        };
        let nearest = columns.iter().map(|c| likeliest(c)).collect();
        let channel =
            Self::tabulate(epsilon, levels, nearest, |level, output| columns[output as usize][level as usize])?;
        let achieved = channel.achieved_epsilon();
        if achieved <= epsilon.nats() && outputs > 1 {
            Ok(channel)
        } else {
            Err(Error::Resolution { epsilon: epsilon.nats(), cells: outputs as u64 })
        }
    }

    fn tabulate(
        epsilon: Epsilon,
        levels: u32,
        nearest: Vec<u32>,
        weight: impl Fn(u32, u32) -> u64,
    ) -> Result<Self, Error> {
        let outputs = nearest.len() as u32;
        let weights = (0..levels).flat_map(|l| (0..outputs).map(move |y| (l, y))).map(|(l, y)| weight(l, y)).collect();
        Ok(Self { epsilon, levels, outputs, weights, nearest })
    }

    /// Number of levels h.
    #[must_use]
    pub fn levels(&self) -> u32 {
        self.levels
    }

    /// Number of outputs.
    #[must_use]
    pub fn outputs(&self) -> u32 {
        self.outputs
    }

    /// Exact weight of 2⁶⁴ of `output` given `level`; zero outside the domain.
    #[must_use]
    pub fn weight(&self, level: u32, output: u32) -> u64 {
        if level >= self.levels || output >= self.outputs {
            return 0;
        }
        self.weights[(level * self.outputs + output) as usize]
    }

    /// The level that an output speaks for: output − b, clipped, or the likeliest.
    ///
    /// # Panics
    /// When `output` is not below [`LevelChannel::outputs`].
    #[must_use]
    pub fn nearest_level(&self, output: u32) -> u32 {
        self.nearest[output as usize]
    }

    /// P(output | level) as doubles.
    ///
    /// # Errors
    /// None for a channel made here.
    pub fn channel(&self) -> Result<Channel, Error> {
        Channel::new(self.outputs as usize, self.weights.iter().map(|&w| w as f64 / TOTAL_F64).collect())
    }

    /// Maximum-likelihood shares of the levels among the users, by EM from the counts of the outputs.
    ///
    /// # Errors
    /// [`Error::Length`] unless there is one count an output, [`Error::Count`] when there is no report.
    pub fn estimate_population(&self, counts: &[u64]) -> Result<Vec<f64>, Error> {
        self.channel()?.estimate(counts, EmOptions::EM)
    }

    pub(crate) fn respond(&self, level: u32, word: u64) -> u32 {
        let row = &self.weights[(level * self.outputs) as usize..((level + 1) * self.outputs) as usize];
        let (mut below, mut output) = (0_u64, 0);
        for &weight in &row[..row.len() - 1] {
            below += weight;
            output += u32::from(word >= below);
        }
        output
    }

    pub(crate) fn check(&self, level: u32) -> Result<u32, Error> {
        if level < self.levels { Ok(level) } else { Err(Error::Category { categories: self.levels }) }
    }
}

fn check_levels(levels: u32) -> Result<(), Error> {
    if (2..=MOST_LEVELS).contains(&levels) {
        Ok(())
    } else {
        Err(Error::Count { what: "levels", min: 2, max: u64::from(MOST_LEVELS), got: u64::from(levels) })
    }
}

impl Randomizer for LevelChannel {
    type Value = u32;
    type Report = u32;

    fn epsilon(&self) -> Epsilon {
        self.epsilon
    }

    fn randomize<R: CryptoRng + ?Sized>(&self, value: &u32, rng: &mut R) -> Result<u32, Error> {
        Ok(self.respond(self.check(*value)?, rng.next_u64()))
    }

    fn accepts(&self, report: &u32) -> bool {
        *report < self.outputs
    }
}

impl FiniteRandomizer for LevelChannel {
    fn probability(&self, value: &u32, report: &u32) -> Result<f64, Error> {
        Ok(self.weight(self.check(*value)?, *report) as f64 / TOTAL_F64)
    }

    fn log_ratio(&self, one: &u32, other: &u32, report: &u32) -> Result<f64, Error> {
        if !self.accepts(report) {
            return Err(Error::Report { what: "an output that the level channel does not have" });
        }
        let weight = |level: u32| Ok::<_, Error>(u128::from(self.weight(self.check(level)?, *report)));
        Ok(log_quotient(weight(*one)?, weight(*other)?))
    }

    fn achieved_epsilon(&self) -> f64 {
        let column = |y: u32| (0..self.levels).map(move |l| self.weight(l, y));
        let worst = |y: u32| {
            let (high, low) = (column(y).max().unwrap_or_default(), column(y).min().unwrap_or_default());
            log_quotient(high.into(), low.into())
        };
        (0..self.outputs).map(worst).fold(0.0, f64::max)
    }
}

/// Levels and what each may spend: public, the same for everybody, strictly ascending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelBudgets(Vec<Epsilon>);

impl LevelBudgets {
    /// From the budget ε_τ of every level.
    ///
    /// # Errors
    /// [`Error::Count`] for fewer than two or more than [`MOST_LEVELS`] levels or when they do not ascend strictly.
    pub fn new(budgets: Vec<Epsilon>) -> Result<Self, Error> {
        check_levels(budgets.len() as u32)?;
        if budgets.is_sorted_by(|a, b| a < b) {
            Ok(Self(budgets))
        } else {
            Err(Error::Count { what: "strictly ascending budgets", min: 2, max: u64::from(MOST_LEVELS), got: 1 })
        }
    }

    /// ε, 2ε, 4ε, … as in PPGNN's prototype.
    ///
    /// # Errors
    /// As [`LevelBudgets::new`]; [`Error::Epsilon`] when the last is above the supported range.
    pub fn geometric(base: Epsilon, levels: u32) -> Result<Self, Error> {
        check_levels(levels)?;
        let mut budgets = vec![base];
        for _ in 1..levels {
            let last = budgets[budgets.len() - 1].nano();
            budgets.push(Epsilon::from_nano(last.saturating_mul(2))?);
        }
        Self::new(budgets)
    }

    /// ε_τ of every level.
    #[must_use]
    pub fn as_slice(&self) -> &[Epsilon] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weights::TOTAL;

    #[test]
    fn rows_sum_to_the_total() {
        let sums = |channel: &LevelChannel| {
            for level in 0..channel.levels() {
                let sum: u128 = (0..channel.outputs()).map(|y| u128::from(channel.weight(level, y))).sum();
                assert_eq!(sum, TOTAL);
            }
        };
        for nats in [1e-3, 0.5, 1.0, 2.0, 20.0, 60.0] {
            let epsilon = Epsilon::new(nats).expect("valid");
            for levels in [2, 3, 5, 8] {
                sums(&LevelChannel::square_wave(epsilon, levels).expect("valid"));
                sums(&LevelChannel::randomized_response(epsilon, levels).expect("valid"));
                let worth = |column: &[f64]| {
                    let weighted: f64 = (1..).zip(column).map(|(l, c)| f64::from(l) * c).sum();
                    weighted * weighted / column.iter().sum::<f64>()
                };
                sums(&LevelChannel::optimal(epsilon, levels, worth).expect("valid"));
            }
        }
    }
}
