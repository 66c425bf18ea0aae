//! The operations on CubeCL devices: one implementation for CUDA and wgpu.
//!
//! One unit computes one output element, so there are no atomics and results do not depend on scheduling. Neighbouring
//! units read neighbouring columns of one row.

use super::attention::SLOPE;
use super::{Activation, AttentionOperand, AttentionState, GraphKernels, GraphOps, SparseOperand};
use burn::backend::{
    TensorMetadata,
    ops::FloatTensorOps,
    tensor::{FloatTensor, IntTensor},
};
use burn::tensor::{DType, Shape};
use burn_cubecl::{
    CubeBackend, kernel::into_contiguous, ops::numeric::empty_device_contiguous_dtype, tensor::CubeTensor,
};
use cubecl::{CubeDim, calculate_cube_count_elemwise, prelude::*};

type Floats = FloatTensor<CubeBackend>;
type Ints = IntTensor<CubeBackend>;

#[cube(launch)]
fn spmm_kernel(
    indptr: &Tensor<i32>,
    indices: &Tensor<i32>,
    values: &Tensor<f32>,
    x: &Tensor<f32>,
    out: &mut Tensor<f32>,
    length: usize,
    width: usize,
) {
    if ABSOLUTE_POS >= length {
        terminate!();
    }
    let row = ABSOLUTE_POS / width;
    let column = ABSOLUTE_POS % width;
    let start = usize::cast_from(indptr[row]);
    let end = usize::cast_from(indptr[row + 1]);
    let mut sum = 0.0_f32;
    for at in start..end {
        sum += values[at] * x[usize::cast_from(indices[at]) * width + column];
    }
    out[ABSOLUTE_POS] = sum;
}

/// ⟨vector, x_i⟩ for each node and head.
#[cube(launch)]
fn scores_kernel(
    x: &Tensor<f32>,
    vector: &Tensor<f32>,
    out: &mut Tensor<f32>,
    length: usize,
    heads: usize,
    width: usize,
) {
    if ABSOLUTE_POS >= length {
        terminate!();
    }
    let head = ABSOLUTE_POS % heads;
    let mut sum = 0.0_f32;
    for column in 0..width {
        sum += x[ABSOLUTE_POS * width + column] * vector[head * width + column];
    }
    out[ABSOLUTE_POS] = sum;
}

/// α of each edge: one unit for each node and head.
#[cube(launch)]
fn weights_kernel(
    indptr: &Tensor<i32>,
    indices: &Tensor<i32>,
    source: &Tensor<f32>,
    target: &Tensor<f32>,
    out: &mut Tensor<f32>,
    length: usize,
    heads: usize,
    slope: f32,
) {
    if ABSOLUTE_POS >= length {
        terminate!();
    }
    let row = ABSOLUTE_POS / heads;
    let head = ABSOLUTE_POS % heads;
    let start = usize::cast_from(indptr[row]);
    let end = usize::cast_from(indptr[row + 1]);
    let own = target[ABSOLUTE_POS];
    let mut highest = f32::new(-3.0e38_f32);
    for at in start..end {
        let raw = own + source[usize::cast_from(indices[at]) * heads + head];
        let score = select(raw > 0.0_f32, raw, raw * slope);
        out[at * heads + head] = score;
        highest = select(score > highest, score, highest);
    }
    let mut sum = 0.0_f32;
    for at in start..end {
        let weight = (out[at * heads + head] - highest).exp();
        out[at * heads + head] = weight;
        sum += weight;
    }
    for at in start..end {
        out[at * heads + head] /= sum;
    }
}

/// Σ weight · x over a node's entries: one unit for each node and column.
#[cube(launch)]
fn gather_kernel(
    indptr: &Tensor<i32>,
    indices: &Tensor<i32>,
    entries: &Tensor<i32>,
    weights: &Tensor<f32>,
    x: &Tensor<f32>,
    out: &mut Tensor<f32>,
    length: usize,
    heads: usize,
    width: usize,
    #[comptime] moved: bool,
) {
    if ABSOLUTE_POS >= length {
        terminate!();
    }
    let total = heads * width;
    let row = ABSOLUTE_POS / total;
    let column = ABSOLUTE_POS % total;
    let head = column / width;
    let start = usize::cast_from(indptr[row]);
    let end = usize::cast_from(indptr[row + 1]);
    let mut sum = 0.0_f32;
    for at in start..end {
        let mut entry = at;
        if moved {
            entry = usize::cast_from(entries[at]);
        }
        sum += weights[entry * heads + head] * x[usize::cast_from(indices[at]) * total + column];
    }
    out[ABSOLUTE_POS] = sum;
}

