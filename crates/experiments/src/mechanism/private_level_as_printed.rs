//! PPGNN's mechanism exactly as printed [PPGNN, Alg. 1–3], for comparison. **It does not protect the level.**

use graph_denoise::CsrMatrix;
use ldp_core::LeveledRow;
use ldp_core::private_level::as_printed::PrintedMechanism;
use serde::{Deserialize, Serialize};

use super::{Collected, Levels, Randomize, Users, Values};
use crate::spec::knob_in;
use crate::{Epsilon, Error};

/// PPM as printed: reveals the level.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrivateLevelAsPrinted {
    /// The users' levels.
    pub levels: Levels,
    /// γ, the share of a user's budget that goes to the level.
    pub gamma: f64,
}

impl PrivateLevelAsPrinted {
    fn build(&self, dimensions: usize) -> Result<PrintedMechanism, Error> {
        self.check()?;
        Ok(PrintedMechanism::new(self.levels.budgets()?, dimensions as u32, self.gamma)?)
    }

    /// m and coth(ε₂/2m) of a level from 1, as the server computes them from τ′.
    fn shape(&self, dimensions: usize, level: u32) -> Result<(usize, f64), Error> {
        let budgets = self.levels.budgets()?;
        let at = (level.max(1) as usize).min(budgets.as_slice().len()) - 1;
        let epsilon = (1.0 - self.gamma) * budgets.as_slice()[at].nats();
        let sampled = ((epsilon / 2.2) as usize).clamp(1, dimensions);
        Ok((sampled, 1.0 / (epsilon / (2.0 * sampled as f64)).tanh()))
    }
}

impl Randomize for PrivateLevelAsPrinted {
    fn check(&self) -> Result<(), Error> {
        knob_in("features.mechanism.gamma", self.gamma, 1e-6..=1.0 - 1e-6)
    }

    fn label(&self) -> String {
        "PPM, as printed".to_owned()
    }

    fn epsilon(&self) -> Epsilon {
        self.levels.epsilon
    }

    fn claim(&self, _: usize) -> Result<String, Error> {
        Ok(format!(
            "level fixed, the features are (1−γ)ε_τ-LDP, γ = {}; the level is not protected: one report reveals it. {}",
            self.gamma,
            self.levels.words()
        ))
    }

    fn reported(&self, dimensions: usize) -> Result<usize, Error> {
        Ok(self.shape(dimensions, self.levels.count)?.0)
    }

    fn collect(&self, users: &Users<'_>) -> Result<Collected, Error> {
        let dimensions = users.rows.columns();
        let mechanism = self.build(dimensions)?;
        let levels = self.levels.draw(users);
        let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        let (mut reported, mut variance) = (Vec::new(), Vec::new());
        let mut row = vec![0.0; dimensions];
        for (user, &level) in levels.iter().enumerate() {
            users.fill(user, 0.5, &mut row);
            // The printed mechanism lives on [−1, 1].
            let value = LeveledRow { level, row: row.iter().map(|&x| (2.0 * x - 1.0) as f32).collect() };
            let report = mechanism.randomize(&value, &mut users.rng(user))?;
            for &(index, value) in &report.entries {
                indices.push(index);
                values.push((value / 2.0) as f32);
            }
            indptr.push(indices.len());
            let (sampled, coth) = self.shape(dimensions, report.level)?;
            reported.push(report.level as f32);
            variance.push((0.25 * dimensions as f64 / sampled as f64 * coth * coth) as f32);
        }
        let bound = values.iter().fold(f64::MIN_POSITIVE, |most, value: &f32| most.max(f64::from(value.abs())));
        Ok(Collected {
            values: Values::Sparse(CsrMatrix::new(dimensions, indptr, indices, values)?),
            midpoint: 0.5,
            bound,
            variance,
            reported: self.reported(dimensions)?,
            levels: Some(reported),
        })
    }
}
