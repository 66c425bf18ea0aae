//! Tables over the repeats of each arm, as Markdown and CSV. Times are in a table of their own, so that two runs of one
//! plan give the same summary to the byte.

use std::fmt::Write;

use crate::{Arm, Epsilon, Interval, LossSpec, Plan, Record, Spec};

/// The records of one arm, and the difference to its controls.
#[derive(Debug, Clone)]
pub struct Row {
    /// The arm.
    pub spec: Spec,
    /// Test accuracy over the repeats, percent.
    pub accuracy: Interval,
    /// Test accuracy less SIM's, percentage points, paired by repeat: what the features themselves contributed.
    pub feature_benefit: Option<Interval>,
    /// Test accuracy less FeatFree's, percentage points, paired by repeat.
    pub over_feature_free: Option<Interval>,
}

/// One row an arm, in plan order; arms without a record are left out.
pub fn rows(plan: &Plan, records: &[Record]) -> Vec<Row> {
    let of = |spec: &Spec| -> Vec<&Record> { records.iter().filter(|record| record.spec == *spec).collect() };
    let mut rows = Vec::new();
    for spec in &plan.arms {
        let mine = of(spec);
        let accuracies: Vec<f64> = mine.iter().map(|record| 100.0 * record.outcome.test_accuracy).collect();
        let Some(accuracy) = Interval::of(&accuracies) else { continue };
        let against = |kind: Arm| {
            if spec.features.arm() != Arm::MultiBit {
                return None;
            }
            let same_budget = |other: &Spec| kind != Arm::Sim || other.features.epsilon() == spec.features.epsilon();
            let is_control =
                |other: &&Spec| other.features.arm() == kind && other.is_beside(spec) && same_budget(other);
            let control = plan.arms.iter().find(is_control)?;
            let theirs = of(control);
            let difference = |record: &&Record| {
                let other = theirs.iter().find(|other| other.repeat == record.repeat && other.seed == record.seed)?;
                Some(100.0 * (record.outcome.test_accuracy - other.outcome.test_accuracy))
            };
            Interval::of(&mine.iter().filter_map(difference).collect::<Vec<_>>())
        };
        let (feature_benefit, over_feature_free) = (against(Arm::Sim), against(Arm::FeatureFree));
        rows.push(Row { spec: spec.clone(), accuracy, feature_benefit, over_feature_free });
    }
    rows
}

/// The summary as Markdown: accuracy beside its controls, then what the words mean.
pub fn markdown(plan: &Plan, records: &[Record]) -> String {
    let mut text = String::from("# Results\n\n");
    let mut stamps: Vec<_> = records.iter().map(|record| &record.data).collect();
    stamps.dedup();
    for stamp in stamps {
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
    text += "| data | model | features | ε | labels | K | runs | test accuracy, % | feature benefit, points | over FeatFree, points |\n";
    text += "|---|---|---|---|---|---|---|---|---|---|\n";
    for row in rows(plan, records) {
        let spec = &row.spec;
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            spec.dataset.name(),
            spec.model.kind.label(),
            spec.features.arm().label(),
            budget(spec.features.epsilon()),
            labels(spec),
            spec.propagation.steps,
            row.accuracy.count,
            shown(row.accuracy),
            row.feature_benefit.map_or("–".to_owned(), benefit),
            row.over_feature_free.map_or("–".to_owned(), benefit),
        );
    }
    text += "\n± is half of the 95 % interval of the mean over repeats (Student's t); each repeat draws its own split, \
             reports and initial model, the same for all rows.\n\n\
             * **NonPriv**: the true features, no privacy.\n\
             * **LPGNN**: each user's feature vector through the multi-bit mechanism; one report is ε-LDP for that vector. \
             The graph and the split are public to the server, and so are labels unless a row states their ε, which adds to \
             the features'.\n\
             * **SIM**: reports of the same shape as LPGNN's with no data in them.\n\
             * **FeatFree**: random numbers in place of features.\n\
             * **feature benefit**: LPGNN less SIM, paired by repeat: what the data in the reports added to their shape. \
             `(none shown)` marks an interval that contains 0, `(one run)` that there is none.\n\
             * **over FeatFree**: LPGNN less FeatFree, paired by repeat. Below 0, the server would have done better with \
             random numbers in place of the reports. With few feature columns SIM says less of who is who than FeatFree \
             does: private features are worth their noise only where both differences are above 0.\n\
             * **K**: steps of propagation, tuned for each row by the same search.\n";
    text
}

