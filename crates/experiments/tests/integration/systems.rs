//! All four systems, from suite file to scored model.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use experiments::report::{Section, html};
use experiments::{
    DefenceSpec, Journal, Merged, Narrowing, Plan, Published, Record, StructureSpec, Suite, run_plan, summary,
};
use toml::Value;

use crate::{nowhere, settings};

fn suites() -> Vec<Suite> {
    Suite::all(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/suites")).expect("suites")
}

#[test]
fn every_suite_is_a_plan_whole_and_in_the_standard_profile() {
    for suite in suites() {
        let whole = suite.plan(&Narrowing::default()).unwrap_or_else(|error| panic!("{}: {error}", suite.name));
        let at = suite.standard.clone();
        let standard = suite.plan(&Narrowing { at, ..Narrowing::default() }).expect("a plan");
        assert!(standard.arms.len() <= whole.arms.len(), "{}", suite.name);
        for (axis, values) in &suite.standard {
            for value in values {
                let found = standard.arms.iter().any(|arm| arm.at.get(axis) == Some(value));
                assert!(found, "{}: no arm at {axis} = {value}", suite.name);
            }
        }
        if let Some(axis) = &suite.figure {
            assert!(whole.arms.iter().any(|arm| arm.at.contains_key(axis)), "{}: figure over {axis}", suite.name);
        }
    }
}

/// The default suite on a smaller graph with a stronger signal, one repeat.
fn small_systems() -> Plan {
    let mut suite = suites().into_iter().find(|suite| suite.name == "systems").expect("the default suite");
    let dataset = suite.base["dataset"].as_table_mut().expect("a table");
    dataset.insert("nodes".to_owned(), 400.into());
    dataset.insert("homophily".to_owned(), 0.8.into());
    suite.set_axis("epsilon", "features.mechanism.epsilon", vec![Value::Float(3.0)]);
    let mut plan = suite.plan(&Narrowing { repeats: Some(1), ..Narrowing::default() }).expect("a plan");
    plan.arms.iter_mut().for_each(|arm| arm.spec.training.epochs = 30);
    plan
}

fn run(plan: &Plan, jobs: usize) -> Vec<Record> {
    let folder = tempfile::tempdir().expect("a folder");
    run_plan(plan, &nowhere(), folder.path(), &settings(jobs, 1), &AtomicBool::new(false), |_| {}).expect("records")
}

#[test]
fn each_system_runs_and_the_defence_finds_the_fakes() {
    let plan = small_systems();
    let records = run(&plan, 2);
    assert_eq!(records.len(), plan.arms.len());
    let of = |name: &str| {
        let arm = plan.arms.iter().find(|arm| arm.name == name).unwrap_or_else(|| panic!("no {name}"));
        records.iter().find(|record| record.spec == arm.spec).expect("a record")
    };
    let clean = of("NonPriv").outcome.test_accuracy;
    assert!(clean > 0.6, "{clean}");
    for name in ["LPGNN", "PPGNN, sound", "PPGNN, as printed", "UPGNET, N-H", "UPGNET, H-N", "VERITAS, ours"] {
        let outcome = &of(name).outcome;
        assert!(outcome.test_accuracy > 0.25 && outcome.reported_dimensions.is_some(), "{name}: {outcome:?}");
    }
    let undefended = of("VERITAS, undefended").outcome.defence.clone().expect("an account");
    assert_eq!((undefended.fakes, undefended.caught, undefended.honest), (4, 0, 400));
    assert!(undefended.fake_edges > 0 && undefended.noise_edges > 0);
    let ours = of("VERITAS, ours").outcome.defence.clone().expect("an account");
    assert!(ours.caught == 4 && ours.honest_removed <= 1, "{ours:?}");
    assert!(ours.fake_edges == 0 && ours.noise_edges < undefended.noise_edges);
    assert!(of("LPGNN").outcome.defence.is_none());

    let markdown = summary::markdown(&plan, &records);
    for word in ["fakes caught", "SIM of LPGNN", "3-LDP", "an edge, which stands in two lists, 10"] {
        assert!(markdown.contains(word), "{word}");
    }
}

#[test]
fn lists_attacks_and_defences_are_the_same_at_any_number_of_jobs() {
    let mut plan = small_systems();
    plan.arms.retain(|arm| arm.name.starts_with("VERITAS") || arm.name.starts_with("PPGNN"));
    let outcomes = |jobs| run(&plan, jobs).into_iter().map(|record| record.outcome).collect::<Vec<_>>();
    assert_eq!(outcomes(1), outcomes(2));
}

#[test]
fn parts_of_a_plan_merge_to_the_whole() {
    let mut plan = small_systems();
    plan.arms.truncate(4);
    let whole = run(&plan, 1);
    let target = tempfile::tempdir().expect("a folder");
    let parts = [tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder")];
    for (part, folder) in ["1/2", "2/2"].iter().zip(&parts) {
        let mut settings = settings(1, 1);
        settings.shard = Some(part.parse().expect("a part"));
        run_plan(&plan, &nowhere(), folder.path(), &settings, &AtomicBool::new(false), |_| {}).expect("records");
    }
    let [one, other] = parts.each_ref().map(|folder| folder.path().to_owned());
    let into = target.path();
    let merged = |from: &[PathBuf]| experiments::merge(from, into).expect("merged");
    assert_eq!(merged(std::slice::from_ref(&one)), Merged { new: vec![2], total: 2 });
    // The same run twice is one, and the target among the folders is no obstacle.
    assert_eq!(
        merged(&[one.clone(), other.clone(), other, into.to_owned()]),
        Merged { new: vec![0, 2, 0, 0], total: 4 }
    );
    let into = Journal::open(into).expect("a journal");
    let mut ids: Vec<String> = into.records().iter().map(|record| record.id.clone()).collect();
    let mut expected: Vec<String> = whole.iter().map(|record| record.id.clone()).collect();
    ids.sort();
    expected.sort();
    assert_eq!(ids, expected);
}

/// The table of detectors: the same lists as a run that is defended, so the same people are found.
#[test]
fn detectors_are_compared_on_the_lists_of_the_defended_run() {
    let suite = suites().into_iter().find(|suite| suite.name == "veritas-detectors").expect("the suite");
    let narrowing = Narrowing { at: [("rate".to_owned(), vec!["0.04".to_owned()])].into(), ..Narrowing::default() };
    let mut plan = suite.plan(&narrowing).expect("a plan");
    plan.arms.retain(|arm| arm.at["dataset"] == "cora" && arm.at["epsilon_a"] == "7");
    assert_eq!(plan.arms.len(), 11);
    plan.repeats = 1;
    for arm in &mut plan.arms {
        arm.spec.dataset = crate::small_plan().arms[0].spec.dataset.clone();
    }
    plan.arms.retain(|arm| ["naive-skip", "devils-hand"].contains(&arm.name.as_str()));
    let records = run(&plan, 1);
    let mut defended = plan.clone();
    for arm in &mut defended.arms {
        let StructureSpec::Lists { defence, .. } = &mut arm.spec.structure else { panic!("lists") };
        *defence = DefenceSpec::Sound { false_alarm: 0.01 };
    }
    // The matching attacker needs the graph, which only the table hands it.
    defended.arms.retain(|arm| arm.name == "naive-skip");
    let defended = run(&defended, 1);
    let outcome = |records: &[Record]| records[0].outcome.defence.clone().expect("fakes");
    let (table, defended) = (outcome(&records), outcome(&defended));
    assert_eq!((table.caught, table.honest_removed, table.detectors.len()), (0, 0, 9));
    let of = |name: &str| table.detectors.iter().find(|one| one.detector == name).expect("a detector");
    assert_eq!((of("defend").caught, of("defend").honest_removed), (defended.caught, defended.honest_removed));
    assert!(defended.caught > 0, "{table:?}");

    let text = summary::markdown(&plan, &records);
    let shares = format!("{:.1}/{:.2} |\n", 100.0 * defended.caught as f64 / 10.0, 0.0);
    assert!(text.contains("| naive-skip | 7 | 0.04 | 1 |") && !text.contains("test accuracy"), "{text}");
    assert!(defended.honest_removed > 0 || text.contains(&shares), "{shares} {text}");
    let section = Section { name: "t", suite: Some(&suite), plan: &plan, records: &records };
    let page = html(&[section], &Published::default(), &[]);
    assert!(page.contains("Detectors against attackers") && page.contains("peers doubt, sequential"));
    assert!(!page.contains("test accuracy, %"), "no accuracy of a model that says nothing");
}
