//! A model's weights: their names, shapes and first values.

use crate::counter::{Counter, Purpose};
use burn::tensor::{Device, Tensor, TensorData};

/// Where a model has a weight matrix or a bias (one row).
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Place {
    pub(crate) name: String,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) initial: Initial,
    pub(crate) group: Group,
}

/// Parameters that weight decay treats alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Group {
    FirstLayerWeight,
    Weight,
    Bias,
}

/// How first values are drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Initial {
    /// Uniform in ±√(6 / (rows + columns)) \[Glorot and Bengio, 2010\].
    Glorot,
    /// Uniform in ±1 / √fan, PyTorch's default of a linear layer with so many inputs.
    FanIn(usize),
    /// One value everywhere.
    Constant(f32),
}

impl Place {
    /// The values before the first step, for the `number`-th place of a model, row after row.
    pub(crate) fn draw(&self, seed: u64, number: usize) -> Vec<f32> {
        let bound = match self.initial {
            Initial::Glorot => (6.0 / (self.rows + self.columns) as f32).sqrt(),
            Initial::FanIn(inputs) => 1.0 / (inputs as f32).sqrt(),
            Initial::Constant(value) => return vec![value; self.rows * self.columns],
        };
        let stream = Counter::new(seed, Purpose::Weights, number as u64, 0);
        (0..self.rows * self.columns).map(|at| (2.0 * stream.uniform(at as u64) - 1.0) * bound).collect()
    }

    /// `values` as a tensor of this place's shape.
    pub(crate) fn tensor(&self, values: Vec<f32>, device: &Device) -> Tensor<2> {
        Tensor::from_data(TensorData::new(values, [self.rows, self.columns]), device)
    }
}

/// The values of a tensor, row after row, in main memory.
pub(crate) fn values<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().try_into_vec::<f32>().expect("tensors here hold f32")
}
