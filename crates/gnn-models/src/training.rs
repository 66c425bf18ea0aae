//! The training loop.

use crate::adam::{self, Adam};
use crate::loss::{self, corrected};
use crate::network::{self, Input, Mode, Network};
use crate::ops::Sparse;
use crate::parameters::{Group, values};
use crate::{
    DecayScope, DeviceChoice, Epoch, Error, LabelNoise, Loss, Model, ModelConfig, TrainConfig, TrainData, Trained,
};
use burn::tensor::{Device, Tensor, TensorData};
use graph_denoise::{FeatureMatrix, Normalization, SelfLoops};
use std::ops::ControlFlow;

/// Trains a model and returns its outputs at the kept epoch.
///
/// The same data, settings, seed and kind of device give the same bytes; on the CPU whatever the number of threads.
/// Nodes without neighbours are allowed: GCN then sees the node alone, GraphSAGE a mean of nothing, which is zero.
///
/// # Errors
/// Whatever [`Error`] names; nothing is returned from a run whose loss stopped being a number.
pub fn train(
    data: &TrainData<'_>,
    model: &ModelConfig,
    config: &TrainConfig,
    device: DeviceChoice,
    seed: u64,
) -> Result<Trained, Error> {
    train_with(data, model, config, device, seed, |_| ControlFlow::Continue(()))
}

/// As [`train`], and calls `after_epoch` after each epoch; on `Break` training ends with [`Error::Interrupted`].
///
/// # Errors
/// As [`train`].
pub fn train_with(
    data: &TrainData<'_>,
    model: &ModelConfig,
    config: &TrainConfig,
    device: DeviceChoice,
    seed: u64,
    mut after_epoch: impl FnMut(&Epoch) -> ControlFlow<()>,
) -> Result<Trained, Error> {
    model.check()?;
    data.check(config.allow_unseen_classes)?;
    config.check(data.classes)?;
    let resolved = device.resolve()?;
    let device = resolved.open()?;

    let network = Network::new(model, data.graph, &device);
    let input = Input::new(data.features, resolved, &device);
    let objective = Objective::new(data, config, &device);
    let places = network::places(model, data.features.dimensions(), data.classes);
    let mut parameters: Vec<Tensor<2>> =
        places.iter().enumerate().map(|(number, place)| place.tensor(place.draw(seed, number), &device)).collect();
    keep_freed_memory();
    let first = network.input_weights();
    let mut start = Start::new(&network, &input, &parameters);
    let mut adam = Adam::new(&parameters, resolved);
    let mut history: Vec<Epoch> = Vec::with_capacity(config.epochs);
    let mut kept: Option<(Epoch, Vec<f32>, Vec<Tensor<2>>)> = None;

    for epoch in 0..config.epochs {
        let mode = Mode::Train { seed, epoch };
        let Start { products, others, layer } = start;
        let layer = layer.unwrap_or_else(|| network.first_layer(&products, &others, mode));
        let logits = network.further_layers(layer, &others, mode);
        let train_accuracy = accuracy(&values(logits.clone().inner()), data.train, data.labels, data.classes);
        let loss = objective.loss(config, logits);
        let train_loss = f64::from(values(loss.clone().inner())[0]);
        if !train_loss.is_finite() {
            return Err(Error::Diverged { epoch, loss: train_loss });
        }
        let mut tape = loss.backward();
        let mut gradient = |leaf: &Tensor<2>| leaf.grad_remove(&mut tape).expect("each leaf takes part in the loss");
        let by_products: Vec<_> = products.iter().map(&mut gradient).collect();
        let by_others: Vec<_> = others.iter().map(gradient).collect();
        drop((products, others));
        let mut gradients = input.weight_gradients(&by_products);
        gradients.extend(by_others);
        if let Some(longest) = config.clip {
            gradients = adam::clip(gradients, longest);
        }
        let rate = config.learning_rate * config.schedule.factor(epoch, config.epochs);
        adam.step(&mut parameters, gradients, rate, |at| decay_factor(config, places[at].group));

        start = Start::new(&network, &input, &parameters);
        let outputs = values(start.evaluate(&network, &parameters[first..]));
        let selection = data.selection_labels();
        let record = Epoch {
            epoch,
            train_loss,
            train_accuracy,
            validation_loss: cross_entropy(
                &outputs,
                data.validation,
                selection,
                data.classes,
                config.loss.correction(),
            ),
            validation_accuracy: accuracy(&outputs, data.validation, selection, data.classes),
        };
        if !record.validation_loss.is_finite() {
            return Err(Error::Diverged { epoch, loss: record.validation_loss });
        }
        history.push(record);
        let best = kept.as_ref().map(|(best, _, _)| *best);
        if best.is_none_or(|best| config.selection.prefers(&record, &best)) {
            kept = Some((record, outputs, parameters.clone()));
        }
        if after_epoch(&record).is_break() {
            return Err(Error::Interrupted { epoch });
        }
        let since = kept.as_ref().map_or(0, |(best, _, _)| epoch - best.epoch);
        if config.patience.is_some_and(|patience| since >= patience) {
            break;
        }
    }

    let (best, outputs, weights) = kept.expect("at least one epoch was run");
    let logits = FeatureMatrix::new(data.graph.nodes(), data.classes, outputs)
        .map_err(|_| Error::Diverged { epoch: best.epoch, loss: f64::NAN })?;
    let weights = weights.into_iter().map(values).collect();
    let model = Model::new(model.clone(), data.features.dimensions(), data.classes, weights);
    Ok(Trained { model, logits, kept_epoch: best.epoch, history, device: resolved })
}

