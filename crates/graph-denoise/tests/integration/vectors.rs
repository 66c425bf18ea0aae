//! Against numbers computed by PyTorch Geometric and scipy (`vectors/propagation.py`).

use std::collections::HashMap;

use graph_denoise::{CsrGraph, EdgeKind, FeatureMatrix, Filter, Normalization, SelfLoops, Weights, propagate};

const NODES: usize = 12;
const DIMENSIONS: usize = 5;
const EDGES: [(u32, u32); 12] =
    [(0, 1), (0, 2), (0, 3), (0, 4), (0, 5), (0, 6), (1, 2), (4, 4), (6, 7), (7, 8), (9, 10), (8, 9)];

fn vectors() -> HashMap<&'static str, Vec<f64>> {
    include_str!("vectors/propagation.txt")
        .lines()
        .map(|line| {
            let mut words = line.split(' ');
            (words.next().unwrap(), words.map(|word| word.parse().unwrap()).collect())
        })
        .collect()
}

#[test]
fn gcn_normalisation_and_steps_are_those_of_pyg_and_scipy() {
    let vectors = vectors();
    assert_eq!(vectors.len(), 15);
    let graph = CsrGraph::from_edges(NODES, &EDGES, EdgeKind::Undirected).unwrap();
    let x = vectors["features"].iter().map(|&value| value as f32).collect();
    let x = FeatureMatrix::new(NODES, DIMENSIONS, x).unwrap();
    for (name, self_loops) in [("as_is", SelfLoops::AsIs), ("added", SelfLoops::Add)] {
        let matrix = graph.normalized(Normalization::Symmetric, self_loops);
        let expected = &vectors[format!("symmetric_{name}_weights").as_str()];
        for row in 0..NODES {
            let mut found = [0f32; NODES];
            for (&column, &value) in matrix.row(row).0.iter().zip(matrix.row(row).1) {
                found[column as usize] = value;
            }
            for (column, &found) in found.iter().enumerate() {
                let expected = expected[row * NODES + column];
                assert!((f64::from(found) - expected).abs() < 1e-7, "weight ({row}, {column}), {name}");
            }
        }
        for (kind, normalization) in [("symmetric", Normalization::Symmetric), ("row", Normalization::Row)] {
            let weights = Weights::normalized(&graph, normalization, self_loops);
            for steps in [1, 2, 8] {
                let expected = &vectors[format!("{kind}_{name}_{steps}").as_str()];
                let found = propagate(&weights, &x, &Filter::power(steps)).unwrap();
                for (at, (&found, expected)) in found.as_slice().iter().zip(expected).enumerate() {
                    assert!((f64::from(found) - expected).abs() < 1e-6, "{kind}, {name}, {steps} steps, value {at}");
                }
            }
        }
    }
}
