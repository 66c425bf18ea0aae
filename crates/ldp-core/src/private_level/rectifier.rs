//! The server's side: which factor makes a bit of output τ' an estimate, when the user's level is not known.

use alloc::vec;
use alloc::vec::Vec;

use super::PrivateLevelEncoder;
use crate::level::solve;
use crate::weights::TOTAL_F64;
use crate::{Error, Randomizer};

/// How bits are weighed. All are x̂ = midpoint ± (d/m')·(β−α)/2·c(τ') and differ in c.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LevelRectifier {
    /// R0, the prototype's: coth(ε₂/2m') as if the reported level were the true one. Biased by level.
    Reported,
    /// R1: one over the posterior mean of tanh(ε₂/2m'). Right on average over the population when level and features
    /// are independent; the default.
    Posterior,
    /// R2: unbiased for every level, whatever the population, with the least variance that allows. Its variance
    /// explodes at small ε_L (ten million times R1's at ε_L = 0.005, 1.9 times at 2).
    Unbiased,
    /// Between the two: least Σ π(B(τ)−1)² + `penalty`·variance.
    Ridge {
        /// Weight of the variance; above zero.
        penalty: f64,
    },
}

/// Factors, bias and variance for one population.
#[derive(Clone, Debug, PartialEq)]
pub struct PrivateLevelRectifier {
    midpoint: f64,
    half: f64,
    /// (d/m')·c, one an output.
    factors: Vec<f64>,
    bias: Vec<f64>,
    square: Vec<f64>,
    shares: Vec<f64>,
    gains: Vec<f64>,
    keep: Vec<f64>,
}

impl PrivateLevelRectifier {
    pub(super) fn new(encoder: &PrivateLevelEncoder, kind: LevelRectifier, prior: &[f64]) -> Result<Self, Error> {
        let channel = encoder.channel();
        let (levels, outputs) = (channel.levels() as usize, channel.outputs() as usize);
        if prior.len() != levels {
            return Err(Error::Length { what: "shares of the levels", expected: levels, got: prior.len() });
        }
        let total: f64 = prior.iter().sum();
        if !(prior.iter().all(|p| (0.0..=1.0).contains(p)) && libm::fabs(total - 1.0) < 1e-6) {
            return Err(Error::Value { lower: 0.0, upper: 1.0 });
        }
        let chance = |l: usize, y: usize| channel.weight(l as u32, y as u32) as f64 / TOTAL_F64;
        let signal = |l: usize, y: usize| encoder.signal(l as u32, y as u32);
        let keep: Vec<f64> = encoder.sampled().iter().map(|&m| encoder.dimensions() as f64 / m as f64).collect();
        let over = |f: &dyn Fn(usize) -> f64| (0..levels).map(|l| prior[l] * f(l)).sum::<f64>();
        let shares: Vec<f64> = (0..outputs).map(|y| over(&|l| chance(l, y))).collect();
        let gains: Vec<f64> = (0..outputs).map(|y| over(&|l| signal(l, y)) / shares[y]).collect();
        // W of the derivation: what one unit of c² costs in variance.
        let cost: Vec<f64> = shares.iter().zip(&keep).map(|(s, k)| s * k).collect();
        let factors: Vec<f64> = match kind {
            LevelRectifier::Reported => (0..outputs)
                .map(|y| 1.0 / encoder.coin(channel.nearest_level(y as u32), y as u32).coin.gain())
                .collect(),
            LevelRectifier::Posterior => gains.iter().map(|g| 1.0 / g).collect(),
            LevelRectifier::Unbiased => {
                let product =
                    |l: usize, k: usize| (0..outputs).map(|y| signal(l, y) * signal(k, y) / cost[y]).sum::<f64>();
                let matrix = (0..levels).map(|l| (0..levels).map(|k| product(l, k)).collect()).collect();
                let prices = solve(matrix, vec![1.0; levels]);
                (0..outputs).map(|y| (0..levels).map(|l| signal(l, y) * prices[l]).sum::<f64>() / cost[y]).collect()
            }
            LevelRectifier::Ridge { penalty } => {
                if !(penalty.is_finite() && penalty > 0.0) {
                    return Err(Error::Value { lower: 0.0, upper: f64::MAX });
                }
                let product = |y: usize, z: usize| {
                    over(&|l| signal(l, y) * signal(l, z)) + if y == z { penalty * cost[y] } else { 0.0 }
                };
                let matrix = (0..outputs).map(|y| (0..outputs).map(|z| product(y, z)).collect()).collect();
                solve(matrix, (0..outputs).map(|y| over(&|l| signal(l, y))).collect())
            }
        };
        let along = |l: usize, f: &dyn Fn(usize) -> f64| (0..outputs).map(|y| f(y) * chance(l, y)).sum::<f64>();
        let bias: Vec<f64> = (0..levels).map(|l| (0..outputs).map(|y| signal(l, y) * factors[y]).sum()).collect();
        let square = (0..levels).map(|l| along(l, &|y| keep[y] * factors[y] * factors[y])).collect();
        if kind == LevelRectifier::Unbiased && !bias.iter().all(|b| libm::fabs(b - 1.0) < 1e-6) {
            return Err(Error::Value { lower: 1.0 - 1e-6, upper: 1.0 + 1e-6 });
        }
        let factors = factors.iter().zip(&keep).map(|(c, k)| c * k).collect();
        let bounds = encoder.bounds();
        Ok(Self { midpoint: bounds.midpoint(), half: bounds.width() / 2.0, factors, bias, square, shares, gains, keep })
    }

