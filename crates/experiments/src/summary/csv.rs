//! The summary as CSV.

use super::{Row, labels, mechanism, rows};
use crate::{Interval, Plan, Published, Record};

/// Names of the columns before the intervals.
const KNOBS: [&str; 14] = [
    "suite",
    "dataset",
    "model",
    "method",
    "at",
    "reports",
    "epsilon",
    "labels",
    "epsilon_a",
    "steps",
    "learning_rate",
    "weight_decay",
    "dropout",
    "runs",
];

/// Each a column of means and one of half widths of the 95 % interval.
const INTERVALS: [&str; 9] = [
    "test_accuracy_percent",
    "feature_benefit_points",
    "over_feature_free_points",
    "fakes_caught_percent",
    "removed_that_are_fakes_percent",
    "honest_removed_percent",
    "edges_lost_percent",
    "noise_edges_percent",
    "fake_edges_percent",
];

/// The summary as CSV, one row an arm; with `header` the names of the columns come first. Column `at` has the arm's place on
/// the suite's axes, `axis=value` with `;` between, the last one the paper's number where it prints one.
pub fn csv(suite: &str, plan: &Plan, records: &[Record], published: &Published, header: bool) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    // Writing to memory cannot fail.
    if header {
        let both = |name: &str| [name.to_owned(), format!("{name}_half_width_95")];
        let names = KNOBS.map(str::to_owned).into_iter().chain(INTERVALS.into_iter().flat_map(both));
        let _ = writer.write_record(names.chain(["paper_percent".to_owned()]));
    }
    for row in rows(plan, records) {
        let paper = published.find_at(suite, &row.name, &row.at).and_then(|cell| cell.value);
        let numbers = intervals(&row).into_iter().flat_map(|interval| {
            [interval.map(|interval| interval.mean), interval.and_then(|interval| interval.half_width)]
        });
        let numbers =
            numbers.chain([paper]).map(|number| number.map_or(String::new(), |number| format!("{number:.4}")));
        let _ = writer.write_record(knobs(suite, &row).into_iter().chain(numbers));
    }
    writer.into_inner().ok().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default()
}

fn knobs(suite: &str, row: &Row) -> [String; KNOBS.len()] {
    let spec = &row.spec;
    let at: Vec<String> = row.at.iter().map(|(axis, value)| format!("{axis}={value}")).collect();
    let budget = |epsilon: Option<crate::Epsilon>| epsilon.map_or(String::new(), |epsilon| epsilon.to_string());
    [
        suite.to_owned(),
        row.dataset().to_owned(),
        spec.model.kind.label().to_owned(),
        row.name.clone(),
        at.join(";"),
        mechanism(spec),
        budget(spec.features.epsilon()),
        labels(spec),
        budget(spec.structure.epsilon()),
        spec.denoise.steps.to_string(),
        spec.training.learning_rate.to_string(),
        spec.training.weight_decay.to_string(),
        spec.model.dropout.to_string(),
        row.accuracy.count.to_string(),
    ]
}

fn intervals(row: &Row) -> [Option<Interval>; INTERVALS.len()] {
    let defence = row.defence.as_ref();
    [
        Some(row.accuracy),
        row.feature_benefit,
        row.over_feature_free,
        defence.and_then(|defence| defence.caught),
        defence.and_then(|defence| defence.precision),
        defence.map(|defence| defence.honest_removed),
        defence.map(|defence| defence.edges_lost),
        defence.map(|defence| defence.noise_edges),
        defence.map(|defence| defence.fake_edges),
    ]
}
