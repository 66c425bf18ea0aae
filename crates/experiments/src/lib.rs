//! The pipeline: the only place where truth and reports meet.
//!
//! A [`Plan`] is arms × repeats. Each arm is a [`Spec`] with every knob; each run of it is one [`Record`]. Users'
//! devices are simulated (`ldp-core`), the server side is `graph-denoise` and `gnn-models`, and the experimenter scores
//! what comes out against the truth.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//! use experiments::{
//!     DatasetSpec, DeviceChoice, FeatureSpec, Hyperparameters, ModelKind, Plan, PlannedArm, SearchPath, Settings, Spec, code_stamp,
//!     run_plan, summary,
//! };
//! use experiments::mechanism::{MultiBit, SampleSize};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let dataset = DatasetSpec::Synthetic {
//!     seed: 1, nodes: 200, classes: 3, dimensions: 20, mean_degree: 6.0, degree_exponent: 3.0, homophily: 0.8, density: 0.1, feature_signal: 0.5,
//! };
//! let mechanism = MultiBit { epsilon: "1".parse()?, sample_size: SampleSize::Optimal };
//! let features = FeatureSpec::Private { mechanism: mechanism.into() };
//! let tuned = Hyperparameters::find(dataset.name(), ModelKind::Gcn, features.arm(), false)?;
//! let mut spec = Spec::tuned(dataset, features, ModelKind::Gcn, &tuned);
//! spec.training.epochs = 20;
//! let plan = Plan { seed: 1, repeats: 2, arms: vec![PlannedArm::new("LPGNN", spec)] }.with_controls();
//!
//! let folder = tempfile::tempdir()?;
//! let settings = Settings { jobs: 1, threads: 1, device: DeviceChoice::Cpu, code: code_stamp(), shard: None };
//! let records = run_plan(&plan, &SearchPath::new(vec![]), folder.path(), &settings, &AtomicBool::new(false), |_| {})?;
//! assert_eq!(records.len(), 2 * 4); // LPGNN, NonPriv, SIM, FeatFree
//! println!("{}", summary::markdown(&plan, &records));
//! # Ok(())
//! # }
//! ```

mod denoise;
mod detectors;
mod environment;
mod error;
mod estimate;
mod hyperparameters;
mod journal;
pub mod mechanism;
mod pipeline;
mod plan;
mod published;
mod record;
pub mod report;
mod roc;
mod runner;
mod seed;
mod shard;
mod spec;
mod statistics;
mod structure;
mod suite;
pub mod summary;
mod truth;
mod tune;

pub use detectors::DetectorCount;
pub use environment::{checkout_commit, code_stamp, search_path};
pub use error::Error;
pub use estimate::Estimate;
pub use gnn_models::DeviceChoice;
pub use graph_datasets::{DATA_DIR_VARIABLE, LabelView, SearchPath};
pub use hyperparameters::Hyperparameters;
pub use journal::{Journal, Merged, merge, write_whole};
pub use ldp_core::{Delta, Epsilon};
pub use pipeline::run;
pub use plan::{FEATURE_FREE_DIMENSIONS, Plan, PlannedArm};
pub use published::{Agreement, CLOSE, Published, PublishedCell};
pub use record::{CodeStamp, DataStamp, DefenceOutcome, Measured, Outcome, Record, Seconds};
pub use roc::{FALSE_ALARMS, RocCurve};
pub use runner::{Event, Outlook, Settings, outlook, run_plan};
pub use seed::Seed;
pub use shard::Shard;
pub use spec::{
    Arm, AttackSpec, DatasetSpec, DefenceSpec, DenoiseSpec, FeatureSpec, FilterSpec, Gamma, LabelSpec, LossSpec,
    ModelKind, ModelSpec, NeighbourWeights, RegularizationSpec, Scale, Selection, Spec, SplitSpec, StructureSpec,
    SyntheticFeatures, TrainingSpec,
};
pub use statistics::Interval;
pub use suite::{Axis, Method, Narrowing, Suite};
pub use truth::Truth;
pub use tune::tune;
pub use veritas_defense::TrustModel;
pub use veritas_defense::attack::{Collusion, FakeFeatures, Grading, Targets};

/// The programs of the guide, as doc tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/extending.md")]
mod extending {}
