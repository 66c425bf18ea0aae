//! PrivUnit on the direction of the row [Bhowmick et al.]: the least error that is known for dense directions.

use graph_denoise::FeatureMatrix;
use ldp_core::Randomizer;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Collected, Randomize, Users, Values};
use crate::{Epsilon, Error};

/// PrivUnit on the L2-normalised row: the length is not reported.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrivUnit {
    /// Budget for one user's whole vector.
    pub epsilon: Epsilon,
}

impl Randomize for PrivUnit {
    fn label(&self) -> String {
        "PrivUnit".to_owned()
    }

    fn epsilon(&self) -> Epsilon {
        self.epsilon
    }

    fn claim(&self, dimensions: usize) -> Result<String, Error> {
        let error = ldp_core::PrivUnit::new(self.epsilon, dimensions)?.squared_error();
        Ok(format!(
            "one report is {}-LDP for the direction of the vector, which is all that is sent; mean squared error {error:.0}",
            self.epsilon
        ))
    }

    fn reported(&self, dimensions: usize) -> Result<usize, Error> {
        Ok(dimensions)
    }

    fn collect(&self, users: &Users<'_>) -> Result<Collected, Error> {
        let dimensions = users.rows.columns();
        let mechanism = ldp_core::PrivUnit::new(self.epsilon, dimensions)?;
        let mut data = vec![0.0_f32; users.len() * dimensions];
        let report = |buffer: &mut Vec<f64>, (user, row): (usize, &mut [f32])| -> Result<(), Error> {
            users.fill(user, 0.0, buffer);
            let seed = mechanism.randomize(buffer, &mut users.rng(user))?;
            row.iter_mut().zip(mechanism.rectify(seed)).for_each(|(value, estimate)| *value = estimate as f32);
            Ok(())
        };
        data.par_chunks_mut(dimensions).enumerate().try_for_each_init(|| vec![0.0; dimensions], report)?;
        let variance = mechanism.squared_error() / dimensions as f64;
        Ok(Collected {
            values: Values::Dense(FeatureMatrix::new(users.len(), dimensions, data)?),
            midpoint: 0.0,
            bound: variance.sqrt(),
            variance: vec![variance as f32; users.len()],
            reported: dimensions,
            levels: None,
        })
    }
}
