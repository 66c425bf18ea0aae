//! What can go wrong between a request and its records.

use std::path::PathBuf;

/// What can go wrong between a request and its records.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A knob outside its range.
    #[error("{knob} = {value} is outside [{least}, {most}]")]
    Knob {
        /// Path of the knob in the spec.
        knob: &'static str,
        /// Its value.
        value: f64,
        /// Least permitted value.
        least: f64,
        /// Greatest permitted value.
        most: f64,
    },
    /// Knobs that exclude each other.
    #[error("{what}")]
    Combination {
        /// Which, and why.
        what: &'static str,
    },
    /// A plan with nothing to run.
    #[error("a plan needs at least one arm and one repeat; this one has {arms} arms and {repeats} repeats")]
    EmptyPlan {
        /// Arms in the plan.
        arms: usize,
        /// Repeats in the plan.
        repeats: u32,
    },
    /// The same arm twice: its runs would count twice.
    #[error("arms {first} and {second} of the plan are the same; for more runs raise `repeats`")]
    RepeatedArm {
        /// Position of the first, from 1.
        first: usize,
        /// Position of the second, from 1.
        second: usize,
    },
    /// A spec file that does not say what a plan needs, or says more.
    #[error("{path}")]
    PlanFile {
        /// The file.
        path: PathBuf,
        /// What the parser found.
        source: Box<toml::de::Error>,
    },
    /// A suite that sets a knob that does not exist, or to a value of the wrong type.
    #[error("suite {suite}, method {method}")]
    Suite {
        /// The suite.
        suite: String,
        /// The method.
        method: String,
        /// What the parser found.
        source: Box<toml::de::Error>,
    },
    /// A cell of `data/papers` that contradicts itself.
    #[error("{path}, cell {cell}: {what}")]
    PaperCell {
        /// The file.
        path: PathBuf,
        /// Position of the cell, from 1.
        cell: usize,
        /// What is wrong with it.
        what: &'static str,
    },
    /// A plan that cannot be written as TOML.
    #[error("cannot write the plan as TOML")]
    PlanText(#[from] toml::ser::Error),
    /// A file or folder that cannot be read or written.
    #[error("{action} {path}")]
    File {
        /// What was tried.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A line in the record file that is no record.
    #[error("{path}, line {line}: not a record; move the file away or mend the line")]
    Record {
        /// The record file.
        path: PathBuf,
        /// Line number, from 1.
        line: usize,
        /// What the parser found.
        source: serde_json::Error,
    },
    /// A record whose identity is not that of its content.
    #[error("{path}, line {line}: the record says it is {id}, but its content is another run's; move the file away")]
    RecordIdentity {
        /// The record file.
        path: PathBuf,
        /// Line number, from 1.
        line: usize,
        /// What the line says it is.
        id: String,
    },
    /// A record with a number that cannot be.
    #[error("{path}, line {line}: an accuracy of {value} is outside [0, 1]; the file was edited, move it away")]
    RecordRange {
        /// The record file.
        path: PathBuf,
        /// Line number, from 1.
        line: usize,
        /// The number.
        value: f64,
    },
    /// The same run with two results.
    #[error("{path}: run {id} has another result there; one of the two was made by other code")]
    Differs {
        /// The record file.
        path: PathBuf,
        /// The run.
        id: String,
    },
    /// A folder that should hold records and holds none.
    #[error("no runs.jsonl in {folder}")]
    NoRecords {
        /// The folder.
        folder: PathBuf,
    },
    /// A graph of one's own without features, where an arm needs some.
    #[error("{folder} has no features.csv, and only FeatFree does without")]
    NoFeatures {
        /// The folder.
        folder: PathBuf,
    },
    /// Another process holds the output folder.
    #[error("{path} is in use by another process; choose another --out or wait")]
    Busy {
        /// The record file.
        path: PathBuf,
    },
    /// No tuned values for this combination.
    #[error("no hyper-parameters for data set {dataset}, arm {arm} in data/hyperparameters.toml")]
    NoHyperparameters {
        /// The data set's name.
        dataset: String,
        /// The arm.
        arm: &'static str,
    },
    /// The system gives no threads.
    #[error("cannot start threads: {0}")]
    Threads(String),
    /// The run was stopped from outside.
    #[error("stopped")]
    Stopped,
    /// The data set.
    #[error(transparent)]
    Data(#[from] graph_datasets::Error),
    /// Randomizers and rectifiers.
    #[error(transparent)]
    Privacy(#[from] ldp_core::Error),
    /// Graph and propagation.
    #[error(transparent)]
    Graph(#[from] graph_denoise::Error),
    /// Lists and defence.
    #[error(transparent)]
    Defence(#[from] veritas_defense::Error),
    /// Training.
    #[error(transparent)]
    Training(#[from] gnn_models::Error),
}

impl Error {
    /// Whether the request is wrong, or what it names (a file, a data set, records), rather than the machine or the run.
    pub fn is_the_callers(&self) -> bool {
        match self {
            Self::Knob { .. }
            | Self::Combination { .. }
            | Self::EmptyPlan { .. }
            | Self::RepeatedArm { .. }
            | Self::PlanFile { .. }
            | Self::Suite { .. }
            | Self::PaperCell { .. }
            | Self::Record { .. }
            | Self::RecordIdentity { .. }
            | Self::RecordRange { .. }
            | Self::Differs { .. }
            | Self::NoRecords { .. }
            | Self::NoFeatures { .. }
            | Self::NoHyperparameters { .. }
            | Self::Data(_)
            | Self::Privacy(_)
            | Self::Graph(_)
            | Self::Defence(_)
            | Self::Training(gnn_models::Error::Setting { .. } | gnn_models::Error::Device { .. }) => true,
            Self::PlanText(_)
            | Self::File { .. }
            | Self::Busy { .. }
            | Self::Threads(_)
            | Self::Stopped
            | Self::Training(_) => false,
        }
    }

    /// Wraps what the system said about a file.
    pub(crate) fn file(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { action, path, source }
    }
}
