//! Small graphs to train on, the same in each run.

use gnn_models::{Features, TrainData};
use graph_denoise::{CsrGraph, CsrMatrix, EdgeKind, FeatureMatrix};

/// A graph of `classes` groups with its features, labels and sets.
pub(crate) struct Planted {
    pub(crate) graph: CsrGraph,
    pub(crate) features: Features,
    pub(crate) labels: Vec<u32>,
    pub(crate) classes: usize,
    pub(crate) train: Vec<u32>,
    pub(crate) validation: Vec<u32>,
    pub(crate) test: Vec<u32>,
}

/// A fixed generator of numbers below `bound`.
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 33) as usize) % bound
    }
}

/// `nodes` nodes in `classes` groups: 3 edges a node, 4 of 5 within the group; 4 features a node of 20 a group, 3 of 4
/// from the node's own group. Half of the nodes train, a quarter validates, a quarter tests.
pub(crate) fn planted(nodes: usize, classes: usize, seed: u64) -> Planted {
    let mut numbers = Numbers::new(seed);
    let labels: Vec<u32> = (0..nodes).map(|node| (node % classes) as u32).collect();
    let mut edges = Vec::new();
    for node in 0..nodes {
        for _ in 0..3 {
            let within = numbers.below(5) < 4;
            let other = loop {
                let other = numbers.below(nodes);
                if other != node && (labels[other] == labels[node]) == within {
                    break other;
                }
            };
            edges.push((node as u32, other as u32));
        }
    }
    let (mut indptr, mut indices) = (vec![0], Vec::new());
    for &label in &labels {
        let mut row = std::collections::BTreeSet::new();
        while row.len() < 4 {
            let group = if numbers.below(4) < 3 { label as usize } else { numbers.below(classes) };
            row.insert((group * 20 + numbers.below(20)) as u32);
        }
        indices.extend(row);
        indptr.push(indices.len());
    }
    let values = vec![1.0; indices.len()];
    let sets: Vec<usize> = (0..nodes).map(|_| numbers.below(4)).collect();
    let members = |wanted: &[usize]| {
        (0..nodes).filter(|&node| wanted.contains(&sets[node])).map(|node| node as u32).collect::<Vec<_>>()
    };
    Planted {
        graph: CsrGraph::from_edges(nodes, &edges, EdgeKind::Undirected).unwrap(),
        features: CsrMatrix::new(classes * 20, indptr, indices, values).unwrap().into(),
        labels,
        classes,
        train: members(&[0, 1]),
        validation: members(&[2]),
        test: members(&[3]),
    }
}

/// The same features with every entry stored.
pub(crate) fn dense(features: &Features) -> Features {
    let Features::Sparse(matrix) = features else { return features.clone() };
    let mut out = FeatureMatrix::zeros(matrix.rows(), matrix.columns());
    for row in 0..matrix.rows() {
        let (columns, values) = matrix.row(row);
        for (&column, &value) in columns.iter().zip(values) {
            out.as_mut_slice()[row * matrix.columns() + column as usize] = value;
        }
    }
    out.into()
}

impl Planted {
    pub(crate) fn data(&self) -> TrainData<'_> {
        TrainData {
            graph: &self.graph,
            features: &self.features,
            labels: &self.labels,
            selection_labels: None,
            classes: self.classes,
            train: &self.train,
            validation: &self.validation,
        }
    }

    /// Share of the test nodes that `predictions` gets right.
    pub(crate) fn test_accuracy(&self, predictions: &[u32]) -> f64 {
        let right = self.test.iter().filter(|&&v| predictions[v as usize] == self.labels[v as usize]).count();
        right as f64 / self.test.len() as f64
    }
}
