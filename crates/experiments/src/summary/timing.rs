//! Times and memory of each arm.

use std::fmt::Write;

use super::{budget, labels};
use crate::{Plan, PlannedArm, Record};

/// Median wall seconds by stage and greatest memory of one arm.
#[derive(Debug, Clone, PartialEq)]
pub struct Timing {
    /// The method.
    pub method: String,
    /// The data set.
    pub dataset: String,
    /// The network.
    pub model: &'static str,
    /// Its budget, or a dash.
    pub epsilon: String,
    /// What its labels cost.
    pub labels: String,
    /// Median wall seconds of each of [`STAGES`](Self::STAGES).
    pub stages: [f64; 6],
    /// Wall seconds of all stages of all runs.
    pub total: f64,
    /// Greatest resident memory, MiB.
    pub peak_memory_mib: f64,
    /// Threads of the first run.
    pub threads: usize,
    /// Runs at the same time as the first.
    pub jobs: usize,
}

impl Timing {
    /// The stages of a run.
    pub const STAGES: [&'static str; 6] = ["randomize", "lists", "defend", "propagate", "train", "evaluate"];
}

/// Times and memory, one entry an arm with a record.
pub fn timings(plan: &Plan, records: &[Record]) -> Vec<Timing> {
    let stages = |one: &crate::Measured| {
        let crate::Seconds { randomize, lists, defend, propagate, train, evaluate } = one.seconds;
        [randomize, lists, defend, propagate, train, evaluate]
    };
    let of = |arm: &PlannedArm| {
        let mine = records.iter().filter(|record| record.spec == arm.spec).map(|record| &record.measured);
        let measured: Vec<_> = mine.collect();
        let first = measured.first()?;
        let median = |stage: usize| {
            let mut values: Vec<f64> = measured.iter().map(|one| stages(one)[stage]).collect();
            values.sort_by(f64::total_cmp);
            values[values.len() / 2]
        };
        Some(Timing {
            method: arm.name.clone(),
            dataset: arm.spec.dataset.name().to_owned(),
            model: arm.spec.model.kind.label(),
            epsilon: budget(arm.spec.features.epsilon()),
            labels: labels(&arm.spec),
            stages: std::array::from_fn(median),
            total: measured.iter().flat_map(|one| stages(one)).sum(),
            peak_memory_mib: measured.iter().map(|one| one.peak_memory_mib).fold(0.0, f64::max),
            threads: first.threads,
            jobs: first.jobs,
        })
    };
    plan.arms.iter().filter_map(of).collect()
}

/// [`timings`] as Markdown.
pub fn timing_markdown(plan: &Plan, records: &[Record]) -> String {
    let mut text = String::from("| data | model | method | ε | labels | ");
    Timing::STAGES.iter().for_each(|stage| text += &format!("{stage}, s | "));
    text += "peak memory, MiB | threads × jobs |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";
    for one in timings(plan, records) {
        let Timing { method, dataset, model, epsilon, labels, stages, peak_memory_mib, threads, jobs, .. } = one;
        let _ = write!(text, "| {dataset} | {model} | {method} | {epsilon} | {labels} | ");
        stages.iter().for_each(|seconds| text += &format!("{seconds:.4} | "));
        let _ = writeln!(text, "{peak_memory_mib:.0} | {threads} × {jobs} |");
    }
    text
}
