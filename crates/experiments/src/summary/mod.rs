//! Tables over the repeats of each arm, as Markdown and CSV. Times are in a table of their own, so that two runs of one
//! plan give the same summary to the byte.

mod certificates;
mod csv;
mod timing;

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::{
    Arm, AttackSpec, DefenceOutcome, DetectorCount, Epsilon, Interval, LossSpec, Plan, PlannedArm, Published,
    PublishedCell, Record, Spec,
};

pub use certificates::{Certificate, certificates, claims};
pub use csv::csv;
pub use timing::{Timing, timing_markdown, timings};

/// The records of one arm, and the difference to its controls.
#[derive(Debug, Clone)]
pub struct Row {
    /// The method's name.
    pub name: String,
    /// Where the arm stands in its suite.
    pub at: BTreeMap<String, String>,
    /// The arm.
    pub spec: Spec,
    /// Ids of the records behind the numbers, in order of repeats.
    pub records: Vec<String>,
    /// Test accuracy over the repeats, percent.
    pub accuracy: Interval,
    /// Test accuracy less SIM's, percentage points, paired by repeat: what the features themselves contributed.
    pub feature_benefit: Option<Interval>,
    /// Test accuracy less FeatFree's, percentage points, paired by repeat.
    pub over_feature_free: Option<Interval>,
    /// What became of fakes and edges, where there are any.
    pub defence: Option<DefenceRow>,
}

impl Row {
    /// What detectors find, where they are compared; such a row is about them and not about its model.
    pub fn detectors(&self) -> &[DetectorRow] {
        self.defence.as_ref().map_or(&[], |defence| &defence.detectors)
    }

    /// The data set as the suite calls it.
    pub fn dataset(&self) -> &str {
        self.at.get("dataset").map_or_else(|| self.spec.dataset.name(), String::as_str)
    }
}

/// What became of fakes and edges over the repeats, percent.
#[derive(Debug, Clone, PartialEq)]
pub struct DefenceRow {
    /// Fakes removed, of the fakes; none without fakes.
    pub caught: Option<Interval>,
    /// Fakes among the removed; none where nobody was removed in any repeat.
    pub precision: Option<Interval>,
    /// Honest users removed, of the honest.
    pub honest_removed: Interval,
    /// True edges lost, of the true edges.
    pub edges_lost: Interval,
    /// Noise edges kept, in percent of the true edges.
    pub noise_edges: Interval,
    /// Edges to fakes kept, in percent of the true edges.
    pub fake_edges: Interval,
    /// How well each score for fakes ranks users, where that was read.
    pub roc: Vec<RocRow>,
    /// Whom each detector would remove, where they are compared.
    pub detectors: Vec<DetectorRow>,
}

/// One detector over the repeats, percent.
#[derive(Debug, Clone, PartialEq)]
pub struct DetectorRow {
    /// The detector.
    pub detector: String,
    /// Fakes that it would remove, of the fakes.
    pub caught: Interval,
    /// Honest users that it would remove, of the honest.
    pub honest_removed: Interval,
}

impl DetectorRow {
    /// Detectors as the first repeat has them.
    fn of(outcomes: &[&DefenceOutcome]) -> Vec<Self> {
        let Some(first) = outcomes.first() else { return Vec::new() };
        let row = |detector: &str| {
            let shares = |of: fn(&DetectorCount, &DefenceOutcome) -> f64| {
                let one = |outcome: &&DefenceOutcome| {
                    outcome.detectors.iter().find(|count| count.detector == detector).map(|count| of(count, outcome))
                };
                Interval::of(&outcomes.iter().filter_map(one).collect::<Vec<_>>())
            };
            Some(Self {
                detector: detector.to_owned(),
                caught: shares(|count, all| 100.0 * count.caught as f64 / all.fakes.max(1) as f64)?,
                honest_removed: shares(|count, all| 100.0 * count.honest_removed as f64 / all.honest.max(1) as f64)?,
            })
        };
        first.detectors.iter().filter_map(|count| row(&count.detector)).collect()
    }

    /// Caught / honest removed, as the tables have it.
    pub(crate) fn shown(&self) -> String {
        format!("{:.1}/{:.2}", self.caught.mean, self.honest_removed.mean)
    }
}

/// One score's curve over the repeats.
#[derive(Debug, Clone, PartialEq)]
pub struct RocRow {
    /// The score.
    pub score: String,
    /// Area under the curve, percent.
    pub area: Interval,
    /// Mean share of the fakes caught at [`FALSE_ALARMS`](crate::FALSE_ALARMS).
    pub caught: Vec<f64>,
}

