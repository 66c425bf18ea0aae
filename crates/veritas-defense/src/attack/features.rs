//! What fakes report as features: S_x of [VERITAS, Alg. 1].

use graph_denoise::CsrMatrix;
use rand::{Rng, RngExt};

use super::Knowledge;
use super::targets::distinct;
use crate::Error;

/// Strategy for the features of fakes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum FakeFeatures {
    /// No feature reports are made.
    None,
    /// All fakes report the same m features, all at the mechanism's highest output: the largest shift that reports
    /// inside the wire format can cause.
    Extreme,
    /// Random features at random extremes.
    Random,
    /// The mean profile of the fake's victims, which an honest randomizer then reports. Needs visible profiles.
    VictimsMean,
}

/// The features of one fake.
#[derive(Debug, Clone, PartialEq)]
pub enum FakeProfile {
    /// A finished report, past the randomizer: features, ascending, each at the mechanism's highest (`true`) or lowest
    /// output.
    Report(Vec<(u32, bool)>),
    /// A value that the fake runs through the randomizer: features with their value, ascending, zeros left out.
    Value(Vec<(u32, f32)>),
}

impl FakeFeatures {
    pub(super) fn make<R: Rng + ?Sized>(
        self,
        victims: &[Vec<u32>],
        knowledge: &Knowledge<'_>,
        rng: &mut R,
    ) -> Result<Vec<FakeProfile>, Error> {
        let protocol = || {
            let protocol = knowledge.features;
            let protocol = protocol.ok_or(Error::Needs { who: "a feature attack", what: "the feature protocol" })?;
            let (most, reported) = (f64::from(protocol.dimensions), f64::from(protocol.reported));
            Error::in_range("the number of reported features", reported, 1.0, most)?;
            Ok::<_, Error>((protocol.reported as usize, protocol.dimensions as usize))
        };
        match self {
            Self::None => Ok(Vec::new()),
            Self::Extreme => {
                let (reported, dimensions) = protocol()?;
                let report: Vec<_> =
                    distinct(reported, dimensions, rng).into_iter().map(|index| (index, true)).collect();
                Ok(vec![FakeProfile::Report(report); victims.len()])
            }
            Self::Random => {
                let (reported, dimensions) = protocol()?;
                let mut report =
                    || distinct(reported, dimensions, rng).into_iter().map(|i| (i, rng.random())).collect();
                Ok(victims.iter().map(|_| FakeProfile::Report(report())).collect())
            }
            Self::VictimsMean => {
                let what = "visible profiles";
                let profiles = knowledge.profiles.ok_or(Error::Needs { who: "mimicking the victims", what })?;
                if profiles.rows() != knowledge.honest {
                    let (expected, found) = (knowledge.honest, profiles.rows());
                    return Err(Error::Size { what: "profiles, one an honest user", expected, found });
                }
                Ok(victims.iter().map(|own| FakeProfile::Value(mean_row(own, profiles))).collect())
            }
        }
    }
}

fn mean_row(rows: &[u32], profiles: &CsrMatrix) -> Vec<(u32, f32)> {
    let mut sum = std::collections::BTreeMap::new();
    for &row in rows {
        let (columns, values) = profiles.row(row as usize);
        for (&column, &value) in columns.iter().zip(values) {
            *sum.entry(column).or_insert(0.0) += value / rows.len() as f32;
        }
    }
    sum.into_iter().filter(|&(_, value)| value != 0.0).collect()
}
