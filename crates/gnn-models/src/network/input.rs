//! The features as the first layer's operand.
//!
//! Features are constant, so their products with the first layer's weights stay off the gradient tape: a step asks for
//! the derivative by each product G and turns it into that by the weights, Xᵀ G. The products that an evaluation needs
//! are those of the next epoch's training pass, so they are computed once for both.

use crate::ops::{Sparse, dense};
use crate::parameters::values;
use crate::{DeviceChoice, Features};
use burn::tensor::{Device, Tensor, TensorData};
use graph_denoise::FeatureMatrix;

/// The features, ready to be multiplied.
#[expect(clippy::large_enum_variant, reason = "there is one a run")]
pub(crate) enum Input {
    /// On the CPU, where they lie.
    Host(FeatureMatrix),
    /// On another device.
    Dense(Tensor<2>),
    /// Only what is not zero.
    Sparse(Sparse),
}

impl Input {
    /// `choice` is what `device` was opened by.
    pub(crate) fn new(features: &Features, choice: DeviceChoice, device: &Device) -> Self {
        match features {
            Features::Dense(matrix) if choice == DeviceChoice::Cpu => Self::Host(matrix.clone()),
            Features::Dense(matrix) => {
                let data = TensorData::new(matrix.as_slice().to_vec(), [matrix.rows(), matrix.columns()]);
                Self::Dense(Tensor::from_data(data, device))
            }
            Features::Sparse(matrix) => Self::Sparse(Sparse::new(matrix, device)),
        }
    }

    /// The products with several matrices of one width. Dense features are read once for all of them.
    pub(crate) fn products(&self, weights: &[Tensor<2>]) -> Vec<Tensor<2>> {
        match self {
            Self::Sparse(x) => weights.iter().map(|weights| x.matmul(weights.clone())).collect(),
            Self::Dense(x) => together(weights, |weights| x.clone().matmul(weights)),
            Self::Host(x) => together(weights, |weights| {
                let (device, width) = (weights.device(), weights.dims()[1]);
                let product = dense::product(x, &values(weights), width);
                Tensor::from_data(TensorData::new(product, [x.rows(), width]), &device)
            }),
        }
    }

    /// The derivatives by the weights from those by the products.
    pub(crate) fn weight_gradients(&self, gradients: &[Tensor<2>]) -> Vec<Tensor<2>> {
        match self {
            Self::Sparse(x) => gradients.iter().map(|gradient| x.transposed_matmul(gradient.clone())).collect(),
            Self::Dense(x) => together(gradients, |gradients| x.clone().transpose().matmul(gradients)),
            Self::Host(x) => together(gradients, |gradients| {
                let (device, width) = (gradients.device(), gradients.dims()[1]);
                let product = dense::transposed_product(x, &values(gradients), width);
                Tensor::from_data(TensorData::new(product, [x.columns(), width]), &device)
            }),
        }
    }
}

/// `product` of all operands side by side, cut again.
fn together(operands: &[Tensor<2>], product: impl FnOnce(Tensor<2>) -> Tensor<2>) -> Vec<Tensor<2>> {
    if let [operand] = operands {
        return vec![product(operand.clone())];
    }
    let width = operands[0].dims()[1];
    let all = product(Tensor::cat(operands.to_vec(), 1));
    (0..operands.len()).map(|at| all.clone().narrow(1, at * width, width)).collect()
}