impl RocRow {
    /// The mean of each score's curve; scores as the first repeat has them.
    fn of(outcomes: &[&DefenceOutcome]) -> Vec<Self> {
        let Some(first) = outcomes.first() else { return Vec::new() };
        let row = |score: &str| {
            let all: Vec<_> = outcomes.iter().filter_map(|one| one.roc.iter().find(|c| c.score == score)).collect();
            let areas: Vec<f64> = all.iter().map(|curve| 100.0 * curve.area).collect();
            let at = |place| all.iter().filter_map(|c| c.caught.get(place)).sum::<f64>() / all.len() as f64;
            let caught = (0..crate::FALSE_ALARMS.len()).map(at).collect();
            Some(Self { score: score.to_owned(), area: Interval::of(&areas)?, caught })
        };
        first.roc.iter().filter_map(|curve| row(&curve.score)).collect()
    }
}

impl DefenceRow {
    fn of(records: &[&Record]) -> Option<Self> {
        let all: Vec<_> = records.iter().filter_map(|record| record.outcome.defence.as_ref()).collect();
        let percent = |of: &dyn Fn(&DefenceOutcome) -> (usize, usize)| {
            let shares: Vec<f64> = all
                .iter()
                .map(|one| of(one))
                .filter(|&(_, whole)| whole > 0)
                .map(|(part, whole)| 100.0 * part as f64 / whole as f64)
                .collect();
            Interval::of(&shares)
        };
        Some(Self {
            caught: percent(&|one| (one.caught, one.fakes)),
            precision: percent(&|one| (one.caught, one.caught + one.honest_removed)),
            honest_removed: percent(&|one| (one.honest_removed, one.honest))?,
            edges_lost: percent(&|one| (one.edges_lost, one.edges))?,
            noise_edges: percent(&|one| (one.noise_edges, one.edges))?,
            fake_edges: percent(&|one| (one.fake_edges, one.edges))?,
            roc: RocRow::of(&all),
            detectors: DetectorRow::of(&all),
        })
    }
}

/// One row an arm, in plan order; arms without a record are left out.
pub fn rows(plan: &Plan, records: &[Record]) -> Vec<Row> {
    let of = |spec: &Spec| -> Vec<&Record> { records.iter().filter(|record| record.spec == *spec).collect() };
    let mut rows = Vec::new();
    for PlannedArm { name, at, spec } in &plan.arms {
        let mine = of(spec);
        let accuracies: Vec<f64> = mine.iter().map(|record| 100.0 * record.outcome.test_accuracy).collect();
        let Some(accuracy) = Interval::of(&accuracies) else { continue };
        let against = |kind: Arm| {
            let control = control_of(plan, spec, kind)?;
            let theirs = of(control);
            let difference = |record: &&Record| {
                let other = theirs.iter().find(|other| other.repeat == record.repeat && other.seed == record.seed)?;
                Some(100.0 * (record.outcome.test_accuracy - other.outcome.test_accuracy))
            };
            Interval::of(&mine.iter().filter_map(difference).collect::<Vec<_>>())
        };
        let (feature_benefit, over_feature_free) = (against(Arm::Sim), against(Arm::FeatureFree));
        let defence = DefenceRow::of(&mine);
        rows.push(Row {
            name: name.clone(),
            at: at.clone(),
            spec: spec.clone(),
            records: mine.iter().map(|record| record.id.clone()).collect(),
            accuracy,
            feature_benefit,
            over_feature_free,
            defence,
        });
    }
    rows
}

/// What became of fakes and edges, as Markdown; empty where there are none.
fn defence_markdown(rows: &[Row]) -> String {
    let mut text = String::new();
    for row in rows {
        let Some(defence) = &row.defence else { continue };
        if text.is_empty() {
            text += "\n| data | model | method | ε | ε_a | fakes caught, % | of the removed fakes, % | honest removed, % \
                     | edges lost, % | noise edges, % | fake edges, % |\n|---|---|---|---|---|---|---|---|---|---|---|\n";
        }
        let maybe = |interval: Option<Interval>| interval.map_or("–".to_owned(), shown);
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            row.dataset(),
            row.spec.model.kind.label(),
            row.name,
            budget(row.spec.features.epsilon()),
            budget(row.spec.structure.epsilon()),
            maybe(defence.caught),
            maybe(defence.precision),
            shown(defence.honest_removed),
            shown(defence.edges_lost),
            shown(defence.noise_edges),
            shown(defence.fake_edges),
        );
    }
    text
}

