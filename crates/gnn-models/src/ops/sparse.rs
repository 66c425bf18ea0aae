//! Constant sparse matrices as an operand of a differentiable product.

use super::GraphOps;
use burn::backend::{
    Backend, Dispatch, ExtensionType,
    tensor::{FloatTensor, IntTensor},
};
use burn::tensor::{DType, Device, Int, Tensor, TensorData};
use graph_denoise::CsrMatrix;

/// A constant sparse matrix together with its transpose, which the derivative needs.
///
/// Lives on a device as plain tensors, which on the CPU are read in place.
#[derive(Clone, Debug)]
pub(crate) struct Sparse {
    forward: Arrays,
    transposed: Arrays,
}

#[derive(Clone, Debug)]
struct Arrays {
    indptr: Tensor<1, Int>,
    indices: Tensor<1, Int>,
    values: Tensor<1>,
}

/// How a backend sees a [`Sparse`].
#[derive(Clone, Debug, ExtensionType)]
pub(crate) struct SparseOperand<B: Backend> {
    pub(crate) indptr: IntTensor<B>,
    pub(crate) indices: IntTensor<B>,
    pub(crate) values: FloatTensor<B>,
    pub(crate) transposed_indptr: IntTensor<B>,
    pub(crate) transposed_indices: IntTensor<B>,
    pub(crate) transposed_values: FloatTensor<B>,
}

impl Arrays {
    /// # Panics
    /// With more than 2³¹ − 1 entries.
    fn new(matrix: &CsrMatrix, device: &Device) -> Self {
        let as_i32 = |number: usize| i32::try_from(number).expect("at most 2³¹ − 1 entries");
        let indptr: Vec<i32> = matrix.indptr().iter().map(|&start| as_i32(start)).collect();
        let indices: Vec<i32> = matrix.indices().iter().map(|&column| as_i32(column as usize)).collect();
        Self {
            indptr: integers(indptr, device),
            indices: integers(indices, device),
            values: Tensor::from_data(TensorData::new(matrix.values().to_vec(), [matrix.entries()]), device),
        }
    }
}

/// 32-bit integers on a device.
pub(super) fn integers(values: Vec<i32>, device: &Device) -> Tensor<1, Int> {
    let length = values.len();
    Tensor::from_data(TensorData::new(values, [length]), (device, DType::I32))
}

impl Sparse {
    /// Copies a matrix and its transpose to a device.
    ///
    /// # Panics
    /// With more than 2³¹ − 1 entries.
    pub(crate) fn new(matrix: &CsrMatrix, device: &Device) -> Self {
        let transpose = matrix.transpose();
        let forward = Arrays::new(matrix, device);
        // An undirected graph's symmetric weights are their own transpose: kept once.
        let transposed = if transpose == *matrix { forward.clone() } else { Arrays::new(&transpose, device) };
        Self { forward, transposed }
    }

    /// The differentiable product of this matrix with `x`.
    pub(crate) fn matmul(&self, x: Tensor<2>) -> Tensor<2> {
        let Self { forward, transposed } = self.clone();
        product(forward, transposed, x)
    }

    /// The differentiable product of this matrix's transpose with `x`.
    pub(crate) fn transposed_matmul(&self, x: Tensor<2>) -> Tensor<2> {
        let Self { forward, transposed } = self.clone();
        product(transposed, forward, x)
    }
}

fn product(forward: Arrays, transposed: Arrays, x: Tensor<2>) -> Tensor<2> {
    let operand = SparseOperand {
        indptr: forward.indptr.into_dispatch(),
        indices: forward.indices.into_dispatch(),
        values: forward.values.into_dispatch(),
        transposed_indptr: transposed.indptr.into_dispatch(),
        transposed_indices: transposed.indices.into_dispatch(),
        transposed_values: transposed.values.into_dispatch(),
    };
    Tensor::from_dispatch(<Dispatch as GraphOps>::sparse_product(x.into_dispatch(), operand))
}
