//! Hops over sparse rows against a sum by hand: the same entries, the same bytes.

use std::collections::BTreeMap;

use graph_denoise::{
    CsrGraph, CsrMatrix, EdgeKind, Error, FeatureMatrix, Filter, Normalization, Rows, SelfLoops, Weights, propagate,
    propagate_into, propagate_sparse, propagate_sparse_into,
};
use rand::{Rng, RngExt};

use crate::graphs::{generator, pool, rough};

/// One hop: the terms of each sum in the order of the weights' row.
fn hop(entries: &CsrMatrix, rows: &[Vec<(u32, f32)>], left: &[f32]) -> CsrMatrix {
    let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for (row, left) in rows.iter().zip(left) {
        let mut sums: BTreeMap<u32, f32> = BTreeMap::new();
        for &(node, weight) in row {
            for (&column, &value) in entries.row(node as usize).0.iter().zip(entries.row(node as usize).1) {
                *sums.entry(column).or_insert(0.0) += weight * value;
            }
        }
        for (column, sum) in sums {
            indices.push(column);
            values.push(left * sum);
        }
        indptr.push(indices.len());
    }
    CsrMatrix::new(entries.columns(), indptr, indices, values).unwrap()
}

/// Whole numbers, so that sums are often zero; zeros of both signs are stored too. A hub has the last column, and
/// nothing else where a row has one entry at most.
fn entries(rows: usize, columns: usize, most: usize, rng: &mut impl Rng) -> CsrMatrix {
    let mut unique = BTreeMap::from([((1000, columns as u32 - 1), 1.0f32)]);
    for row in (0..rows as u32).filter(|&row| most > 1 || row != 1000) {
        for _ in 0..rng.random_range(0..=most) {
            let value = [-2.0, -1.0, -0.0, 0.0, 1.0, 2.0][rng.random_range(0..6)];
            unique.insert((row, rng.random_range(0..columns as u32)), value);
        }
    }
    let mut indptr = vec![0];
    for row in 0..rows as u32 {
        indptr.push(indptr[row as usize] + unique.range((row, 0)..=(row, u32::MAX)).count());
    }
    CsrMatrix::new(columns, indptr, unique.keys().map(|place| place.1).collect(), unique.into_values().collect())
        .unwrap()
}

fn assert_same(found: &CsrMatrix, expected: &CsrMatrix, what: &str) {
    assert_eq!(found.indptr(), expected.indptr(), "row starts, {what}");
    assert_eq!(found.indices(), expected.indices(), "columns, {what}");
    let bits = |matrix: &CsrMatrix| matrix.values().iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    assert!(bits(found) == bits(expected), "values, {what}");
}

/// 2,000 nodes, two of them linked to 600 others; a few rows without a neighbour.
fn graph() -> CsrGraph {
    let rest = rough(2000, 3000, EdgeKind::Undirected, 81);
    let mut edges: Vec<(u32, u32)> = (0..1200).map(|at| (at % 2 * 1000, at + 300)).collect();
    for node in 0..1950u32 {
        edges.extend(rest.neighbours(node as usize).iter().filter(|&&other| other < 1950).map(|&other| (node, other)));
    }
    CsrGraph::from_edges(2000, &edges, EdgeKind::Undirected).unwrap()
}

/// 65,536 columns have numbers of 16 bits, more have not; few columns make every row a long one; rows of one entry or
/// none have no starts, rows of up to three no units of four.
#[test]
fn every_entry_is_that_of_a_sum_by_hand() {
    let graph = graph();
    let mut rng = generator(82);
    let lists: Vec<Vec<u32>> = (0..2000).map(|node| graph.neighbours(node).to_vec()).collect();
    let root: Vec<f32> = lists
        .iter()
        .map(|list| if list.is_empty() { 0.0 } else { (1.0 / (list.len() as f64).sqrt()) as f32 })
        .collect();
    let scaled: Vec<Vec<(u32, f32)>> =
        lists.iter().map(|list| list.iter().map(|&node| (node, root[node as usize])).collect()).collect();
    let signed: Vec<Vec<(u32, f32)>> =
        lists.iter().map(|list| list.iter().map(|&node| (node, rng.random_range(-2..=2) as f32)).collect()).collect();
    let triplets: Vec<(u32, u32, f32)> = signed
        .iter()
        .enumerate()
        .flat_map(|(row, list)| list.iter().map(move |&(node, weight)| (row as u32, node, weight)))
        .collect();
    let matrix = CsrMatrix::from_triplets(2000, 2000, &triplets).unwrap();
    let forms = [
        ("scaled", Weights::normalized(&graph, Normalization::Symmetric, SelfLoops::AsIs), scaled, root),
        ("matrix", Weights::from_matrix(matrix).unwrap(), signed, vec![1.0; 2000]),
    ];
    for (columns, most) in
        [(70, 3), (70, 1), (3000, 3), (3000, 1), (65_536, 2), (65_537, 2), (65_537, 1), (300, 12), (65_537, 12)]
    {
        let entries = entries(2000, columns, most, &mut rng);
        for (form, weights, rows, left) in &forms {
            let once = hop(&entries, rows, left);
            let expected = [once.clone(), hop(&once, rows, left)];
            for (steps, expected) in (1..).zip(&expected) {
                for threads in [1, 2, 5] {
                    let what = format!("{form}, {columns} columns, {steps} steps, {threads} threads");
                    pool(threads).install(|| {
                        let found = propagate_sparse(weights, &entries, 0.0, steps).unwrap().entries;
                        assert_same(&found, expected, &what);
                        if columns == 3000 {
                            let mut written = FeatureMatrix::new(2000, columns, vec![3.0; 2000 * columns]).unwrap();
                            propagate_into(weights, &entries, &Filter::power(steps), &mut written).unwrap();
                            let fresh = propagate(weights, &entries, &Filter::power(steps)).unwrap();
                            for row in 0..2000 {
                                let mut dense = vec![0f32; columns];
                                for (&column, &value) in expected.row(row).0.iter().zip(expected.row(row).1) {
                                    dense[column as usize] = value;
                                }
                                assert!(written.row(row) == dense && fresh.row(row) == dense, "row {row}, {what}");
                            }
                        }
                    });
                }
            }
        }
    }
}

