//! Every knob of one arm of an experiment. No default is hidden: a spec that is read must name each of them.

mod dataset;
mod denoise;
mod features;
mod structure;
mod training;

use serde::{Deserialize, Serialize};

pub use dataset::{DatasetSpec, SyntheticFeatures};
pub use denoise::{DenoiseSpec, FilterSpec, NeighbourWeights, RegularizationSpec, Scale};
pub use features::{Arm, FeatureSpec, LabelSpec};
pub use structure::{AttackSpec, DefenceSpec, Gamma, StructureSpec};
pub use training::{LossSpec, ModelKind, ModelSpec, Selection, TrainingSpec};

use crate::{Error, Hyperparameters};

/// One arm: what is run on which data, with which features and which model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// The graph.
    pub dataset: DatasetSpec,
    /// How nodes are divided.
    pub split: SplitSpec,
    /// What the server gets to see of the features.
    pub features: FeatureSpec,
    /// What the server gets to see of the labels of training and validation nodes.
    pub labels: LabelSpec,
    /// How the server comes to its graph.
    pub structure: StructureSpec,
    /// Who attacks.
    pub attack: AttackSpec,
    /// What the server does with the reports before training.
    pub denoise: DenoiseSpec,
    /// The network.
    pub model: ModelSpec,
    /// How it is trained.
    pub training: TrainingSpec,
}

/// Shares of the nodes; the rest are training nodes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SplitSpec {
    /// Share of validation nodes.
    pub validation: f64,
    /// Share of test nodes.
    pub test: f64,
}

impl Spec {
    /// Whether the two differ in nothing but what the server sees of the features and what was tuned for that: a method
    /// and its null control.
    pub fn is_beside(&self, other: &Self) -> bool {
        self.dataset == other.dataset
            && self.split == other.split
            && self.labels == other.labels
            && self.structure == other.structure
            && self.attack == other.attack
            && self.model.kind == other.model.kind
            && self.model.hidden == other.model.hidden
            && self.model.heads == other.model.heads
            && std::mem::discriminant(&self.training.loss) == std::mem::discriminant(&other.training.loss)
            && self.training.selection == other.training.selection
    }

    /// Whether this is the same control as `wanted`, however tuned: the same kind of features, and for SIM the same
    /// mechanism behind the same weights and threshold.
    pub(crate) fn serves_as(&self, wanted: &Self) -> bool {
        self.is_beside(wanted)
            && self.features.arm() == wanted.features.arm()
            && self.features.mechanism() == wanted.features.mechanism()
            && (self.features.arm() != Arm::Sim || self.denoise.is_like(&wanted.denoise))
    }

    /// The spec with the tuned values for this data set, features and model with true labels; see [`tuned`](Self::tuned).
    ///
    /// # Errors
    /// [`Error::NoHyperparameters`].
    pub fn of(dataset: DatasetSpec, features: FeatureSpec, model: ModelKind) -> Result<Self, Error> {
        let tuned = Hyperparameters::find(dataset.name(), model, features.arm(), false)?;
        Ok(Self::tuned(dataset, features, model, &tuned))
    }

    /// The spec with tuned values, true labels, a public graph, no attack, a split of 50 % training, 25 % validation and
    /// 25 % test nodes, and the epoch of least validation loss kept.
    pub fn tuned(dataset: DatasetSpec, features: FeatureSpec, model: ModelKind, tuned: &Hyperparameters) -> Self {
        Self {
            dataset,
            split: SplitSpec { validation: 0.25, test: 0.25 },
            features,
            labels: LabelSpec::Clean,
            structure: StructureSpec::Public,
            attack: AttackSpec::None,
            denoise: DenoiseSpec {
                weights: tuned.weights,
                filter: FilterSpec::Power,
                steps: tuned.steps,
                regularization: RegularizationSpec::None,
                scale: tuned.scale,
            },
            model: ModelSpec { kind: model, hidden: tuned.hidden, heads: 4, dropout: tuned.dropout },
            training: TrainingSpec {
                learning_rate: tuned.learning_rate,
                weight_decay: tuned.weight_decay,
                epochs: tuned.epochs,
                patience: None,
                loss: LossSpec::CrossEntropy,
                selection: Selection::ValidationLoss,
            },
        }
    }

    /// Checks what the types leave open.
    ///
    /// # Errors
    /// [`Error::Knob`], naming the knob, its value and the permitted range; [`Error::Defence`] for a trust model's;
    /// [`Error::Combination`].
    pub fn check(&self) -> Result<(), Error> {
        knob_in("split.validation", self.split.validation, 0.001..=0.998)?;
        knob_in("split.test", self.split.test, 0.001..=0.998)?;
        knob_in("split.validation + split.test", self.split.validation + self.split.test, 0.002..=0.999)?;
        if let FeatureSpec::FeatureFree { dimensions } = self.features {
            knob_in("features.dimensions", dimensions as f64, 1.0..=1e6)?;
        }
        if let Some(mechanism) = self.features.mechanism() {
            mechanism.of().check()?;
        }
        self.dataset.check()?;
        self.structure.check()?;
        self.attack.check()?;
        self.denoise.check()?;
        self.training.check(&self.model, &self.labels)?;
        if self.denoise.weights.needs_variance() && self.features.mechanism().is_none() {
            let what = "denoise.weights weigh by the noise of reports, but features are not reported";
            return Err(Error::Combination { what });
        }
        Ok(())
    }
}

pub(crate) fn knob_in(knob: &'static str, value: f64, range: std::ops::RangeInclusive<f64>) -> Result<(), Error> {
    if range.contains(&value) {
        return Ok(());
    }
    Err(Error::Knob { knob, value, least: *range.start(), most: *range.end() })
}
