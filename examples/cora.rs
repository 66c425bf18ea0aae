//! Cora: LPGNN with its controls. On this graph the reports of LPGNN and reports without any data in them lead to the same
//! accuracy: what LPGNN reaches is the graph's and the labels' merit.
//!
//! `cargo run --release -p examples --example cora` (ten seconds: 100 epochs and 3 seeds, where
//! `cargo xtask reproduce --dataset cora` takes 500 epochs)

use experiments::mechanism::{MultiBit, SampleSize};
use experiments::{DatasetSpec, FeatureSpec, ModelKind, Plan, PlannedArm, Spec, search_path, summary};

fn main() -> anyhow::Result<()> {
    let search = search_path(None, concat!(env!("CARGO_MANIFEST_DIR"), "/..").as_ref());
    let cora = DatasetSpec::published("cora").or_twin(&search, |missing| eprintln!("{missing}"))?;

    let mechanism = MultiBit { epsilon: "1".parse()?, sample_size: SampleSize::Optimal };
    let features = FeatureSpec::Private { mechanism: mechanism.into() };
    let mut spec = Spec::of(cora, features, ModelKind::Gcn)?;
    spec.training.epochs = 100;

    let plan = Plan { seed: 1, repeats: 3, arms: vec![PlannedArm::new("LPGNN", spec)] }.with_controls();
    let records = plan.run(&search, |record| {
        eprintln!("{}: {:.1} %", record.spec.features.arm().label(), 100.0 * record.outcome.test_accuracy);
    })?;
    println!("{}\n{}", summary::markdown(&plan, &records), summary::legend());
    Ok(())
}
