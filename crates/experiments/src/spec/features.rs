//! What the server gets to see of features and labels.

use serde::{Deserialize, Serialize};

use crate::Epsilon;
use crate::mechanism::Mechanism;

/// What the server gets to see of the features.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum FeatureSpec {
    /// NonPriv: the true features. No privacy.
    Clean,
    /// Each user's vector through a randomizer.
    Private {
        /// Which, with its budget.
        mechanism: Mechanism,
    },
    /// SIM, a null control: reports of the same shape and scale as the mechanism's with no data in them, made by running
    /// it on one value that is the same for everybody.
    Sim {
        /// The mechanism that is imitated.
        mechanism: Mechanism,
    },
    /// FeatFree, a null control: independent standard normal features.
    FeatureFree {
        /// Number of columns.
        dimensions: usize,
    },
}

/// The kinds of [`FeatureSpec`], as tables and hyper-parameters name them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Arm {
    /// True features.
    Clean,
    /// Reports.
    Private,
    /// Same shape, no data.
    Sim,
    /// No features.
    FeatureFree,
}

impl Arm {
    /// The name that tables print for a control, and for a private arm that nobody named.
    pub fn label(self) -> &'static str {
        match self {
            Self::Clean => "NonPriv",
            Self::Private => "private",
            Self::Sim => "SIM",
            Self::FeatureFree => "FeatFree",
        }
    }
}

impl FeatureSpec {
    /// Which kind this is.
    pub fn arm(&self) -> Arm {
        match self {
            Self::Clean => Arm::Clean,
            Self::Private { .. } => Arm::Private,
            Self::Sim { .. } => Arm::Sim,
            Self::FeatureFree { .. } => Arm::FeatureFree,
        }
    }

    /// Whether the data set must have features.
    pub fn needs_rows(&self) -> bool {
        !matches!(self, Self::FeatureFree { .. })
    }

    /// The mechanism that runs, or that is imitated.
    pub fn mechanism(&self) -> Option<&Mechanism> {
        match self {
            Self::Private { mechanism } | Self::Sim { mechanism } => Some(mechanism),
            Self::Clean | Self::FeatureFree { .. } => None,
        }
    }

    /// The budget of the mechanism; of the lowest level where users have levels.
    pub fn epsilon(&self) -> Option<Epsilon> {
        self.mechanism().map(Mechanism::epsilon)
    }
}

/// What the server gets to see of the labels of training and validation nodes. Test labels never leave the experimenter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum LabelSpec {
    /// The true labels. No privacy.
    Clean,
    /// k-ary randomized response: one user's label is ε-LDP, on top of what the features spend.
    RandomizedResponse {
        /// Budget for one user's label.
        epsilon: Epsilon,
    },
}

impl LabelSpec {
    /// The budget, where there is one.
    pub fn epsilon(&self) -> Option<Epsilon> {
        match self {
            Self::Clean => None,
            Self::RandomizedResponse { epsilon } => Some(*epsilon),
        }
    }
}
