//! MLR: m of d dimensions, each through a mechanism for one number [PPGNN, footnote 3; UPGNET, stage 1].

use graph_denoise::CsrMatrix;
use ldp_core::{Bounds, GridLaplace, Hybrid, OneBit, Piecewise, Randomizer, ScalarMechanism, SquareWave};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Collected, Randomize, SampleSize, Users, Values};
use crate::{Epsilon, Error};

/// m of d dimensions through a mechanism for one number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sampled {
    /// The mechanism of one dimension.
    pub scalar: Scalar,
    /// Budget for one user's whole vector.
    pub epsilon: Epsilon,
    /// How many dimensions a user reports.
    pub sample_size: SampleSize,
}

/// A mechanism for one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scalar {
    /// Duchi's one bit.
    OneBit,
    /// Laplace noise on a grid.
    Laplace,
    /// The piecewise mechanism.
    Piecewise,
    /// Piecewise or one bit, by a coin.
    Hybrid,
    /// The square wave, rectified for its mean.
    SquareWave,
}

impl Sampled {
    /// Calls `with` with the mechanism's own type.
    fn on<W: Work>(&self, dimensions: usize, work: &W) -> Result<W::Result, Error> {
        let rule = self.sample_size.rule(dimensions);
        let (epsilon, bounds) = (self.epsilon, Bounds::UNIT);
        match self.scalar {
            Scalar::OneBit => work.run(&ldp_core::Sampled::<OneBit>::new(epsilon, dimensions, bounds, rule)?),
            Scalar::Laplace => work.run(&ldp_core::Sampled::<GridLaplace>::new(epsilon, dimensions, bounds, rule)?),
            Scalar::Piecewise => work.run(&ldp_core::Sampled::<Piecewise>::new(epsilon, dimensions, bounds, rule)?),
            Scalar::Hybrid => work.run(&ldp_core::Sampled::<Hybrid>::new(epsilon, dimensions, bounds, rule)?),
            Scalar::SquareWave => work.run(&ldp_core::Sampled::<SquareWave>::new(epsilon, dimensions, bounds, rule)?),
        }
    }
}

impl Randomize for Sampled {
    fn label(&self) -> String {
        let name = match self.scalar {
            Scalar::OneBit => "1B",
            Scalar::Laplace => "LP",
            Scalar::Piecewise => "PM",
            Scalar::Hybrid => "HM",
            Scalar::SquareWave => "SW",
        };
        name.to_owned()
    }

    fn epsilon(&self) -> Epsilon {
        self.epsilon
    }

    fn claim(&self, dimensions: usize) -> Result<String, Error> {
        let sampled = self.reported(dimensions)?;
        let each = self.epsilon.nats() / sampled as f64;
        Ok(format!(
            "one report is {}-LDP for the whole vector: {sampled} of {dimensions} dimensions, {each:.3e} for each through {}",
            self.epsilon,
            self.label()
        ))
    }

    fn reported(&self, dimensions: usize) -> Result<usize, Error> {
        self.on(dimensions, &Count)
    }

    fn collect(&self, users: &Users<'_>) -> Result<Collected, Error> {
        self.on(users.rows.columns(), users)
    }
}

/// Something to do with a mechanism whose type only [`Sampled::on`] knows.
trait Work {
    type Result;

    fn run<M: ScalarMechanism + Sync>(&self, mechanism: &ldp_core::Sampled<M>) -> Result<Self::Result, Error>;
}

/// Asks for m.
struct Count;

impl Work for Count {
    type Result = usize;

    fn run<M: ScalarMechanism + Sync>(&self, mechanism: &ldp_core::Sampled<M>) -> Result<usize, Error> {
        Ok(mechanism.sampled())
    }
}

impl Work for Users<'_> {
    type Result = Collected;

    fn run<M: ScalarMechanism + Sync>(&self, mechanism: &ldp_core::Sampled<M>) -> Result<Collected, Error> {
        let (users, dimensions, sampled) = (self.len(), mechanism.dimensions(), mechanism.sampled());
        let midpoint = mechanism.mechanism().bounds().midpoint();
        let report = |row: &mut Vec<f64>, user: usize| -> Result<Vec<(u32, f64)>, Error> {
            self.fill(user, midpoint, row);
            let report = mechanism.randomize(row, &mut self.rng(user))?;
            Ok(mechanism.centred_values(&report).collect())
        };
        let reports: Vec<Vec<(u32, f64)>> =
            (0..users).into_par_iter().map_init(|| vec![0.0; dimensions], report).collect::<Result<_, Error>>()?;
        let indices = reports.iter().flatten().map(|&(index, _)| index).collect();
        let values: Vec<f32> = reports.iter().flatten().map(|&(_, value)| value as f32).collect();
        let indptr = (0..=users).map(|user| user * sampled).collect();
        let variance = mechanism.variance(midpoint);
        // One bit: ±√V. Elsewhere the largest that came, which lies inside the mechanism's range.
        let bound = values.iter().fold(f64::MIN_POSITIVE, |most, value| most.max(f64::from(value.abs())));
        Ok(Collected {
            values: Values::Sparse(CsrMatrix::new(dimensions, indptr, indices, values)?),
            midpoint: midpoint as f32,
            bound,
            variance: vec![variance as f32; users],
            reported: sampled,
            levels: None,
        })
    }
}
