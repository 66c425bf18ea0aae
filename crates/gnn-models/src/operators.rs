//! Aggregation weights of a graph as sparse matrices.

use graph_denoise::{CsrGraph, CsrMatrix};

/// D̂^−½ (A + I) D̂^−½; a node that already lists itself is not given a second loop. An isolated node keeps itself.
pub(crate) fn gcn(graph: &CsrGraph) -> CsrMatrix {
    let lists = |node: usize| {
        let mut list = graph.neighbours(node).to_vec();
        if let Err(at) = list.binary_search(&(node as u32)) {
            list.insert(at, node as u32);
        }
        list
    };
    let degrees: Vec<f32> = (0..graph.nodes()).map(|node| lists(node).len() as f32).collect();
    build(graph.nodes(), lists, |row, column| 1.0 / (degrees[row] * degrees[column]).sqrt())
}

/// D^−½ A D^−½; the row of an isolated node is empty.
pub(crate) fn symmetric(graph: &CsrGraph) -> CsrMatrix {
    build(
        graph.nodes(),
        |node| graph.neighbours(node).to_vec(),
        |row, column| {
            let degrees = graph.degree(row) * graph.degree(column).max(1);
            1.0 / (degrees as f32).sqrt()
        },
    )
}

/// D^−1 A, the mean over a node's list; the row of an isolated node is empty.
pub(crate) fn mean(graph: &CsrGraph) -> CsrMatrix {
    build(graph.nodes(), |node| graph.neighbours(node).to_vec(), |row, _| 1.0 / graph.degree(row) as f32)
}

fn build(nodes: usize, list: impl Fn(usize) -> Vec<u32>, weight: impl Fn(usize, usize) -> f32) -> CsrMatrix {
    let mut indptr = vec![0];
    let mut indices = Vec::new();
    let mut values = Vec::new();
    for row in 0..nodes {
        for column in list(row) {
            indices.push(column);
            values.push(weight(row, column as usize));
        }
        indptr.push(indices.len());
    }
    CsrMatrix::new(nodes, indptr, indices, values).expect("lists are sorted and weights finite")
}
