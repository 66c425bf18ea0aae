//! The same result in other forms: low precision, node order, sparse steps, blocks.

use graph_denoise::{
    Bf16Matrix, CodeMatrix, EdgeKind, Error, FeatureMatrix, Filter, Normalization, Regularization, Rows, SelfLoops,
    Weights, propagate, propagate_into, propagate_regularized, propagate_sparse,
};

use crate::graphs::{dense, generator, pool, rough, sparse};

fn bits(matrix: &FeatureMatrix) -> Vec<u32> {
    matrix.as_slice().iter().map(|value| value.to_bits()).collect()
}

#[test]
fn another_node_order_gives_the_same_bytes() {
    let graph = rough(500, 2000, EdgeKind::Undirected, 61);
    let directed = rough(400, 1500, EdgeKind::Directed, 62);
    let mut rng = generator(63);
    for graph in [&graph, &directed] {
        let x = dense(graph.nodes(), 70, &mut rng);
        let entries = sparse(graph.nodes(), 70, 0.05, &mut rng);
        let variance: Vec<f32> = (0..graph.nodes()).map(|node| 1.0 + (node % 5) as f32).collect();
        for weights in [
            Weights::normalized(graph, Normalization::Symmetric, SelfLoops::Add),
            Weights::from_matrix(graph.normalized(Normalization::Row, SelfLoops::AsIs)).unwrap(),
            Weights::variance_propagated(graph, &variance, 0.5, 3).unwrap().0,
        ] {
            for rows in [Rows::Dense(&x), Rows::Sparse { entries: &entries, offset: 0.5 }] {
                for filter in [Filter::power(4), Filter::mean_of_powers(3).unwrap()] {
                    let expected = propagate(&weights, rows, &filter).unwrap();
                    let found = propagate(&weights.clone().laid_out(), rows, &filter).unwrap();
                    assert!(bits(&expected) == bits(&found), "{filter:?}");
                }
            }
        }
    }
}

/// Few columns make a dense hop cheap and many make it dear, so both the sparse and the dense first steps are met.
#[test]
fn sparse_steps_give_the_bytes_of_dense_steps() {
    let graph = rough(400, 600, EdgeKind::Undirected, 64);
    let mut rng = generator(65);
    for (columns, density) in [(8, 0.2), (300, 0.004), (2000, 0.0005)] {
        let entries = sparse(400, columns, density, &mut rng);
        let mut written = FeatureMatrix::zeros(400, columns);
        for row in 0..400 {
            for (&column, &value) in entries.row(row).0.iter().zip(entries.row(row).1) {
                written.as_mut_slice()[row * columns + column as usize] = value;
            }
        }
        for weights in [
            Weights::normalized(&graph, Normalization::Symmetric, SelfLoops::AsIs),
            Weights::from_matrix(graph.normalized(Normalization::Row, SelfLoops::Add)).unwrap(),
        ] {
            for steps in 0..5 {
                let expected = propagate(&weights, &written, &Filter::power(steps)).unwrap();
                let found = propagate(&weights, &entries, &Filter::power(steps)).unwrap();
                assert!(bits(&expected) == bits(&found), "{columns} columns, {steps} steps");
                let mut written_over = FeatureMatrix::new(400, columns, vec![7.0; 400 * columns]).unwrap();
                propagate_into(&weights, &entries, &Filter::power(steps), &mut written_over).unwrap();
                assert!(bits(&expected) == bits(&written_over), "written over, {columns} columns, {steps} steps");
                let constant = propagate_sparse(&weights, &entries, 0.5, steps).unwrap().constant;
                let rows = Rows::Sparse { entries: &entries, offset: 0.5 };
                let with_offset = propagate(&weights, rows, &Filter::power(steps)).unwrap();
                for (row, constant) in constant.iter().enumerate() {
                    for (value, found) in expected.row(row).iter().zip(with_offset.row(row)) {
                        assert_eq!(value + constant, *found, "offset, {columns} columns, {steps} steps, row {row}");
                    }
                }
                let result = pool(3).install(|| propagate_sparse(&weights, &entries, 0.0, steps).unwrap());
                assert!(result.constant.is_empty());
                let mut dense = FeatureMatrix::zeros(400, columns);
                for row in 0..400 {
                    for (&column, &value) in result.entries.row(row).0.iter().zip(result.entries.row(row).1) {
                        dense.as_mut_slice()[row * columns + column as usize] = value;
                    }
                }
                assert!(bits(&expected) == bits(&dense), "sparse result, {columns} columns, {steps} steps");
            }
        }
    }
}

#[test]
fn a_sparse_result_keeps_the_constant_apart() {
    let graph = rough(60, 100, EdgeKind::Undirected, 66);
    let entries = sparse(60, 30, 0.05, &mut generator(67));
    let weights = Weights::normalized(&graph, Normalization::Symmetric, SelfLoops::AsIs);
    let result = propagate_sparse(&weights, &entries, 0.5, 2).unwrap();
    let expected = propagate(&weights, Rows::Sparse { entries: &entries, offset: 0.5 }, &Filter::power(2)).unwrap();
    for row in 0..60 {
        let mut found = [result.constant[row]; 30];
        for (&column, &value) in result.entries.row(row).0.iter().zip(result.entries.row(row).1) {
            found[column as usize] += value;
        }
        for (found, expected) in found.iter().zip(expected.row(row)) {
            assert!((found - expected).abs() < 1e-6, "{found} instead of {expected}");
        }
    }
}