/// What each detector finds, as Markdown; empty where they are not compared.
fn detectors_markdown(rows: &[Row]) -> String {
    let mut text = String::new();
    for row in rows.iter().filter(|row| !row.detectors().is_empty()) {
        if text.is_empty() {
            let names: Vec<&str> = row.detectors().iter().map(|one| one.detector.as_str()).collect();
            let _ = writeln!(text, "\n| data | attacker | ε_a | share of fakes | runs | {} |", names.join(" | "));
            let _ = writeln!(text, "|---|---|---|---|---|{}", "---|".repeat(names.len()));
        }
        let shares: Vec<String> = row.detectors().iter().map(DetectorRow::shown).collect();
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} |",
            row.dataset(),
            row.name,
            budget(row.spec.structure.epsilon()),
            share_of_fakes(row),
            row.records.len(),
            shares.join(" | ")
        );
    }
    if !text.is_empty() {
        text += "\nShare of the fakes caught / share of the honest users removed, percent, means over the runs. All detectors \
                 read the same lists; nobody is removed.\n";
    }
    text
}

/// Fakes as a share of the honest users.
pub(crate) fn share_of_fakes(row: &Row) -> String {
    match row.spec.attack {
        AttackSpec::Fakes { rate, .. } => rate.to_string(),
        AttackSpec::None => "–".to_owned(),
    }
}

/// Areas under the detectors' curves, as Markdown; empty where none was read.
fn roc_markdown(rows: &[Row]) -> String {
    let mut text = String::new();
    // Controls share their lists with the method.
    for row in rows.iter().filter(|row| row.spec.features.arm() == Arm::Private) {
        let Some(defence) = row.defence.as_ref().filter(|defence| !defence.roc.is_empty()) else { continue };
        if text.is_empty() {
            let names: Vec<&str> = defence.roc.iter().map(|curve| curve.score.as_str()).collect();
            let _ = writeln!(text, "\n| area under the curve, % | ε_a | {} |", names.join(" | "));
            let _ = writeln!(text, "|---|---|{}", "---|".repeat(names.len()));
        }
        let areas: Vec<String> = defence.roc.iter().map(|curve| shown(curve.area)).collect();
        let (data, model) = (row.dataset(), row.spec.model.kind.label());
        let budget = budget(row.spec.structure.epsilon());
        let _ = writeln!(text, "| {data}, {model}, {} | {budget} | {} |", row.name, areas.join(" | "));
    }
    text
}

/// The arm of the plan that is the `kind` control of a private arm: the one with the same knobs, else one that was written
/// into the plan and tuned by itself. Never the control of another private arm: with another scale or number of steps the
/// difference would say something of these, not of the features.
pub(crate) fn control_of<'p>(plan: &'p Plan, spec: &Spec, kind: Arm) -> Option<&'p Spec> {
    let wanted = crate::plan::control(spec, kind)?;
    let arms = || plan.arms.iter().map(|arm| &arm.spec);
    let is_anothers = |candidate: &Spec| arms().any(|arm| crate::plan::control(arm, kind).as_ref() == Some(candidate));
    let tuned = || arms().find(|other| other.serves_as(&wanted) && !is_anothers(other));
    arms().find(|other| **other == wanted).or_else(tuned)
}

/// The summary as Markdown: accuracy beside its controls, then what is promised.
pub fn markdown(plan: &Plan, records: &[Record]) -> String {
    markdown_beside(plan, records, "", &Published::default())
}

/// As [`markdown`], with the printed number of each arm of `suite` that has one, the difference, and whether it lies in our
/// interval.
pub fn markdown_beside(plan: &Plan, records: &[Record], suite: &str, published: &Published) -> String {
    let mut text = String::new();
    for (at, Record { data: stamp, .. }) in records.iter().enumerate() {
        if records[..at].iter().any(|earlier| earlier.data == *stamp) {
            continue;
        }
        let _ = writeln!(
            text,
            "Data: **{}**, {} nodes, {} edges, {} feature columns, {} classes; sha256 {}…",
            stamp.name,
            stamp.nodes,
            stamp.edges,
            stamp.dimensions,
            stamp.classes,
            stamp.sha256.get(..16).unwrap_or(&stamp.sha256)
        );
        for note in &stamp.notes {
            let _ = writeln!(text, "Note: {note}.");
        }
    }
    let _ = writeln!(text, "Seed {}, {} repeats.\n", plan.seed, plan.repeats);
    let (detecting, rows): (Vec<Row>, Vec<Row>) =
        rows(plan, records).into_iter().partition(|row| !row.detectors().is_empty());
    if !detecting.is_empty() && rows.is_empty() {
        return text + &detectors_markdown(&detecting);
    }
    let cells: Vec<_> = rows.iter().map(|row| published.find_at(suite, &row.name, &row.at)).collect();
    let is_beside_paper = cells.iter().any(Option::is_some);
    text += "| data | model | method | reports | ε | labels | K | runs | test accuracy, % | ";
    text += if is_beside_paper { "paper, % | difference, points | | " } else { "" };
    text += "feature benefit, points | over FeatFree, points |\n";
    text += if is_beside_paper { "|---|---|---" } else { "" };
    text += "|---|---|---|---|---|---|---|---|---|---|---|\n";
    for (row, cell) in rows.iter().zip(cells) {
        let spec = &row.spec;
        let paper = if is_beside_paper { beside(row, cell).map(|part| part + " | ").concat() } else { String::new() };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {paper}{} | {} |",
            row.dataset(),
            spec.model.kind.label(),
            row.name,
            mechanism(spec),
            budget(spec.features.epsilon()),
            labels(spec),
            spec.denoise.steps,
            row.accuracy.count,
            shown(row.accuracy),
            row.feature_benefit.map_or("–".to_owned(), benefit),
            row.over_feature_free.map_or("–".to_owned(), benefit),
        );
    }
    text += &defence_markdown(&rows);
    text += &roc_markdown(&rows);
    text += &detectors_markdown(&detecting);
    let claims = claims(plan, records);
    if !claims.is_empty() {
        text += "\nWhat is promised:\n\n";
        claims.iter().for_each(|claim| text += &format!("* {claim}\n"));
    }
    text
}

