//! How a model is trained.

use crate::{EpochSelection, Error, Loss};
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// How a model is trained: full batch, Adam (β₁ = 0.9, β₂ = 0.999, ε = 10⁻⁸) with L2 weight decay added to the gradient,
/// as PyTorch's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TrainConfig {
    /// Adam's step size.
    pub learning_rate: f64,
    /// How the step size changes from epoch to epoch.
    pub schedule: Schedule,
    /// Factor of the L2 term.
    pub weight_decay: f64,
    /// Which parameters the L2 term covers.
    pub decay: DecayScope,
    /// Where the joint length of all gradients exceeds this they are scaled down to it.
    pub clip: Option<f64>,
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

/// How the step size changes from epoch to epoch.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Schedule {
    /// Not at all.
    #[default]
    Constant,
    /// Multiplied by `factor` after each `every` epochs.
    Step {
        /// Epochs between two changes.
        every: usize,
        /// The factor, in (0, 1].
        factor: f64,
    },
    /// Along half a cosine from the learning rate to 0 after the last epoch.
    Cosine,
    /// In equal steps up to the learning rate over `warmup` epochs, constant from there.
    Warmup {
        /// Epochs until the full step size.
        warmup: usize,
    },
}

/// Which parameters the L2 term covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecayScope {
    /// All, as an optimizer with one parameter group.
    #[default]
    All,
    /// All but biases and the factors of a normalisation.
    Weights,
    /// The first layer's weights alone, as Kipf and Welling.
    FirstLayer,
}

impl Schedule {
    /// What the learning rate is multiplied by in an epoch.
    pub(crate) fn factor(self, epoch: usize, epochs: usize) -> f64 {
        match self {
            Self::Constant => 1.0,
            Self::Step { every, factor } => factor.powf((epoch / every) as f64),
            Self::Cosine => 0.5 * (1.0 + (PI * epoch as f64 / epochs as f64).cos()),
            Self::Warmup { warmup } => ((epoch + 1) as f64 / warmup as f64).min(1.0),
        }
    }
}

impl Default for TrainConfig {
    /// Learning rate 0.01, weight decay 0.001 on all parameters, 500 epochs without early stopping, best validation
    /// loss, cross-entropy.
    fn default() -> Self {
        Self {
            learning_rate: 0.01,
            schedule: Schedule::Constant,
            weight_decay: 0.001,
            decay: DecayScope::All,
            clip: None,
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
    pub(crate) fn check(&self, classes: usize) -> Result<(), Error> {
        let setting = |what, value, bound, good: bool| {
            if good { Ok(()) } else { Err(Error::Setting { what, value, bound }) }
        };
        let rate = self.learning_rate;
        setting("learning rate", rate, "finite and above 0", rate.is_finite() && rate > 0.0)?;
        let decay = self.weight_decay;
        setting("weight decay", decay, "finite and not below 0", decay.is_finite() && decay >= 0.0)?;
        let clip = self.clip.unwrap_or(1.0);
        setting("largest gradient length", clip, "finite and above 0", clip.is_finite() && clip > 0.0)?;
        setting("number of epochs", self.epochs as f64, "at least 1", self.epochs > 0)?;
        setting("patience", 0.0, "at least 1", self.patience != Some(0))?;
        match self.schedule {
            Schedule::Step { every, factor } => {
                setting("epochs between changes of the learning rate", 0.0, "at least 1", every > 0)?;
                setting("factor of the learning rate", factor, "in (0, 1]", factor > 0.0 && factor <= 1.0)?;
            }
            Schedule::Warmup { warmup } => setting("epochs of warm-up", 0.0, "at least 1", warmup > 0)?,
            Schedule::Constant | Schedule::Cosine => {}
        }
        self.selection.check(classes)?;
        self.loss.noise().map_or(Ok(()), |noise| noise.check(classes))
    }
}

#[cfg(test)]
mod tests {
    use super::Schedule;

    #[test]
    fn factors_by_hand() {
        let of = |schedule: Schedule, epochs: [usize; 4]| epochs.map(|epoch| schedule.factor(epoch, 40));
        let near = |found: [f64; 4], right: [f64; 4]| found.iter().zip(right).all(|(a, b)| (a - b).abs() < 1e-12);
        assert!(near(of(Schedule::Step { every: 5, factor: 0.5 }, [0, 4, 5, 10]), [1.0, 1.0, 0.5, 0.25]));
        assert!(near(of(Schedule::Cosine, [0, 10, 20, 40]), [1.0, 0.5 + 0.125f64.sqrt(), 0.5, 0.0]));
        assert!(near(of(Schedule::Warmup { warmup: 4 }, [0, 1, 3, 9]), [0.25, 0.5, 1.0, 1.0]));
    }
}
