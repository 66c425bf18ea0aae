//! What users can send of their features: one file a mechanism.
//!
//! A new one is a file with a type that implements `Randomize`, its `mod` line, and a line in the list of
//! [`Mechanism`]. Plans, suites, controls, attacks and reports then know it.

mod gaussian;
mod multi_bit;
mod population;
mod priv_unit;
mod private_level;
mod private_level_as_printed;
mod public_level;
mod sampled;
mod sampling;

use chacha20::ChaCha12Rng;
use graph_denoise::{CsrMatrix, FeatureMatrix};
use serde::{Deserialize, Serialize};

pub use gaussian::Gaussian;
pub use multi_bit::MultiBit;
pub use population::{LevelPopulation, Levels};
pub use priv_unit::PrivUnit;
pub use private_level::{LevelChannelSpec, LevelRectifierSpec, PrivateLevel};
pub use private_level_as_printed::PrivateLevelAsPrinted;
pub use public_level::PublicLevel;
pub use sampled::{Sampled, Scalar};
pub use sampling::SampleSize;

use crate::{Epsilon, Error, Seed};

/// What a mechanism does, on the users' side and on the server's.
pub(crate) trait Randomize {
    /// The name in tables, such as `MB`.
    fn label(&self) -> String;

    /// The budget of one user's vector; of the lowest level where users have levels.
    fn epsilon(&self) -> Epsilon;

    /// Checks the knobs that their types leave open, before there are data.
    ///
    /// # Errors
    /// [`Error::Knob`].
    fn check(&self) -> Result<(), Error> {
        Ok(())
    }

    /// What one report protects and what not, in words with numbers.
    ///
    /// # Errors
    /// Those of the mechanism's constructor.
    fn claim(&self, dimensions: usize) -> Result<String, Error>;

    /// Dimensions that one report speaks of at most.
    ///
    /// # Errors
    /// Those of the mechanism's constructor.
    fn reported(&self, dimensions: usize) -> Result<usize, Error>;