/// The printed number, the difference, and how the two stand to each other.
fn beside(row: &Row, cell: Option<&PublishedCell>) -> [String; 3] {
    let Some(cell) = cell else { return ["–", "–", "–"].map(str::to_owned) };
    match cell.compare(row.accuracy) {
        Some((difference, agreement)) => [cell.shown(), format!("{difference:+.1}"), agreement.label().to_owned()],
        None => [cell.shown(), "–".to_owned(), "–".to_owned()],
    }
}

/// What the words of [`markdown`] mean; once below all tables.
pub fn legend() -> &'static str {
    "± is half of the 95 % interval of the mean over repeats (Student's t); each repeat draws its own split, reports, lists \
     and initial model, the same for all rows.\n\n\
     * **ε**: budget of one user's whole feature vector; of the lowest level where users have levels. Labels are true \
     unless a row states their ε, which adds to it. The claim of each method is below its table.\n\
     * **NonPriv**: the true features, no privacy.\n\
     * **SIM**: reports of the same mechanism with no data in them: it was run on one value that is the same for everybody.\n\
     * **FeatFree**: random numbers in place of features.\n\
     * **of**: a control has all other knobs of the method it is named after; methods with the same knobs share it.\n\
     * **feature benefit**: the method less its SIM, paired by repeat: what the data in the reports added to their shape. \
     `(none shown)` marks an interval that contains 0, `(one run)` that there is none.\n\
     * **over FeatFree**: the method less FeatFree, paired by repeat. Below 0, the server would have done better with \
     random numbers in place of the reports. With few feature columns SIM says less of who is who than FeatFree does: \
     private features are worth their noise only where both differences are above 0.\n\
     * **K**: steps of propagation.\n"
}

/// The mechanism's name, or what there is in its place.
pub(crate) fn mechanism(spec: &Spec) -> String {
    spec.features.mechanism().map_or("–".to_owned(), crate::mechanism::Mechanism::label)
}

pub(crate) fn budget(epsilon: Option<Epsilon>) -> String {
    epsilon.map_or("–".to_owned(), |epsilon| epsilon.to_string())
}

/// What the labels cost and how their noise is met.
pub(crate) fn labels(spec: &Spec) -> String {
    let Some(epsilon) = spec.labels.epsilon() else { return "true".to_owned() };
    let loss = match spec.training.loss {
        LossSpec::CrossEntropy => "cross-entropy".to_owned(),
        LossSpec::ForwardCorrection => "forward correction".to_owned(),
        LossSpec::Drop { steps } => format!("Drop, K = {steps}"),
    };
    format!("ε = {epsilon}, {loss}")
}

pub(crate) fn shown(interval: Interval) -> String {
    match interval.half_width {
        Some(half_width) => format!("{:.1} ± {half_width:.1}", interval.mean),
        None => format!("{:.1}", interval.mean),
    }
}

pub(crate) fn benefit(interval: Interval) -> String {
    let number = match interval.half_width {
        Some(half_width) => format!("{:+.1} ± {half_width:.1}", interval.mean),
        None => format!("{:+.1}", interval.mean),
    };
    match interval.half_width {
        None => number + " (one run)",
        Some(_) if interval.excludes_zero() => number,
        Some(_) => number + " (none shown)",
    }
}
