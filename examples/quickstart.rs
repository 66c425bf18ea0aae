//! LPGNN on a small synthetic graph, beside the controls that say whether the private features helped.
//!
//! `cargo run --release -p examples --example quickstart` (ten seconds)

use experiments::mechanism::{MultiBit, SampleSize};
use experiments::{DatasetSpec, FeatureSpec, ModelKind, Plan, PlannedArm, SearchPath, Spec, summary};

fn main() -> anyhow::Result<()> {
    // Each user's feature vector goes through the multi-bit mechanism once, at ε = 2.
    let mechanism = MultiBit { epsilon: "2".parse()?, sample_size: SampleSize::Optimal };
    let features = FeatureSpec::Private { mechanism: mechanism.into() };
    let spec = Spec::of(DatasetSpec::default_synthetic(), features, ModelKind::Gcn)?;

    // Beside it: NonPriv (true features), SIM (reports with no data in them), FeatFree (random features).
    let plan = Plan { seed: 1, repeats: 3, arms: vec![PlannedArm::new("LPGNN", spec)] }.with_controls();
    let records = plan.run(&SearchPath::new(vec![]), |record| {
        eprintln!("{}: {:.1} %", record.spec.features.arm().label(), 100.0 * record.outcome.test_accuracy);
    })?;
    println!("{}\n{}", summary::markdown(&plan, &records), summary::legend());
    Ok(())
}
