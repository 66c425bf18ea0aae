//! Propagation against products of dense f64 matrices, written from the definitions and nothing else.

use graph_denoise::{
    CsrGraph, CsrMatrix, EdgeKind, FeatureMatrix, Filter, Normalization, Rows, SelfLoops, Weights, propagate,
    propagate_blocks, propagate_into,
};

use crate::graphs::{dense, generator, pool, rough, sparse};

type Dense = Vec<Vec<f64>>;

fn product(a: &Dense, b: &Dense) -> Dense {
    let columns = b.first().map_or(0, Vec::len);
    a.iter()
        .map(|row| {
            let mut sum = vec![0.0; columns];
            for (weight, other) in row.iter().zip(b) {
                for (sum, value) in sum.iter_mut().zip(other) {
                    *sum += weight * value;
                }
            }
            sum
        })
        .collect()
}

/// The normalised adjacency from its definition.
fn adjacency(graph: &CsrGraph, normalization: Normalization, self_loops: SelfLoops) -> Dense {
    let n = graph.nodes();
    let mut a = vec![vec![0.0; n]; n];
    for (u, v) in graph.iter_edges() {
        a[u as usize][v as usize] = 1.0;
        if graph.kind() == EdgeKind::Undirected {
            a[v as usize][u as usize] = 1.0;
        }
    }
    for (i, row) in a.iter_mut().enumerate() {
        match self_loops {
            SelfLoops::AsIs => {}
            SelfLoops::Add => row[i] = 1.0,
            SelfLoops::Remove => row[i] = 0.0,
        }
    }
    let degree: Vec<f64> = a.iter().map(|row| row.iter().sum()).collect();
    for i in 0..n {
        for j in 0..n {
            if a[i][j] != 0.0 {
                a[i][j] = match normalization {
                    Normalization::Row => 1.0 / degree[i],
                    Normalization::Symmetric if degree[j] == 0.0 => 0.0,
                    Normalization::Symmetric => 1.0 / (degree[i] * degree[j]).sqrt(),
                };
            }
        }
    }
    a
}

fn to_dense(matrix: &CsrMatrix) -> Dense {
    (0..matrix.rows())
        .map(|row| {
            let mut dense = vec![0.0; matrix.columns()];
            let (columns, values) = matrix.row(row);
            for (&column, &value) in columns.iter().zip(values) {
                dense[column as usize] = f64::from(value);
            }
            dense
        })
        .collect()
}

fn features_to_dense(matrix: &FeatureMatrix) -> Dense {
    (0..matrix.rows()).map(|row| matrix.row(row).iter().map(|&value| f64::from(value)).collect()).collect()
}

fn filtered(weights: &Dense, x: &Dense, filter: &Filter) -> Dense {
    let mut power = x.clone();
    let mut total: Dense = vec![vec![0.0; x.first().map_or(0, Vec::len)]; x.len()];
    for k in 0..=filter.steps() {
        if k > 0 {
            power = product(weights, &power);
        }
        let c = f64::from(filter.coefficient(k));
        for (total, power) in total.iter_mut().zip(&power) {
            for (total, value) in total.iter_mut().zip(power) {
                *total += c * value;
            }
        }
    }
    total
}

/// Within 1e-5 of the largest magnitude of the expected result.
#[track_caller]
fn assert_close(found: &FeatureMatrix, expected: &Dense, what: &str) {
    let scale = expected.iter().flatten().fold(1e-30f64, |largest, value| largest.max(value.abs()));
    for (row, expected) in expected.iter().enumerate() {
        for (column, (&found, expected)) in found.row(row).iter().zip(expected).enumerate() {
            let difference = (f64::from(found) - expected).abs();
            assert!(difference <= 1e-5 * scale, "{what}: row {row}, column {column}: {found} instead of {expected}");
        }
    }
}

fn graphs() -> Vec<(&'static str, CsrGraph)> {
    let of = |nodes, edges: &[(u32, u32)], kind| CsrGraph::from_edges(nodes, edges, kind).unwrap();
    vec![
        ("hub, loops, isolated", rough(60, 150, EdgeKind::Undirected, 1)),
        ("directed", rough(50, 120, EdgeKind::Directed, 2)),
        ("two parts", of(6, &[(0, 1), (1, 2), (3, 4), (4, 5)], EdgeKind::Undirected)),
        ("one node", of(1, &[], EdgeKind::Undirected)),
        ("one node with a loop", of(1, &[(0, 0)], EdgeKind::Undirected)),
        ("no edge", of(5, &[], EdgeKind::Undirected)),
    ]
}

fn filters() -> Vec<Filter> {
    vec![
        Filter::power(0),
        Filter::power(1),
        Filter::power(2),
        Filter::power(5),
        Filter::mean_of_powers(1).unwrap(),
        Filter::mean_of_powers(4).unwrap(),
        Filter::page_rank(6, 0.15).unwrap(),
        Filter::polynomial(vec![0.5, -1.0, 2.0]).unwrap(),
    ]
}

