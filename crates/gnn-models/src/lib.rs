//! Graph neural networks on Burn behind plain slices.
//!
//! Features and labels go in as the plain types of `graph-denoise`, logits come out; no Burn type is public. Labels may
//! be noisy: nothing here ever sees a ground truth, and the kept epoch is chosen by a named rule.
//!
//! ```
//! use gnn_models::{DeviceChoice, Features, ModelConfig, ModelKind, TrainConfig, TrainData, train};
//! use graph_denoise::{CsrGraph, EdgeKind, FeatureMatrix};
//!
//! let graph = CsrGraph::from_edges(6, &[(0, 1), (1, 2), (3, 4), (4, 5)], EdgeKind::Undirected)?;
//! let rows = vec![1., 0., 1., 0., 1., 0., 0., 1., 0., 1., 0., 1.];
//! let features = Features::from(FeatureMatrix::new(6, 2, rows)?);
//! let data = TrainData {
//!     graph: &graph,
//!     features: &features,
//!     labels: &[0, 0, 0, 1, 1, 1],
//!     selection_labels: None,
//!     classes: 2,
//!     train: &[0, 3],
//!     validation: &[1, 4],
//! };
//! let config = TrainConfig { epochs: 50, ..TrainConfig::default() };
//! let trained = train(&data, &ModelConfig::new(ModelKind::Gcn), &config, DeviceChoice::Cpu, 7)?;
//! assert_eq!(trained.predictions(), [0, 0, 0, 1, 1, 1]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod adam;
mod class_report;
mod counter;
mod device;
mod error;
mod features;
mod history;
mod label_noise;
mod label_propagation;
mod loss;
mod model;
mod model_config;
mod network;
mod ops;
mod parameters;
#[cfg(test)]
mod reference_tests;
mod search;
mod selection;
mod train_config;
mod train_data;
mod trained;
mod training;

pub use class_report::{ClassReport, ClassScore};
pub use device::DeviceChoice;
pub use error::Error;
pub use features::Features;
pub use history::Epoch;
pub use label_noise::{Estimate, LabelNoise};
pub use label_propagation::label_propagation;
pub use loss::Loss;
pub use model::Model;
pub use model_config::{ModelConfig, ModelKind, RowNormalization};
pub use ops::Activation;
pub use search::{Candidate, SearchSpace, Trial};
pub use selection::EpochSelection;
pub use train_config::{DecayScope, Schedule, TrainConfig};
pub use train_data::TrainData;
pub use trained::Trained;
pub use training::{train, train_with};