/// The derivative by each edge's score before the rectifier: one unit for each node and head.
#[cube(launch)]
fn score_gradients_kernel(
    indptr: &Tensor<i32>,
    indices: &Tensor<i32>,
    x: &Tensor<f32>,
    weights: &Tensor<f32>,
    kept: &Tensor<f32>,
    source: &Tensor<f32>,
    target: &Tensor<f32>,
    gradient: &Tensor<f32>,
    out: &mut Tensor<f32>,
    length: usize,
    heads: usize,
    width: usize,
    slope: f32,
) {
    if ABSOLUTE_POS >= length {
        terminate!();
    }
    let row = ABSOLUTE_POS / heads;
    let head = ABSOLUTE_POS % heads;
    let start = usize::cast_from(indptr[row]);
    let end = usize::cast_from(indptr[row + 1]);
    let mut mean = 0.0_f32;
    for at in start..end {
        let from = (usize::cast_from(indices[at]) * heads + head) * width;
        let mut product = 0.0_f32;
        for column in 0..width {
            product += x[from + column] * gradient[ABSOLUTE_POS * width + column];
        }
        out[at * heads + head] = product;
        mean += kept[at * heads + head] * product;
    }
    for at in start..end {
        let raw = target[ABSOLUTE_POS] + source[usize::cast_from(indices[at]) * heads + head];
        let factor = select(raw > 0.0_f32, 1.0_f32, slope);
        let place = at * heads + head;
        out[place] = (kept[place] * out[place] - weights[place] * mean) * factor;
    }
}

/// Σ of a number an entry and head over a node's entries: one unit for each node and head.
#[cube(launch)]
fn row_sums_kernel(
    indptr: &Tensor<i32>,
    entries: &Tensor<i32>,
    numbers: &Tensor<f32>,
    out: &mut Tensor<f32>,
    length: usize,
    heads: usize,
    #[comptime] moved: bool,
) {
    if ABSOLUTE_POS >= length {
        terminate!();
    }
    let row = ABSOLUTE_POS / heads;
    let head = ABSOLUTE_POS % heads;
    let start = usize::cast_from(indptr[row]);
    let end = usize::cast_from(indptr[row + 1]);
    let mut sum = 0.0_f32;
    for at in start..end {
        let mut entry = at;
        if moved {
            entry = usize::cast_from(entries[at]);
        }
        sum += numbers[entry * heads + head];
    }
    out[ABSOLUTE_POS] = sum;
}

/// A new tensor of this shape beside `like`, and how to launch one unit for each element of `units`.
fn prepare(like: &CubeTensor, shape: [usize; 2], units: usize) -> (CubeTensor, CubeCount, CubeDim) {
    let out = empty_device_contiguous_dtype(like.client.clone(), like.device.clone(), Shape::new(shape), DType::F32);
    let dim = CubeDim::new(&out.client, units);
    let count = calculate_cube_count_elemwise(&out.client, units, dim);
    (out, count, dim)
}

fn columns(x: &Floats) -> usize {
    x.shape()[1]
}

fn rows(indptr: &Ints) -> usize {
    indptr.shape()[0] - 1
}

fn scores(x: &Floats, vector: Floats, heads: usize, width: usize) -> Floats {
    let nodes = x.shape()[0];
    let (out, count, dim) = prepare(x, [nodes, heads], nodes * heads);
    scores_kernel::launch(
        &out.client,
        count,
        dim,
        x.clone().into_tensor_arg(),
        into_contiguous(vector).into_tensor_arg(),
        out.clone().into_tensor_arg(),
        nodes * heads,
        heads,
        width,
    );
    out
}

fn gather(indptr: Ints, indices: Ints, entries: Option<Ints>, weights: Floats, x: Floats, heads: usize) -> Floats {
    let x = into_contiguous(x);
    let (nodes, total) = (rows(&indptr), columns(&x));
    let (out, count, dim) = prepare(&x, [nodes, total], nodes * total);
    let moved = entries.is_some();
    gather_kernel::launch(
        &out.client,
        count,
        dim,
        indptr.into_tensor_arg(),
        indices.clone().into_tensor_arg(),
        entries.unwrap_or(indices).into_tensor_arg(),
        weights.into_tensor_arg(),
        x.into_tensor_arg(),
        out.clone().into_tensor_arg(),
        nodes * total,
        heads,
        total / heads,
        moved,
    );
    out
}

fn row_sums(indptr: Ints, entries: Option<Ints>, numbers: Floats, heads: usize) -> Floats {
    let nodes = rows(&indptr);
    let (out, count, dim) = prepare(&numbers, [nodes, heads], nodes * heads);
    let moved = entries.is_some();
    row_sums_kernel::launch(
        &out.client,
        count,
        dim,
        indptr.clone().into_tensor_arg(),
        entries.unwrap_or(indptr).into_tensor_arg(),
        numbers.into_tensor_arg(),
        out.clone().into_tensor_arg(),
        nodes * heads,
        heads,
        moved,
    );
    out
}

/// scores (nodes × heads) · vectors (heads × width), head by head, as nodes × (heads · width).
fn outer(scores: Floats, vectors: Floats, heads: usize, width: usize) -> Floats {
    let nodes = scores.shape()[0];
    let scores = CubeBackend::float_reshape(scores, Shape::new([nodes, heads, 1]));
    let vectors = CubeBackend::float_reshape(vectors, Shape::new([1, heads, width]));
    CubeBackend::float_reshape(CubeBackend::float_mul(scores, vectors), Shape::new([nodes, heads * width]))
}

