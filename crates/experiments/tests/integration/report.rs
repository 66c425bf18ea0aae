//! The page and the papers' numbers.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use experiments::report::{Section, html};
use experiments::{
    CodeStamp, DataStamp, DatasetSpec, DefenceOutcome, FALSE_ALARMS, Interval, Measured, Narrowing, Outcome, Plan,
    PlannedArm, Published, Record, RocCurve, Seconds, Suite, summary,
};

use crate::{multi_bit, small_plan};

/// LPGNN at four ε beside its controls.
fn plan() -> Plan {
    let mut plan = small_plan();
    plan.repeats = 3;
    let first = plan.arms[0].clone();
    plan.arms.clear();
    for epsilon in ["0.1", "1", "2", "8"] {
        let mut spec = first.spec.clone();
        spec.features = multi_bit(epsilon);
        plan.arms.push(PlannedArm::new("LPGNN", spec));
    }
    plan.with_controls()
}

/// Records as a run would leave them, with accuracies that differ from arm to arm and repeat to repeat.
pub(crate) fn records(plan: &Plan, repeats: u32, seconds: f64) -> Vec<Record> {
    let record = |arm: usize, repeat: u32| {
        let spec = plan.arms[arm].spec.clone();
        let test_accuracy = 0.4 + 0.031 * arm as f64 + 0.017 * f64::from(repeat) + 0.009 * f64::from(repeat * repeat);
        Record {
            id: format!("{arm:012x}{repeat:012x}"),
            seed: plan.seed,
            repeat,
            data: DataStamp {
                name: spec.dataset.name().to_owned(),
                sha256: "0".repeat(64),
                nodes: 240,
                edges: 720,
                dimensions: 40,
                classes: 3,
                notes: vec!["a < b & c".to_owned()],
            },
            spec,
            code: CodeStamp { commit: "c".repeat(40), dirty: false, toolchain: "rustc".to_owned() },
            device: "cpu".to_owned(),
            outcome: Outcome {
                test_accuracy,
                validation_accuracy: test_accuracy,
                train_accuracy: test_accuracy,
                kept_epoch: 3,
                test_nodes: 60,
                reported_dimensions: Some(1),
                signal_per_report: Some(0.1),
                defence: (arm == 0).then_some(DefenceOutcome {
                    fakes: 4,
                    caught: 3,
                    honest: 240,
                    honest_removed: 0,
                    edges: 700,
                    edges_lost: 7,
                    noise_edges: 70,
                    fake_edges: 14,
                    gamma: None,
                    roc: vec![RocCurve {
                        score: "φ & friends".to_owned(),
                        area: 0.6 + 0.01 * f64::from(repeat),
                        caught: FALSE_ALARMS.map(f64::sqrt).to_vec(),
                    }],
                    detectors: Vec::new(),
                }),
            },
            measured: Measured {
                threads: 1,
                jobs: 1,
                seconds: Seconds { train: seconds, ..Seconds::default() },
                peak_memory_mib: 10.0 * seconds,
            },
        }
    };
    (0..plan.arms.len())
        .flat_map(|arm| (0..repeats).map(move |repeat| (arm, repeat)))
        .map(|(arm, repeat)| record(arm, repeat))
        .collect()
}

fn page(plan: &Plan, records: &[Record], published: &Published) -> String {
    html(&[Section { name: "plan", suite: None, plan, records }], published, &[])
}

/// The page as XML: the parser refuses every tag that is not closed. Elements that HTML never closes are closed here.
fn text_of(page: &str) -> String {
    let mut xml = page.strip_prefix("<!DOCTYPE html>").expect("a document type").to_owned();
    for never_closed in ["<meta charset=\"utf-8\">", "<br>"] {
        xml = xml.replace(never_closed, &never_closed.replace('>', "/>"));
    }
    xml = xml.replace("initial-scale=1\">", "initial-scale=1\"/>");
    let document = roxmltree::Document::parse(&xml).expect("every tag is closed");
    document.descendants().filter_map(|node| node.text().filter(|_| node.is_text())).collect::<Vec<_>>().join("\n")
}

fn shown(interval: Interval, sign: bool) -> String {
    let mean = if sign { format!("{:+.1}", interval.mean) } else { format!("{:.1}", interval.mean) };
    interval.half_width.map_or(mean.clone(), |half_width| format!("{mean} ± {half_width:.1}"))
}

#[test]
fn the_summary_names_each_data_set_once() {
    let plan = plan();
    let mut records = records(&plan, 3, 1.0);
    for (at, record) in records.iter_mut().enumerate() {
        record.data.name = ["one", "two"][at % 2].to_owned();
    }
    let text = summary::markdown(&plan, &records);
    assert_eq!(text.matches("Data: **one**").count(), 1);
    assert_eq!(text.matches("Data: **two**").count(), 1);
}