/// Where an evaluation and the next training pass begin alike: on the tape, the products of the features (which stand
/// for the weights that made them), the other parameters and, unless training draws at random in it, the first layer.
struct Start {
    products: Vec<Tensor<2>>,
    others: Vec<Tensor<2>>,
    layer: Option<Tensor<2>>,
}

impl Start {
    fn new(network: &Network, input: &Input, parameters: &[Tensor<2>]) -> Self {
        let (weights, others) = parameters.split_at(network.input_weights());
        let track = |leaf: Tensor<2>| leaf.autodiff().require_grad();
        let products: Vec<_> = input.products(weights).into_iter().map(track).collect();
        let others: Vec<_> = others.iter().cloned().map(track).collect();
        let layer = network.begins_alike().then(|| network.first_layer(&products, &others, Mode::Evaluate));
        Self { products, others, layer }
    }

    /// The logits of the parameters that this was made from, of which `others` are those without a tape.
    fn evaluate(&self, network: &Network, others: &[Tensor<2>]) -> Tensor<2> {
        let layer = match &self.layer {
            Some(layer) => layer.clone().inner(),
            None => {
                let products: Vec<_> = self.products.iter().map(|product| product.clone().inner()).collect();
                network.first_layer(&products, others, Mode::Evaluate)
            }
        };
        network.further_layers(layer, others, Mode::Evaluate)
    }
}

/// Makes glibc hand freed blocks out again instead of giving them back to the system, which would clear each page of each
/// tensor anew: it does so up to the size of the largest block that it ever took back, and this one, never touched, is
/// as large as it heeds. Without effect on other allocators.
fn keep_freed_memory() {
    drop(std::hint::black_box(Vec::<u8>::with_capacity((32 << 20) - (64 << 10))));
}

fn decay_factor(config: &TrainConfig, group: Group) -> f64 {
    let covered = match config.decay {
        DecayScope::All => true,
        DecayScope::Weights => group != Group::Bias,
        DecayScope::FirstLayer => group == Group::FirstLayerWeight,
    };
    if covered { config.weight_decay } else { 0.0 }
}

/// The part of the loss that stays the same in all epochs.
pub(crate) struct Objective {
    targets: Tensor<2>,
    propagation: Option<Sparse>,
}

impl Objective {
    pub(crate) fn new(data: &TrainData<'_>, config: &TrainConfig, device: &Device) -> Self {
        let classes = data.classes;
        let steps = config.loss.steps();
        let propagation =
            (steps > 0).then(|| Sparse::new(&data.graph.normalized(Normalization::Symmetric, SelfLoops::AsIs), device));
        let mut labels = data.labels.to_vec();
        if let Some(propagation) = &propagation {
            let mut votes = vec![0f32; data.labels.len() * classes];
            for &node in data.train.iter().chain(data.validation) {
                votes[node as usize * classes + data.labels[node as usize] as usize] = 1.0;
            }
            let mut votes = Tensor::<2>::from_data(TensorData::new(votes, [data.labels.len(), classes]), device);
            for _ in 0..steps {
                votes = propagation.matmul(votes);
            }
            labels = predictions(&values(votes), classes);
        }
        let train_labels = data.train.iter().map(|&node| labels[node as usize]);
        let posterior = match config.loss {
            Loss::Posterior { noise } => noise.posterior(train_labels, classes),
            _ => (0..classes * classes).map(|at| if at % (classes + 1) == 0 { 1.0 } else { 0.0 }).collect(),
        };
        let mut targets = vec![0f32; data.labels.len() * classes];
        for &node in data.train {
            let shares = &posterior[labels[node as usize] as usize * classes..][..classes];
            for (target, share) in targets[node as usize * classes..].iter_mut().zip(shares) {
                *target = (share / data.train.len() as f64) as f32;
            }
        }
        let targets = Tensor::from_data(TensorData::new(targets, [data.labels.len(), classes]), device);
        Self { targets, propagation }
    }

