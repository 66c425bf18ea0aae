//! Which epoch's outputs are kept: named rules, so that a record says what was done.

use crate::{Epoch, Error, LabelNoise};
use serde::{Deserialize, Serialize};

/// The rule by which one epoch of a run is kept.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EpochSelection {
    /// The lowest validation loss; the first of equals.
    BestValidationLoss,
    /// The highest validation accuracy; among equals the lowest validation loss, then the first.
    BestValidationAccuracy,
    /// For noisy validation labels: the highest estimate of the true accuracy, (a − q) / (p − q), where estimates above
    /// 1 count as 1, since only fitted noise or luck exceeds it; among equals the lowest validation loss, then the
    /// first.
    BestEstimatedAccuracy {
        /// The validation labels' noise.
        noise: LabelNoise,
    },
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
        let higher_or = |new: f64, old: f64| new > old || (new == old && lower_loss);
        match self {
            Self::BestValidationLoss => lower_loss,
            Self::BestValidationAccuracy => higher_or(epoch.validation_accuracy, kept.validation_accuracy),
            Self::BestEstimatedAccuracy { noise } => {
                higher_or(epoch.validation_accuracy.min(noise.keep), kept.validation_accuracy.min(noise.keep))
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

    /// # Errors
    /// [`Error::Setting`].
    pub(crate) fn check(self, classes: usize) -> Result<(), Error> {
        match self {
            Self::LpgnnTriple { keep } if keep.is_nan() || keep <= 0.0 || keep > 1.0 => {
                Err(Error::Setting { what: "probability of keeping a label", value: keep, bound: "in (0, 1]" })
            }
            Self::BestEstimatedAccuracy { noise } => noise.check(classes),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::EpochSelection;
    use crate::{Epoch, LabelNoise};

    fn epoch(train_accuracy: f64, validation_loss: f64, validation_accuracy: f64) -> Epoch {
        Epoch { epoch: 0, train_loss: 1.0, train_accuracy, validation_loss, validation_accuracy }
    }

    #[test]
    fn the_lowest_loss() {
        let kept = epoch(0.5, 1.0, 0.5);
        assert!(EpochSelection::BestValidationLoss.prefers(&epoch(0.1, 0.9, 0.1), &kept));
        assert!(!EpochSelection::BestValidationLoss.prefers(&epoch(0.9, 1.0, 0.9), &kept));
        assert!(EpochSelection::Last.prefers(&epoch(0.1, 2.0, 0.1), &kept));
    }

    #[test]
    fn the_highest_accuracy_and_among_equals_the_lowest_loss() {
        let kept = epoch(0.5, 1.0, 0.5);
        let rule = EpochSelection::BestValidationAccuracy;
        assert!(rule.prefers(&epoch(0.5, 2.0, 0.6), &kept));
        assert!(!rule.prefers(&epoch(0.5, 0.5, 0.4), &kept));
        assert!(rule.prefers(&epoch(0.5, 0.9, 0.5), &kept));
        assert!(!rule.prefers(&kept, &kept));
    }

    /// With p = 0.7 an accuracy of 0.8 on noisy labels is luck: it is worth no more than 0.7.
    #[test]
    fn more_than_the_noise_allows_counts_as_what_it_allows() {
        let rule = EpochSelection::BestEstimatedAccuracy { noise: LabelNoise { keep: 0.7, flip: 0.3 } };
        assert!(rule.prefers(&epoch(0.5, 2.0, 0.6), &epoch(0.5, 1.0, 0.5)));
        assert!(!rule.prefers(&epoch(0.5, 2.0, 0.9), &epoch(0.5, 1.0, 0.8)));
        assert!(!rule.prefers(&epoch(0.5, 2.0, 0.8), &epoch(0.5, 1.0, 0.7)));
        assert!(rule.prefers(&epoch(0.5, 0.9, 0.7), &epoch(0.5, 1.0, 0.8)));
    }

    /// All three must improve, the accuracies up to their bounds 0.6 and 0.63.
    #[test]
    fn the_reference_rule_of_lpgnn() {
        let rule = EpochSelection::LpgnnTriple { keep: 0.6 };
        let kept = epoch(0.5, 1.0, 0.5);
        assert!(rule.prefers(&epoch(0.62, 0.9, 0.6), &kept));
        for worse in [
            epoch(0.62, 1.0, 0.6),
            epoch(0.5, 0.9, 0.6),
            epoch(0.62, 0.9, 0.5),
            epoch(0.64, 0.9, 0.6),
            epoch(0.62, 0.9, 0.61),
        ] {
            assert!(!rule.prefers(&worse, &kept), "{worse:?}");
        }
    }
}
