//! Graph attention as one differentiable operation: no message is ever stored.
//!
//! For node i with list N(i), per head: s_ij = leaky(⟨a_dst, h_i⟩ + ⟨a_src, h_j⟩), α_ij = softmax over j ∈ N(i) of
//! s_ij, out_i = Σ_j α_ij h_j \[Veličković et al., 2018, Eq. 1–4\]. Only α, one number an edge and head, is kept for
//! the derivative. Attention dropout multiplies α by a mask; where there is one, the product is kept too.

use super::GraphOps;
use super::sparse::integers;
use burn::backend::{
    Backend, Dispatch, ExtensionType,
    tensor::{FloatTensor, IntTensor},
};
use burn::tensor::{Device, Int, Tensor};
use graph_denoise::CsrGraph;

/// Slope of the leaky rectifier below 0.
pub(crate) const SLOPE: f32 = 0.2;

/// Who attends to whom, in both orientations.
#[derive(Clone, Debug)]
pub(crate) struct Attention {
    indptr: Tensor<1, Int>,
    indices: Tensor<1, Int>,
    transposed_indptr: Tensor<1, Int>,
    transposed_indices: Tensor<1, Int>,
    transposed_entries: Tensor<1, Int>,
}

/// How a backend sees an [`Attention`].
#[derive(Clone, Debug, ExtensionType)]
pub(crate) struct AttentionOperand<B: Backend> {
    /// Row starts of the lists.
    pub(crate) indptr: IntTensor<B>,
    /// The lists.
    pub(crate) indices: IntTensor<B>,
    /// Row starts of the lists of those who attend to a node.
    pub(crate) transposed_indptr: IntTensor<B>,
    /// Those lists.
    pub(crate) transposed_indices: IntTensor<B>,
    /// Where each of their entries stands in `indices`.
    pub(crate) transposed_entries: IntTensor<B>,
}

/// What the forward pass leaves for the backward pass, per head: the weights of each edge, and each node's two scores.
#[derive(Clone, Debug)]
pub(crate) struct AttentionState<B: Backend> {
    pub(crate) weights: FloatTensor<B>,
    /// The weights after dropout; without dropout the same.
    pub(crate) kept: FloatTensor<B>,
    pub(crate) source_scores: FloatTensor<B>,
    pub(crate) target_scores: FloatTensor<B>,
}

impl Attention {
    /// Every node attends to its list and to itself.
    ///
    /// # Panics
    /// With more than 2³¹ − 1 entries.
    pub(crate) fn new(graph: &CsrGraph, device: &Device) -> Self {
        let nodes = graph.nodes();
        let as_i32 = |number: usize| i32::try_from(number).expect("at most 2³¹ − 1 entries");
        let (mut indptr, mut indices) = (vec![0], Vec::with_capacity(graph.entries() + nodes));
        for node in 0..nodes {
            let list = graph.neighbours(node);
            let own = list.partition_point(|&other| (other as usize) < node);
            let rest = own + usize::from(list.get(own) == Some(&(node as u32)));
            indices.extend(list[..own].iter().map(|&other| other as i32));
            indices.push(node as i32);
            indices.extend(list[rest..].iter().map(|&other| other as i32));
            indptr.push(as_i32(indices.len()));
        }
        let mut next = vec![0usize; nodes + 1];
        for &other in &indices {
            next[other as usize + 1] += 1;
        }
        for node in 0..nodes {
            next[node + 1] += next[node];
        }
        let transposed_indptr = next.iter().map(|&start| as_i32(start)).collect();
        let mut transposed_indices = vec![0; indices.len()];
        let mut transposed_entries = vec![0; indices.len()];
        for node in 0..nodes {
            for entry in indptr[node]..indptr[node + 1] {
                let at = &mut next[indices[entry as usize] as usize];
                transposed_indices[*at] = node as i32;
                transposed_entries[*at] = entry;
                *at += 1;
            }
        }
        Self {
            indptr: integers(indptr, device),
            indices: integers(indices, device),
            transposed_indptr: integers(transposed_indptr, device),
            transposed_indices: integers(transposed_indices, device),
            transposed_entries: integers(transposed_entries, device),
        }
    }

    /// Number of entries, self-loops included.
    pub(crate) fn entries(&self) -> usize {
        self.indices.dims()[0]
    }

    /// What the nodes gather: `x` is nodes × (heads · width), the attention vectors heads × width, `mask` entries × heads.
    pub(crate) fn gather(
        &self,
        x: Tensor<2>,
        source: Tensor<2>,
        target: Tensor<2>,
        mask: Option<Tensor<2>>,
    ) -> Tensor<2> {
        let mask = mask.unwrap_or_else(|| Tensor::ones([1, 1], &x.device().inner()));
        let mask = if x.is_autodiff() { mask.autodiff() } else { mask };
        let this = self.clone();
        let operand = AttentionOperand {
            indptr: this.indptr.into_dispatch(),
            indices: this.indices.into_dispatch(),
            transposed_indptr: this.transposed_indptr.into_dispatch(),
            transposed_indices: this.transposed_indices.into_dispatch(),
            transposed_entries: this.transposed_entries.into_dispatch(),
        };
        Tensor::from_dispatch(<Dispatch as GraphOps>::attention(
            x.into_dispatch(),
            source.into_dispatch(),
            target.into_dispatch(),
            mask.into_dispatch(),
            operand,
        ))
    }
}
