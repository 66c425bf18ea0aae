//! Users pick their budget openly; each reports multi-bit with it. The fair baseline of PPGNN.

use graph_denoise::CsrMatrix;
use ldp_core::{Bounds, MultiBitEncoder, Randomizer, SparseRows};
use serde::{Deserialize, Serialize};

use super::{Collected, Levels, Randomize, SampleSize, Users, Values};
use crate::{Epsilon, Error};

/// Multi-bit reports, each with its user's public budget.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublicLevel {
    /// The users' levels.
    pub levels: Levels,
    /// How many dimensions a user reports.
    pub sample_size: SampleSize,
}

impl PublicLevel {
    fn encoders(&self, dimensions: usize) -> Result<Vec<MultiBitEncoder>, Error> {
        let budgets = self.levels.budgets()?;
        let encoder = |&budget: &Epsilon| {
            Ok(MultiBitEncoder::new(budget, dimensions, Bounds::UNIT, self.sample_size.rule(dimensions))?)
        };
        budgets.as_slice().iter().map(encoder).collect()
    }
}

impl Randomize for PublicLevel {
    fn label(&self) -> String {
        "MB, public levels".to_owned()
    }

    fn epsilon(&self) -> Epsilon {
        self.levels.epsilon
    }

    fn claim(&self, _: usize) -> Result<String, Error> {
        Ok(format!(
            "one report of a user of level τ is ε_τ-LDP for the whole vector; the level is public. {}",
            self.levels.words()
        ))
    }

    fn reported(&self, dimensions: usize) -> Result<usize, Error> {
        Ok(self.encoders(dimensions)?.iter().map(MultiBitEncoder::sampled).max().unwrap_or(0))
    }

    fn collect(&self, users: &Users<'_>) -> Result<Collected, Error> {
        let rows = users.rows;
        let encoders = self.encoders(rows.columns())?;
        let levels = self.levels.draw(users);
        let checked = SparseRows::new(rows.columns(), Bounds::UNIT, rows.indptr(), rows.indices(), rows.values(), 0.0)?;
        let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for (user, &level) in levels.iter().enumerate() {
            let encoder = &encoders[level as usize];
            let scale = encoder.rectifier().scale() as f32;
            let mut row = vec![0.5; rows.columns()];
            if users.with_data {
                row.fill(checked.absent());
                let (columns, present) = rows.row(user);
                columns.iter().zip(present).for_each(|(&column, &value)| row[column as usize] = value);
            }
            let report = encoder.randomize(&row, &mut users.rng(user))?;
            indices.extend_from_slice(report.indices());
            values.extend(report.bits().iter().map(|&bit| if bit { scale } else { -scale }));
            indptr.push(indices.len());
        }
        let worst: Vec<f32> = encoders.iter().map(|encoder| encoder.rectifier().worst_variance() as f32).collect();
        Ok(Collected {
            values: Values::Sparse(CsrMatrix::new(rows.columns(), indptr, indices, values)?),
            midpoint: encoders[0].rectifier().midpoint() as f32,
            bound: encoders[0].rectifier().scale(),
            variance: levels.iter().map(|&level| worst[level as usize]).collect(),
            reported: self.reported(rows.columns())?,
            levels: Some(levels.iter().map(|&level| level as f32 + 1.0).collect()),
        })
    }
}