fn budget(epsilon: Option<Epsilon>) -> String {
    epsilon.map_or("–".to_owned(), |epsilon| epsilon.to_string())
}

/// What the labels cost and how their noise is met.
fn labels(spec: &Spec) -> String {
    let Some(epsilon) = spec.labels.epsilon() else { return "true".to_owned() };
    let loss = match spec.training.loss {
        LossSpec::CrossEntropy => "cross-entropy".to_owned(),
        LossSpec::ForwardCorrection => "forward correction".to_owned(),
        LossSpec::Drop { steps } => format!("Drop, K = {steps}"),
    };
    format!("ε = {epsilon}, {loss}")
}

fn shown(interval: Interval) -> String {
    match interval.half_width {
        Some(half_width) => format!("{:.1} ± {half_width:.1}", interval.mean),
        None => format!("{:.1}", interval.mean),
    }
}

fn benefit(interval: Interval) -> String {
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

/// Median wall seconds by stage and greatest memory, one row an arm.
pub fn timing_markdown(plan: &Plan, records: &[Record]) -> String {
    let mut text = String::from(
        "| model | features | ε | labels | randomize, s | propagate, s | train, s | evaluate, s | peak memory, MiB | threads × jobs |\n\
         |---|---|---|---|---|---|---|---|---|---|\n",
    );
    for spec in &plan.arms {
        let measured: Vec<_> =
            records.iter().filter(|record| record.spec == *spec).map(|record| &record.measured).collect();
        let Some(first) = measured.first() else { continue };
        let median = |of: fn(&crate::Seconds) -> f64| {
            let mut values: Vec<f64> = measured.iter().map(|one| of(&one.seconds)).collect();
            values.sort_by(f64::total_cmp);
            values[values.len() / 2]
        };
        let peak = measured.iter().map(|one| one.peak_memory_mib).fold(0.0, f64::max);
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {:.4} | {:.4} | {:.3} | {:.4} | {peak:.0} | {} × {} |",
            spec.model.kind.label(),
            spec.features.arm().label(),
            budget(spec.features.epsilon()),
            labels(spec),
            median(|seconds| seconds.randomize),
            median(|seconds| seconds.propagate),
            median(|seconds| seconds.train),
            median(|seconds| seconds.evaluate),
            first.threads,
            first.jobs,
        );
    }
    text
}

/// The summary as CSV, full precision, one row an arm.
pub fn csv(plan: &Plan, records: &[Record]) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let header = [
        "dataset",
        "model",
        "features",
        "epsilon",
        "labels",
        "steps",
        "learning_rate",
        "weight_decay",
        "dropout",
        "runs",
        "test_accuracy_percent",
        "test_accuracy_half_width_95",
        "feature_benefit_points",
        "feature_benefit_half_width_95",
        "over_feature_free_points",
        "over_feature_free_half_width_95",
    ];
    // Writing to memory cannot fail.
    let _ = writer.write_record(header);
    for row in rows(plan, records) {
        let spec = &row.spec;
        let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
        let _ = writer.write_record([
            spec.dataset.name().to_owned(),
            spec.model.kind.label().to_owned(),
            spec.features.arm().label().to_owned(),
            spec.features.epsilon().map_or(String::new(), |epsilon| epsilon.to_string()),
            labels(spec),
            spec.propagation.steps.to_string(),
            spec.training.learning_rate.to_string(),
            spec.training.weight_decay.to_string(),
            spec.model.dropout.to_string(),
            row.accuracy.count.to_string(),
            row.accuracy.mean.to_string(),
            number(row.accuracy.half_width),
            number(row.feature_benefit.map(|interval| interval.mean)),
            number(row.feature_benefit.and_then(|interval| interval.half_width)),
            number(row.over_feature_free.map(|interval| interval.mean)),
            number(row.over_feature_free.and_then(|interval| interval.half_width)),
        ]);
    }
    writer.into_inner().ok().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default()
}
