//! The graph itself, and the way from and to petgraph.

use graph_denoise::{
    CsrGraph, CsrMatrix, EdgeKind, Error, FeatureMatrix, Filter, Normalization, SelfLoops, Weights, propagate,
    propagate_into,
};
use petgraph::graph::{DiGraph, UnGraph};

use crate::graphs::rough;

#[test]
fn lists_are_sorted_and_without_duplicates() {
    let edges = [(3, 1), (1, 3), (0, 2), (2, 2), (3, 1), (2, 2)];
    let graph = CsrGraph::from_edges(5, &edges, EdgeKind::Undirected).unwrap();
    let lists: Vec<&[u32]> = (0..5).map(|node| graph.neighbours(node)).collect();
    assert_eq!(lists, [&[2][..], &[3], &[0, 2], &[1], &[]]);
    assert_eq!((graph.nodes(), graph.edges(), graph.entries(), graph.self_loops()), (5, 3, 5, 1));
    assert_eq!(graph.iter_edges().collect::<Vec<_>>(), [(0, 2), (1, 3), (2, 2)]);
    let directed = CsrGraph::from_edges(5, &edges, EdgeKind::Directed).unwrap();
    assert_eq!(directed.iter_edges().collect::<Vec<_>>(), [(0, 2), (1, 3), (2, 2), (3, 1)]);
}

#[test]
fn an_edge_outside_is_named() {
    let error = CsrGraph::from_edges(3, &[(0, 1), (1, 3)], EdgeKind::Undirected).unwrap_err();
    assert_eq!(error, Error::EdgeOutOfRange { from: 1, to: 3, nodes: 3 });
    assert_eq!(error.to_string(), "edge (1, 3) names a node outside 0..3");
}

#[test]
fn there_and_back_through_petgraph() {
    let graph = rough(40, 100, EdgeKind::Undirected, 21);
    let there = graph.to_undirected_petgraph().unwrap();
    assert_eq!((there.node_count(), there.edge_count()), (graph.nodes(), graph.edges()));
    assert_eq!(CsrGraph::from_petgraph(&there).unwrap(), graph);
    let directed = rough(40, 100, EdgeKind::Directed, 22);
    assert!(directed.to_undirected_petgraph().is_none());
    let there = directed.to_directed_petgraph();
    assert_eq!(there.edge_count(), directed.edges());
    assert_eq!(CsrGraph::from_petgraph(&there).unwrap(), directed);
}

#[test]
fn petgraph_weights_are_not_read_and_parallel_edges_count_once() {
    let there = UnGraph::<&str, f64>::from_edges([(0, 1, 5.0), (1, 0, 7.0), (1, 2, f64::NAN)]);
    let graph = CsrGraph::from_petgraph(&there).unwrap();
    assert_eq!(graph, CsrGraph::from_edges(3, &[(0, 1), (1, 2)], EdgeKind::Undirected).unwrap());
    let there = DiGraph::<(), ()>::from_edges([(2, 0)]);
    assert_eq!(CsrGraph::from_petgraph(&there).unwrap().neighbours(2), [0]);
}

#[test]
fn added_self_loops_are_one_each() {
    let graph = CsrGraph::from_edges(3, &[(0, 1), (1, 1)], EdgeKind::Undirected).unwrap();
    let matrix = graph.normalized(Normalization::Row, SelfLoops::Add);
    assert_eq!(matrix.row(0), (&[0, 1][..], &[0.5, 0.5][..]));
    assert_eq!(matrix.row(1), (&[0, 1][..], &[0.5, 0.5][..]));
    assert_eq!(matrix.row(2), (&[2][..], &[1.0][..]));
    let matrix = graph.normalized(Normalization::Row, SelfLoops::Remove);
    assert_eq!(matrix.row(1), (&[0][..], &[1.0][..]));
    assert_eq!(matrix.row(2), (&[][..], &[][..]));
}

