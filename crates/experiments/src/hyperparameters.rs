//! The tuned values: data in `data/hyperparameters.toml`, not code.

use serde::{Deserialize, Serialize};

use crate::{Arm, Error, ModelKind, NeighbourWeights, Scale};

/// The table as compiled in.
const TABLE: &str = include_str!("../../../data/hyperparameters.toml");

/// Tuned values for one data set, model and kind of features.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hyperparameters {
    /// Data set, or `*` for every one without an entry of its own.
    pub dataset: String,
    /// Model; absent for every one without an entry of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelKind>,
    /// Kind of features.
    pub arm: Arm,
    /// For labels that went through randomized response; the other entries are for true labels.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub private_labels: bool,
    /// How much each neighbour counts in propagation.
    pub weights: NeighbourWeights,
    /// Propagation steps.
    pub steps: usize,
    /// Scale of the features in training.
    pub scale: Scale,
    /// Hidden width.
    pub hidden: usize,
    /// Dropout.
    pub dropout: f64,
    /// Learning rate.
    pub learning_rate: f64,
    /// Weight decay.
    pub weight_decay: f64,
    /// Epochs.
    pub epochs: usize,
    /// How the values were chosen.
    pub chosen: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    entry: Vec<Hyperparameters>,
}

impl Hyperparameters {
    /// The entry for `dataset` and `model`, else for `dataset` and any model, else for `*`.
    ///
    /// # Errors
    /// [`Error::NoHyperparameters`] when there is neither.
    pub fn find(dataset: &str, model: ModelKind, arm: Arm, private_labels: bool) -> Result<Self, Error> {
        let entries = Self::all();
        let fits = |name: &str, model: Option<ModelKind>| {
            let kind = (arm, private_labels);
            let mut of_kind = entries.iter().filter(|entry| (entry.arm, entry.private_labels) == kind);
            of_kind.find(|entry| entry.dataset == name && entry.model == model).cloned()
        };
        fits(dataset, Some(model))
            .or_else(|| fits(dataset, None))
            .or_else(|| fits("*", Some(model)))
            .or_else(|| fits("*", None))
            .ok_or_else(|| Error::NoHyperparameters { dataset: dataset.to_owned(), arm: arm.label() })
    }

    /// Every entry.
    ///
    /// # Panics
    /// When the table that was compiled in is not one, which a test rules out.
    pub fn all() -> Vec<Self> {
        toml::from_str::<Table>(TABLE).expect("data/hyperparameters.toml is a table of entries").entry
    }
}

#[cfg(test)]
mod tests {
    use super::Hyperparameters;
    use crate::{Arm, ModelKind};

    #[test]
    fn the_table_is_one_and_covers_every_arm() {
        assert!(!Hyperparameters::all().is_empty());
        for arm in [Arm::Clean, Arm::Private, Arm::Sim, Arm::FeatureFree] {
            for dataset in ["cora", "synthetic", "my-own"] {
                for private_labels in [false, true] {
                    Hyperparameters::find(dataset, ModelKind::Gcn, arm, private_labels).expect("an entry");
                }
            }
        }
    }
}
