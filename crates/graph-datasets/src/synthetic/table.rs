//! Dense real-valued features, as a table of measurements has them.

use graph_denoise::CsrMatrix;
use rand::Rng;
use rand_distr::{Distribution, StandardNormal};

use crate::{Dataset, Error, FeatureRange};

/// A matrix written in full: `mean(row, column)` plus standard normal noise, cut off at ±`bound`.
pub(super) fn dense<R: Rng + ?Sized>(
    rows: usize,
    columns: usize,
    bound: f32,
    rng: &mut R,
    mean: impl Fn(usize, usize) -> f64,
) -> Result<CsrMatrix, Error> {
    let cells = rows.checked_mul(columns).filter(|&cells| cells <= i32::MAX as usize);
    let Some(cells) = cells else {
        let (found, limit) = ((rows as u64).saturating_mul(columns as u64), i32::MAX as u64);
        return Err(Error::TooLarge { what: "cells of dense features".to_owned(), found, limit });
    };
    let mut values = Vec::with_capacity(cells);
    for row in 0..rows {
        for column in 0..columns {
            let noise: f64 = StandardNormal.sample(rng);
            values.push(((mean(row, column) + noise) as f32).clamp(-bound, bound));
        }
    }
    let indices = (0..rows).flat_map(|_| 0..columns as u32).collect();
    Ok(CsrMatrix::new(columns, (0..=rows).map(|row| row * columns).collect(), indices, values)?)
}

impl Dataset {
    /// The data set with a small table of real-valued features in place of any it has.
    ///
    /// Each class has a centre, `separation` standard deviations of the noise away from the origin in a random
    /// direction; a node's features are the centre of its class plus standard normal noise, cut off at the public
    /// range ±(4 + `separation`). Few columns that all matter: what a report of one or two of them can still say.
    ///
    /// # Errors
    /// [`Error::Parameter`] when `separation` is negative or not finite or there is no column, [`Error::TooLarge`]
    /// above 2³¹ cells.
    pub fn with_table_features<R: Rng + ?Sized>(
        &self,
        dimensions: usize,
        separation: f64,
        rng: &mut R,
    ) -> Result<Self, Error> {
        if !(separation >= 0.0 && separation.is_finite()) {
            let bound = "at least 0 and finite".to_owned();
            return Err(Error::Parameter { what: "separation", bound, value: separation });
        }
        if dimensions == 0 {
            let bound = "at least 1".to_owned();
            return Err(Error::Parameter { what: "dimensions", bound, value: 0.0 });
        }
        let mut centres = Vec::with_capacity(self.classes);
        for _ in 0..self.classes {
            let direction: Vec<f64> = (0..dimensions).map(|_| StandardNormal.sample(rng)).collect();
            let length = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
            centres.push(direction.iter().map(|x| x / length * separation).collect::<Vec<f64>>());
        }
        let bound = (4.0 + separation) as f32;
        let features =
            dense(self.nodes(), dimensions, bound, rng, |node, column| centres[self.labels[node] as usize][column])?;
        let mut changed = self.clone();
        changed.features = Some(features);
        changed.dimensions = dimensions;
        changed.feature_range = FeatureRange::Uniform { low: -bound, high: bound };
        Ok(changed.with_mark(format!("features: synthetic table, {dimensions} columns, separation {separation}")))
    }
}