/// Old results that are too small, large enough, shared with a clone, and one of a refused call.
#[test]
fn a_result_written_over_is_the_one_made_anew() {
    let graph = graph();
    let weights = Weights::normalized(&graph, Normalization::Symmetric, SelfLoops::AsIs);
    let mut rng = generator(83);
    let (few, many) = (entries(2000, 70, 1, &mut rng), entries(2000, 3000, 3, &mut rng));
    let expected = propagate_sparse(&weights, &many, 0.5, 2).unwrap();
    for steps in [0, 1, 2] {
        for threads in [1, 3] {
            let mut out = propagate_sparse(&weights, &few, 0.0, steps).unwrap();
            pool(threads).install(|| propagate_sparse_into(&weights, &many, 0.5, 2, &mut out)).unwrap();
            assert_same(&out.entries, &expected.entries, "over a smaller one");
            assert_eq!(out.constant, expected.constant);

            let place = out.entries.values().as_ptr();
            pool(threads).install(|| propagate_sparse_into(&weights, &many, 0.0, 2, &mut out)).unwrap();
            assert_same(&out.entries, &expected.entries, "over one of the same size");
            assert!(out.constant.is_empty());
            assert_eq!(out.entries.values().as_ptr(), place, "in the same memory");

            let clone = out.clone();
            propagate_sparse_into(&weights, &few, 0.0, 2, &mut out).unwrap();
            assert_same(&clone.entries, &expected.entries, "the clone stays");
            assert_same(&out.entries, &propagate_sparse(&weights, &few, 0.0, 2).unwrap().entries, "over a larger one");
        }
    }
    let mut out = expected.clone();
    assert!(propagate_sparse_into(&weights, &many, f32::NAN, 2, &mut out).is_err());
    assert_eq!(out, expected, "a refused call writes nothing");
}

#[test]
fn rows_without_a_column_stay_so() {
    let graph = graph();
    let weights = Weights::normalized(&graph, Normalization::Symmetric, SelfLoops::AsIs);
    let nothing = CsrMatrix::new(0, vec![0; 2001], vec![], vec![]).unwrap();
    for steps in [0, 1, 3] {
        let found = propagate_sparse(&weights, &nothing, 0.0, steps).unwrap().entries;
        assert_eq!((found.rows(), found.columns(), found.entries()), (2000, 0, 0));
        assert!(propagate(&weights, &nothing, &Filter::power(steps)).unwrap().as_slice().is_empty());
    }
}

/// A result that overflowed is no weight.
#[test]
fn weights_that_overflowed_are_refused() {
    let large = CsrMatrix::from_triplets(3, 3, &[(0, 1, 1e38), (1, 2, 1.0), (2, 2, 1e38)]).unwrap();
    let weights = Weights::from_matrix(&large).unwrap();
    let product = propagate_sparse(&weights, &large, 0.0, 1).unwrap().entries;
    let error = Weights::from_matrix(&product).unwrap_err();
    assert_eq!(error, Error::NotFinite { what: "weights", row: 2, value: f32::INFINITY });
}

/// Relative to the largest such a weight is nothing, and its reciprocal no number.
#[test]
fn a_node_weight_too_small_to_divide_by_is_none() {
    let graph = CsrGraph::from_edges(4, &[(0, 1), (2, 3)], EdgeKind::Undirected).unwrap();
    let weights = Weights::from_node_weights(&graph, &[1.0, 1e-42, 1.0, 2e-38]).unwrap();
    let x = FeatureMatrix::new(4, 1, vec![1.0, 2.0, 3.0, 4.0]).unwrap();
    assert_eq!(propagate(&weights, &x, &Filter::power(1)).unwrap().as_slice(), [0.0, 1.0, 4.0, 3.0]);
}

/// Zeros have the sign of the input, wherever they stand and however the result is made.
#[test]
fn zeros_keep_their_sign() {
    let graph = CsrGraph::from_edges(4, &[(0, 1), (1, 2)], EdgeKind::Undirected).unwrap();
    let weights = Weights::normalized(&graph, Normalization::Symmetric, SelfLoops::AsIs);
    let bits = |matrix: &FeatureMatrix| matrix.as_slice().iter().map(|value| value.to_bits()).collect::<Vec<_>>();

    let mut values = vec![1.0; 4 * 33];
    (values[3], values[32]) = (-0.0, -0.0);
    let x = FeatureMatrix::new(4, 33, values).unwrap();
    assert_eq!(bits(&propagate(&weights, &x, &Filter::power(0)).unwrap()), bits(&x));

    let entries = CsrMatrix::from_triplets(4, 200, &[(1, 7, 1.0)]).unwrap();
    for steps in [1, 2] {
        let rows = || Rows::Sparse { entries: &entries, offset: -1.0 };
        let fresh = propagate(&weights, rows(), &Filter::power(steps)).unwrap();
        let mut written = FeatureMatrix::new(4, 200, vec![3.0; 800]).unwrap();
        propagate_into(&weights, rows(), &Filter::power(steps), &mut written).unwrap();
        assert_eq!(bits(&fresh), bits(&written), "{steps} steps");
        assert!(fresh.row(3).iter().all(|value| value.to_bits() == 0), "an isolated node");
    }
}
