//! What holds for every graph: relabelling, constants, linearity, blocks.

use graph_denoise::{
    CsrGraph, EdgeKind, FeatureMatrix, Filter, Normalization, SelfLoops, Weights, propagate, propagate_sparse,
};
use proptest::prelude::*;

use crate::graphs::{dense, generator, sparse};

fn graphs() -> impl Strategy<Value = CsrGraph> {
    (1usize..40, any::<bool>()).prop_flat_map(|(nodes, directed)| {
        let kind = if directed { EdgeKind::Directed } else { EdgeKind::Undirected };
        prop::collection::vec((0..nodes as u32, 0..nodes as u32), 0..120)
            .prop_map(move |edges| CsrGraph::from_edges(nodes, &edges, kind).unwrap())
    })
}

fn filters() -> impl Strategy<Value = Filter> {
    prop_oneof![
        (0usize..6).prop_map(Filter::power),
        (1usize..6).prop_map(|steps| Filter::mean_of_powers(steps).unwrap()),
        (0usize..6, 0.0f32..=1.0).prop_map(|(steps, restart)| Filter::page_rank(steps, restart).unwrap()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn relabelling_the_nodes_relabels_the_result(graph in graphs(), filter in filters(), seed in 0u64..1000) {
        let nodes = graph.nodes();
        let mut rng = generator(seed);
        let mut label: Vec<u32> = (0..nodes as u32).collect();
        for at in (1..nodes).rev() {
            label.swap(at, rand::RngExt::random_range(&mut rng, 0..=at));
        }
        let x = dense(nodes, 7, &mut rng);
        let edges: Vec<(u32, u32)> =
            graph.iter_edges().map(|(u, v)| (label[u as usize], label[v as usize])).collect();
        let relabelled = CsrGraph::from_edges(nodes, &edges, graph.kind()).unwrap();
        let mut moved = FeatureMatrix::zeros(nodes, 7);
        for (node, &label) in label.iter().enumerate() {
            let to = label as usize * 7;
            moved.as_mut_slice()[to..to + 7].copy_from_slice(x.row(node));
        }
        let of = |graph: &CsrGraph, x: &FeatureMatrix| {
            propagate(&Weights::normalized(graph, Normalization::Symmetric, SelfLoops::Add), x, &filter).unwrap()
        };
        let (before, after) = (of(&graph, &x), of(&relabelled, &moved));
        for (node, &label) in label.iter().enumerate() {
            for (a, b) in before.row(node).iter().zip(after.row(label as usize)) {
                prop_assert!((a - b).abs() < 1e-5, "node {}: {} and {}", node, a, b);
            }
        }
    }

    #[test]
    fn constants_stay_under_row_stochastic_weights(graph in graphs(), filter in filters(), value in -10.0f32..10.0) {
        let nodes = graph.nodes();
        let x = FeatureMatrix::new(nodes, 3, vec![value; nodes * 3]).unwrap();
        let looped = graph.with_self_loops(SelfLoops::Add);
        let variance: Vec<f32> = (0..nodes).map(|node| 1.0 + (node % 7) as f32).collect();
        for weights in [
            Weights::normalized(&graph, Normalization::Row, SelfLoops::Add),
            Weights::from_node_weights(&looped, &variance).unwrap(),
            Weights::inverse_variance(&looped, &variance, 0.5).unwrap(),
            Weights::variance_propagated(&looped, &variance, 0.5, 3).unwrap().0,
        ] {
            for &found in propagate(&weights, &x, &filter).unwrap().as_slice() {
                prop_assert!((found - value).abs() <= 1e-5 * value.abs().max(1e-3), "{} instead of {}", found, value);
            }
        }
    }

    #[test]
    fn the_sum_of_two_inputs_gives_the_sum_of_two_results(graph in graphs(), filter in filters(), seed in 0u64..1000) {
        let nodes = graph.nodes();
        let mut rng = generator(seed);
        let (a, b) = (dense(nodes, 4, &mut rng), dense(nodes, 4, &mut rng));
        let sum = a.as_slice().iter().zip(b.as_slice()).map(|(a, b)| a + b).collect();
        let sum = FeatureMatrix::new(nodes, 4, sum).unwrap();
        let weights = Weights::normalized(&graph, Normalization::Row, SelfLoops::AsIs);
        let of = |x: &FeatureMatrix| propagate(&weights, x, &filter).unwrap();
        let (of_a, of_b, of_sum) = (of(&a), of(&b), of(&sum));
        for ((a, b), sum) in of_a.as_slice().iter().zip(of_b.as_slice()).zip(of_sum.as_slice()) {
            prop_assert!((a + b - sum).abs() < 1e-5);
        }
    }

    #[test]
    fn columns_do_not_depend_on_each_other(graph in graphs(), filter in filters(), columns in 1usize..80, seed in 0u64..1000) {
        let nodes = graph.nodes();
        let x = dense(nodes, columns, &mut generator(seed));
        let weights = Weights::normalized(&graph, Normalization::Symmetric, SelfLoops::AsIs);
        let together = propagate(&weights, &x, &filter).unwrap();
        let last: Vec<f32> = (0..nodes).map(|node| x.row(node)[columns - 1]).collect();
        let alone = propagate(&weights, &FeatureMatrix::new(nodes, 1, last).unwrap(), &filter).unwrap();
        for node in 0..nodes {
            prop_assert_eq!(together.row(node)[columns - 1].to_bits(), alone.row(node)[0].to_bits());
        }
    }

    #[test]
    fn a_sparse_result_has_the_values_of_the_dense_one(graph in graphs(), steps in 0usize..4, seed in 0u64..1000) {
        let nodes = graph.nodes();
        let entries = sparse(nodes, 90, 0.02, &mut generator(seed));
        let weights = Weights::normalized(&graph, Normalization::Row, SelfLoops::AsIs);
        let expected = propagate(&weights, &entries, &Filter::power(steps)).unwrap();
        let found = propagate_sparse(&weights, &entries, 0.0, steps).unwrap().entries;
        for node in 0..nodes {
            let mut row = [0f32; 90];
            for (&column, &value) in found.row(node).0.iter().zip(found.row(node).1) {
                row[column as usize] = value;
            }
            prop_assert_eq!(&row[..], expected.row(node));
        }
    }
}