#[test]
fn every_normalisation_and_filter() {
    let mut rng = generator(3);
    for (name, graph) in graphs() {
        for columns in [1, 5, 16, 33, 70] {
            let x = dense(graph.nodes(), columns, &mut rng);
            for normalization in [Normalization::Row, Normalization::Symmetric] {
                for self_loops in [SelfLoops::AsIs, SelfLoops::Add, SelfLoops::Remove] {
                    let oracle = adjacency(&graph, normalization, self_loops);
                    let weights = Weights::normalized(&graph, normalization, self_loops);
                    let matrix = Weights::from_matrix(weights.to_matrix(0)).unwrap();
                    for filter in filters() {
                        let what = format!("{name}, {columns} columns, {normalization:?}, {self_loops:?}, {filter:?}");
                        let expected = filtered(&oracle, &features_to_dense(&x), &filter);
                        assert_close(&propagate(&weights, &x, &filter).unwrap(), &expected, &what);
                        assert_close(&propagate(&matrix, &x, &filter).unwrap(), &expected, &what);
                    }
                }
            }
        }
    }
}

#[test]
fn sparse_rows_with_an_offset() {
    let mut rng = generator(4);
    for (name, graph) in graphs() {
        let entries = sparse(graph.nodes(), 40, 0.1, &mut rng);
        let weights = Weights::normalized(&graph, Normalization::Symmetric, SelfLoops::AsIs);
        let oracle = adjacency(&graph, Normalization::Symmetric, SelfLoops::AsIs);
        for offset in [0.0f32, 0.5] {
            let mut x = to_dense(&entries);
            x.iter_mut().flatten().for_each(|value| *value += f64::from(offset));
            for filter in filters() {
                let found = propagate(&weights, Rows::Sparse { entries: &entries, offset }, &filter).unwrap();
                assert_close(&found, &filtered(&oracle, &x, &filter), &format!("{name}, offset {offset}, {filter:?}"));
            }
        }
    }
}

#[test]
fn same_bytes_at_any_thread_count_and_in_blocks() {
    let graph = rough(3000, 12_000, EdgeKind::Undirected, 5);
    let mut rng = generator(6);
    for columns in [3, 20, 200] {
        let x = dense(graph.nodes(), columns, &mut rng);
        let entries = sparse(graph.nodes(), columns, 0.02, &mut rng);
        let weights = Weights::normalized(&graph, Normalization::Symmetric, SelfLoops::Add);
        for rows in [Rows::Dense(&x), Rows::Sparse { entries: &entries, offset: 0.25 }] {
            for filter in [Filter::power(3), Filter::mean_of_powers(3).unwrap()] {
                let one = pool(1).install(|| propagate(&weights, rows, &filter).unwrap());
                for threads in [2, 3, 8] {
                    let more = pool(threads).install(|| propagate(&weights, rows, &filter).unwrap());
                    assert!(bytes(one.as_slice()) == bytes(more.as_slice()), "{columns} columns, {threads} threads");
                }
                let mut assembled = FeatureMatrix::zeros(x.rows(), columns);
                let mut seen = 0;
                propagate_blocks(&weights, rows, &filter, |range, block| {
                    assert_eq!(range.start, seen, "blocks come in order");
                    seen = range.end;
                    let width = range.len();
                    for (row, values) in block.chunks_exact(width).enumerate() {
                        let start = row * columns + range.start;
                        assembled.as_mut_slice()[start..start + width].copy_from_slice(values);
                    }
                })
                .unwrap();
                assert_eq!(seen, columns);
                assert!(bytes(one.as_slice()) == bytes(assembled.as_slice()), "blocks, {columns} columns");
            }
        }
    }
}

fn bytes(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

#[test]
fn what_was_in_the_output_does_not_matter() {
    let graph = rough(100, 300, EdgeKind::Undirected, 7);
    let x = dense(100, 40, &mut generator(8));
    let weights = Weights::normalized(&graph, Normalization::Row, SelfLoops::AsIs);
    let filter = Filter::page_rank(3, 0.2).unwrap();
    let mut out = FeatureMatrix::new(100, 40, vec![7.0; 4000]).unwrap();
    propagate_into(&weights, &x, &filter, &mut out).unwrap();
    assert_eq!(out, propagate(&weights, &x, &filter).unwrap());
}

/// Written out by hand, because the oracle takes the coefficients from the filter.
#[test]
fn coefficients_of_the_filters() {
    let of = |filter: &Filter| (0..=filter.steps() + 1).map(|k| filter.coefficient(k)).collect::<Vec<_>>();
    assert_eq!(of(&Filter::power(2)), [0.0, 0.0, 1.0, 0.0]);
    assert_eq!(of(&Filter::mean_of_powers(4).unwrap()), [0.0, 0.25, 0.25, 0.25, 0.25, 0.0]);
    assert_eq!(of(&Filter::page_rank(2, 0.25).unwrap()), [0.25, 0.1875, 0.5625, 0.0]);
    assert_eq!(of(&Filter::polynomial(vec![3.0, -1.0]).unwrap()), [3.0, -1.0, 0.0]);
}
