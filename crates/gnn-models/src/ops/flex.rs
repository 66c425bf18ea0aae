//! The operations on the CPU backend: plain slices in, plain slices out.

use super::host_attention::{self as attention, ByScores, Heads, Lists, Saved};
use super::host_sparse::{self, Csr};
use super::{Activation, AttentionOperand, AttentionState, GraphKernels, GraphOps, SparseOperand, host};
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

/// Number of heads and width of one, from an attention vector a head.
fn heads(vectors: &FloatTensor<Flex>) -> Heads {
    let shape = vectors.layout().shape();
    Heads { heads: shape[0], width: shape[1] }
}

fn forward_lists(graph: &AttentionOperand<Flex>) -> Lists<'_> {
    Lists { indptr: graph.indptr.storage::<i32>(), indices: graph.indices.storage::<i32>() }
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

/// Runs `change` on the values of a tensor, row after row; they are copied first where others see them too.
fn in_place(x: FloatTensor<Flex>, change: impl FnOnce(&mut [f32])) -> FloatTensor<Flex> {
    let mut x = if x.layout().is_contiguous() { x } else { x.to_contiguous() };
    let (start, count) = (x.layout().start_offset(), x.layout().num_elements());
    change(&mut x.storage_mut::<f32>()[start..start + count]);
    x
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
        in_place(x, |x| with_values(&bias, |bias| host::activate(x, bias, activation)))
    }

    fn activate_backward(
        y: FloatTensor<Self>,
        activation: Activation,
        gradient: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        in_place(gradient, |gradient| with_values(&y, |y| host::activate_backward(y, activation, gradient)))
    }

    fn attention(
        x: FloatTensor<Self>,
        source: FloatTensor<Self>,
        target: FloatTensor<Self>,
        mask: FloatTensor<Self>,
        graph: &AttentionOperand<Self>,
    ) -> (FloatTensor<Self>, AttentionState<Self>) {
        let (heads, device) = (heads(&source), x.device());
        let (source_scores, target_scores) = with_values(&x, |x| {
            with_values(&source, |source| with_values(&target, |target| attention::scores(x, source, target, heads)))
        });
        let lists = forward_lists(graph);
        let weights = attention::weights(lists, &source_scores, &target_scores, heads.heads);
        let weights = tensor(weights, heads.heads, &device);
        let dropped = mask.layout().num_elements() == weights.layout().num_elements();
        let kept = if dropped { Self::float_mul(weights.clone(), mask) } else { weights.clone() };
        let out = with_values(&x, |x| attention::gather(lists, None, kept.storage::<f32>(), x, heads, None));
        let state = AttentionState {
            weights,
            kept,
            source_scores: tensor(source_scores, heads.heads, &device),
            target_scores: tensor(target_scores, heads.heads, &device),
        };
        (tensor(out, heads.heads * heads.width, &device), state)
    }

    fn attention_backward(
        x: FloatTensor<Self>,
        source: FloatTensor<Self>,
        target: FloatTensor<Self>,
        graph: &AttentionOperand<Self>,
        state: AttentionState<Self>,
        gradient: FloatTensor<Self>,
    ) -> [FloatTensor<Self>; 3] {
        let (heads, device) = (heads(&source), x.device());
        let lists = forward_lists(graph);
        let backward_lists = Lists {
            indptr: graph.transposed_indptr.storage::<i32>(),
            indices: graph.transposed_indices.storage::<i32>(),
        };
        let entries = Some(graph.transposed_entries.storage::<i32>());
        let kept = state.kept.storage::<f32>();
        let [by_x, by_source, by_target] = with_values(&x, |x| {
            let saved = Saved {
                x,
                weights: state.weights.storage::<f32>(),
                kept,
                source: state.source_scores.storage::<f32>(),
                target: state.target_scores.storage::<f32>(),
            };
            with_values(&gradient, |gradient| {
                let scores = attention::score_gradients(lists, &saved, gradient, heads);
                let target_scores = attention::row_sums(lists, None, &scores, heads.heads);
                let source_scores = attention::row_sums(backward_lists, entries, &scores, heads.heads);
                let by_x = with_values(&source, |source| {
                    with_values(&target, |target| {
                        let scores = ByScores {
                            source,
                            target,
                            source_gradient: &source_scores,
                            target_gradient: &target_scores,
                        };
                        attention::gather(backward_lists, entries, kept, gradient, heads, Some(scores))
                    })
                });
                let (by_source, by_target) = attention::vector_gradients(&source_scores, &target_scores, x, heads);
                [by_x, by_source, by_target]
            })
        });
        [
            tensor(by_x, heads.heads * heads.width, &device),
            tensor(by_source, heads.width, &device),
            tensor(by_target, heads.width, &device),
        ]
    }

    fn column_sums(x: FloatTensor<Self>) -> FloatTensor<Self> {
        let width = width(&x);
        tensor(with_values(&x, |x| host::column_sums(x, width)), width, &x.device())
    }
}

impl GraphOps for Flex {
    fn sparse_product(x: FloatTensor<Self>, a: SparseOperand<Self>) -> FloatTensor<Self> {
        let width = width(&x);
        let a = Csr {
            indptr: a.indptr.storage::<i32>(),
            indices: a.indices.storage::<i32>(),
            values: a.values.storage::<f32>(),
        };
        let out = with_values(&x, |x| host_sparse::product(a, x, width));
        tensor(out, width, &x.device())
    }

    fn biased_activation(x: FloatTensor<Self>, bias: FloatTensor<Self>, activation: Activation) -> FloatTensor<Self> {
        Self::activate(x, bias, activation)
    }

    fn attention(
        x: FloatTensor<Self>,
        source: FloatTensor<Self>,
        target: FloatTensor<Self>,
        mask: FloatTensor<Self>,
        graph: AttentionOperand<Self>,
    ) -> FloatTensor<Self> {
        <Self as GraphKernels>::attention(x, source, target, mask, &graph).0
    }
}
