//! The operations on the CPU backend: plain slices in, plain slices out.

use super::{Activation, GraphKernels, GraphOps, SparseOperand, host};
use burn::backend::{
    Flex, TensorMetadata,
    ops::FloatTensorOps,
    tensor::{Device, FloatTensor, IntTensor},
};
use burn::tensor::TensorData;
use graph_denoise::kernel;

/// A tensor of `rows` rows from its values.
fn tensor(values: Vec<f32>, width: usize, device: &Device<Flex>) -> FloatTensor<Flex> {
    let rows = values.len().checked_div(width).unwrap_or(0);
    Flex::float_from_data(TensorData::new(values, [rows, width]), device)
}

fn width(x: &FloatTensor<Flex>) -> usize {
    x.layout().shape()[1]
}

/// Runs `compute` on the values of a tensor, row after row.
fn with_values<R>(x: &FloatTensor<Flex>, compute: impl FnOnce(&[f32]) -> R) -> R {
    let layout = x.layout();
    if layout.is_contiguous() {
        let start = layout.start_offset();
        compute(&x.storage::<f32>()[start..start + layout.num_elements()])
    } else {
        compute(&x.to_contiguous().storage::<f32>()[..layout.num_elements()])
    }
}

impl GraphKernels for Flex {
    fn spmm(
        indptr: IntTensor<Self>,
        indices: IntTensor<Self>,
        values: FloatTensor<Self>,
        x: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        let width = width(&x);
        let (indptr, indices, values) = (indptr.storage::<i32>(), indices.storage::<i32>(), values.storage::<f32>());
        let mut out = vec![0f32; (indptr.len() - 1) * width];
        with_values(&x, |x| kernel::spmm(indptr, indices, values, x, width, &mut out));
        tensor(out, width, &x.device())
    }

    fn activate(x: FloatTensor<Self>, bias: FloatTensor<Self>, activation: Activation) -> FloatTensor<Self> {
        let out = with_values(&x, |x| with_values(&bias, |bias| host::activate(x, bias, activation)));
        tensor(out, width(&x), &x.device())
    }

    fn activate_backward(
        x: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        activation: Activation,
        gradient: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        let out = with_values(&x, |x| {
            with_values(&bias, |bias| {
                with_values(&gradient, |gradient| host::activate_backward(x, bias, activation, gradient))
            })
        });
        tensor(out, width(&x), &x.device())
    }

    fn column_sums(x: FloatTensor<Self>) -> FloatTensor<Self> {
        let width = width(&x);
        tensor(with_values(&x, |x| host::column_sums(x, width)), width, &x.device())
    }
}

impl GraphOps for Flex {
    fn sparse_product(x: FloatTensor<Self>, a: SparseOperand<Self>) -> FloatTensor<Self> {
        Self::spmm(a.indptr, a.indices, a.values, x)
    }

    fn biased_activation(x: FloatTensor<Self>, bias: FloatTensor<Self>, activation: Activation) -> FloatTensor<Self> {
        Self::activate(x, bias, activation)
    }
}
