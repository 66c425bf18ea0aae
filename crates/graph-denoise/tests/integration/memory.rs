//! Peak memory of a propagation, read from the kernel. Alone in its process: see the command at each test.

use std::fs;

use graph_denoise::{
    CsrGraph, CsrMatrix, EdgeKind, FeatureMatrix, Filter, Normalization, Rows, SelfLoops, Weights, propagate,
};
use rand::RngExt;

use crate::graphs::{dense, generator, pool};

/// `VmRSS` or `VmHWM` in bytes; `None` where the kernel does not say.
fn status(key: &str) -> Option<usize> {
    let text = fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|line| line.starts_with(key))?;
    Some(line.split_whitespace().nth(1)?.parse::<usize>().ok()? << 10)
}

fn random(nodes: usize, edges: usize) -> CsrGraph {
    let mut rng = generator(81);
    let mut end = || (rng.random::<f64>().powi(2) * nodes as f64) as u32;
    let edges: Vec<(u32, u32)> = (0..edges).map(|_| (end(), end())).collect();
    CsrGraph::from_edges(nodes, &edges, EdgeKind::Undirected).unwrap()
}

/// Peak above what stood before the call, in bytes.
fn peak<'r>(graph: &CsrGraph, rows: impl Into<Rows<'r>>, steps: usize) -> Option<usize> {
    let weights = Weights::normalized(graph, Normalization::Symmetric, SelfLoops::AsIs);
    fs::write("/proc/self/clear_refs", "5").ok()?;
    let before = status("VmRSS:")?;
    let rows = rows.into();
    let out: FeatureMatrix = pool(2).install(|| propagate(&weights, rows, &Filter::power(steps)).unwrap());
    assert!(out.as_slice().iter().all(|value| value.is_finite()));
    Some(status("VmHWM:")?.saturating_sub(before))
}

fn check(nodes: usize, edges: usize, dimensions: usize, steps: usize) {
    let graph = random(nodes, edges);
    let x = dense(nodes, dimensions, &mut generator(82));
    let Some(peak) = peak(&graph, &x, steps) else {
        eprintln!("skipped: this system has no /proc/self/clear_refs");
        return;
    };
    let matrix = nodes * dimensions * 4;
    println!("{nodes} × {dimensions}: output {} MiB, peak above the input {} MiB", matrix >> 20, peak >> 20);
    // 2 MiB for thread stacks and the scales.
    assert!(peak < matrix + (66 << 20), "{peak} bytes above the input, output {matrix}");
    assert!((peak + matrix) as f64 <= 1.2 * 2.0 * matrix as f64 || matrix < 160 << 20);
}

/// `cargo test --release -p graph-denoise -- --ignored --exact memory::a_matrix_like_facebook`
#[test]
#[ignore = "slow: 400 MiB twice, and it must be alone in its process"]
fn a_matrix_like_facebook() {
    check(22_470, 170_823, 4714, 8);
}

/// Reports of one column each: what the sparse hops leave must not grow beside the result, however many hops follow.
///
/// `cargo test --release -p graph-denoise -- --ignored --exact memory::reports_over_a_graph_like_facebook`
#[test]
#[ignore = "slow: 400 MiB, and it must be alone in its process"]
fn reports_over_a_graph_like_facebook() {
    let (nodes, dimensions) = (22_470, 4714);
    let graph = random(nodes, 170_823);
    let mut rng = generator(83);
    let columns = (0..nodes).map(|_| rng.random_range(0..dimensions as u32)).collect();
    let entries = CsrMatrix::new(dimensions, (0..=nodes).collect(), columns, vec![1.0; nodes]).unwrap();
    let matrix = nodes * dimensions * 4;
    for steps in [2, 3, 4, 8] {
        let Some(peak) = peak(&graph, Rows::Sparse { entries: &entries, offset: 0.5 }, steps) else { return };
        println!("K = {steps}: output {} MiB, peak above the input {} MiB", matrix >> 20, peak >> 20);
        assert!(peak < matrix + (66 << 20), "K = {steps}: {peak} bytes above the input, output {matrix}");
    }
}

/// `cargo test --release -p graph-denoise -- --ignored --exact memory::a_million_nodes`
#[test]
#[ignore = "slow: 1 million nodes, and it must be alone in its process"]
fn a_million_nodes() {
    check(1_000_000, 10_000_000, 64, 4);
}

/// Many nodes and few columns: what the sparse hops keep counts among the 64 MiB, and where it does not fit, they are not
/// taken.
///
/// `cargo test --release -p graph-denoise -- --ignored --exact memory::reports_of_a_million_nodes`
#[test]
#[ignore = "slow: millions of nodes, and it must be alone in its process"]
fn reports_of_a_million_nodes() {
    let dimensions = 64;
    for (nodes, edges, most, steps) in [
        (1_000_000, 1_000_000, 1, 3),
        (1_000_000, 1_000_000, 1, 2),
        (1_000_000, 600_000, 2, 3),
        (2_000_000, 3_000_000, 2, 1),
    ] {
        let graph = random(nodes, edges);
        let mut rng = generator(84);
        let (mut indptr, mut columns) = (vec![0], Vec::new());
        for node in 0..nodes {
            let first = rng.random_range(0..dimensions as u32 / 2);
            columns.push(first);
            if most == 2 && (edges > nodes || node % 2 == 0) {
                columns.push(first + rng.random_range(1..=dimensions as u32 / 2));
            }
            indptr.push(columns.len());
        }
        let values = vec![1.0; columns.len()];
        let entries = CsrMatrix::new(dimensions, indptr, columns, values).unwrap();
        let matrix = nodes * dimensions * 4;
        let Some(peak) = peak(&graph, &entries, steps) else { return };
        let what = format!("{nodes} nodes, {edges} edges, up to {most} a row, K = {steps}");
        println!("{what}: output {} MiB, peak above the input {} MiB", matrix >> 20, peak >> 20);
        assert!(peak < matrix + (66 << 20), "{what}: {peak} bytes above the input, output {matrix}");
    }
}
