//! PubMed: real values (TF-IDF) instead of words that occur or not, so each column has a public range of its own. The
//! catalog's ranges were read off the published file: no deployment could agree on them without looking, and every
//! record says so. Reports: UPGNET's piecewise mechanism, which sends a number and not a bit.
//!
//! `cargo run --release -p examples --example pubmed` (ten seconds: 50 epochs, one seed)

use experiments::mechanism::{SampleSize, Sampled, Scalar};
use experiments::{
    DatasetSpec, FeatureSpec, FilterSpec, ModelKind, Plan, PlannedArm, RegularizationSpec, Spec, search_path,
};

fn main() -> anyhow::Result<()> {
    let search = search_path(None, concat!(env!("CARGO_MANIFEST_DIR"), "/..").as_ref());
    let pubmed = DatasetSpec::published("pubmed").or_twin(&search, |missing| eprintln!("{missing}"))?;
    let arm = |name: &str, features, regularization| {
        let mut spec = Spec::of(pubmed.clone(), features, ModelKind::Gcn)?;
        spec.training.epochs = 50;
        if spec.features.mechanism().is_some() {
            // HOA over 4 hops, and NFR after it by a threshold from the variance of each node's aggregate.
            (spec.denoise.filter, spec.denoise.steps) = (FilterSpec::MeanOfPowers, 4);
            spec.denoise.regularization = regularization;
        }
        anyhow::Ok(PlannedArm::new(name, spec))
    };
    let mechanism = Sampled { scalar: Scalar::Piecewise, epsilon: "3".parse()?, sample_size: SampleSize::Optimal };
    let private = FeatureSpec::Private { mechanism: mechanism.clone().into() };
    let sim = FeatureSpec::Sim { mechanism: mechanism.into() };
    let arms = vec![
        arm("UPGNET-PM", private, RegularizationSpec::Universal)?,
        arm("SIM of it", sim, RegularizationSpec::Universal)?,
        arm("NonPriv", FeatureSpec::Clean, RegularizationSpec::None)?,
    ];
    let plan = Plan { seed: 1, repeats: 1, arms };
    for (record, arm) in plan.run(&search, |_| {})?.iter().zip(&plan.arms) {
        println!("{}: test accuracy {:.1} %; {:?}", arm.name, 100.0 * record.outcome.test_accuracy, record.data.notes);
    }
    Ok(())
}
