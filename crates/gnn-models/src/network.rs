//! The layers of a model as a computation on tensors.

mod aggregation;
mod input;

use crate::counter::{Counter, Purpose};
use crate::ops::{Attention, Sparse, biased_activation};
use crate::parameters::{Group, Initial, Place};
use crate::{Activation, ModelConfig, ModelKind, RowNormalization};
use aggregation::Aggregation;
use burn::tensor::{Device, Tensor, TensorData};
use graph_denoise::{CsrGraph, Normalization, SelfLoops};

pub(crate) use input::Input;

/// Added to a variance or squared length before it divides.
const SMALL: f64 = 1e-5;

/// A place for each tensor that [`Network::forward`] takes, in its order.
pub(crate) fn places(config: &ModelConfig, dimensions: usize, classes: usize) -> Vec<Place> {
    let mut places = Vec::new();
    for layer in 0..config.depth() {
        let (input, heads, width) = layer_shape(config, dimensions, classes, layer);
        let output = heads * width;
        let mut add = |name: &str, (rows, columns), initial, group| {
            places.push(Place { name: format!("layer{layer}.{name}"), rows, columns, initial, group });
        };
        let weight_group = if layer == 0 { Group::FirstLayerWeight } else { Group::Weight };
        let (names, first): (&[&str], _) = match config.kind {
            ModelKind::Gcn | ModelKind::Gat => (&["weight"], Initial::Glorot),
            ModelKind::Sage => (&["neighbour_weight", "own_weight"], Initial::FanIn(input)),
            ModelKind::Mlp | ModelKind::LogisticRegression => (&["weight"], Initial::FanIn(input)),
        };
        for name in names {
            add(name, (input, output), first, weight_group);
            for hop in 1..=hops(config, layer) {
                add(&format!("{name}_hop{hop}"), (input, output), first, weight_group);
            }
        }
        if config.kind == ModelKind::Gat {
            add("attention_source", (heads, width), Initial::Glorot, weight_group);
            add("attention_target", (heads, width), Initial::Glorot, weight_group);
        }
        if layer + 1 < config.depth() && config.normalization == RowNormalization::Layer {
            add("gain", (1, output), Initial::Constant(1.0), Group::Bias);
        }
        let bias = match config.kind {
            ModelKind::Gcn | ModelKind::Gat => Initial::Constant(0.0),
            _ => Initial::FanIn(input),
        };
        add("bias", (1, output), bias, Group::Bias);
    }
    places
}

/// Inputs, heads and width of a head.
fn layer_shape(config: &ModelConfig, dimensions: usize, classes: usize, layer: usize) -> (usize, usize, usize) {
    let heads = if config.kind == ModelKind::Gat { config.heads } else { 1 };
    let input = if layer == 0 { dimensions } else { heads * config.hidden };
    if layer + 1 == config.depth() { (input, 1, classes) } else { (input, heads, config.hidden) }
}

/// Further hops that a layer takes in.
fn hops(config: &ModelConfig, layer: usize) -> usize {
    if layer == 0 { config.hops } else { 0 }
}

/// A model's shape on a graph, without weights.
pub(crate) struct Network {
    config: ModelConfig,
    aggregation: Aggregation,
    hop: Option<Sparse>,
    device: Device,
}

/// Whether activations are dropped and neighbours drawn, and by which numbers.
#[derive(Clone, Copy)]
pub(crate) enum Mode {
    Train { seed: u64, epoch: usize },
    Evaluate,
}

impl Network {
    pub(crate) fn new(config: &ModelConfig, graph: &CsrGraph, device: &Device) -> Self {
        let hop = (config.hops > 0)
            .then(|| Sparse::new(&graph.normalized(Normalization::Symmetric, SelfLoops::AsIs), device));
        let aggregation = Aggregation::new(config, graph, device);
        Self { config: config.clone(), aggregation, hop, device: device.clone() }
    }

    /// How many of the parameters, the first ones, meet the features.
    pub(crate) fn input_weights(&self) -> usize {
        self.weights(0)
    }

    /// Weight matrices of a layer.
    fn weights(&self, layer: usize) -> usize {
        let sides = if self.config.kind == ModelKind::Sage { 2 } else { 1 };
        sides * (hops(&self.config, layer) + 1)
    }

    /// Logits of all nodes, nodes × classes, from the products of the features with the first
    /// [`input_weights`](Self::input_weights) parameters and from the other parameters.
    pub(crate) fn forward(&self, products: &[Tensor<2>], others: &[Tensor<2>], mode: Mode) -> Tensor<2> {
        self.further_layers(self.first_layer(products, others, mode), others, mode)
    }

    /// Whether the first layer, before dropout, is the same in training and in an evaluation.
    pub(crate) fn begins_alike(&self) -> bool {
        match self.aggregation {
            Aggregation::Sampled { .. } => false,
            Aggregation::Attention(_) => self.config.attention_dropout == 0.0,
            Aggregation::Nothing | Aggregation::Weighted(_) => true,
        }
    }

