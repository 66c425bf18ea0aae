//! Which epoch's outputs are kept: named rules, so that a record says what was done.

use crate::Epoch;
use serde::{Deserialize, Serialize};

/// The rule by which one epoch of a run is kept.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EpochSelection {
    /// The lowest validation loss; the first of equals.
    BestValidationLoss,
    /// The highest validation accuracy; among equals the lowest validation loss, then the first.
    BestValidationAccuracy,
    /// The reference implementation of LPGNN: an epoch replaces the kept one only if its validation loss is lower, its
    /// validation accuracy higher but at most `keep`, and its training accuracy higher but at most 1.05 `keep`. The
    /// first epoch is the first kept.
    LpgnnTriple {
        /// The probability that randomized response keeps a label; 1 for labels without noise.
        keep: f64,
    },
    /// The last epoch.
    Last,
}

impl EpochSelection {
    /// Whether `epoch` is to be kept in place of `kept`.
    pub(crate) fn prefers(self, epoch: &Epoch, kept: &Epoch) -> bool {
        let lower_loss = epoch.validation_loss < kept.validation_loss;
        match self {
            Self::BestValidationLoss => lower_loss,
            Self::BestValidationAccuracy => {
                let (new, old) = (epoch.validation_accuracy, kept.validation_accuracy);
                new > old || (new == old && lower_loss)
            }
            Self::LpgnnTriple { keep } => {
                let within = |new: f64, old: f64, bound: f64| new > old && new <= bound;
                lower_loss
                    && within(epoch.validation_accuracy, kept.validation_accuracy, keep)
                    && within(epoch.train_accuracy, kept.train_accuracy, 1.05 * keep)
            }
            Self::Last => true,
        }
    }
}
