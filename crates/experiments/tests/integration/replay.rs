//! Same seed, same bytes: at any number of threads and jobs, and for a run made alone.

use std::sync::atomic::AtomicBool;

use experiments::{Plan, run_plan};

use crate::{multi_bit, nowhere, settings, small_plan, timeless};

fn records(plan: &Plan, jobs: usize, threads: usize) -> Vec<serde_json::Value> {
    let folder = tempfile::tempdir().expect("a folder");
    let made = run_plan(plan, &nowhere(), folder.path(), &settings(jobs, threads), &AtomicBool::new(false), |_| {});
    made.expect("a finished plan").iter().map(timeless).collect()
}

#[test]
fn threads_and_jobs_change_nothing() {
    let plan = small_plan();
    let alone = records(&plan, 1, 1);
    assert_eq!(alone.len(), 2 * 4);
    assert_eq!(alone, records(&plan, 1, 2));
    assert_eq!(alone, records(&plan, 2, 1));
}

#[test]
fn an_arm_alone_gives_the_same_records() {
    let plan = small_plan();
    let mut one = plan.clone();
    one.arms.truncate(1);
    let all = records(&plan, 2, 1);
    let alone = records(&one, 1, 1);
    for record in alone {
        assert!(all.contains(&record), "{record}");
    }
}

#[test]
fn another_seed_gives_other_records() {
    let plan = small_plan();
    let mut other = plan.clone();
    other.seed += 1;
    assert_ne!(records(&plan, 2, 1), records(&other, 2, 1));
}

#[test]
fn repeats_differ_and_arms_of_a_repeat_share_their_split() {
    let made = records(&small_plan(), 2, 1);
    let accuracy = |at: usize| made[at]["outcome"].clone();
    assert_ne!(accuracy(0), accuracy(4), "two repeats of one arm");
    assert_eq!(made[0]["outcome"]["test_nodes"], 60);
}

/// With one reported dimension at both budgets, SIM's reports differ in nothing: no data reach them. LPGNN's do.
#[test]
fn sim_sees_no_data() {
    let mut plan = small_plan();
    let mut stronger = plan.arms[0].clone();
    stronger.spec.features = multi_bit("3");
    plan.arms.push(stronger);
    let made = records(&plan.with_controls(), 2, 1);
    let accuracies = |kind: &str, epsilon: f64| -> Vec<String> {
        let of_arm = made.iter().filter(|record| {
            let features = &record["spec"]["features"];
            features["kind"] == kind && features["mechanism"]["epsilon"] == epsilon
        });
        of_arm
            .map(|record| format!("{} {}", record["outcome"]["test_accuracy"], record["outcome"]["kept_epoch"]))
            .collect()
    };
    assert_eq!(accuracies("sim", 1.0).len(), 2);
    assert_eq!(accuracies("sim", 1.0), accuracies("sim", 3.0));
    assert_ne!(accuracies("private", 1.0), accuracies("private", 3.0));
}
