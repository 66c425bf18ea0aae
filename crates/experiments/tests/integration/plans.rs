//! Plans and their controls.

use experiments::mechanism::{
    LevelChannelSpec, LevelPopulation, LevelRectifierSpec, Levels, Mechanism, PrivateLevel, PrivateLevelAsPrinted,
    SampleSize,
};
use experiments::{
    Arm, DefenceSpec, FeatureSpec, Plan, PlannedArm, Published, Scale, Spec, StructureSpec, TrustModel, summary,
};

use crate::{multi_bit, small_plan};

#[test]
fn each_private_arm_brings_its_controls_once() {
    let plan = small_plan();
    let arms: Vec<Arm> = plan.arms.iter().map(|arm| arm.spec.features.arm()).collect();
    assert_eq!(arms, [Arm::Private, Arm::Sim, Arm::Clean, Arm::FeatureFree]);
    assert_eq!(plan.clone().with_controls(), plan);

    let mut two = plan.clone();
    let mut stronger = two.arms[0].clone();
    stronger.spec.features = multi_bit("5");
    two.arms.push(stronger);
    let two = two.with_controls();
    assert_eq!(two.arms.iter().filter(|arm| arm.spec.features.arm() == Arm::Sim).count(), 2);
    assert_eq!(two.arms.iter().filter(|arm| arm.spec.features.arm() == Arm::Clean).count(), 1);
}

/// With another scale or number of steps SIM's accuracy is another one, whatever the features.
#[test]
fn a_control_has_the_knobs_of_its_own_method() {
    let mut plan = small_plan();
    plan.arms.truncate(1);
    let first = plan.arms[0].spec.clone();
    let mut with = |name: &str, change: fn(&mut Spec)| {
        let mut spec = first.clone();
        change(&mut spec);
        plan.arms.push(PlannedArm::new(name, spec));
    };
    with("as printed", |spec| spec.denoise.scale = Scale::AsPrinted);
    with("further", |spec| spec.denoise.steps += 3);
    let plan = plan.with_controls();
    let count = |kind| plan.arms.iter().filter(|arm| arm.spec.features.arm() == kind).count();
    assert_eq!([Arm::Private, Arm::Sim, Arm::FeatureFree, Arm::Clean].map(count), [3, 3, 3, 1]);

    let names: Vec<&str> = plan.arms.iter().map(|arm| arm.name.as_str()).filter(|name| name.contains("Free")).collect();
    assert_eq!(names, ["FeatFree of LPGNN", "FeatFree of as printed", "FeatFree of further"]);

    let records = crate::report::records(&plan, 2, 1.0);
    let rows = summary::rows(&plan, &records);
    for private in &rows[..3] {
        let is_mine = |kind: Arm| {
            let fits =
                |row: &&summary::Row| row.spec.features.arm() == kind && row.spec.denoise == private.spec.denoise;
            let [control] = rows.iter().filter(fits).collect::<Vec<_>>()[..] else { panic!("one {kind:?}") };
            // Nothing but the features differs, down to what was tuned.
            let other = Spec { features: private.spec.features.clone(), ..control.spec.clone() };
            assert_eq!(other, private.spec, "{}", control.name);
            private.accuracy.mean - control.accuracy.mean
        };
        let benefit = private.feature_benefit.expect("a SIM").mean;
        assert!((benefit - is_mine(Arm::Sim)).abs() < 1e-9, "{}: {benefit}", private.name);
        let over = private.over_feature_free.expect("a FeatFree").mean;
        assert!((over - is_mine(Arm::FeatureFree)).abs() < 1e-9, "{}: {over}", private.name);
    }
}

/// NonPriv is called by the method only where there are two at one place.
#[test]
fn a_control_says_whose_it_is() {
    let mut plan = small_plan();
    let names = |plan: &Plan| plan.arms.iter().map(|arm| arm.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&plan), ["LPGNN", "SIM of LPGNN", "NonPriv", "FeatFree of LPGNN"]);
    plan.arms.truncate(1);
    let mut wider = plan.arms[0].clone();
    (wider.name, wider.spec.model.hidden) = ("wider".to_owned(), 32);
    plan.arms.push(wider);
    let names = names(&plan.with_controls());
    assert!(names.contains(&"NonPriv of LPGNN".to_owned()), "{names:?}");
    assert!(names.contains(&"NonPriv of wider".to_owned()), "{names:?}");
    let distinct: std::collections::BTreeSet<&String> = names.iter().collect();
    assert_eq!(distinct.len(), names.len());
}

#[test]
fn an_empty_summary_is_no_panic() {
    let plan = small_plan();
    assert!(summary::markdown(&plan, &[]).contains("feature benefit"));
    assert_eq!(summary::csv("plan", &plan, &[], &Published::default(), true).lines().count(), 1);
}

/// A plan is refused before anything is drawn, whichever part knows the knob.
#[test]
fn a_bad_knob_is_named_before_the_run() {
    let levels = || Levels { epsilon: "1".parse().expect("a budget"), count: 5, population: LevelPopulation::Uniform };
    let sound = |level_share| {
        PrivateLevel {
            levels: levels(),
            level_share,
            channel: LevelChannelSpec::Optimal,
            rectifier: LevelRectifierSpec::Posterior,
            sample_size: SampleSize::Optimal,
        }
        .into()
    };
    let lists = |trust| StructureSpec::Lists {
        epsilon: "5".parse().expect("a budget"),
        levels: 5,
        trust,
        defence: DefenceSpec::Undefended,
    };
    let message = |change: &dyn Fn(&mut Spec)| {
        let mut plan = small_plan();
        plan.arms.truncate(1);
        change(&mut plan.arms[0].spec);
        plan.check().err().map(|error| error.to_string())
    };
    let mechanism = |mechanism: Mechanism| {
        message(&|spec: &mut Spec| spec.features = FeatureSpec::Private { mechanism: mechanism.clone() })
    };
    let trust = |trust: TrustModel| message(&|spec: &mut Spec| spec.structure = lists(trust.clone()));

    assert_eq!(mechanism(sound(0.5)), None);
    assert_eq!(mechanism(PrivateLevelAsPrinted { levels: levels(), gamma: 0.5 }.into()), None);
    for wrong in [0.0, 1.0, -0.1, f64::NAN] {
        let found = mechanism(sound(wrong)).expect("refused");
        assert!(found.contains("level_share") && found.contains(&wrong.to_string()), "{found}");
        let found = mechanism(PrivateLevelAsPrinted { levels: levels(), gamma: wrong }.into()).expect("refused");
        assert!(found.contains("gamma") && found.contains(&wrong.to_string()), "{found}");
    }
    assert_eq!(trust(TrustModel::oracle_of_five(0.1)), None);
    assert_eq!(trust(TrustModel::FeatureSimilarity { full: 0.3 }), None);
    let four = TrustModel::Oracle { friends: vec![0.25; 4], error: 0.1 };
    let half = TrustModel::Oracle { friends: vec![0.1; 5], error: 0.1 };
    for (wrong, words) in [
        (TrustModel::oracle_of_five(1.5), "1.5"),
        (TrustModel::oracle_of_five(f64::NAN), "NaN"),
        (TrustModel::FeatureSimilarity { full: 0.0 }, "similarity"),
        (four, "5"),
        (half, "0.5"),
    ] {
        let found = trust(wrong).expect("refused");
        assert!(found.contains(words), "{found}");
    }
}