#[test]
fn wrong_shapes_are_refused() {
    let graph = CsrGraph::from_edges(3, &[(0, 1)], EdgeKind::Undirected).unwrap();
    let weights = Weights::normalized(&graph, Normalization::Row, SelfLoops::AsIs);
    let error = propagate(&weights, &FeatureMatrix::zeros(2, 4), &Filter::power(1)).unwrap_err();
    assert_eq!(error, Error::Shape { what: "rows, one a node", expected: 3, found: 2 });
    let x = FeatureMatrix::zeros(3, 4);
    for (rows, columns, expected, found) in [(2, 4, 3, 2), (3, 5, 4, 5)] {
        let mut out = FeatureMatrix::new(rows, columns, vec![7.0; rows * columns]).unwrap();
        let error = propagate_into(&weights, &x, &Filter::power(1), &mut out).unwrap_err();
        assert!(matches!(error, Error::Shape { expected: e, found: f, .. } if (e, f) == (expected, found)), "{error}");
        assert!(out.as_slice().iter().all(|&value| value == 7.0), "nothing half-written");
    }
    let oblong = CsrMatrix::new(2, vec![0, 0, 0, 0], vec![], vec![]).unwrap();
    assert!(matches!(Weights::from_matrix(oblong), Err(Error::Shape { expected: 3, found: 2, .. })));
}

#[test]
fn weighted_edges_there_and_back_through_petgraph() {
    let there = UnGraph::<(), (f64, &str)>::from_edges([
        (0, 1, (0.5, "a")),
        (1, 0, (0.25, "b")),
        (1, 2, (3.0, "c")),
        (2, 2, (1.0, "d")),
    ]);
    let matrix = CsrMatrix::from_petgraph(&there, |weight| weight.0 as f32).unwrap();
    assert_eq!(matrix.row(0), (&[1][..], &[0.75][..]));
    assert_eq!(matrix.row(1), (&[0, 2][..], &[0.75, 3.0][..]));
    assert_eq!(matrix.row(2), (&[1, 2][..], &[3.0, 1.0][..]));
    let back = matrix.to_petgraph().unwrap();
    assert_eq!(CsrMatrix::from_petgraph(&back, |&weight| weight).unwrap(), matrix);
    let broken = DiGraph::<(), f32>::from_edges([(0, 1, f32::NAN)]);
    assert!(matches!(CsrMatrix::from_petgraph(&broken, |&weight| weight), Err(Error::NotFinite { row: 0, .. })));
    assert!(CsrMatrix::from_triplets(2, 3, &[]).unwrap().to_petgraph().is_none());
}

#[test]
fn triplets_in_any_order() {
    let matrix = CsrMatrix::from_triplets(3, 4, &[(2, 3, 1.0), (0, 1, 2.0), (2, 0, 4.0), (0, 1, 0.5)]).unwrap();
    let expected = CsrMatrix::new(4, vec![0, 1, 1, 3], vec![1, 0, 3], vec![2.5, 4.0, 1.0]).unwrap();
    assert_eq!(matrix, expected);
    let outside = CsrMatrix::from_triplets(3, 4, &[(3, 0, 1.0)]);
    assert_eq!(outside, Err(Error::Shape { what: "rows that a triplet needs", expected: 3, found: 4 }));
    assert!(matches!(CsrMatrix::from_triplets(3, 4, &[(0, 4, 1.0)]), Err(Error::Column { column: 4, .. })));
    let overflow = CsrMatrix::from_triplets(1, 1, &[(0, 0, f32::MAX), (0, 0, f32::MAX)]);
    assert!(matches!(overflow, Err(Error::NotFinite { .. })));
}

#[test]
fn broken_matrices_are_refused() {
    let new = |indptr: &[usize], indices: &[u32]| {
        CsrMatrix::new(3, indptr.to_vec(), indices.to_vec(), vec![1.0; indices.len()])
    };
    assert!(new(&[0, 1, 2], &[0, 2]).is_ok());
    assert!(matches!(new(&[], &[]), Err(Error::Shape { .. })));
    assert!(matches!(new(&[1, 1], &[0]), Err(Error::RowStarts { row: 0, .. })));
    assert!(matches!(new(&[0, 2, 1], &[0, 2]), Err(Error::RowStarts { row: 2, .. })));
    assert!(matches!(new(&[0, 1], &[0, 2]), Err(Error::RowStarts { row: 1, .. })));
    assert!(matches!(new(&[0, 2], &[2, 0]), Err(Error::Column { row: 0, column: 0, .. })));
    assert!(matches!(new(&[0, 2], &[1, 1]), Err(Error::Column { .. })));
    assert!(matches!(new(&[0, 1], &[3]), Err(Error::Column { column: 3, columns: 3, .. })));
}