    /// (α+β)/2: the estimate of a dimension that was not reported.
    #[must_use]
    pub fn midpoint(&self) -> f64 {
        self.midpoint
    }

    /// (d/m')·(β−α)/2·c(τ'): what a bit of this output adds to or takes from the midpoint.
    ///
    /// # Panics
    /// When there is no such output.
    #[must_use]
    pub fn scale(&self, output: u32) -> f64 {
        self.half * self.factors[output as usize]
    }

    /// B(τ) for every level: the mean estimate is midpoint + B(τ)·(x − midpoint).
    #[must_use]
    pub fn bias(&self) -> &[f64] {
        &self.bias
    }

    /// Variance of the estimate of one dimension for a user of `level` whose value is `value`.
    ///
    /// # Panics
    /// When there is no such level.
    #[must_use]
    pub fn variance(&self, level: u32, value: f64) -> f64 {
        let mean = self.bias[level as usize] * (value - self.midpoint);
        self.half * self.half * self.square[level as usize] - mean * mean
    }

    /// Mean square of the centred estimate over the population, Σ P(τ')·(d/m')·c² in units of ((β−α)/2)².
    #[must_use]
    pub fn second_moment(&self) -> f64 {
        let term = |((s, f), k): ((&f64, &f64), &f64)| s * f * f / k;
        self.shares.iter().zip(&self.factors).zip(&self.keep).map(term).sum()
    }

    /// T(τ'): the posterior mean of tanh(ε₂/2m') given this output.
    ///
    /// # Panics
    /// When there is no such output.
    #[must_use]
    pub fn posterior_gain(&self, output: u32) -> f64 {
        self.gains[output as usize]
    }

    /// The weight that a report of this output deserves in an average, m'·T(τ')²/d: one over the variance of R1.
    ///
    /// # Panics
    /// When there is no such output.
    #[must_use]
    pub fn precision(&self, output: u32) -> f64 {
        let gain = self.gains[output as usize];
        gain * gain / self.keep[output as usize]
    }
}

impl PrivateLevelEncoder {
    /// Estimates minus the midpoint for every entry of `reports`, in order.
    ///
    /// # Errors
    /// [`Error::Report`] when an output is none of this encoder's.
    pub fn centred_values(
        &self,
        rectifier: &PrivateLevelRectifier,
        reports: &super::PrivateLevelReports,
    ) -> Result<Vec<f32>, Error> {
        let mut values = Vec::with_capacity(reports.indices.len());
        for (ends, output) in reports.indptr.windows(2).zip(&reports.levels) {
            if !self.channel().accepts(output) {
                return Err(Error::Report { what: "an output that the level channel does not have" });
            }
            let scale = rectifier.scale(*output) as f32;
            values.extend((ends[0]..ends[1]).map(|entry| if reports.bit(entry) { scale } else { -scale }));
        }
        Ok(values)
    }
}
