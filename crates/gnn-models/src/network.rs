//! The layers of a model as a computation on tensors.

use crate::counter::{Counter, Purpose};
use crate::ops::{Sparse, biased_activation};
use crate::parameters::{Initial, Parameter};
use crate::{Activation, Features, ModelConfig, ModelKind};
use burn::tensor::{Device, Tensor, TensorData};
use graph_denoise::{CsrGraph, Normalization, SelfLoops};

/// The features, ready to be multiplied.
#[expect(clippy::large_enum_variant, reason = "there is one a run")]
pub(crate) enum Input {
    Dense(Tensor<2>),
    Sparse(Sparse),
}

impl Input {
    pub(crate) fn new(features: &Features, device: &Device) -> Self {
        match features {
            Features::Dense(matrix) => {
                let data = TensorData::new(matrix.as_slice().to_vec(), [matrix.rows(), matrix.columns()]);
                Self::Dense(Tensor::from_data(data, device))
            }
            Features::Sparse(matrix) => Self::Sparse(Sparse::new(matrix, device)),
        }
    }

    fn matmul(&self, weights: Tensor<2>) -> Tensor<2> {
        match self {
            Self::Dense(x) => x.clone().matmul(weights),
            Self::Sparse(x) => x.matmul(weights),
        }
    }
}

/// A model's shape, without weights.
pub(crate) struct Network {
    config: ModelConfig,
    dimensions: usize,
    classes: usize,
    aggregation: Option<Sparse>,
}

/// Whether activations are dropped, and by which masks.
#[derive(Clone, Copy)]
pub(crate) enum Mode {
    Train { seed: u64, epoch: usize },
    Evaluate,
}

impl Network {
    pub(crate) fn new(
        config: &ModelConfig,
        graph: &CsrGraph,
        dimensions: usize,
        classes: usize,
        device: &Device,
    ) -> Self {
        let weights = match config.kind {
            ModelKind::Gcn => Some(graph.normalized(Normalization::Symmetric, SelfLoops::Add)),
            ModelKind::Sage => Some(graph.normalized(Normalization::Row, SelfLoops::AsIs)),
            ModelKind::Mlp | ModelKind::LogisticRegression => None,
        };
        Self {
            config: config.clone(),
            dimensions,
            classes,
            aggregation: weights.map(|weights| Sparse::new(&weights, device)),
        }
    }

    fn widths(&self, layer: usize) -> (usize, usize) {
        let last = self.config.depth() - 1;
        let input = if layer == 0 { self.dimensions } else { self.config.hidden };
        let output = if layer == last { self.classes } else { self.config.hidden };
        (input, output)
    }

    /// The weights before the first step.
    pub(crate) fn initial(&self, seed: u64) -> Vec<Parameter> {
        let mut parameters = Vec::new();
        let mut add = |name: String, rows, columns, initial| {
            parameters.push(Parameter::draw(name, rows, columns, initial, seed, parameters.len()));
        };
        for layer in 0..self.config.depth() {
            let (input, output) = self.widths(layer);
            match self.config.kind {
                ModelKind::Gcn => {
                    add(format!("layer{layer}.weight"), input, output, Initial::Glorot);
                    add(format!("layer{layer}.bias"), 1, output, Initial::Constant(0.0));
                }
                ModelKind::Sage => {
                    add(format!("layer{layer}.neighbour_weight"), input, output, Initial::FanIn(input));
                    add(format!("layer{layer}.own_weight"), input, output, Initial::FanIn(input));
                    add(format!("layer{layer}.bias"), 1, output, Initial::FanIn(input));
                }
                ModelKind::Mlp | ModelKind::LogisticRegression => {
                    add(format!("layer{layer}.weight"), input, output, Initial::FanIn(input));
                    add(format!("layer{layer}.bias"), 1, output, Initial::FanIn(input));
                }
            }
        }
        parameters
    }

    /// Logits of all nodes, nodes × classes.
    pub(crate) fn forward(&self, parameters: &[Tensor<2>], input: &Input, mode: Mode) -> Tensor<2> {
        let mut parameters = parameters.iter().cloned();
        let mut next = || parameters.next().expect("a network has a parameter for each of its places");
        let mut hidden: Option<Tensor<2>> = None;
        let depth = self.config.depth();
        for layer in 0..depth {
            let product = |weights: Tensor<2>| match &hidden {
                Some(hidden) => hidden.clone().matmul(weights),
                None => input.matmul(weights),
            };
            let aggregate = |x: Tensor<2>| match &self.aggregation {
                Some(weights) => weights.matmul(x),
                None => x,
            };
            let sums = match self.config.kind {
                // Linear first: the aggregation then runs over the narrower side.
                ModelKind::Gcn | ModelKind::Mlp | ModelKind::LogisticRegression => aggregate(product(next())),
                ModelKind::Sage => aggregate(product(next())) + product(next()),
            };
            let activation = if layer + 1 < depth { self.config.activation } else { Activation::Identity };
            let mut output = biased_activation(sums, next(), activation);
            if layer + 1 < depth {
                output = self.dropped(output, mode, layer);
            }
            hidden = Some(output);
        }
        hidden.expect("a network has at least one layer")
    }

    fn dropped(&self, x: Tensor<2>, mode: Mode, layer: usize) -> Tensor<2> {
        let rate = self.config.dropout;
        let Mode::Train { seed, epoch } = mode else { return x };
        if rate == 0.0 {
            return x;
        }
        let [rows, columns] = x.dims();
        let mask = Counter::new(seed, Purpose::Dropout, epoch as u64, layer as u64).mask(rows * columns, rate);
        let mask = Tensor::from_data(TensorData::new(mask, [rows, columns]), &x.device().inner());
        x * mask
    }
}
