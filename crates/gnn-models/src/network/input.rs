//! The features as the first layer's operand.

use crate::Features;
use crate::ops::Sparse;
use burn::tensor::{Device, Tensor, TensorData};

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

    /// The products with several matrices of one width. Dense features are read once for all of them.
    pub(crate) fn products(&self, weights: Vec<Tensor<2>>) -> Vec<Tensor<2>> {
        match self {
            Self::Sparse(x) => weights.into_iter().map(|weights| x.matmul(weights)).collect(),
            Self::Dense(x) if weights.len() == 1 => weights.into_iter().map(|w| x.clone().matmul(w)).collect(),
            Self::Dense(x) => {
                let width = weights[0].dims()[1];
                let count = weights.len();
                let all = x.clone().matmul(Tensor::cat(weights, 1));
                (0..count).map(|at| all.clone().narrow(1, at * width, width)).collect()
            }
        }
    }
}
