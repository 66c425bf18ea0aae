//! Facebook pages: the largest of the graphs, 22,470 users with 4,714 columns. At ε = 3 a user speaks of one column, so
//! reports stay sparse from the wire to the first layer; K = 0 keeps them so, since propagation fills the matrix.
//!
//! `cargo run --release -p examples --example facebook` (ten seconds: 30 epochs, one seed)

use experiments::mechanism::{MultiBit, SampleSize};
use experiments::{DatasetSpec, FeatureSpec, ModelKind, Plan, PlannedArm, Spec, search_path};

fn main() -> anyhow::Result<()> {
    let search = search_path(None, concat!(env!("CARGO_MANIFEST_DIR"), "/..").as_ref());
    let facebook = DatasetSpec::published("facebook").or_twin(&search, |missing| eprintln!("{missing}"))?;
    let mechanism = MultiBit { epsilon: "3".parse()?, sample_size: SampleSize::Optimal };
    let features = FeatureSpec::Private { mechanism: mechanism.into() };
    let arm = |name: &str, steps| {
        let mut spec = Spec::of(facebook.clone(), features.clone(), ModelKind::Gcn)?;
        (spec.denoise.steps, spec.training.epochs) = (steps, 30);
        anyhow::Ok(PlannedArm::new(name, spec))
    };
    let arms = vec![arm("K = 0, sparse", 0)?, arm("K = 2, dense", 2)?];
    let plan = Plan { seed: 1, repeats: 1, arms };
    for (record, arm) in plan.run(&search, |_| {})?.iter().zip(&plan.arms) {
        let (data, seconds, outcome) = (&record.data, &record.measured.seconds, &record.outcome);
        let sent = outcome.reported_dimensions.unwrap_or(0);
        println!("{}: {} users speak of {sent} of {} columns each", arm.name, data.nodes, data.dimensions);
        println!(
            "  test accuracy {:.1} %; randomize {:.2} s, propagate {:.2} s, train {:.1} s; at most {:.0} MiB",
            100.0 * outcome.test_accuracy,
            seconds.randomize,
            seconds.propagate,
            seconds.train,
            record.measured.peak_memory_mib
        );
    }
    Ok(())
}
