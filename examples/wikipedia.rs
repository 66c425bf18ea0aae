//! Wikipedia articles on crocodiles: the published two classes are no median split but cut the traffic at its 0.715
//! quantile, so 71.5 % are right without looking. The view `median` cuts where papers say the cut is.
//!
//! `cargo run --release -p examples --example wikipedia` (seconds: 30 epochs, one seed)

use experiments::mechanism::{MultiBit, SampleSize};
use experiments::{DatasetSpec, FeatureSpec, LabelView, ModelKind, Plan, PlannedArm, Spec, search_path};

fn main() -> anyhow::Result<()> {
    let search = search_path(None, concat!(env!("CARGO_MANIFEST_DIR"), "/..").as_ref());
    let mechanism = MultiBit { epsilon: "3".parse()?, sample_size: SampleSize::Optimal };
    let private = FeatureSpec::Private { mechanism: mechanism.into() };
    let mut arms: Vec<PlannedArm> = Vec::new();
    for view in [LabelView::Published, LabelView::Median] {
        let (name, view) = ("wikipedia".to_owned(), Some(view));
        let wikipedia = DatasetSpec::Published { name, view, synthetic_features: None };
        let wikipedia = wikipedia.or_twin(&search, |missing| eprintln!("{missing}"))?;
        for features in [FeatureSpec::Clean, private.clone()] {
            let mut spec = Spec::of(wikipedia.clone(), features, ModelKind::Gcn)?;
            // 13,183 columns: propagated they would fill 600 MB, as reported they stay sparse.
            (spec.denoise.steps, spec.training.epochs) = (0, 30);
            let name = format!("{:?}, {}", view.unwrap_or_default(), spec.features.arm().label());
            if arms.iter().all(|arm| arm.spec != spec) {
                arms.push(PlannedArm::new(name, spec));
            }
        }
    }
    let plan = Plan { seed: 1, repeats: 1, arms };
    for (record, arm) in plan.run(&search, |_| {})?.iter().zip(&plan.arms) {
        println!("{}: test accuracy {:.1} % {:?}", arm.name, 100.0 * record.outcome.test_accuracy, record.data.notes);
    }
    Ok(())
}
