//! Every knob of one arm of an experiment. No default is hidden: a spec that is read must name each of them.

use ldp_core::Epsilon;
use serde::{Deserialize, Serialize};

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
    /// What the server does with it before training.
    pub propagation: PropagationSpec,
    /// The network.
    pub model: ModelSpec,
    /// How it is trained.
    pub training: TrainingSpec,
}

/// Where the graph comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum DatasetSpec {
    /// A published data set by its name in `data/datasets.toml`.
    Published {
        /// The name.
        name: String,
    },
    /// A generated graph: degree-corrected block model with class-dependent sparse binary features.
    Synthetic {
        /// Which graph of the family; part of the data, not of the experiment's seed.
        seed: u64,
        /// Number of nodes.
        nodes: usize,
        /// Number of classes, all of one size.
        classes: usize,
        /// Number of feature columns.
        dimensions: usize,
        /// Mean number of neighbours.
        mean_degree: f64,
        /// Exponent of the power law of the degrees, above 2.
        degree_exponent: f64,
        /// Expected share of edges inside a class.
        homophily: f64,
        /// Expected share of ones in a row.
        density: f64,
        /// 0: features say nothing of the class; 1: each class has its own columns.
        feature_signal: f64,
    },
}

impl DatasetSpec {
    /// The graph that runs where no data set is at hand: six features that say much of the class, so that even one noisy
    /// bit about one of them carries some of it, and a graph of middling homophily.
    pub fn default_synthetic() -> Self {
        Self::Synthetic {
            seed: 1,
            nodes: 1500,
            classes: 3,
            dimensions: 6,
            mean_degree: 6.0,
            degree_exponent: 3.0,
            homophily: 0.45,
            density: 0.34,
            feature_signal: 1.0,
        }
    }

    /// The name in tables.
    pub fn name(&self) -> &str {
        match self {
            Self::Published { name } => name,
            Self::Synthetic { .. } => "synthetic",
        }
    }
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

/// What the server gets to see of the features.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum FeatureSpec {
    /// NonPriv: the true features. No privacy.
    Clean,
    /// LPGNN's multi-bit mechanism: each user's whole feature vector is ε-LDP.
    MultiBit {
        /// Budget for one user's whole vector.
        epsilon: Epsilon,
        /// How many dimensions a user reports.
        sample_size: SampleSize,
    },
    /// SIM, a null control: reports of the same support and scale with no data in them.
    Sim {
        /// The budget whose report shape is imitated.
        epsilon: Epsilon,
        /// How many dimensions a report has.
        sample_size: SampleSize,
    },
    /// FeatFree, a null control: independent standard normal features.
    FeatureFree {
        /// Number of columns.
        dimensions: usize,
    },
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

/// The kinds of [`FeatureSpec`], as tables and hyper-parameters name them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Arm {
    /// True features.
    Clean,
    /// LPGNN.
    MultiBit,
    /// Same shape, no data.
    Sim,
    /// No features.
    FeatureFree,
}

impl Arm {
    /// The name that tables print.
    pub fn label(self) -> &'static str {
        match self {
            Self::Clean => "NonPriv",
            Self::MultiBit => "LPGNN",
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
            Self::MultiBit { .. } => Arm::MultiBit,
            Self::Sim { .. } => Arm::Sim,
            Self::FeatureFree { .. } => Arm::FeatureFree,
        }
    }

    /// The budget, where there is one.
    pub fn epsilon(&self) -> Option<Epsilon> {
        match self {
            Self::MultiBit { epsilon, .. } | Self::Sim { epsilon, .. } => Some(*epsilon),
            Self::Clean | Self::FeatureFree { .. } => None,
        }
    }
}

/// How many dimensions a user reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SampleSize {
    /// The integer with the least variance.
    Optimal,
    /// LPGNN's rule ⌊ε/2.18⌋, up to 32 % more variance between the switches.
    FloorRule,
}