#[test]
fn codes_are_read_as_what_they_stand_for() {
    let graph = rough(80, 200, EdgeKind::Undirected, 68);
    let weights = Weights::normalized(&graph, Normalization::Row, SelfLoops::AsIs);
    let codes: Vec<i8> = (0..80 * 40).map(|at| [0, 0, 1, -1, 0][at * 7 % 5]).collect();
    let matrix = CodeMatrix::new(80, 40, codes.clone(), 37.5, 0.5).unwrap();
    let written = FeatureMatrix::new(80, 40, codes.iter().map(|&code| 37.5 * f32::from(code)).collect()).unwrap();
    let filter = Filter::power(2);
    let centred = Rows::Codes { codes: &matrix, offset: 0.0 };
    assert_eq!(propagate(&weights, centred, &filter).unwrap(), propagate(&weights, &written, &filter).unwrap());
    let with_offset = FeatureMatrix::new(80, 40, written.as_slice().iter().map(|v| v + 0.5).collect()).unwrap();
    let found = propagate(&weights, &matrix, &filter).unwrap();
    for (found, expected) in found.as_slice().iter().zip(propagate(&weights, &with_offset, &filter).unwrap().as_slice())
    {
        assert!((found - expected).abs() < 1e-4, "{found} instead of {expected}");
    }
    let shrink = Regularization::Reports { threshold: 7.5 };
    let found = propagate_regularized(&weights, centred, &filter, &shrink).unwrap();
    assert_eq!(found, propagate_regularized(&weights, &written, &filter, &shrink).unwrap());
}

#[test]
fn quantization_errors_stay_below_their_bounds() {
    let x = dense(50, 20, &mut generator(69));
    let graph = rough(50, 100, EdgeKind::Undirected, 70);
    let weights = Weights::normalized(&graph, Normalization::Row, SelfLoops::Add);
    let identity = Filter::power(0);
    let codes = CodeMatrix::quantized(&x, -1.0, 1.0).unwrap();
    let bf16 = Bf16Matrix::rounded(&x).unwrap();
    let from_codes = propagate(&weights, &codes, &identity).unwrap();
    let from_bf16 = propagate(&weights, &bf16, &identity).unwrap();
    let mut largest = 0f32;
    for (at, &value) in x.as_slice().iter().enumerate() {
        assert!((from_codes.as_slice()[at] - value).abs() <= 2.0 / 508.0 + 1e-6);
        let error = (from_bf16.as_slice()[at] - value).abs();
        assert!(error <= value.abs() / 256.0, "{value}: {error}");
        largest = largest.max(error / value.abs());
    }
    assert!(largest > 1.0 / 512.0, "the bound is nearly met");
}

#[test]
fn low_precision_refuses_what_it_cannot_hold() {
    assert!(matches!(CodeMatrix::new(2, 2, vec![0; 3], 1.0, 0.0), Err(Error::Shape { expected: 4, found: 3, .. })));
    assert!(matches!(CodeMatrix::new(1, 1, vec![0], f32::NAN, 0.0), Err(Error::NotFinite { .. })));
    let x = FeatureMatrix::new(1, 2, vec![0.0, f32::MAX]).unwrap();
    assert_eq!(CodeMatrix::quantized(&x, 1.0, 1.0), Err(Error::Range { low: 1.0, high: 1.0 }));
    assert!(matches!(Bf16Matrix::rounded(&x), Err(Error::NotFinite { row: 0, .. })));
    let saturated = CodeMatrix::quantized(&x, -1.0, 1.0).unwrap();
    assert_eq!(saturated.row(0), [0, 127]);
}

/// Large enough for pages of their own: 8 MiB dense, 6 MiB sparse.
#[test]
fn large_results_are_like_small_ones() {
    let graph = rough(4000, 24_000, EdgeKind::Undirected, 69);
    let entries = sparse(4000, 520, 0.01, &mut generator(70));
    let weights = Weights::normalized(&graph, Normalization::Symmetric, SelfLoops::AsIs);
    let mut written = FeatureMatrix::zeros(4000, 520);
    for row in 0..4000 {
        for (&column, &value) in entries.row(row).0.iter().zip(entries.row(row).1) {
            written.as_mut_slice()[row * 520 + column as usize] = value;
        }
    }
    let copy = written.clone();
    assert_eq!(copy, written);
    let filter = Filter::power(2);
    let expected = propagate(&weights, &written, &filter).unwrap();
    assert_eq!(written.into_vec(), copy.as_slice(), "a propagation leaves its input alone");
    let offset = Rows::Sparse { entries: &entries, offset: 0.5 };
    let constant = propagate_sparse(&weights, &entries, 0.5, 2).unwrap().constant;
    let mut found = FeatureMatrix::new(4000, 520, vec![7.0; 4000 * 520]).unwrap();
    propagate_into(&weights, offset, &filter, &mut found).unwrap();
    let same = propagate(&weights, offset, &filter).unwrap();
    assert!(bits(&same) == bits(&found));
    for threads in [1, 3] {
        let result = pool(threads).install(|| propagate_sparse(&weights, &entries, 0.0, 2).unwrap().entries);
        assert_eq!(result.transpose().transpose(), result);
        let mut dense = FeatureMatrix::zeros(4000, 520);
        for row in 0..4000 {
            for (&column, &value) in result.row(row).0.iter().zip(result.row(row).1) {
                dense.as_mut_slice()[row * 520 + column as usize] = value;
            }
        }
        assert!(bits(&expected) == bits(&dense), "{threads} threads");
        for (row, constant) in constant.iter().enumerate() {
            for (value, found) in expected.row(row).iter().zip(found.row(row)) {
                assert!((value + constant - found).abs() < 1e-5, "{found} instead of {value} + {constant}");
            }
        }
    }
}