    /// Every user randomizes; the server rectifies.
    ///
    /// # Errors
    /// Those of the mechanism.
    fn collect(&self, users: &Users<'_>) -> Result<Collected, Error>;
}

macro_rules! mechanisms {
    ($($(#[doc = $text:literal])* $variant:ident,)*) => {
        /// What users can send of their features.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "kind", rename_all = "kebab-case")]
        pub enum Mechanism {
            $($(#[doc = $text])* $variant($variant),)*
        }

        impl Mechanism {
            pub(crate) fn of(&self) -> &dyn Randomize {
                match self {
                    $(Self::$variant(mechanism) => mechanism,)*
                }
            }
        }

        $(impl From<$variant> for Mechanism {
            fn from(mechanism: $variant) -> Self {
                Self::$variant(mechanism)
            }
        })*
    };
}

mechanisms! {
    /// LPGNN's multi-bit mechanism; UPGNET's MBM, PPGNN's MLR with one-bit reports.
    MultiBit,
    /// m of d dimensions, each through a mechanism for one number: 1B, LP, PM, HM, SW.
    Sampled,
    /// Gaussian noise on the whole row, analytically calibrated, for rows with any or with few values: AG.
    Gaussian,
    /// PrivUnit on the direction of the row.
    PrivUnit,
    /// Users pick a budget openly: LPGNN with the budgets of PPGNN's users.
    PublicLevel,
    /// PPGNN made sound: the level is reported through a channel with a budget of its own.
    PrivateLevel,
    /// PPGNN's mechanism as printed. It reveals the level.
    PrivateLevelAsPrinted,
}

impl Mechanism {
    /// The name in tables.
    pub fn label(&self) -> String {
        self.of().label()
    }

    /// The budget of one user's vector; of the lowest level where users have levels.
    pub fn epsilon(&self) -> Epsilon {
        self.of().epsilon()
    }

    /// What one report protects and what not, in words with numbers, for rows of `dimensions` values.
    ///
    /// # Errors
    /// [`Error::Privacy`]: parameters that the mechanism refuses.
    pub fn claim(&self, dimensions: usize) -> Result<String, Error> {
        self.of().claim(dimensions)
    }
}

/// The users of one run, as the simulation sees them.
pub(crate) struct Users<'a> {
    /// Their rows; values in [0, 1] by the data set's public range, absent ones 0.
    pub(crate) rows: &'a CsrMatrix,
    /// Whether the reports are of these rows, or of a value that is the same for everybody (SIM).
    pub(crate) with_data: bool,
    /// Where the stage's randomness comes from.
    pub(crate) stage: Seed,
}

impl Users<'_> {
    /// Number of users.
    pub(crate) fn len(&self) -> usize {
        self.rows.rows()
    }

    /// Writes one user's dense row; where there are to be no data in it, `constant` everywhere.
    pub(crate) fn fill(&self, user: usize, constant: f64, row: &mut [f64]) {
        if !self.with_data {
            return row.fill(constant);
        }
        row.fill(0.0);
        let (columns, values) = self.rows.row(user);
        for (&column, &value) in columns.iter().zip(values) {
            row[column as usize] = f64::from(value);
        }
    }

    /// One user's generator.
    pub(crate) fn rng(&self, user: usize) -> ChaCha12Rng {
        self.stage.numbered(user as u64).rng()
    }

    /// The stage's generator from its 32-bit word number `word` on.
    pub(crate) fn stream(&self, word: u128) -> ChaCha12Rng {
        let mut rng = self.stage.rng();
        rng.set_word_pos(word);
        rng
    }
}

/// Rectified reports, less the constant that all of them contain.
pub(crate) struct Collected {
    /// Estimates minus `midpoint`, one row a user.
    pub(crate) values: Values,
    /// What an estimate is where nothing was reported.
    pub(crate) midpoint: f32,
    /// B: the largest that an estimate minus the midpoint is when bits are reported; the scale of the noise elsewhere.
    pub(crate) bound: f64,
    /// Variance of one estimate of each user at the middle of the range, as the server knows it.
    pub(crate) variance: Vec<f32>,
    /// Dimensions that a user reported, the most over all users.
    pub(crate) reported: usize,
    /// τ′ of each user, from 1, where there are levels.
    pub(crate) levels: Option<Vec<f32>>,
}

/// Reported values.
pub(crate) enum Values {
    /// m of d.
    Sparse(CsrMatrix),
    /// All d.
    Dense(FeatureMatrix),
}

impl Collected {
    /// Puts reports past the randomizer in the place of some users': their `entries` at the highest or lowest output. On
    /// dense reports nothing changes: there an attacker's report is one of a row that it chose.
    ///
    /// # Errors
    /// [`Error::Graph`] never for indices below the number of columns.
    pub(crate) fn overwrite(&mut self, first: usize, entries: &[Option<Vec<(u32, bool)>>]) -> Result<(), Error> {
        let Values::Sparse(matrix) = &self.values else { return Ok(()) };
        let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for user in 0..matrix.rows() {
            match user.checked_sub(first).and_then(|fake| entries.get(fake)) {
                Some(Some(report)) => {
                    indices.extend(report.iter().map(|&(index, _)| index));
                    let extreme = self.bound as f32;
                    values.extend(report.iter().map(|&(_, high)| if high { extreme } else { -extreme }));
                }
                _ => {
                    indices.extend_from_slice(matrix.row(user).0);
                    values.extend_from_slice(matrix.row(user).1);
                }
            }
            indptr.push(indices.len());
        }
        self.values = Values::Sparse(CsrMatrix::new(matrix.columns(), indptr, indices, values)?);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use graph_denoise::CsrMatrix;

    use super::{
        Collected, Gaussian, LevelChannelSpec, LevelPopulation, LevelRectifierSpec, Levels, Mechanism, MultiBit,
        PrivUnit, PrivateLevel, PrivateLevelAsPrinted, PublicLevel, SampleSize, Sampled, Scalar, Users, Values,
    };
    use crate::{Epsilon, Seed};

    const USERS: usize = 20_000;
    const ROW: [f32; 4] = [1.0, 0.0, 0.25, 0.5];

    fn epsilon() -> Epsilon {
        "2".parse().expect("a budget")
    }

    fn every_mechanism() -> Vec<Mechanism> {
        let (epsilon, sample_size) = (epsilon(), SampleSize::Optimal);
        let levels = Levels { epsilon, count: 3, population: LevelPopulation::Uniform };
        let scalars = [Scalar::OneBit, Scalar::Laplace, Scalar::Piecewise, Scalar::Hybrid, Scalar::SquareWave];
        let mut all: Vec<Mechanism> =
            scalars.iter().map(|&scalar| Sampled { scalar, epsilon, sample_size }.into()).collect();
        let private = |channel, rectifier| {
            let levels = levels.clone();
            Mechanism::from(PrivateLevel { levels, level_share: 0.5, channel, rectifier, sample_size })
        };
        all.extend([
            MultiBit { epsilon, sample_size }.into(),
            MultiBit { epsilon, sample_size: SampleSize::All }.into(),
            Gaussian { epsilon, delta: ldp_core::Delta::new(1e-6).expect("a delta"), clip: None }.into(),
            Gaussian { epsilon, delta: ldp_core::Delta::new(1e-6).expect("a delta"), clip: Some(3) }.into(),
            PublicLevel { levels: levels.clone(), sample_size }.into(),
            PrivateLevelAsPrinted { levels: levels.clone(), gamma: 0.5 }.into(),
            private(LevelChannelSpec::SquareWave, LevelRectifierSpec::Posterior),
            private(LevelChannelSpec::RandomizedResponse, LevelRectifierSpec::Unbiased),
            private(LevelChannelSpec::Optimal, LevelRectifierSpec::Posterior),
            PrivUnit { epsilon }.into(),
        ]);
        all
    }

    fn collect(mechanism: &Mechanism, row: [f32; 4], with_data: bool) -> Collected {
        let present: Vec<(u32, f32)> = (0..4).zip(row).filter(|e| e.1 != 0.0).collect();
        let rows = CsrMatrix::new(
            4,
            (0..=USERS).map(|user| user * present.len()).collect(),
            present.iter().map(|e| e.0).cycle().take(USERS * present.len()).collect(),
            present.iter().map(|e| e.1).cycle().take(USERS * present.len()).collect(),
        );
        let users = Users { rows: &rows.expect("rows"), with_data, stage: Seed::root(7).child("reports") };
        mechanism.of().collect(&users).expect("reports")
    }

    fn dense(collected: &Collected) -> Vec<[f64; 4]> {
        let middle = f64::from(collected.midpoint);
        let mut rows = vec![[middle; 4]; USERS];
        for (user, row) in rows.iter_mut().enumerate() {
            match &collected.values {
                Values::Sparse(matrix) => {
                    let (columns, values) = matrix.row(user);
                    columns.iter().zip(values).for_each(|(&at, &value)| row[at as usize] += f64::from(value));
                }
                Values::Dense(matrix) => row.iter_mut().zip(matrix.row(user)).for_each(|(x, &v)| *x += f64::from(v)),
            }
        }
        rows
    }

    /// 20,000 users with one row, seed 7; 5.3 standard errors: a right mechanism fails once in 10⁷ comparisons. At ε = 2
    /// this sees a bias of 0.1 in the noisiest.
    #[test]
    fn means_of_reports_are_the_truth_and_the_variance_is_as_stated() {
        for mechanism in every_mechanism() {
            let collected = collect(&mechanism, ROW, true);
            let rows = dense(&collected);
            let mut truth = ROW.map(f64::from);
            if matches!(mechanism, Mechanism::PrivUnit(_)) {
                let norm = truth.iter().map(|x| x * x).sum::<f64>().sqrt();
                truth = truth.map(|x| x / norm);
            }
            for at in 0..4 {
                let mean = rows.iter().map(|row| row[at]).sum::<f64>() / USERS as f64;
                let spread = rows.iter().map(|row| (row[at] - mean).powi(2)).sum::<f64>() / USERS as f64;
                let error = (spread / USERS as f64).sqrt();
                assert!(
                    (mean - truth[at]).abs() < 5.3 * error,
                    "{mechanism:?} {at}: {mean} of {} ± {error}",
                    truth[at]
                );
            }
            // Column 3 lies in the middle of the range, where the variance is stated; over users of all levels.
            let mean = rows.iter().map(|row| row[3]).sum::<f64>() / USERS as f64;
            let spread = rows.iter().map(|row| (row[3] - mean).powi(2)).sum::<f64>() / USERS as f64;
            let stated = collected.variance.iter().map(|&v| f64::from(v)).sum::<f64>() / USERS as f64;
            let has_levels = matches!(mechanism, Mechanism::PrivateLevel(_) | Mechanism::PrivateLevelAsPrinted(_));
            let tolerance = if has_levels { 3.0 } else { 1.15 };
            let ratio = spread / stated;
            assert!((1.0 / tolerance..tolerance).contains(&ratio), "{mechanism:?}: variance {spread}, stated {stated}");
        }
    }

    /// With the same seed and no data the reports of any two populations are the same to the bit.
    #[test]
    fn without_data_no_mechanism_sees_any() {
        for mechanism in every_mechanism() {
            let one = dense(&collect(&mechanism, ROW, false));
            let other = dense(&collect(&mechanism, [0.0, 1.0, 1.0, 0.0], false));
            assert!(one == other, "{mechanism:?}");
            let seen = dense(&collect(&mechanism, ROW, true));
            let otherwise = dense(&collect(&mechanism, [0.0, 1.0, 1.0, 0.0], true));
            assert!(seen != otherwise, "{mechanism:?}");
        }
    }

    /// With as many dimensions reported as there are.
    #[test]
    fn two_of_two_dimensions() {
        let rows = CsrMatrix::new(2, vec![0, 1, 2], vec![0, 1], vec![1.0, 0.5]).expect("rows");
        for with_data in [true, false] {
            let users = Users { rows: &rows, with_data, stage: Seed::root(1) };
            let all = MultiBit { epsilon: "8".parse().expect("a budget"), sample_size: SampleSize::Optimal };
            let collected = Mechanism::from(all).of().collect(&users).expect("reports");
            let Values::Sparse(matrix) = &collected.values else { panic!("dense") };
            assert_eq!((matrix.row(0).0, matrix.row(1).0), (&[0, 1][..], &[0, 1][..]));
        }
    }

    #[test]
    fn claims_have_numbers() {
        for mechanism in every_mechanism() {
            let claim = mechanism.claim(1433).expect("a claim");
            assert!(claim.contains("LDP") && claim.contains('2'), "{claim}");
        }
    }

    #[test]
    fn a_report_past_the_randomizer_is_at_the_extremes() {
        let mechanism: Mechanism = MultiBit { epsilon: epsilon(), sample_size: SampleSize::Optimal }.into();
        let mut collected = collect(&mechanism, ROW, true);
        let before = dense(&collected);
        collected.overwrite(USERS - 2, &[None, Some(vec![(1, true), (3, false)])]).expect("indices in range");
        let after = dense(&collected);
        assert_eq!(before[..USERS - 1], after[..USERS - 1]);
        let bound = collected.bound;
        for (value, expected) in after[USERS - 1].iter().zip([0.0, bound, 0.0, -bound]) {
            assert!((value - 0.5 - expected).abs() < 1e-5);
        }
    }
}
