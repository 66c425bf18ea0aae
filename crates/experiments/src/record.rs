//! One run, one record: a JSON line that describes itself.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::Spec;
use crate::detectors::DetectorCount;
use crate::roc::RocCurve;

/// One finished run. Everything outside [`measured`](Self::measured) is the same whenever and wherever the run is made
/// again from the same commit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// Hash of what the run is: spec, seed, repeat and data. Not of when or where.
    pub id: String,
    /// Root of the seed tree.
    pub seed: u64,
    /// Which repeat.
    pub repeat: u32,
    /// Every knob.
    pub spec: Spec,
    /// The data that was used.
    pub data: DataStamp,
    /// The code that ran.
    pub code: CodeStamp,
    /// The device that trained.
    pub device: String,
    /// What came out.
    pub outcome: Outcome,
    /// Times and memory: the only part that differs from run to run.
    pub measured: Measured,
}

/// The data that was used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataStamp {
    /// Its name.
    pub name: String,
    /// SHA-256 of the file, or of the generated arrays.
    pub sha256: String,
    /// Number of nodes.
    pub nodes: usize,
    /// Number of undirected edges, self-loops left out.
    pub edges: usize,
    /// Number of feature columns.
    pub dimensions: usize,
    /// Number of classes.
    pub classes: usize,
    /// What a reader must know, such as that features are synthetic.
    pub notes: Vec<String>,
}

/// The code that ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CodeStamp {
    /// Commit that the program was built from, or `unknown` where the sources were in no checkout.
    pub commit: String,
    /// Whether the code differed from the commit when the program was built.
    pub dirty: bool,
    /// Compiler.
    pub toolchain: String,
}

/// What came out of one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    /// Share of test nodes whose class is right.
    pub test_accuracy: f64,
    /// The same for validation nodes at the kept epoch.
    pub validation_accuracy: f64,
    /// The same for training nodes at the kept epoch.
    pub train_accuracy: f64,
    /// The epoch that was kept, from 0.
    pub kept_epoch: usize,
    /// Number of test nodes.
    pub test_nodes: usize,
    /// Features that one user reported, where the features are private.
    pub reported_dimensions: Option<usize>,
    /// Squared distance of class means over twice a report's variance, averaged over pairs of classes: what one report
    /// says of the class. The separation of two classes after averaging n reports is n times this.
    pub signal_per_report: Option<f64>,
    /// What became of fakes and edges, where users send lists or fakes join.
    pub defence: Option<DefenceOutcome>,
}

/// What became of fakes and edges. Counts over everybody, fakes included.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DefenceOutcome {
    /// Fakes that joined.
    pub fakes: usize,
    /// Of these, removed.
    pub caught: usize,
    /// Honest users.
    pub honest: usize,
    /// Of these, removed.
    pub honest_removed: usize,
    /// True edges between honest users.
    pub edges: usize,
    /// Of these, not in the server's graph.
    pub edges_lost: usize,
    /// Edges of the server's graph between honest users that are none.
    pub noise_edges: usize,
    /// Edges of the server's graph with a fake at an end.
    pub fake_edges: usize,
    /// γ that was used, for the defence as printed; none when nobody was to be removed.
    pub gamma: Option<f64>,
    /// How well each score for fakes ranks users; read where fakes join, users send lists and nobody is removed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roc: Vec<RocCurve>,
    /// Whom each detector would remove, where they are compared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub detectors: Vec<DetectorCount>,
}

/// Times and memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// Threads this run could use.
    pub threads: usize,
    /// Runs made at the same time in this process.
    pub jobs: usize,
    /// Wall seconds by stage.
    pub seconds: Seconds,
    /// Greatest resident memory of the process during the run, MiB; 0 where the system does not tell. With `jobs` above
    /// one it includes the runs beside this one.
    pub peak_memory_mib: f64,
}

/// Wall seconds by stage.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seconds {
    /// Users randomize their features; the server rectifies them.
    pub randomize: f64,
    /// Users grade their neighbours and randomize their lists.
    pub lists: f64,
    /// The server removes fakes and noise.
    pub defend: f64,
    /// The server propagates.
    pub propagate: f64,
    /// The model is trained.
    pub train: f64,
    /// The model is scored.
    pub evaluate: f64,
}

/// The identity of a run before it is made.
pub(crate) fn identity(spec: &Spec, seed: u64, repeat: u32, data_sha256: &str) -> String {
    // A spec is plain data with string keys: writing it cannot fail.
    let spec = serde_json::to_vec(spec).unwrap_or_default();
    let hash = Sha256::new()
        .chain_update(seed.to_le_bytes())
        .chain_update(repeat.to_le_bytes())
        .chain_update(data_sha256)
        .chain_update(spec)
        .finalize();
    hex::encode(&hash[..12])
}
