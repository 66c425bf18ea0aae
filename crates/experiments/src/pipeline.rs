//! One run: users randomize, the server rectifies, propagates and trains, and the experimenter scores.

use std::ops::ControlFlow;
use std::time::Instant;

use gnn_models::{EpochSelection, LabelNoise, Loss, ModelConfig, TrainConfig, TrainData, train_with};
use graph_datasets::Split;
use graph_denoise::CsrMatrix;
use ldp_core::RandomizedResponse;

use crate::environment::{peak_memory_mib, reset_peak_memory};
use crate::features::prepare;
use crate::record::{Measured, Outcome, Record, Seconds, identity};
use crate::{Error, LabelSpec, LossSpec, ModelKind, Seed, Selection, Settings, Spec, Truth};

/// Makes one run of `spec` on `truth`: repeat number `repeat` of the experiment with root seed `seed`.
///
/// Split, reports, initial weights and dropout depend on `seed` and `repeat` alone; so all arms of one repeat share the
/// split, the noise of the labels and the initial model. The server is handed labels of training and validation nodes only.
///
/// # Errors
/// [`Error::Stopped`] when `stopped` says so between two epochs, and what data, randomizers, propagation and training
/// report.
pub fn run(
    spec: &Spec,
    truth: &Truth,
    seed: u64,
    repeat: u32,
    settings: &Settings,
    stopped: &dyn Fn() -> bool,
) -> Result<Record, Error> {
    spec.check()?;
    reset_peak_memory();
    let dataset = truth.dataset();
    let root = Seed::root(seed).child("repeat").numbered(u64::from(repeat));
    let split = Split::random(dataset.nodes(), spec.split.validation, spec.split.test, &mut root.child("split").rng())?;
    let mut seconds = Seconds::default();
    let prepared = prepare(&spec.features, &spec.propagation, truth, &root, &mut seconds)?;
    if stopped() {
        return Err(Error::Stopped);
    }

    let (labels, noise) = received_labels(spec, truth, &split, &root)?;
    let start = Instant::now();
    let data = TrainData {
        graph: dataset.graph(),
        features: &prepared.features,
        labels: &labels,
        selection_labels: None,
        classes: dataset.classes(),
        train: &split.train,
        validation: &split.validation,
    };
    let each_epoch = |_: &gnn_models::Epoch| if stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    let (model, config) = (model_config(spec), train_config(spec, noise));
    let trained = train_with(&data, &model, &config, settings.device, root.child("training").word(), each_epoch)
        .map_err(|error| match error {
            gnn_models::Error::Interrupted { .. } => Error::Stopped,
            other => Error::Training(other),
        })?;
    seconds.train = start.elapsed().as_secs_f64();

    let start = Instant::now();
    let predictions = trained.predictions();
    let outcome = Outcome {
        test_accuracy: accuracy(&predictions, dataset.labels(), &split.test),
        validation_accuracy: accuracy(&predictions, dataset.labels(), &split.validation),
        train_accuracy: accuracy(&predictions, dataset.labels(), &split.train),
        kept_epoch: trained.kept_epoch(),
        test_nodes: split.test.len(),
        reported_dimensions: prepared.reported_dimensions,
        signal_per_report: match prepared.report_variance {
            Some(variance) => {
                Some(class_gap(truth.features()?, dataset.labels(), dataset.classes()) / (2.0 * variance))
            }
            None => None,
        },
    };
    seconds.evaluate = start.elapsed().as_secs_f64();
    Ok(Record {
        id: identity(spec, seed, repeat, &truth.stamp().sha256),
        seed,
        repeat,
        spec: spec.clone(),
        data: truth.stamp().clone(),
        code: settings.code.clone(),
        device: trained.device().to_string(),
        outcome,
        measured: Measured {
            threads: settings.threads,
            jobs: settings.jobs,
            seconds,
            peak_memory_mib: peak_memory_mib(),
        },
    })
}

