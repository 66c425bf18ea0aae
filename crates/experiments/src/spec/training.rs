//! The network and how it is trained.

use serde::{Deserialize, Serialize};

use super::{LabelSpec, knob_in};
use crate::Error;

/// The network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelSpec {
    /// Architecture.
    pub kind: ModelKind,
    /// Width of the hidden layer; of each head of a GAT.
    pub hidden: usize,
    /// Heads of a GAT's hidden layer; other networks have none.
    pub heads: usize,
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
    /// Most epochs.
    pub epochs: usize,
    /// Training stops after so many epochs without a better one by `selection`; without it all are run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patience: Option<usize>,
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

impl TrainingSpec {
    pub(super) fn check(&self, model: &ModelSpec, labels: &LabelSpec) -> Result<(), Error> {
        knob_in("model.dropout", model.dropout, 0.0..=0.95)?;
        knob_in("model.hidden", model.hidden as f64, 1.0..=65_536.0)?;
        knob_in("model.heads", model.heads as f64, 1.0..=256.0)?;
        if let Some(patience) = self.patience {
            knob_in("training.patience", patience as f64, 1.0..=1e6)?;
        }
        knob_in("training.learning_rate", self.learning_rate, 1e-9..=10.0)?;
        knob_in("training.weight_decay", self.weight_decay, 0.0..=10.0)?;
        knob_in("training.epochs", self.epochs as f64, 1.0..=1e6)?;
        if let LossSpec::Drop { steps } = self.loss {
            knob_in("training.loss.steps", steps as f64, 0.0..=1e4)?;
        }
        if *labels == LabelSpec::Clean && self.loss == LossSpec::ForwardCorrection {
            let what = "training.loss = forward-correction corrects for private labels, but labels are clean";
            return Err(Error::Combination { what });
        }
        Ok(())
    }
}
