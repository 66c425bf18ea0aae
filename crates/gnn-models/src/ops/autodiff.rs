//! The gradient tape's side of the operations: which kernel computes the derivative, and what it must remember.

use super::{Activation, AttentionOperand, AttentionState, GraphKernels, GraphOps, SparseOperand};
use burn::backend::{
    Autodiff, Backend,
    autodiff::{
        checkpoint::{base::Checkpointer, strategy::CheckpointStrategy},
        grads::Gradients,
        ops::{Backward, Ops, OpsKind},
    },
    tensor::FloatTensor,
};

/// Y = A X has the derivative Aᵀ G by X.
#[derive(Debug)]
struct ProductBackward;

impl<B: GraphKernels> Backward<B, 1> for ProductBackward {
    type State = SparseOperand<B>;

    fn backward(self, ops: Ops<Self::State, 1>, grads: &mut Gradients, _: &mut Checkpointer) {
        let gradient = grads.consume::<B>(&ops.node);
        if let [Some(parent)] = ops.parents {
            grads.register::<B>(
                parent.id,
                B::spmm(
                    ops.state.transposed_indptr,
                    ops.state.transposed_indices,
                    ops.state.transposed_values,
                    gradient,
                ),
            );
        }
    }
}

/// Y = σ(X + b) has the derivative G ⊙ σ'(X + b) by X and the sum of its rows by b.
#[derive(Debug)]
struct ActivationBackward;

impl<B: GraphKernels> Backward<B, 2> for ActivationBackward {
    type State = (FloatTensor<B>, Activation);

    fn backward(self, ops: Ops<Self::State, 2>, grads: &mut Gradients, _: &mut Checkpointer) {
        let gradient = grads.consume::<B>(&ops.node);
        let (y, activation) = ops.state;
        let inner = match activation {
            Activation::Identity => gradient,
            _ => B::activate_backward(y, activation, gradient),
        };
        let [x_parent, bias_parent] = ops.parents;
        if let Some(parent) = bias_parent {
            grads.register::<B>(parent.id, B::column_sums(inner.clone()));
        }
        if let Some(parent) = x_parent {
            grads.register::<B>(parent.id, inner);
        }
    }
}

/// Graph attention; its derivative is the kernel's affair.
#[derive(Debug)]
struct AttentionBackward;

/// What the derivative of attention needs.
#[derive(Clone, Debug)]
struct AttentionTape<B: Backend> {
    x: FloatTensor<B>,
    source: FloatTensor<B>,
    target: FloatTensor<B>,
    graph: AttentionOperand<B>,
    state: AttentionState<B>,
}

impl<B: GraphKernels> Backward<B, 3> for AttentionBackward {
    type State = AttentionTape<B>;

    fn backward(self, ops: Ops<Self::State, 3>, grads: &mut Gradients, _: &mut Checkpointer) {
        let gradient = grads.consume::<B>(&ops.node);
        let AttentionTape { x, source, target, graph, state } = ops.state;
        let derivatives = B::attention_backward(x, source, target, &graph, state, gradient);
        for (parent, derivative) in ops.parents.into_iter().zip(derivatives) {
            if let Some(parent) = parent {
                grads.register::<B>(parent.id, derivative);
            }
        }
    }
}

fn without_tape<B: Backend, C: CheckpointStrategy>(a: SparseOperand<Autodiff<B, C>>) -> SparseOperand<B> {
    SparseOperand {
        indptr: a.indptr,
        indices: a.indices,
        values: a.values.into_primitive(),
        transposed_indptr: a.transposed_indptr,
        transposed_indices: a.transposed_indices,
        transposed_values: a.transposed_values.into_primitive(),
    }
}

impl<B: GraphKernels + GraphOps, C: CheckpointStrategy> GraphOps for Autodiff<B, C> {
    fn sparse_product(x: FloatTensor<Self>, a: SparseOperand<Self>) -> FloatTensor<Self> {
        let a = without_tape(a);
        let (x, node) = x.into_parts();
        let y = B::spmm(a.indptr.clone(), a.indices.clone(), a.values.clone(), x);
        match ProductBackward.prepare::<C>([node]).compute_bound().stateful() {
            OpsKind::Tracked(prepared) => prepared.finish(a, y),
            OpsKind::UnTracked(prepared) => prepared.finish(y),
        }
    }

    fn biased_activation(x: FloatTensor<Self>, bias: FloatTensor<Self>, activation: Activation) -> FloatTensor<Self> {
        let (x, x_node) = x.into_parts();
        let (bias, bias_node) = bias.into_parts();
        let y = B::activate(x, bias, activation);
        match ActivationBackward.prepare::<C>([x_node, bias_node]).compute_bound().stateful() {
            OpsKind::Tracked(prepared) => prepared.finish((y.clone(), activation), y),
            OpsKind::UnTracked(prepared) => prepared.finish(y),
        }
    }

    fn attention(
        x: FloatTensor<Self>,
        source: FloatTensor<Self>,
        target: FloatTensor<Self>,
        mask: FloatTensor<Self>,
        graph: AttentionOperand<Self>,
    ) -> FloatTensor<Self> {
        // Integer tensors carry no tape.
        let graph = AttentionOperand::<B> {
            indptr: graph.indptr,
            indices: graph.indices,
            transposed_indptr: graph.transposed_indptr,
            transposed_indices: graph.transposed_indices,
            transposed_entries: graph.transposed_entries,
        };
        let (x, x_node) = x.into_parts();
        let (source, source_node) = source.into_parts();
        let (target, target_node) = target.into_parts();
        let (y, state) =
            <B as GraphKernels>::attention(x.clone(), source.clone(), target.clone(), mask.into_primitive(), &graph);
        match AttentionBackward.prepare::<C>([x_node, source_node, target_node]).compute_bound().stateful() {
            OpsKind::Tracked(prepared) => prepared.finish(AttentionTape { x, source, target, graph, state }, y),
            OpsKind::UnTracked(prepared) => prepared.finish(y),
        }
    }
}
