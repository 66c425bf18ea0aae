//! Gaussian noise on the whole row, analytically calibrated [Balle and Wang]; (ε, δ)-private.

use graph_denoise::FeatureMatrix;
use ldp_core::gaussian::{GridGaussian, Sensitivity};
use ldp_core::{Bounds, Delta, Randomizer};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Collected, Randomize, Users, Values};
use crate::{Epsilon, Error};

/// Gaussian noise on the whole row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gaussian {
    /// ε for one user's whole vector.
    pub epsilon: Epsilon,
    /// δ for one user's whole vector; well below one over the number of users.
    pub delta: Delta,
    /// Rows are clipped to this many values off the lower end, chosen by the user at random: far less noise for bags of
    /// words. Without it rows may differ anywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip: Option<usize>,
}

impl Gaussian {
    fn build(&self, dimensions: usize) -> Result<GridGaussian, Error> {
        let sensitivity = self.clip.map_or(Sensitivity::WholeRow, Sensitivity::Sparse);
        Ok(GridGaussian::new(self.epsilon, self.delta, dimensions, Bounds::UNIT, sensitivity)?)
    }
}

impl Randomize for Gaussian {
    fn label(&self) -> String {
        self.clip.map_or_else(|| "AG".to_owned(), |clip| format!("AG, clipped to {clip}"))
    }

    fn epsilon(&self) -> Epsilon {
        self.epsilon
    }

    fn claim(&self, dimensions: usize) -> Result<String, Error> {
        let sigma = self.build(dimensions)?.sigma();
        Ok(format!(
            "one report is ({}, {:e})-LDP for the whole vector: noise of standard deviation {sigma:.3} on each value",
            self.epsilon,
            self.delta.get()
        ))
    }

    fn reported(&self, dimensions: usize) -> Result<usize, Error> {
        Ok(dimensions)
    }

    fn collect(&self, users: &Users<'_>) -> Result<Collected, Error> {
        let dimensions = users.rows.columns();
        let mechanism = self.build(dimensions)?;
        let mut data = vec![0.0_f32; users.len() * dimensions];
        let report = |buffer: &mut Vec<f64>, (user, row): (usize, &mut [f32])| -> Result<(), Error> {
            users.fill(user, 0.0, buffer);
            let mut rng = users.rng(user);
            if let Some(clip) = self.clip {
                clip_to(clip, buffer, &mut rng);
            }
            let report = mechanism.randomize(buffer, &mut rng)?;
            row.iter_mut().zip(mechanism.rectify(&report)).for_each(|(value, estimate)| *value = estimate as f32);
            Ok(())
        };
        data.par_chunks_mut(dimensions).enumerate().try_for_each_init(|| vec![0.0; dimensions], report)?;
        Ok(Collected {
            values: Values::Dense(FeatureMatrix::new(users.len(), dimensions, data)?),
            midpoint: 0.0,
            bound: mechanism.sigma(),
            variance: vec![mechanism.variance() as f32; users.len()],
            reported: dimensions,
            levels: None,
        })
    }
}

/// Sets all but `most` random ones of the non-zero values to zero.
fn clip_to(most: usize, row: &mut [f64], rng: &mut impl rand::Rng) {
    let mut present: Vec<usize> = (0..row.len()).filter(|&at| row[at] != 0.0).collect();
    while present.len() > most {
        let drop = rand::RngExt::random_range(rng, 0..present.len());
        row[present.swap_remove(drop)] = 0.0;
    }
}
