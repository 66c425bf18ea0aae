//! How a layer gathers from the neighbours.

use crate::counter::{Counter, Purpose};
use crate::network::Mode;
use crate::ops::{Attention, Sparse};
use crate::{ModelConfig, ModelKind};
use burn::tensor::{Device, Tensor};
use graph_denoise::{CsrGraph, CsrMatrix, Normalization, SelfLoops};

/// How a layer gathers from the neighbours.
pub(crate) enum Aggregation {
    /// The graph is not looked at.
    Nothing,
    /// A fixed weighted sum.
    Weighted(Sparse),
    /// The mean over `size` neighbours, drawn anew for each epoch and layer; over all of them where the model is
    /// evaluated.
    Sampled { all: Sparse, graph: CsrGraph, size: usize },
    /// Learnt weights.
    Attention(Attention),
}

impl Aggregation {
    pub(crate) fn new(config: &ModelConfig, graph: &CsrGraph, device: &Device) -> Self {
        let weighted = |normalization, self_loops| Sparse::new(&graph.normalized(normalization, self_loops), device);
        match config.kind {
            ModelKind::Gcn => Self::Weighted(weighted(Normalization::Symmetric, SelfLoops::Add)),
            ModelKind::Sage => {
                let all = weighted(Normalization::Row, SelfLoops::AsIs);
                match config.neighbours {
                    None => Self::Weighted(all),
                    Some(size) => Self::Sampled { all, graph: graph.clone(), size },
                }
            }
            ModelKind::Gat => Self::Attention(Attention::new(graph, device)),
            ModelKind::Mlp | ModelKind::LogisticRegression => Self::Nothing,
        }
    }

    /// The weighted sums of `x`; attention has its own way.
    pub(crate) fn sums(&self, x: Tensor<2>, mode: Mode, layer: usize, device: &Device) -> Tensor<2> {
        match self {
            Self::Nothing => x,
            Self::Weighted(weights) => weights.matmul(x),
            Self::Sampled { all, graph, size } => match mode {
                Mode::Evaluate => all.matmul(x),
                Mode::Train { seed, epoch } => {
                    let stream = Counter::new(seed, Purpose::Neighbours, epoch as u64, layer as u64);
                    Sparse::new(&sampled_mean(graph, *size, stream), device).matmul(x)
                }
            },
            Self::Attention(_) => unreachable!("an attention layer gathers with its vectors"),
        }
    }
}

/// The mean over at most `size` neighbours of each node, drawn without replacement \[Hamilton et al., 2017, with the
/// sampling of Floyd, CACM 1987\].
pub(crate) fn sampled_mean(graph: &CsrGraph, size: usize, stream: Counter) -> CsrMatrix {
    let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    let mut chosen = Vec::with_capacity(size);
    for node in 0..graph.nodes() {
        let list = graph.neighbours(node);
        chosen.clear();
        if list.len() <= size {
            chosen.extend_from_slice(list);
        } else {
            let mut places: Vec<usize> = Vec::with_capacity(size);
            for last in list.len() - size..list.len() {
                // The multiply-shift draw is off uniform by less than 2⁻³² for lists shorter than 2³².
                let bits = stream.bits((node * size + places.len()) as u64);
                let place = ((u128::from(bits) * (last as u128 + 1)) >> 64) as usize;
                places.push(if places.contains(&place) { last } else { place });
            }
            places.sort_unstable();
            chosen.extend(places.into_iter().map(|place| list[place]));
        }
        indices.extend_from_slice(&chosen);
        values.extend(std::iter::repeat_n(1.0 / chosen.len() as f32, chosen.len()));
        indptr.push(indices.len());
    }
    CsrMatrix::new(graph.nodes(), indptr, indices, values).expect("lists are sorted and weights finite")
}
