//! How a model is trained.

use crate::{EpochSelection, Error, Loss};
use serde::{Deserialize, Serialize};

/// How a model is trained: full batch, Adam (β₁ = 0.9, β₂ = 0.999, ε = 10⁻⁸) with L2 weight decay added to the gradient,
/// as PyTorch's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainConfig {
    /// Adam's step size.
    pub learning_rate: f64,
    /// Factor of the L2 term.
    pub weight_decay: f64,
    /// Most epochs.
    pub epochs: usize,
    /// Stop after so many epochs without a new kept epoch; `None` runs all.
    pub patience: Option<usize>,
    /// Which epoch's outputs are kept.
    pub selection: EpochSelection,
    /// What is minimised.
    pub loss: Loss,
    /// Accept classes that no training node carries instead of refusing to train.
    pub allow_unseen_classes: bool,
}

impl Default for TrainConfig {
    /// Learning rate 0.01, weight decay 0.001, 500 epochs without early stopping, best validation loss,
    /// cross-entropy.
    fn default() -> Self {
        Self {
            learning_rate: 0.01,
            weight_decay: 0.001,
            epochs: 500,
            patience: None,
            selection: EpochSelection::BestValidationLoss,
            loss: Loss::CrossEntropy,
            allow_unseen_classes: false,
        }
    }
}

impl TrainConfig {
    /// # Errors
    /// [`Error::Setting`].
    pub(crate) fn check(&self) -> Result<(), Error> {
        let setting = |what, value, bound, good: bool| {
            if good { Ok(()) } else { Err(Error::Setting { what, value, bound }) }
        };
        let rate = self.learning_rate;
        setting("learning rate", rate, "finite and above 0", rate.is_finite() && rate > 0.0)?;
        let decay = self.weight_decay;
        setting("weight decay", decay, "finite and not below 0", decay.is_finite() && decay >= 0.0)?;
        setting("number of epochs", self.epochs as f64, "at least 1", self.epochs > 0)?;
        setting("patience", 0.0, "at least 1", self.patience != Some(0))
    }
}