    pub(crate) fn loss(&self, config: &TrainConfig, logits: Tensor<2>) -> Tensor<1> {
        loss::evaluate(&config.loss, logits, self.targets.clone(), self.propagation.as_ref())
    }
}

/// The class with the highest score of each row; the lowest of equals.
pub(crate) fn predictions(scores: &[f32], classes: usize) -> Vec<u32> {
    scores.chunks_exact(classes).map(best_class).collect()
}

pub(crate) fn best_class(scores: &[f32]) -> u32 {
    let mut best = 0;
    for (class, &score) in scores.iter().enumerate() {
        if score > scores[best] {
            best = class;
        }
    }
    best as u32
}

fn accuracy(scores: &[f32], nodes: &[u32], labels: &[u32], classes: usize) -> f64 {
    let row = |node: u32| &scores[node as usize * classes..][..classes];
    let right = nodes.iter().filter(|&&node| best_class(row(node)) == labels[node as usize]).count();
    right as f64 / nodes.len() as f64
}

/// −log (P T)[label], mean over `nodes`, in f64.
fn cross_entropy(logits: &[f32], nodes: &[u32], labels: &[u32], classes: usize, noise: Option<LabelNoise>) -> f64 {
    let total: f64 = nodes
        .iter()
        .map(|&node| {
            let row = &logits[node as usize * classes..][..classes];
            let highest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let sum: f64 = row.iter().map(|&logit| f64::from(logit - highest).exp()).sum();
            let log_probability = f64::from(row[labels[node as usize] as usize] - highest) - sum.ln();
            match noise {
                None => log_probability,
                Some(_) => (corrected(log_probability.exp(), noise) + 1e-20).ln(),
            }
        })
        .sum();
    -total / nodes.len() as f64
}

#[cfg(test)]
mod tests {
    use super::{Objective, decay_factor};
    use crate::parameters::{Group, values};
    use crate::{DecayScope, DeviceChoice, Features, Loss, TrainConfig, TrainData};
    use graph_denoise::{CsrGraph, EdgeKind, FeatureMatrix};

    #[test]
    fn decay_reaches_what_its_scope_names() {
        let reached = |decay| {
            let config = TrainConfig { decay, weight_decay: 0.5, ..TrainConfig::default() };
            [Group::FirstLayerWeight, Group::Weight, Group::Bias].map(|group| decay_factor(&config, group))
        };
        assert_eq!(reached(DecayScope::All), [0.5, 0.5, 0.5]);
        assert_eq!(reached(DecayScope::Weights), [0.5, 0.5, 0.0]);
        assert_eq!(reached(DecayScope::FirstLayer), [0.5, 0.0, 0.0]);
    }

    /// On a path of three nodes the middle one takes the class that one step brings from its neighbours, of which one is
    /// there for validation.
    #[test]
    fn drop_asks_the_neighbours_those_for_validation_too() {
        let features = Features::from(FeatureMatrix::zeros(3, 1));
        let data = TrainData {
            graph: &CsrGraph::from_edges(3, &[(0, 1), (1, 2)], EdgeKind::Undirected).expect("a path"),
            features: &features,
            labels: &[1, 0, 0],
            selection_labels: None,
            classes: 2,
            train: &[1],
            validation: &[0],
        };
        let config = TrainConfig { loss: Loss::Drop { noise: None, steps: 1 }, ..TrainConfig::default() };
        let device = DeviceChoice::Cpu.open().expect("there is always a CPU");
        let objective = Objective::new(&data, &config, &device);
        assert_eq!(values(objective.targets), [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
    }
}
