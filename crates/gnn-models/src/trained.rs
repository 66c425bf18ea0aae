//! What training returns.

use crate::parameters::Parameter;
use crate::training::predictions;
use crate::{DeviceChoice, Epoch};
use graph_denoise::FeatureMatrix;

/// A trained model's outputs at the kept epoch, and how it got there.
#[derive(Debug, Clone, PartialEq)]
pub struct Trained {
    logits: FeatureMatrix,
    kept_epoch: usize,
    history: Vec<Epoch>,
    device: DeviceChoice,
    weights: Vec<Parameter>,
}

impl Trained {
    pub(crate) fn new(
        logits: FeatureMatrix,
        kept_epoch: usize,
        history: Vec<Epoch>,
        device: DeviceChoice,
        weights: Vec<Parameter>,
    ) -> Self {
        Self { logits, kept_epoch, history, device, weights }
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
        self.weights.iter().map(|weight| weight.values.len()).sum()
    }
}
