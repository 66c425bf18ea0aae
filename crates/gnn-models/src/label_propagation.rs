//! Label propagation: the classifier that needs neither features nor weights.

use crate::Error;
use graph_denoise::{CsrGraph, FeatureMatrix, Normalization, SelfLoops, kernel};

/// Spreads the labels of `known` over the graph: F ← α S F + (1 − α) Y, `steps` times from F = Y, with Y one-hot rows at
/// `known` and S = D^−½ A D^−½ \[Zhou et al., 2004\].
///
/// Returns scores, nodes × classes; the prediction is the highest of a row. A node that no label reaches has a row of
/// zeros. Noisy labels are welcome: averaging over many of them is the point.
///
/// # Errors
/// [`Error::Shape`], [`Error::EmptySet`], [`Error::NodeOutOfRange`], [`Error::LabelOutOfRange`], [`Error::Setting`] when
/// `alpha` is outside [0, 1].
pub fn label_propagation(
    graph: &CsrGraph,
    labels: &[u32],
    classes: usize,
    known: &[u32],
    steps: usize,
    alpha: f32,
) -> Result<FeatureMatrix, Error> {
    let nodes = graph.nodes();
    if labels.len() != nodes {
        return Err(Error::Shape { what: "labels, one a node", expected: nodes, found: labels.len() });
    }
    if known.is_empty() {
        return Err(Error::EmptySet { set: "training" });
    }
    if !(0.0..=1.0).contains(&alpha) {
        return Err(Error::Setting { what: "share of the neighbours", value: alpha.into(), bound: "in [0, 1]" });
    }
    let mut given = vec![0f32; nodes * classes];
    for &node in known {
        let Some(&label) = labels.get(node as usize) else {
            return Err(Error::NodeOutOfRange { set: "training", node, nodes });
        };
        if label as usize >= classes {
            return Err(Error::LabelOutOfRange { node, label, classes });
        }
        given[node as usize * classes + label as usize] = 1.0;
    }
    let weights = graph.normalized(Normalization::Symmetric, SelfLoops::AsIs);
    let mut scores = given.clone();
    let mut spread = vec![0f32; nodes * classes];
    for _ in 0..steps {
        kernel::spmm(weights.indptr(), weights.indices(), weights.values(), &scores, classes, &mut spread);
        for ((score, &spread), &given) in scores.iter_mut().zip(&spread).zip(&given) {
            *score = alpha * spread + (1.0 - alpha) * given;
        }
    }
    FeatureMatrix::new(nodes, classes, scores).map_err(|_| Error::NotFinite { what: "score" })
}
