//! Hyper-parameter search: one grid for every arm, the same budget for a method and for its controls.

use std::fmt::Write;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use graph_datasets::SearchPath;

use crate::{
    Arm, Error, Event, Hyperparameters, Interval, LabelSpec, Plan, PlannedArm, Record, Seed, Settings, Spec, run_plan,
};

/// The grid. NonPriv features are not propagated further than the model does it.
struct Grid {
    steps: &'static [usize],
    learning_rates: &'static [f64],
    weight_decays: &'static [f64],
    dropouts: &'static [f64],
}

const GRID: Grid =
    Grid { steps: &[2, 4, 8, 16, 32], learning_rates: &[0.01], weight_decays: &[1e-3, 1e-2], dropouts: &[0.5, 0.75] };

/// Tries every point of the grid for each arm of the plan, `plan.repeats` times each, and returns the points with the
/// greatest mean clean validation accuracy as entries for `data/hyperparameters.toml`.
///
/// Splits, reports and initial models are drawn from a branch of the seed tree that no reported run uses; test nodes are
/// not looked at. Of an arm that stands in the plan at several ε the first is tuned. Trials are records in
/// `folder/tune`, so a search that was broken off goes on.
///
/// # Errors
/// As [`run_plan`].
pub fn tune(
    plan: &Plan,
    search: &SearchPath,
    folder: &Path,
    settings: &Settings,
    stop: &AtomicBool,
    tell: impl FnMut(Event<'_>),
) -> Result<String, Error> {
    let mut arms: Vec<&Spec> = Vec::new();
    for PlannedArm { spec, .. } in &plan.arms {
        let tuned = |other: &&Spec| other.features.arm() == spec.features.arm() && other.dataset == spec.dataset;
        if !arms.iter().any(tuned) {
            arms.push(spec);
        }
    }
    let candidates: Vec<(Arm, Spec)> =
        arms.iter().flat_map(|spec| grid(spec).into_iter().map(|point| (spec.features.arm(), point))).collect();
    let trials = Plan {
        seed: Seed::root(plan.seed).child("tune").word() >> 1,
        repeats: plan.repeats,
        arms: candidates.iter().map(|(arm, spec)| PlannedArm::new(arm.label(), spec.clone())).collect(),
    };
    let records = run_plan(&trials, search, &folder.join("tune"), settings, stop, tell)?;
    let mut text = String::new();
    for spec in arms {
        let points = candidates.iter().filter(|(arm, _)| *arm == spec.features.arm()).map(|(_, point)| point);
        let scored = points.filter_map(|point| Some((point, score(point, &records)?)));
        let best = scored.max_by(|(_, a), (_, b)| a.mean.total_cmp(&b.mean));
        if let Some((point, validation)) = best {
            write_entry(&mut text, point, validation, plan, grid(spec).len())?;
        }
    }
    Ok(text)
}

fn grid(spec: &Spec) -> Vec<Spec> {
    let steps = if spec.features.arm() == Arm::Clean { &[0][..] } else { GRID.steps };
    let mut points = Vec::new();
    for &steps in steps {
        for &learning_rate in GRID.learning_rates {
            for &weight_decay in GRID.weight_decays {
                for &dropout in GRID.dropouts {
                    let mut point = spec.clone();
                    point.denoise.steps = steps;
                    point.training.learning_rate = learning_rate;
                    point.training.weight_decay = weight_decay;
                    point.model.dropout = dropout;
                    points.push(point);
                }
            }
        }
    }
    points
}

fn score(point: &Spec, records: &[Record]) -> Option<Interval> {
    let of_point = records.iter().filter(|record| record.spec == *point);
    Interval::of(&of_point.map(|record| 100.0 * record.outcome.validation_accuracy).collect::<Vec<_>>())
}

#[derive(serde::Serialize)]
struct Entries {
    entry: [Hyperparameters; 1],
}

fn write_entry(text: &mut String, point: &Spec, score: Interval, plan: &Plan, tried: usize) -> Result<(), Error> {
    let name = point.dataset.name();
    let budget = point.features.epsilon().map_or(String::new(), |epsilon| format!(" --epsilon {epsilon}"));
    let command = format!("--tune --dataset {name}{budget} --seeds {} --seed {}", plan.repeats, plan.seed);
    let entry = Hyperparameters {
        dataset: point.dataset.name().to_owned(),
        model: Some(point.model.kind),
        arm: point.features.arm(),
        private_labels: point.labels != LabelSpec::Clean,
        weights: point.denoise.weights,
        steps: point.denoise.steps,
        scale: point.denoise.scale,
        hidden: point.model.hidden,
        dropout: point.model.dropout,
        learning_rate: point.training.learning_rate,
        weight_decay: point.training.weight_decay,
        epochs: point.training.epochs,
        chosen: format!(
            "best of {tried} by clean validation accuracy ({:.2} %, {} splits): {command}",
            score.mean, score.count
        ),
    };
    let _ = writeln!(text, "{}", toml::to_string(&Entries { entry: [entry] })?);
    Ok(())
}