/// K-step propagation and what scale its result has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PropagationSpec {
    /// How the adjacency is normalised; no self-loops are added.
    pub normalization: Normalization,
    /// K, the number of steps; 0 leaves features as they are.
    pub steps: usize,
    /// What is done about the scale of rectified reports.
    pub scale: Scale,
}

/// How the adjacency is normalised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Normalization {
    /// D^(−1/2) A D^(−1/2), LPGNN's choice.
    Symmetric,
    /// D^(−1) A, the mean of the neighbours.
    Row,
}

/// The scale of features before training.
///
/// Rectified reports have entries of (d/m)·coth(ε/2m)·(β−α)/2, up to 10⁵: how well training goes then depends on ε through
/// the scale alone, with no data involved.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// As rectified and propagated: what LPGNN trains on.
    AsPrinted,
    /// Reports as signs in {−1, 0, 1}: rectified, less the midpoint, divided by the magnitude; then propagated.
    Signs,
    /// Signs, propagated, then divided by the root mean square of the whole matrix. The default for private features.
    UnitRms,
}

/// The network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelSpec {
    /// Architecture.
    pub kind: ModelKind,
    /// Width of the hidden layer.
    pub hidden: usize,
    /// Share of hidden units dropped in training.
    pub dropout: f64,
}

/// Architecture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ModelKind {
    /// Two graph-convolution layers.
    Gcn,
    /// Two GraphSAGE layers with the mean of the neighbours.
    Sage,
    /// Two graph-attention layers, four heads in the first.
    Gat,
    /// A multilayer perceptron: no graph but what propagation put into the features.
    Mlp,
}

impl ModelKind {
    /// The name that tables print.
    pub fn label(self) -> &'static str {
        match self {
            Self::Gcn => "GCN",
            Self::Sage => "SAGE",
            Self::Gat => "GAT",
            Self::Mlp => "MLP",
        }
    }
}

/// Full-batch training with Adam.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainingSpec {
    /// Adam's step size.
    pub learning_rate: f64,
    /// L2 penalty, added to the gradient.
    pub weight_decay: f64,
    /// Number of epochs.
    pub epochs: usize,
    /// What is minimised.
    pub loss: LossSpec,
    /// Which epoch's model is kept.
    pub selection: Selection,
}

/// What is minimised.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum LossSpec {
    /// Cross-entropy with the labels as the server holds them.
    CrossEntropy,
    /// Cross-entropy after the predictions went through the randomized response of the labels.
    ForwardCorrection,
    /// LPGNN's label denoising with propagation: forward correction, and predictions and labels propagated.
    Drop {
        /// K_y, steps of label propagation.
        steps: usize,
    },
}

/// Which epoch's model is kept. Each rule reads validation labels as the server holds them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Selection {
    /// The epoch with the least validation loss.
    ValidationLoss,
    /// The epoch with the greatest validation accuracy.
    ValidationAccuracy,
    /// The rule of LPGNN's reference implementation: validation loss, validation accuracy and training accuracy must all
    /// improve, and neither accuracy may exceed what labels with this noise permit.
    LpgnnTriple,
    /// The last epoch; looks at no validation label.
    Last,
}

impl Spec {
    /// Whether the two differ in nothing but what the server sees of the features and what was tuned for that: a method
    /// and its null control.
    pub fn is_beside(&self, other: &Self) -> bool {
        self.dataset == other.dataset
            && self.split == other.split
            && self.labels == other.labels
            && self.model.kind == other.model.kind
            && self.model.hidden == other.model.hidden
            && std::mem::discriminant(&self.training.loss) == std::mem::discriminant(&other.training.loss)
            && self.training.selection == other.training.selection
    }

    /// Whether this is the same control as `wanted`, however tuned: the same kind of features at the same ε.
    pub(crate) fn serves_as(&self, wanted: &Self) -> bool {
        self.is_beside(wanted)
            && self.features.arm() == wanted.features.arm()
            && self.features.epsilon() == wanted.features.epsilon()
    }

