//! Privacy levels of the users: budgets and who picks which.

use ldp_core::LevelBudgets;
use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

use super::Users;
use crate::{Epsilon, Error};

/// Level τ of h has budget ε·2^(τ−1), the set {ε, 2ε, 4ε, …} of PPGNN's code.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Levels {
    /// ε of the lowest level.
    pub epsilon: Epsilon,
    /// h, the number of levels.
    pub count: u32,
    /// Who picks which.
    pub population: LevelPopulation,
}

/// Who picks which level. PPGNN names the last three and gives no shares; these are ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LevelPopulation {
    /// Each level as often.
    Uniform,
    /// Each level half as often as the one below it: most users want the strictest.
    Strict,
    /// Each level twice as often as the one below it.
    Relaxed,
    /// Half of the users at each end.
    Bimodal,
}

impl Levels {
    pub(super) fn budgets(&self) -> Result<LevelBudgets, Error> {
        Ok(LevelBudgets::geometric(self.epsilon, self.count)?)
    }

    /// The share of every level among the users.
    pub(super) fn shares(&self) -> Vec<f64> {
        let count = self.count.max(1) as usize;
        let weight = |level: usize| match self.population {
            LevelPopulation::Uniform => 1.0,
            LevelPopulation::Strict => 0.5_f64.powi(level as i32),
            LevelPopulation::Relaxed => 2.0_f64.powi(level as i32),
            LevelPopulation::Bimodal => f64::from(u8::from(level == 0 || level + 1 == count)),
        };
        let total: f64 = (0..count).map(weight).sum();
        (0..count).map(|level| weight(level) / total).collect()
    }

    /// The level of each user, 0 … h−1. The same users have the same levels under every mechanism.
    pub(super) fn draw(&self, users: &Users<'_>) -> Vec<u32> {
        let shares = self.shares();
        let mut rng = users.stage.child("levels").rng();
        (0..users.len()).map(|_| pick(&shares, &mut rng)).collect()
    }

    pub(super) fn words(&self) -> String {
        let population = match self.population {
            LevelPopulation::Uniform => "uniform",
            LevelPopulation::Strict => "strict",
            LevelPopulation::Relaxed => "relaxed",
            LevelPopulation::Bimodal => "bimodal",
        };
        format!("{} levels from ε = {}, each twice the one before; {population} population", self.count, self.epsilon)
    }
}

fn pick(shares: &[f64], rng: &mut impl Rng) -> u32 {
    let mut left: f64 = rng.random();
    let found = shares.iter().position(|&share| {
        left -= share;
        left < 0.0
    });
    found.unwrap_or(shares.len() - 1) as u32
}

#[cfg(test)]
mod tests {
    use super::{LevelPopulation, Levels};

    #[test]
    fn shares_sum_to_one_and_lean_as_named() {
        let shares = |population| Levels { epsilon: "1".parse().expect("a budget"), count: 5, population }.shares();
        for population in
            [LevelPopulation::Uniform, LevelPopulation::Strict, LevelPopulation::Relaxed, LevelPopulation::Bimodal]
        {
            assert!((shares(population).iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
        assert!((shares(LevelPopulation::Strict)[0] - 16.0 / 31.0).abs() < 1e-12);
        assert!((shares(LevelPopulation::Relaxed)[4] - 16.0 / 31.0).abs() < 1e-12);
        assert_eq!(shares(LevelPopulation::Bimodal), [0.5, 0.0, 0.0, 0.0, 0.5]);
    }
}