fn model_config(spec: &Spec) -> ModelConfig {
    let kind = match spec.model.kind {
        ModelKind::Gcn => gnn_models::ModelKind::Gcn,
        ModelKind::Sage => gnn_models::ModelKind::Sage,
        ModelKind::Gat => gnn_models::ModelKind::Gat,
        ModelKind::Mlp => gnn_models::ModelKind::Mlp,
    };
    ModelConfig { hidden: spec.model.hidden, dropout: spec.model.dropout, ..ModelConfig::new(kind) }
}

/// Labels as the server gets them, 0 for test nodes, and what randomized response did to them.
fn received_labels(
    spec: &Spec,
    truth: &Truth,
    split: &Split,
    root: &Seed,
) -> Result<(Vec<u32>, Option<LabelNoise>), Error> {
    let dataset = truth.dataset();
    let mut sent = dataset.labels().to_vec();
    let mut noise = None;
    if let LabelSpec::RandomizedResponse { epsilon } = spec.labels {
        let response = RandomizedResponse::new(epsilon, dataset.classes() as u32)?;
        response.randomize_all(dataset.labels(), &mut sent, &mut root.child("labels").rng())?;
        noise = Some(LabelNoise { keep: response.truth_probability(), flip: response.lie_probability() });
    }
    let mut received = vec![0; sent.len()];
    for &node in split.train.iter().chain(&split.validation) {
        received[node as usize] = sent[node as usize];
    }
    Ok((received, noise))
}

fn train_config(spec: &Spec, noise: Option<LabelNoise>) -> TrainConfig {
    TrainConfig {
        learning_rate: spec.training.learning_rate,
        weight_decay: spec.training.weight_decay,
        epochs: spec.training.epochs,
        selection: match spec.training.selection {
            Selection::ValidationLoss => EpochSelection::BestValidationLoss,
            Selection::ValidationAccuracy => EpochSelection::BestValidationAccuracy,
            Selection::LpgnnTriple => EpochSelection::LpgnnTriple { keep: noise.map_or(1.0, |noise| noise.keep) },
            Selection::Last => EpochSelection::Last,
        },
        loss: match (&spec.training.loss, noise) {
            (LossSpec::ForwardCorrection, Some(noise)) => Loss::ForwardCorrection { noise },
            (LossSpec::Drop { steps }, noise) => Loss::Drop { noise, steps: *steps },
            _ => Loss::CrossEntropy,
        },
        ..TrainConfig::default()
    }
}

fn accuracy(predictions: &[u32], labels: &[u32], nodes: &[u32]) -> f64 {
    let right = nodes.iter().filter(|&&node| predictions[node as usize] == labels[node as usize]).count();
    right as f64 / nodes.len() as f64
}

/// Mean over pairs of classes of the squared distance between their mean feature vectors.
fn class_gap(features: &CsrMatrix, labels: &[u32], classes: usize) -> f64 {
    let columns = features.columns();
    let mut means = vec![0.0f64; classes * columns];
    let mut sizes = vec![0usize; classes];
    for (node, &label) in labels.iter().enumerate() {
        sizes[label as usize] += 1;
        let (indices, values) = features.row(node);
        for (&column, &value) in indices.iter().zip(values) {
            means[label as usize * columns + column as usize] += f64::from(value);
        }
    }
    for (class, &size) in sizes.iter().enumerate() {
        means[class * columns..(class + 1) * columns].iter_mut().for_each(|mean| *mean /= size.max(1) as f64);
    }
    let (mut sum, mut pairs) = (0.0, 0usize);
    for a in 0..classes {
        for b in a + 1..classes {
            let of = |class: usize| &means[class * columns..(class + 1) * columns];
            sum += of(a).iter().zip(of(b)).map(|(x, y)| (x - y).powi(2)).sum::<f64>();
            pairs += 1;
        }
    }
    sum / pairs.max(1) as f64
}
