//! PPGNN made sound: the level through a channel with a public budget, the features with what is left of the user's own.

use graph_denoise::CsrMatrix;
use ldp_core::{Bounds, LevelChannel, LevelRectifier, PrivateLevelEncoder, SparseRows};
use serde::{Deserialize, Serialize};

use super::{Collected, Levels, Randomize, SampleSize, Users, Values};
use crate::spec::knob_in;
use crate::{Epsilon, Error};

/// PPM, sound.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrivateLevel {
    /// The users' levels.
    pub levels: Levels,
    /// ε_L, everybody's budget for the level, as a share of the lowest level's ε; below 1.
    pub level_share: f64,
    /// How the level is randomized.
    pub channel: LevelChannelSpec,
    /// How bits are weighed.
    pub rectifier: LevelRectifierSpec,
    /// How many dimensions a user reports.
    pub sample_size: SampleSize,
}

/// How the level is randomized.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LevelChannelSpec {
    /// The extended square wave, shifted so that its rows sum to one.
    SquareWave,
    /// k-ary randomized response.
    RandomizedResponse,
    /// The channel of greatest expected precision.
    Optimal,
}

/// How bits are weighed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LevelRectifierSpec {
    /// R0: as if the reported level were the true one. Biased by level.
    Reported,
    /// R1: by the posterior mean. Right on average over the population.
    Posterior,
    /// R2: unbiased for every level; its variance explodes at small ε_L.
    Unbiased,
    /// Between the two.
    Ridge {
        /// Weight of the variance.
        penalty: f64,
    },
}

impl PrivateLevel {
    fn level_epsilon(&self) -> Result<Epsilon, Error> {
        self.check()?;
        Ok(Epsilon::new(self.level_share * self.levels.epsilon.nats())?)
    }

    fn encoder(&self, dimensions: usize) -> Result<PrivateLevelEncoder, Error> {
        let budgets = self.levels.budgets()?;
        let spent = self.level_epsilon()?;
        let channel = match self.channel {
            LevelChannelSpec::SquareWave => LevelChannel::square_wave(spent, self.levels.count)?,
            LevelChannelSpec::RandomizedResponse => LevelChannel::randomized_response(spent, self.levels.count)?,
            LevelChannelSpec::Optimal => {
                // What an output is worth, given how often each level gives it: its share times the squared mean signal.
                let shares = self.levels.shares();
                let signal: Vec<f64> = budgets.as_slice().iter().map(|e| (e.nats() / 2.0).tanh()).collect();
                LevelChannel::optimal(spent, self.levels.count, |column| {
                    let share: f64 = column.iter().zip(&shares).map(|(c, s)| c * s).sum();
                    let gain: f64 = column.iter().zip(&shares).zip(&signal).map(|((c, s), t)| c * s * t).sum();
                    if share > 0.0 { gain * gain / share } else { 0.0 }
                })?
            }
        };
        let rule = self.sample_size.rule(dimensions);
        Ok(PrivateLevelEncoder::new(budgets, channel, dimensions, Bounds::UNIT, rule)?)
    }
}

impl Randomize for PrivateLevel {
    fn check(&self) -> Result<(), Error> {
        knob_in("features.mechanism.level_share", self.level_share, 1e-6..=0.999_999)
    }

    fn label(&self) -> String {
        "PPM, sound".to_owned()
    }

    fn epsilon(&self) -> Epsilon {
        self.levels.epsilon
    }

    fn claim(&self, dimensions: usize) -> Result<String, Error> {
        let certificate = self.encoder(dimensions)?.certificate();
        let list = |values: &[f64]| values.iter().map(|v| format!("{v:.4}")).collect::<Vec<_>>().join(", ");
        let most = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
        Ok(format!(
            "level fixed, the features are ε-LDP with ε = {} by level; features fixed and known, the level is {:.4}-LDP \
             (ε_L = {} plus what the bits' reliability leaks); both together {:.4}. {}",
            list(certificate.features()),
            most(certificate.level()),
            self.level_epsilon()?,
            most(certificate.joint()),
            self.levels.words(),
        ))
    }

    fn reported(&self, dimensions: usize) -> Result<usize, Error> {
        Ok(self.encoder(dimensions)?.sampled().iter().max().copied().unwrap_or(0))
    }

    fn collect(&self, users: &Users<'_>) -> Result<Collected, Error> {
        let rows = users.rows;
        let encoder = self.encoder(rows.columns())?;
        let levels = self.levels.draw(users);
        let reports = {
            // Without data every value is the midpoint, at which a bit is a fair coin.
            let empty = (vec![0; users.len() + 1], Vec::new(), Vec::new());
            let (indptr, indices, values, absent) = if users.with_data {
                (rows.indptr(), rows.indices(), rows.values(), 0.0)
            } else {
                (empty.0.as_slice(), empty.1.as_slice(), empty.2.as_slice(), 0.5)
            };
            let sparse = SparseRows::new(rows.columns(), Bounds::UNIT, indptr, indices, values, absent)?;
            encoder.encode_sparse_rows(&levels, &sparse, ldp_core::Users::From(0), |word| users.stream(word))?
        };
        let mut counts = vec![0_u64; encoder.channel().outputs() as usize];
        reports.levels.iter().for_each(|&output| counts[output as usize] += 1);
        let prior = encoder.channel().estimate_population(&counts)?;
        let kind = match self.rectifier {
            LevelRectifierSpec::Reported => LevelRectifier::Reported,
            LevelRectifierSpec::Posterior => LevelRectifier::Posterior,
            LevelRectifierSpec::Unbiased => LevelRectifier::Unbiased,
            LevelRectifierSpec::Ridge { penalty } => LevelRectifier::Ridge { penalty },
        };
        let rectifier = encoder.rectifier(kind, &prior)?;
        let values = encoder.centred_values(&rectifier, &reports)?;
        let bound = values.iter().fold(f64::MIN_POSITIVE, |most, value| most.max(f64::from(value.abs())));
        // One over the precision of R1, in units of ((β−α)/2)² = ¼.
        let variance = reports.levels.iter().map(|&output| (0.25 / rectifier.precision(output)) as f32).collect();
        let nearest =
            reports.levels.iter().map(|&output| encoder.channel().nearest_level(output) as f32 + 1.0).collect();
        Ok(Collected {
            values: Values::Sparse(CsrMatrix::new(rows.columns(), reports.indptr, reports.indices, values)?),
            midpoint: rectifier.midpoint() as f32,
            bound,
            variance,
            reported: encoder.sampled().iter().max().copied().unwrap_or(0),
            levels: Some(nearest),
        })
    }
}
