//! What training returns.

use crate::training::predictions;
use crate::{DeviceChoice, Epoch, Model};
use graph_denoise::FeatureMatrix;

/// A trained model with its outputs at the kept epoch, and how it got there.
#[derive(Debug, Clone, PartialEq)]
pub struct Trained {
    pub(crate) model: Model,
    pub(crate) logits: FeatureMatrix,
    pub(crate) kept_epoch: usize,
    pub(crate) history: Vec<Epoch>,
    pub(crate) device: DeviceChoice,
}

impl Trained {
    /// The model with the weights of the kept epoch.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Logits of all nodes at the kept epoch, nodes × classes.
    pub fn logits(&self) -> &FeatureMatrix {
        &self.logits
    }

    /// The class with the highest logit of each node; the lowest of equals.
    pub fn predictions(&self) -> Vec<u32> {
        predictions(self.logits.as_slice(), self.logits.columns())
    }

    /// The epoch whose outputs were kept, from 0.
    pub fn kept_epoch(&self) -> usize {
        self.kept_epoch
    }

    /// All epochs that were run.
    pub fn history(&self) -> &[Epoch] {
        &self.history
    }

    /// Where the model was trained; never [`DeviceChoice::Auto`].
    pub fn device(&self) -> DeviceChoice {
        self.device
    }

    /// Number of weights.
    pub fn parameters(&self) -> usize {
        self.model.parameters()
    }
}
