//! LPGNN on a small synthetic graph, beside the controls that say whether the private features helped.

use std::sync::atomic::AtomicBool;

use experiments::mechanism::{MultiBit, SampleSize};
use experiments::{
    DatasetSpec, DeviceChoice, Event, FeatureSpec, Hyperparameters, ModelKind, Plan, PlannedArm, SearchPath, Settings,
    Spec, code_stamp, run_plan, summary,
};

fn main() -> anyhow::Result<()> {
    // Each user's feature vector goes through the multi-bit mechanism once, at ε = 2.
    let dataset = DatasetSpec::default_synthetic();
    let mechanism = MultiBit { epsilon: "2".parse()?, sample_size: SampleSize::Optimal };
    let features = FeatureSpec::Private { mechanism: mechanism.into() };
    let tuned = Hyperparameters::find(dataset.name(), ModelKind::Gcn, features.arm(), false)?;
    let arm = PlannedArm::new("LPGNN", Spec::tuned(dataset, features, ModelKind::Gcn, &tuned));
    let plan = Plan { seed: 1, repeats: 3, arms: vec![arm] }.with_controls();

    let folder = tempfile::tempdir()?;
    let code = code_stamp(folder.path());
    let settings = Settings { jobs: 2, threads: 1, device: DeviceChoice::Cpu, code, shard: None };
    let records =
        run_plan(&plan, &SearchPath::new(vec![]), folder.path(), &settings, &AtomicBool::new(false), |event| {
            if let Event::Finished(record) = event {
                eprintln!("{}: {:.1} %", record.spec.features.arm().label(), 100.0 * record.outcome.test_accuracy);
            }
        })?;
    println!("{}\n{}", summary::markdown(&plan, &records), summary::legend());
    Ok(())
}
