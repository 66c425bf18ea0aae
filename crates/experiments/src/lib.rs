//! The pipeline: the only place where truth and reports meet.
//!
//! A [`Plan`] is arms × repeats. Each arm is a [`Spec`] with every knob; each run of it is one [`Record`]. Users'
//! devices are simulated (`ldp-core`), the server side is `graph-denoise` and `gnn-models`, and the experimenter scores
//! what comes out against the truth.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//! use experiments::{
//!     DatasetSpec, DeviceChoice, FeatureSpec, Hyperparameters, ModelKind, Plan, SampleSize, SearchPath, Settings, Spec, code_stamp,
//!     run_plan, summary,
//! };
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let dataset = DatasetSpec::Synthetic {
//!     seed: 1, nodes: 200, classes: 3, dimensions: 20, mean_degree: 6.0, degree_exponent: 3.0, homophily: 0.8, density: 0.1, feature_signal: 0.5,
//! };
//! let features = FeatureSpec::MultiBit { epsilon: "1".parse()?, sample_size: SampleSize::Optimal };
//! let tuned = Hyperparameters::find(dataset.name(), ModelKind::Gcn, features.arm(), false)?;
//! let mut spec = Spec::tuned(dataset, features, ModelKind::Gcn, &tuned);
//! spec.training.epochs = 20;
//! let plan = Plan { seed: 1, repeats: 2, arms: vec![spec] }.with_controls();
//!
//! let folder = tempfile::tempdir()?;
//! let settings = Settings { jobs: 1, threads: 1, device: DeviceChoice::Cpu, code: code_stamp(folder.path()) };
//! let records = run_plan(&plan, &SearchPath::new(vec![]), folder.path(), &settings, &AtomicBool::new(false), |_| {})?;
//! assert_eq!(records.len(), 2 * 4); // LPGNN, NonPriv, SIM, FeatFree
//! println!("{}", summary::markdown(&plan, &records));
//! # Ok(())
//! # }
//! ```

mod environment;
mod error;
mod features;
mod hyperparameters;
mod journal;
mod pipeline;
mod plan;
mod record;
mod runner;
mod seed;
mod spec;
mod statistics;
pub mod summary;
mod truth;
mod tune;

pub use environment::code_stamp;
pub use error::Error;
pub use gnn_models::DeviceChoice;
pub use graph_datasets::{DATA_DIR_VARIABLE, SearchPath};
pub use hyperparameters::Hyperparameters;
pub use journal::{Journal, write_whole};
pub use ldp_core::Epsilon;
pub use pipeline::run;
pub use plan::{FEATURE_FREE_DIMENSIONS, Plan};
pub use record::{CodeStamp, DataStamp, Measured, Outcome, Record, Seconds};
pub use runner::{Event, Settings, run_plan};
pub use seed::Seed;
pub use spec::{
    Arm, DatasetSpec, FeatureSpec, LabelSpec, LossSpec, ModelKind, ModelSpec, Normalization, PropagationSpec,
    SampleSize, Scale, Selection, Spec, SplitSpec, TrainingSpec,
};
pub use statistics::Interval;
pub use truth::Truth;
pub use tune::tune;