    /// The outputs of the first layer, before dropout.
    pub(crate) fn first_layer(&self, products: &[Tensor<2>], others: &[Tensor<2>], mode: Mode) -> Tensor<2> {
        self.layer(0, self.with_hops(products), others, mode)
    }

    /// Logits from the outputs of the first layer.
    pub(crate) fn further_layers(&self, first: Tensor<2>, others: &[Tensor<2>], mode: Mode) -> Tensor<2> {
        let mut others = &others[self.parameters_after_weights(0)..];
        let mut output = first;
        for layer in 1..self.config.depth() {
            let hidden = self.dropped(output, mode, layer - 1);
            let (weights, rest) = others.split_at(self.weights(layer));
            let products = weights.iter().map(|weights| hidden.clone().matmul(weights.clone())).collect();
            output = self.layer(layer, products, rest, mode);
            if self.config.skip && layer + 1 < self.config.depth() {
                output = output + hidden;
            }
            others = &rest[self.parameters_after_weights(layer)..];
        }
        output
    }

    /// Parameters of a layer beside its weight matrices.
    fn parameters_after_weights(&self, layer: usize) -> usize {
        let last = layer + 1 == self.config.depth();
        let attention = if self.config.kind == ModelKind::Gat { 2 } else { 0 };
        let gain = usize::from(!last && self.config.normalization == RowNormalization::Layer);
        attention + gain + 1
    }

    /// A layer from the products of its inputs with its weights and from its other parameters, which come first in
    /// `parameters`.
    fn layer(&self, layer: usize, products: Vec<Tensor<2>>, parameters: &[Tensor<2>], mode: Mode) -> Tensor<2> {
        let mut parameters = parameters.iter().cloned();
        let mut next = || parameters.next().expect("there is a parameter for each place");
        let mut products = products.into_iter();
        let first = products.next().expect("each layer has a weight");
        // Linear first: the neighbours are then summed over the narrower side.
        let mut sums = match &self.aggregation {
            Aggregation::Attention(attention) => {
                let mask = self.attention_mask(attention, mode, layer);
                attention.gather(first, next(), next(), mask)
            }
            aggregation => aggregation.sums(first, mode, layer, &self.device),
        };
        if let Some(own) = products.next() {
            sums = sums + own;
        }
        if layer + 1 == self.config.depth() {
            return biased_activation(sums, next(), Activation::Identity);
        }
        sums = match self.config.normalization {
            RowNormalization::None => sums,
            RowNormalization::Layer => layer_normalized(sums) * next(),
            RowNormalization::Unit => unit_length(sums),
        };
        biased_activation(sums, next(), self.config.activation)
    }

    /// Σ_k Sᵏ X W_k from the X W_k of each group of `hops` + 1 weights, without ever forming Sᵏ X.
    fn with_hops(&self, products: &[Tensor<2>]) -> Vec<Tensor<2>> {
        let Some(hop) = &self.hop else { return products.to_vec() };
        products
            .chunks(self.config.hops + 1)
            .map(|group| {
                let mut terms = group.iter().rev().cloned();
                let farthest = terms.next().expect("a group holds at least the node's own term");
                terms.fold(farthest, |sum, nearer| hop.matmul(sum) + nearer)
            })
            .collect()
    }

    /// The factors of attention dropout, entries × heads; `None` where nothing is dropped.
    fn attention_mask(&self, attention: &Attention, mode: Mode, layer: usize) -> Option<Tensor<2>> {
        let rate = self.config.attention_dropout;
        let Mode::Train { seed, epoch } = mode else { return None };
        if rate == 0.0 {
            return None;
        }
        let last = layer + 1 == self.config.depth();
        let heads = if last { 1 } else { self.config.heads };
        let stream = Counter::new(seed, Purpose::AttentionDropout, epoch as u64, layer as u64);
        let mask = stream.mask(attention.entries() * heads, rate);
        Some(Tensor::from_data(TensorData::new(mask, [attention.entries(), heads]), &self.device))
    }

    fn dropped(&self, x: Tensor<2>, mode: Mode, layer: usize) -> Tensor<2> {
        let rate = self.config.dropout;
        let Mode::Train { seed, epoch } = mode else { return x };
        if rate == 0.0 {
            return x;
        }
        let [rows, columns] = x.dims();
        let mask = Counter::new(seed, Purpose::Dropout, epoch as u64, layer as u64).mask(rows * columns, rate);
        x * Tensor::from_data(TensorData::new(mask, [rows, columns]), &self.device)
    }
}

/// Each row less its mean, divided by its standard deviation.
fn layer_normalized(x: Tensor<2>) -> Tensor<2> {
    let centred = x.clone() - x.mean_dim(1);
    let variance = (centred.clone() * centred.clone()).mean_dim(1);
    centred / (variance + SMALL).sqrt()
}

/// Each row divided by its length.
fn unit_length(x: Tensor<2>) -> Tensor<2> {
    let squared = (x.clone() * x.clone()).sum_dim(1);
    x / (squared + SMALL).sqrt()
}