    /// The spec with tuned values, true labels, a split of 50 % training, 25 % validation and 25 % test nodes, and the epoch of least
    /// validation loss kept.
    pub fn tuned(dataset: DatasetSpec, features: FeatureSpec, model: ModelKind, tuned: &Hyperparameters) -> Self {
        Self {
            dataset,
            split: SplitSpec { validation: 0.25, test: 0.25 },
            features,
            labels: LabelSpec::Clean,
            propagation: PropagationSpec { normalization: tuned.normalization, steps: tuned.steps, scale: tuned.scale },
            model: ModelSpec { kind: model, hidden: tuned.hidden, dropout: tuned.dropout },
            training: TrainingSpec {
                learning_rate: tuned.learning_rate,
                weight_decay: tuned.weight_decay,
                epochs: tuned.epochs,
                loss: LossSpec::CrossEntropy,
                selection: Selection::ValidationLoss,
            },
        }
    }

    /// Checks what the types leave open.
    ///
    /// # Errors
    /// [`Error::Knob`], naming the knob, its value and the permitted range; [`Error::Combination`].
    pub fn check(&self) -> Result<(), Error> {
        let share = |knob, value: f64, range: std::ops::RangeInclusive<f64>| knob_in(knob, value, range);
        share("split.validation", self.split.validation, 0.001..=0.998)?;
        share("split.test", self.split.test, 0.001..=0.998)?;
        share("split.validation + split.test", self.split.validation + self.split.test, 0.002..=0.999)?;
        share("model.dropout", self.model.dropout, 0.0..=0.95)?;
        share("model.hidden", self.model.hidden as f64, 1.0..=65536.0)?;
        share("training.learning_rate", self.training.learning_rate, 1e-9..=10.0)?;
        share("training.weight_decay", self.training.weight_decay, 0.0..=10.0)?;
        share("training.epochs", self.training.epochs as f64, 1.0..=1e6)?;
        share("propagation.steps", self.propagation.steps as f64, 0.0..=1e4)?;
        if let LossSpec::Drop { steps } = self.training.loss {
            share("training.loss.steps", steps as f64, 0.0..=1e4)?;
        }
        if self.labels == LabelSpec::Clean && self.training.loss == LossSpec::ForwardCorrection {
            let what = "training.loss = forward-correction corrects for private labels, but labels are clean";
            return Err(Error::Combination { what });
        }
        if let FeatureSpec::FeatureFree { dimensions } = self.features {
            share("features.dimensions", dimensions as f64, 1.0..=1e6)?;
        }
        if let DatasetSpec::Synthetic {
            nodes,
            classes,
            dimensions,
            mean_degree,
            degree_exponent,
            homophily,
            density,
            feature_signal,
            ..
        } = self.dataset
        {
            share("dataset.nodes", nodes as f64, 4.0..=1e6)?;
            share("dataset.classes", classes as f64, 2.0..=nodes as f64 / 2.0)?;
            share("dataset.dimensions", dimensions as f64, 1.0..=1e6)?;
            share("dataset.mean_degree", mean_degree, 0.0..=nodes as f64 / 2.0)?;
            share("dataset.degree_exponent", degree_exponent, 2.01..=1e3)?;
            share("dataset.homophily", homophily, 0.0..=1.0)?;
            share("dataset.density", density, 0.0..=1.0)?;
            share("dataset.feature_signal", feature_signal, 0.0..=1.0)?;
        }
        Ok(())
    }
}

fn knob_in(knob: &'static str, value: f64, range: std::ops::RangeInclusive<f64>) -> Result<(), Error> {
    if range.contains(&value) {
        return Ok(());
    }
    Err(Error::Knob { knob, value, least: *range.start(), most: *range.end() })
}
