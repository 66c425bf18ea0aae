//! The operations that a graph network needs beside the stock ones, with hand-written derivatives.
//!
//! Two traits: [`GraphKernels`] is what a backend must compute, forward and backward, without any notion of a gradient
//! tape; [`GraphOps`] is what a model calls and what is recorded on the tape (`autodiff.rs`). Every output element has
//! one writer, so results do not depend on the number of threads.

mod attention;
mod autodiff;
#[cfg(feature = "cube")]
mod cube;
pub(crate) mod dense;
mod elementwise;
mod exponential;
mod flex;
mod host;
mod host_adam;
mod host_attention;
mod host_sparse;
mod sparse;

pub(crate) use attention::{Attention, AttentionOperand, AttentionState};
pub(crate) use host_adam::{AdamStep, adam_step};
pub(crate) use sparse::{Sparse, SparseOperand};

use burn::backend::{
    Backend, Dispatch, backend_extension,
    tensor::{FloatTensor, IntTensor},
};
use burn::tensor::Tensor;
use serde::{Deserialize, Serialize};

/// A non-linearity between layers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Activation {
    /// x.
    Identity,
    /// max(x, 0).
    Relu,
    /// λ x above 0, λ α (eˣ − 1) below; λ = 1.0507009873554805, α = 1.6732632423543772 \[Klambauer et al., 2017\].
    #[default]
    Selu,
    /// x above 0, eˣ − 1 below.
    Elu,
}

/// What a backend must be able to compute.
pub(crate) trait GraphKernels: Backend {
    /// The sparse matrix of these CSR arrays (32-bit integers) times `x`.
    fn spmm(
        indptr: IntTensor<Self>,
        indices: IntTensor<Self>,
        values: FloatTensor<Self>,
        x: FloatTensor<Self>,
    ) -> FloatTensor<Self>;

    /// activation(x + bias), bias one row.
    fn activate(x: FloatTensor<Self>, bias: FloatTensor<Self>, activation: Activation) -> FloatTensor<Self> {
        elementwise::activate::<Self>(x, bias, activation)
    }

    /// From the output `y` of [`activate`](Self::activate) and the derivative of the loss by it, that by `x`.
    fn activate_backward(
        y: FloatTensor<Self>,
        activation: Activation,
        gradient: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        elementwise::activate_backward::<Self>(y, activation, gradient)
    }

    /// What the nodes gather by attention, and what its derivative needs: `x` is nodes × (heads · width), the attention
    /// vectors heads × width, `mask` a factor for each entry and head or, where none is dropped, a single 1.
    fn attention(
        x: FloatTensor<Self>,
        source: FloatTensor<Self>,
        target: FloatTensor<Self>,
        mask: FloatTensor<Self>,
        graph: &AttentionOperand<Self>,
    ) -> (FloatTensor<Self>, AttentionState<Self>);

    /// The derivatives by `x`, `source` and `target`.
    fn attention_backward(
        x: FloatTensor<Self>,
        source: FloatTensor<Self>,
        target: FloatTensor<Self>,
        graph: &AttentionOperand<Self>,
        state: AttentionState<Self>,
        gradient: FloatTensor<Self>,
    ) -> [FloatTensor<Self>; 3];

    /// Sum over the rows, one row.
    fn column_sums(x: FloatTensor<Self>) -> FloatTensor<Self> {
        Self::float_sum_dim(x, 0)
    }
}

/// What a model calls.
#[backend_extension(Autodiff, Flex, Cube: cfg(feature = "cube"))]
pub(crate) trait GraphOps: Backend {
    fn sparse_product(x: FloatTensor<Self>, #[extension_type] a: SparseOperand<Self>) -> FloatTensor<Self>;

    fn biased_activation(x: FloatTensor<Self>, bias: FloatTensor<Self>, activation: Activation) -> FloatTensor<Self>;

    fn attention(
        x: FloatTensor<Self>,
        source: FloatTensor<Self>,
        target: FloatTensor<Self>,
        mask: FloatTensor<Self>,
        #[extension_type] graph: AttentionOperand<Self>,
    ) -> FloatTensor<Self>;
}

/// activation(x + bias); `bias` is one row, added to each row of `x`.
pub(crate) fn biased_activation(x: Tensor<2>, bias: Tensor<2>, activation: Activation) -> Tensor<2> {
    Tensor::from_dispatch(<Dispatch as GraphOps>::biased_activation(
        x.into_dispatch(),
        bias.into_dispatch(),
        activation,
    ))
}
