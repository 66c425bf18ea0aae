//! Plans and their controls.

use experiments::{Arm, Published, summary};

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

#[test]
fn an_empty_summary_is_no_panic() {
    let plan = small_plan();
    assert!(summary::markdown(&plan, &[]).contains("feature benefit"));
    assert_eq!(summary::csv("plan", &plan, &[], &Published::default(), true).lines().count(), 1);
}
