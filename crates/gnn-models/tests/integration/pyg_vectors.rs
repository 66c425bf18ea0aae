//! Outputs of each kind of model against PyTorch Geometric with the same weights; `vectors/layers.py` is the recipe.

use gnn_models::{DeviceChoice, Features, Model};
use graph_denoise::{CsrGraph, CsrMatrix, EdgeKind, FeatureMatrix};
use std::path::PathBuf;

#[derive(serde::Deserialize)]
struct Vectors {
    nodes: usize,
    edges: Vec<(u32, u32)>,
    inputs: Vec<f32>,
    logits: std::collections::BTreeMap<String, Vec<f64>>,
}

pub(crate) fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/integration/vectors")
}

/// Tolerance 1e-5 · max(1, |logit|).
#[test]
fn outputs_are_those_of_pytorch_geometric() {
    let text = std::fs::read_to_string(folder().join("layers.json")).unwrap();
    let vectors: Vectors = serde_json::from_str(&text).unwrap();
    let graph = CsrGraph::from_edges(vectors.nodes, &vectors.edges, EdgeKind::Undirected).unwrap();
    let columns = vectors.inputs.len() / vectors.nodes;
    let dense = FeatureMatrix::new(vectors.nodes, columns, vectors.inputs.clone()).unwrap();
    let indptr = (0..=vectors.nodes).map(|row| row * columns).collect();
    let indices = (0..vectors.inputs.len()).map(|at| (at % columns) as u32).collect();
    let sparse = CsrMatrix::new(columns, indptr, indices, vectors.inputs).unwrap();
    assert_eq!(vectors.logits.len(), 4);
    for (kind, expected) in &vectors.logits {
        let model = Model::load(&folder().join(format!("{kind}.safetensors"))).unwrap();
        for features in [Features::from(dense.clone()), Features::from(sparse.clone())] {
            let logits = model.predict(&graph, &features, DeviceChoice::Cpu).unwrap();
            for (&ours, &theirs) in logits.as_slice().iter().zip(expected) {
                let error = (f64::from(ours) - theirs).abs();
                assert!(error < 1e-5 * theirs.abs().max(1.0), "{kind}: {ours} for {theirs}");
            }
        }
    }
}
