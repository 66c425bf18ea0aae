//! The pipeline from the outside.

mod cli;
mod cora;
mod disk;
mod guide;
mod interrupted;
mod plans;
mod replay;
mod report;
mod systems;

use experiments::mechanism::{MultiBit, SampleSize};
use experiments::{
    DatasetSpec, DeviceChoice, FeatureSpec, Hyperparameters, ModelKind, Plan, PlannedArm, Record, SearchPath, Settings,
    Spec, code_stamp,
};

/// A plan that takes about a second: one private arm with its controls on a small graph.
fn small_plan() -> Plan {
    let dataset = DatasetSpec::Synthetic {
        seed: 7,
        nodes: 240,
        classes: 3,
        dimensions: 40,
        mean_degree: 6.0,
        degree_exponent: 3.0,
        homophily: 0.8,
        density: 0.1,
        feature_signal: 0.6,
    };
    let features = multi_bit("1");
    let tuned = Hyperparameters::find("synthetic", ModelKind::Gcn, features.arm(), false).expect("an entry");
    let mut spec = Spec::tuned(dataset, features, ModelKind::Gcn, &tuned);
    spec.training.epochs = 40;
    Plan { seed: 5, repeats: 2, arms: vec![PlannedArm::new("LPGNN", spec)] }.with_controls()
}

/// Multi-bit features.
fn multi_bit(epsilon: &str) -> FeatureSpec {
    let mechanism = MultiBit { epsilon: epsilon.parse().expect("a budget"), sample_size: SampleSize::Optimal };
    FeatureSpec::Private { mechanism: mechanism.into() }
}

/// Where no data set is.
fn nowhere() -> SearchPath {
    SearchPath::new(vec![])
}

fn settings(jobs: usize, threads: usize) -> Settings {
    Settings { jobs, threads, device: DeviceChoice::Cpu, code: code_stamp(), shard: None }
}

/// A record without its times.
fn timeless(record: &Record) -> serde_json::Value {
    let mut value = serde_json::to_value(record).expect("plain data");
    value.as_object_mut().expect("an object").remove("measured");
    value
}
