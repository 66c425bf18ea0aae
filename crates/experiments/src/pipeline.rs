//! One run: users randomize, the server rectifies, propagates and trains, and the experimenter scores.

use std::ops::ControlFlow;
use std::time::Instant;

use gnn_models::{EpochSelection, LabelNoise, Loss, ModelConfig, TrainConfig, TrainData, train_with};
use graph_datasets::Split;
use graph_denoise::{CsrMatrix, FeatureMatrix};
use ldp_core::RandomizedResponse;
use rand_distr::{Distribution, StandardNormal};

use crate::denoise::denoise;
use crate::environment::{peak_memory_mib, reset_peak_memory};
use crate::mechanism::{Collected, Users, Values};
use crate::record::{Measured, Outcome, Record, Seconds, identity};
use crate::structure::{Candidate, Society};
use crate::{Arm, Error, FeatureSpec, LabelSpec, LossSpec, ModelKind, Seed, Selection, Settings, Spec, Truth};

/// Makes one run of `spec` on `truth`: repeat number `repeat` of the experiment with root seed `seed`.
///
/// Split, reports, lists, fakes, initial weights and dropout depend on `seed` and `repeat` alone; so all arms of one
/// repeat share the split, the noise of the labels and the initial model. The server is handed labels of training and
/// validation nodes only; fakes are neither.
///
/// # Errors
/// [`Error::Stopped`] when `stopped` says so between two epochs, and what data, randomizers, defence, propagation and
/// training report.
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
    let society = Society::gather(spec, truth, &root)?;
    let (labels, noise) = received_labels(spec, truth, &split, society.len(), &root)?;
    let server = Server { spec, truth, split: &split, labels: &labels, noise, settings, root: &root, stopped };
    let mut best: Option<Run> = None;
    let candidates = society.seen(spec, &root, &mut seconds)?;
    for (number, candidate) in candidates.iter().enumerate() {
        if stopped() {
            return Err(Error::Stopped);
        }
        // The same graph gives the same model, and of equals the first is kept.
        if candidates[..number].iter().any(|earlier| earlier.graph == candidate.graph) {
            continue;
        }
        let run = server.learn(&society, candidate, &mut seconds)?;
        if best.as_ref().is_none_or(|best| run.outcome.validation_accuracy > best.outcome.validation_accuracy) {
            best = Some(run);
        }
    }
    let Run { outcome, device } = best.expect("there is at least one way to see the graph");
    Ok(Record {
        id: identity(spec, seed, repeat, &truth.stamp().sha256),
        seed,
        repeat,
        spec: spec.clone(),
        data: truth.stamp().clone(),
        code: settings.code.clone(),
        device,
        outcome,
        measured: Measured {
            threads: settings.threads,
            jobs: settings.jobs,
            seconds,
            peak_memory_mib: peak_memory_mib(),
        },
    })
}

/// The server of one run, and the experimenter behind it who scores.
struct Server<'a> {
    spec: &'a Spec,
    truth: &'a Truth,
    split: &'a Split,
    labels: &'a [u32],
    noise: Option<LabelNoise>,
    settings: &'a Settings,
    root: &'a Seed,
    stopped: &'a dyn Fn() -> bool,
}

/// One trained model, scored.
struct Run {
    outcome: Outcome,
    device: String,
}

