//! A model's weights: their names, shapes and first values.

use crate::counter::{Counter, Purpose};
use burn::tensor::{Device, Tensor, TensorData};

/// A weight matrix or a bias (one row) with its values in main memory.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) values: Vec<f32>,
}

/// How first values are drawn.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Initial {
    /// Uniform in ±√(6 / (rows + columns)) \[Glorot and Bengio, 2010\].
    Glorot,
    /// Uniform in ±1 / √fan, PyTorch's default of a linear layer with so many inputs.
    FanIn(usize),
    /// One value everywhere.
    Constant(f32),
}

impl Parameter {
    /// Draws the first values of the `number`-th parameter of a model.
    pub(crate) fn draw(name: String, rows: usize, columns: usize, initial: Initial, seed: u64, number: usize) -> Self {
        let bound = match initial {
            Initial::Glorot => (6.0 / (rows + columns) as f32).sqrt(),
            Initial::FanIn(inputs) => 1.0 / (inputs as f32).sqrt(),
            Initial::Constant(value) => {
                return Self { name, rows, columns, values: vec![value; rows * columns] };
            }
        };
        let stream = Counter::new(seed, Purpose::Weights, number as u64, 0);
        let values = (0..rows * columns).map(|at| (2.0 * stream.uniform(at as u64) - 1.0) * bound).collect();
        Self { name, rows, columns, values }
    }

    /// The values on a device.
    pub(crate) fn tensor(&self, device: &Device) -> Tensor<2> {
        Tensor::from_data(TensorData::new(self.values.clone(), [self.rows, self.columns]), device)
    }

    /// The same parameter with other values.
    pub(crate) fn with_tensor(&self, tensor: Tensor<2>) -> Self {
        Self { values: values(tensor), name: self.name.clone(), ..*self }
    }
}

/// The values of a tensor, row after row, in main memory.
pub(crate) fn values<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().try_into_vec::<f32>().expect("tensors here hold f32")
}
