//! On the real Cora graph, where it is found.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use experiments::{
    Arm, DatasetSpec, FeatureSpec, Hyperparameters, ModelKind, Plan, PlannedArm, SearchPath, Spec, run_plan, summary,
};

use crate::{multi_bit, settings};

/// The folder of the data sets, or none (said on standard error) where there is no Cora and none is demanded.
fn data() -> Option<PathBuf> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("GRAPH_DATA_DIR").map_or(beside, PathBuf::from);
    if folder.join("cora/graph.npz").exists() {
        return Some(folder);
    }
    assert!(std::env::var_os("GRAPH_DATA_REQUIRED").is_none(), "no cora/graph.npz in {}", folder.display());
    eprintln!("skipped: no cora/graph.npz in {}", folder.display());
    None
}

/// The published range at 10 seeds takes two minutes; two seeds see that the pipeline is not broken.
#[test]
fn lpgnn_and_its_controls_are_where_they_were_measured() {
    let Some(data) = data() else { return };
    let arm = |features: FeatureSpec| {
        let tuned = Hyperparameters::find("cora", ModelKind::Gcn, features.arm(), false).expect("an entry");
        let name = features.arm().label();
        PlannedArm::new(name, Spec::tuned(DatasetSpec::published("cora"), features, ModelKind::Gcn, &tuned))
    };
    let arms = vec![arm(FeatureSpec::Clean), arm(multi_bit("1"))];
    let mut plan = Plan { seed: 1, repeats: 2, arms }.with_controls();
    plan.arms.retain(|arm| arm.spec.features.arm() != Arm::FeatureFree);
    let folder = tempfile::tempdir().expect("a folder");
    let stop = AtomicBool::new(false);
    let records = run_plan(&plan, &SearchPath::new(vec![data]), folder.path(), &settings(2, 1), &stop, |_| {})
        .expect("a finished plan");
    for row in summary::rows(&plan, &records) {
        let accuracy = row.accuracy.mean;
        let range = match row.spec.features.arm() {
            Arm::Clean => 84.0..91.0,
            _ => 79.0..89.0,
        };
        assert!(range.contains(&accuracy), "{}: {accuracy}", row.spec.features.arm().label());
    }
}
