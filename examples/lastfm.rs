//! LastFM Asia: the public files hold graph and labels, no features. Made-up ones stand in at the true number of columns
//! and density, every record is marked, and no number says anything of the real ones. LPGNN keeps the ten largest of the
//! 18 classes: the label view `top-10`.
//!
//! `cargo run --release -p examples --example lastfm` (seconds: 50 epochs, one seed)

use experiments::mechanism::{MultiBit, SampleSize};
use experiments::{
    DatasetSpec, FeatureSpec, LabelView, ModelKind, Plan, PlannedArm, Spec, SyntheticFeatures, search_path,
};

fn main() -> anyhow::Result<()> {
    let search = search_path(None, concat!(env!("CARGO_MANIFEST_DIR"), "/..").as_ref());
    let made_up = SyntheticFeatures { seed: 1, density: 0.0485, signal: 0.3 };
    let lastfm = DatasetSpec::Published {
        name: "lastfm".to_owned(),
        view: Some(LabelView::Largest(10)),
        synthetic_features: Some(made_up),
    };
    let lastfm = lastfm.or_twin(&search, |missing| eprintln!("{missing}"))?;
    let mechanism = MultiBit { epsilon: "1".parse()?, sample_size: SampleSize::Optimal };
    let sim = FeatureSpec::Sim { mechanism: mechanism.clone().into() };
    let private = FeatureSpec::Private { mechanism: mechanism.into() };
    let arm = |name: &str, features| {
        let mut spec = Spec::of(lastfm.clone(), features, ModelKind::Sage)?;
        // Without propagation the reports stay sparse: 7,842 columns of which one user speaks of one.
        (spec.denoise.steps, spec.training.epochs) = (0, 50);
        anyhow::Ok(PlannedArm::new(name, spec))
    };
    let arms = vec![arm("multi-bit", private)?, arm("SIM of it", sim)?];
    let plan = Plan { seed: 1, repeats: 1, arms };
    for (record, arm) in plan.run(&search, |_| {})?.iter().zip(&plan.arms) {
        println!("{}: test accuracy {:.1} %", arm.name, 100.0 * record.outcome.test_accuracy);
        println!("  {} nodes, {} classes; {:?}", record.data.nodes, record.data.classes, record.data.notes);
    }
    Ok(())
}
