//! CiteSeer: VERITAS. The graph is private too: each user sends a graded list over all others, every entry randomized at
//! ε_a = 5, and 1 % fakes join, who grade their victims as their victims grade them (1), so that no imbalance shows.
//!
//! `cargo run --release -p examples --example citeseer` (seconds: 50 epochs, one seed)

use experiments::mechanism::{SampleSize, Sampled, Scalar};
use experiments::{
    AttackSpec, Collusion, DatasetSpec, DefenceSpec, FakeFeatures, FeatureSpec, FilterSpec, Gamma, Grading, ModelKind,
    Plan, PlannedArm, Spec, StructureSpec, Targets, TrustModel, search_path,
};

fn main() -> anyhow::Result<()> {
    let search = search_path(None, concat!(env!("CARGO_MANIFEST_DIR"), "/..").as_ref());
    let citeseer = DatasetSpec::published("citeseer").or_twin(&search, |missing| eprintln!("{missing}"))?;
    let mechanism = Sampled { scalar: Scalar::Piecewise, epsilon: "0.1".parse()?, sample_size: SampleSize::Optimal };
    let features = FeatureSpec::Private { mechanism: mechanism.into() };
    let mut spec = Spec::of(citeseer, features, ModelKind::Sage)?;
    // HOA, as in the paper: the eighth power alone smooths this graph, one half noise edges, to a constant.
    (spec.denoise.filter, spec.training.epochs) = (FilterSpec::MeanOfPowers, 50);
    let (targets, collusion, grading, features) =
        (Targets::Random, Collusion::Peers(3), Grading::Mirrored, FakeFeatures::Extreme);
    let (rate, victims, randomizes, slandered) = (0.01, 12, true, 0);
    spec.attack = AttackSpec::Fakes { rate, victims, targets, collusion, grading, randomizes, slandered, features };
    let arm = |name: &str, defence| {
        let (epsilon, levels, trust) = ("5".parse()?, 5, TrustModel::oracle_of_five(0.1));
        let structure = StructureSpec::Lists { epsilon, levels, trust, defence };
        anyhow::Ok(PlannedArm::new(name, Spec { structure, ..spec.clone() }))
    };
    let printed = DefenceSpec::AsPrinted { gamma: Gamma::Corrected };
    let ours = DefenceSpec::Sound { false_alarm: 0.01 };
    let arms = vec![arm("undefended", DefenceSpec::Undefended)?, arm("as printed", printed)?, arm("ours", ours)?];
    let plan = Plan { seed: 1, repeats: 1, arms };
    for (record, arm) in plan.run(&search, |_| {})?.iter().zip(&plan.arms) {
        println!("{}: test accuracy {:.1} %", arm.name, 100.0 * record.outcome.test_accuracy);
        let Some(of) = &record.outcome.defence else { continue };
        println!("  {} of {} fakes caught, {} of {} honest removed", of.caught, of.fakes, of.honest_removed, of.honest);
        println!("  {} of {} edges lost, {} noise edges among the honest", of.edges_lost, of.edges, of.noise_edges);
    }
    Ok(())
}