impl Server<'_> {
    /// Collects reports, denoises them over the candidate's graph, trains and scores; adds to `seconds`.
    fn learn(&self, society: &Society, candidate: &Candidate, seconds: &mut Seconds) -> Result<Run, Error> {
        let start = Instant::now();
        let (collected, report) = collect(&self.spec.features, society, self.root)?;
        seconds.randomize += start.elapsed().as_secs_f64();
        let start = Instant::now();
        let features = denoise(&self.spec.denoise, &candidate.graph, collected, self.root)?;
        seconds.propagate += start.elapsed().as_secs_f64();

        let start = Instant::now();
        let dataset = self.truth.dataset();
        let data = TrainData {
            graph: &candidate.graph,
            features: &features,
            labels: self.labels,
            selection_labels: None,
            classes: dataset.classes(),
            train: &self.split.train,
            validation: &self.split.validation,
        };
        let each_epoch =
            |_: &gnn_models::Epoch| if (self.stopped)() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let (model, config) = (model_config(self.spec), train_config(self.spec, self.noise));
        let seed = self.root.child("training").word();
        let trained =
            train_with(&data, &model, &config, self.settings.device, seed, each_epoch).map_err(
                |error| match error {
                    gnn_models::Error::Interrupted { .. } => Error::Stopped,
                    other => Error::Training(other),
                },
            )?;
        seconds.train += start.elapsed().as_secs_f64();

        let start = Instant::now();
        let predictions = trained.predictions();
        let outcome = Outcome {
            test_accuracy: accuracy(&predictions, dataset.labels(), &self.split.test),
            validation_accuracy: accuracy(&predictions, dataset.labels(), &self.split.validation),
            train_accuracy: accuracy(&predictions, dataset.labels(), &self.split.train),
            kept_epoch: trained.kept_epoch(),
            test_nodes: self.split.test.len(),
            reported_dimensions: report.map(|report| report.dimensions),
            signal_per_report: match report {
                Some(report) => {
                    let gap = class_gap(self.truth.features()?, dataset.labels(), dataset.classes());
                    Some(gap / (2.0 * report.variance))
                }
                None => None,
            },
            defence: candidate.outcome.clone(),
        };
        seconds.evaluate += start.elapsed().as_secs_f64();
        Ok(Run { outcome, device: trained.device().to_string() })
    }
}

/// What a report says of a dimension.
#[derive(Clone, Copy)]
struct ReportShape {
    /// Dimensions that one user reported.
    dimensions: usize,
    /// Mean variance of an estimate at the middle of the range.
    variance: f64,
}

/// What the server holds of everybody's features before it denoises.
fn collect(spec: &FeatureSpec, society: &Society, root: &Seed) -> Result<(Collected, Option<ReportShape>), Error> {
    let without_noise = |values: Values| Collected {
        values,
        midpoint: 0.0,
        bound: 1.0,
        variance: vec![0.0; society.len()],
        reported: 0,
        levels: None,
    };
    let rows = || society.rows.as_ref().expect("a data set without features was refused before");
    match spec {
        FeatureSpec::Clean => Ok((without_noise(Values::Sparse(rows().clone())), None)),
        FeatureSpec::FeatureFree { dimensions } => {
            let mut rng = root.child("feature-free").rng();
            let data = (0..society.len() * dimensions).map(|_| StandardNormal.sample(&mut rng)).collect();
            let matrix = FeatureMatrix::new(society.len(), *dimensions, data)?;
            Ok((without_noise(Values::Dense(matrix)), None))
        }
        FeatureSpec::Private { mechanism } | FeatureSpec::Sim { mechanism } => {
            let with_data = spec.arm() == Arm::Private;
            let users = Users { rows: rows(), with_data, stage: root.child("reports") };
            let mut collected = mechanism.of().collect(&users)?;
            if !society.past_the_randomizer.is_empty() {
                collected.overwrite(society.len() - society.past_the_randomizer.len(), &society.past_the_randomizer)?;
            }
            let sum: f64 = collected.variance.iter().map(|&variance| f64::from(variance)).sum();
            let variance = sum / collected.variance.len() as f64;
            let shape = ReportShape { dimensions: collected.reported, variance };
            Ok((collected, Some(shape)))
        }
    }
}

fn model_config(spec: &Spec) -> ModelConfig {
    let kind = match spec.model.kind {
        ModelKind::Gcn => gnn_models::ModelKind::Gcn,
        ModelKind::Sage => gnn_models::ModelKind::Sage,
        ModelKind::Gat => gnn_models::ModelKind::Gat,
        ModelKind::Mlp => gnn_models::ModelKind::Mlp,
    };
    ModelConfig {
        hidden: spec.model.hidden,
        heads: spec.model.heads,
        dropout: spec.model.dropout,
        ..ModelConfig::new(kind)
    }
}

/// Labels as the server gets them, 0 for test nodes and fakes, and what randomized response did to them.
fn received_labels(
    spec: &Spec,
    truth: &Truth,
    split: &Split,
    everybody: usize,
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
    let mut received = vec![0; everybody];
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
        patience: spec.training.patience,
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
