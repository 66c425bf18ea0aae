//! Seeded graphs and features that the tests share.

use chacha20::ChaCha12Rng;
use graph_denoise::{CsrGraph, CsrMatrix, EdgeKind, FeatureMatrix};
use rand::{Rng, RngExt, SeedableRng};

pub(crate) fn generator(seed: u64) -> ChaCha12Rng {
    ChaCha12Rng::seed_from_u64(seed)
}

/// A random graph with a hub at node 1, a self-loop at every ninth node and the last two nodes isolated.
pub(crate) fn rough(nodes: usize, edges: usize, kind: EdgeKind, seed: u64) -> CsrGraph {
    let mut rng = generator(seed);
    let reach = nodes.saturating_sub(2).max(1) as u32;
    let mut list: Vec<(u32, u32)> =
        (0..edges).map(|_| (rng.random_range(0..reach), rng.random_range(0..reach))).collect();
    list.extend((0..reach).step_by(3).map(|node| (1.min(reach - 1), node)));
    list.extend((0..reach).step_by(9).map(|node| (node, node)));
    CsrGraph::from_edges(nodes, &list, kind).unwrap()
}

pub(crate) fn dense(rows: usize, columns: usize, rng: &mut impl Rng) -> FeatureMatrix {
    let data = (0..rows * columns).map(|_| rng.random_range(-1.0f32..1.0)).collect();
    FeatureMatrix::new(rows, columns, data).unwrap()
}

/// Each entry is present with probability `density`.
pub(crate) fn sparse(rows: usize, columns: usize, density: f64, rng: &mut impl Rng) -> CsrMatrix {
    let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for _ in 0..rows {
        for column in 0..columns {
            if rng.random_bool(density) {
                indices.push(column as u32);
                values.push(rng.random_range(-2.0f32..2.0));
            }
        }
        indptr.push(indices.len());
    }
    CsrMatrix::new(columns, indptr, indices, values).unwrap()
}

pub(crate) fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}