/// Σ_i score_i x_i per head, heads × width.
fn vector_gradient(scores: Floats, x: Floats, heads: usize, width: usize) -> Floats {
    let nodes = scores.shape()[0];
    let scores = CubeBackend::float_reshape(scores, Shape::new([nodes, heads, 1]));
    let x = CubeBackend::float_reshape(x, Shape::new([nodes, heads, width]));
    let sums = CubeBackend::float_sum_dim(CubeBackend::float_mul(scores, x), 0);
    CubeBackend::float_reshape(sums, Shape::new([heads, width]))
}

impl GraphKernels for CubeBackend {
    fn spmm(indptr: Ints, indices: Ints, values: Floats, x: Floats) -> Floats {
        let x = into_contiguous(x);
        let (nodes, width) = (rows(&indptr), columns(&x));
        let (out, count, dim) = prepare(&x, [nodes, width], nodes * width);
        spmm_kernel::launch(
            &out.client,
            count,
            dim,
            indptr.into_tensor_arg(),
            indices.into_tensor_arg(),
            values.into_tensor_arg(),
            x.into_tensor_arg(),
            out.clone().into_tensor_arg(),
            nodes * width,
            width,
        );
        out
    }

    fn attention(
        x: Floats,
        source: Floats,
        target: Floats,
        mask: Floats,
        graph: &AttentionOperand<Self>,
    ) -> (Floats, AttentionState<Self>) {
        let x = into_contiguous(x);
        let [heads, width] = [source.shape()[0], source.shape()[1]];
        let source_scores = scores(&x, source, heads, width);
        let target_scores = scores(&x, target, heads, width);
        let units = rows(&graph.indptr) * heads;
        let (weights, count, dim) = prepare(&x, [graph.indices.shape()[0], heads], units);
        weights_kernel::launch(
            &weights.client,
            count,
            dim,
            graph.indptr.clone().into_tensor_arg(),
            graph.indices.clone().into_tensor_arg(),
            source_scores.clone().into_tensor_arg(),
            target_scores.clone().into_tensor_arg(),
            weights.clone().into_tensor_arg(),
            units,
            heads,
            SLOPE,
        );
        let dropped = mask.shape() == weights.shape();
        let kept = if dropped { Self::float_mul(weights.clone(), mask) } else { weights.clone() };
        let out = gather(graph.indptr.clone(), graph.indices.clone(), None, kept.clone(), x, heads);
        (out, AttentionState { weights, kept, source_scores, target_scores })
    }

    fn attention_backward(
        x: Floats,
        source: Floats,
        target: Floats,
        graph: &AttentionOperand<Self>,
        state: AttentionState<Self>,
        gradient: Floats,
    ) -> [Floats; 3] {
        let (x, gradient) = (into_contiguous(x), into_contiguous(gradient));
        let [heads, width] = [source.shape()[0], source.shape()[1]];
        let units = rows(&graph.indptr) * heads;
        let (by_score, count, dim) = prepare(&x, [graph.indices.shape()[0], heads], units);
        score_gradients_kernel::launch(
            &by_score.client,
            count,
            dim,
            graph.indptr.clone().into_tensor_arg(),
            graph.indices.clone().into_tensor_arg(),
            x.clone().into_tensor_arg(),
            state.weights.into_tensor_arg(),
            state.kept.clone().into_tensor_arg(),
            state.source_scores.into_tensor_arg(),
            state.target_scores.into_tensor_arg(),
            gradient.clone().into_tensor_arg(),
            by_score.clone().into_tensor_arg(),
            units,
            heads,
            width,
            SLOPE,
        );
        let entries = Some(graph.transposed_entries.clone());
        let (indptr, indices) = (graph.transposed_indptr.clone(), graph.transposed_indices.clone());
        let by_target_score = row_sums(graph.indptr.clone(), None, by_score.clone(), heads);
        let by_source_score = row_sums(indptr.clone(), entries.clone(), by_score, heads);
        let gathered = gather(indptr, indices, entries, state.kept, gradient, heads);
        let through_scores = Self::float_add(
            outer(by_source_score.clone(), source, heads, width),
            outer(by_target_score.clone(), target, heads, width),
        );
        [
            Self::float_add(gathered, through_scores),
            vector_gradient(by_source_score, x.clone(), heads, width),
            vector_gradient(by_target_score, x, heads, width),
        ]
    }
}

impl GraphOps for CubeBackend {
    fn sparse_product(x: Floats, a: SparseOperand<Self>) -> Floats {
        Self::spmm(a.indptr, a.indices, a.values, x)
    }

    fn biased_activation(x: Floats, bias: Floats, activation: Activation) -> Floats {
        Self::activate(x, bias, activation)
    }

    fn attention(x: Floats, source: Floats, target: Floats, mask: Floats, graph: AttentionOperand<Self>) -> Floats {
        <Self as GraphKernels>::attention(x, source, target, mask, &graph).0
    }
}