#[test]
fn every_number_of_the_summary_stands_on_the_page() {
    let plan = plan();
    for repeats in [1, 3] {
        let records = records(&plan, repeats, 1.0);
        let page = page(&plan, &records, &Published::default());
        let text = text_of(&page);
        let rows = summary::rows(&plan, &records);
        assert_eq!(rows.len(), plan.arms.len());
        for row in rows {
            assert!(text.contains(&row.name), "{}", row.name);
            assert!(text.contains(&shown(row.accuracy, false)), "{:?}", row.accuracy);
            for difference in [row.feature_benefit, row.over_feature_free].into_iter().flatten() {
                assert!(text.contains(&shown(difference, true)), "{difference:?}");
            }
            if let Some(defence) = row.defence {
                for share in
                    [defence.caught.expect("fakes"), defence.noise_edges, defence.edges_lost, defence.fake_edges]
                {
                    assert!(text.contains(&shown(share, false)), "{share:?}");
                }
                let [curve] = defence.roc.as_slice() else { panic!("one score") };
                assert_eq!(curve.area.mean, if repeats == 1 { 60.0 } else { 61.0 });
                assert!(text.contains(&shown(curve.area, false)) && text.contains("Detectors at every threshold"));
                assert!((curve.caught[4] - 0.1).abs() < 1e-12, "{:?}", curve.caught);
            }
            assert!(page.contains(&row.records[0][..12]), "{}", row.records[0]);
        }
        assert_eq!(page.contains(" (one run)</td>"), repeats == 1);
        assert!(page.contains("<polyline") && page.contains("var(--c1)"), "no picture");
        assert!(!page.contains("NaN") && !page.contains("inf\"") && !page.contains("#000000"), "a broken picture");
    }
}

#[test]
fn only_the_last_section_differs_between_two_runs_of_a_plan() {
    let plan = plan();
    let pages = [1.0, 2.5].map(|seconds| page(&plan, &records(&plan, 3, seconds), &Published::default()));
    let [one, other] = pages.each_ref().map(|page| page.split_once("<section id=\"time\">").expect("times"));
    assert_eq!(one.0, other.0);
    assert_ne!(one.1, other.1);
    assert!(!one.1.contains("<section"), "the times stand last");
}

#[test]
fn a_hostile_name_is_text() {
    let mut plan = plan();
    let name = "</title><script>alert('&')</script>\"x";
    for arm in &mut plan.arms {
        arm.name = name.to_owned();
        arm.at.insert("dataset".to_owned(), name.to_owned());
        let DatasetSpec::Synthetic { .. } = arm.spec.dataset else { panic!("a synthetic graph") };
    }
    let mut records = records(&plan, 3, 1.0);
    for record in &mut records {
        record.data.name = name.to_owned();
    }
    let page = page(&plan, &records, &Published::default());
    assert!(!page.contains("<script"), "a tag came through");
    assert!(text_of(&page).contains(name));
}

#[test]
fn a_page_without_records_says_so() {
    let plan = plan();
    let text = text_of(&page(&plan, &[], &Published::default()));
    assert!(text.contains("No run of this suite is finished") && text.contains("3 of 3 runs"), "{text}");
    let half = records(&plan, 2, 1.0);
    assert!(text_of(&page(&plan, &half, &Published::default())).contains("1 of 3 runs"));
    assert!(text_of(&html(&[], &Published::default(), &[])).contains("Nothing"));
}

#[test]
fn a_printed_number_stands_beside_ours() {
    let plan = plan();
    let records = records(&plan, 3, 1.0);
    let mean = summary::rows(&plan, &records)[1].accuracy.mean;
    let cell = |epsilon: &str, value: f64| {
        format!(
            "[[cell]]\nsuite = \"plan\"\nmethod = \"LPGNN\"\nat = {{ epsilon = {epsilon} }}\nvalue = {value:.1}\ntable = \"T\"\n"
        )
    };
    let file =
        format!("paper = \"P\"\nsource = \"S\"\n{}{}{}", cell("1.0", mean + 0.1), cell("2", 9.0), cell("7", 50.0));
    let mut published = Published::default();
    published.add(Path::new("p.toml"), &file).expect("a file");
    let text = text_of(&page(&plan, &records, &published));
    assert!(text.contains("1 of 2 printed numbers lie inside"), "{text}");
    assert!(text.contains("1 further off") && text.contains(&format!("{:.1}", mean + 0.1)), "{text}");
    // What no arm stands beside is not forgotten.
    assert!(text.contains("Printed numbers beside which nothing was run"), "{text}");
    let markdown = summary::markdown_beside(&plan, &records, "plan", &published);
    assert!(markdown.contains("| paper, % |") && markdown.contains("| inside interval |"), "{markdown}");
    let widths: BTreeSet<usize> = markdown
        .lines()
        .skip_while(|line| !line.starts_with("| data"))
        .take(6)
        .map(|line| line.matches('|').count())
        .collect();
    assert_eq!(widths.len(), 1, "{markdown}");
    assert!(!summary::markdown(&plan, &records).contains("paper"));
}

/// Printed results that no method of ours repeats.
const NOT_REPEATED: [(&str, &str); 1] = [("controls", "PrivGE")];

#[test]
fn each_printed_cell_names_a_method_of_its_suite() {
    let data = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../data");
    let published = Published::read(&data.join("papers")).expect("the papers' numbers");
    assert!(published.cells().len() > 100);
    for cell in published.cells() {
        let path = data.join("suites").join(&cell.suite).with_extension("toml");
        if !path.exists() || NOT_REPEATED.contains(&(&cell.suite, &cell.method)) {
            eprintln!("no method of ours stands beside {} of {}", cell.method, cell.suite);
            continue;
        }
        let plan = Suite::read(&path).and_then(|suite| suite.plan(&Narrowing::default())).expect("a suite");
        let names: BTreeSet<&str> = plan.arms.iter().map(|arm| arm.name.as_str()).collect();
        assert!(names.contains(cell.method.as_str()), "{}: no method {} in {names:?}", cell.suite, cell.method);
    }
}
