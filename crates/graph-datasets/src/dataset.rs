//! The one in-memory form of a labelled graph, checked on the way in.

use std::path::Path;

use graph_denoise::{CsrGraph, CsrMatrix, EdgeKind};

use crate::{Error, FeatureRange, Split, npz};

/// What a [`Dataset`] is made of, before it is checked.
#[derive(Debug, Clone)]
pub struct DatasetParts {
    /// Name, as the catalog or the user says it.
    pub name: String,
    /// Number of nodes.
    pub nodes: usize,
    /// Undirected edges as (smaller, larger), ascending, each once, no self-loop.
    pub edges: Vec<(u32, u32)>,
    /// Nodes that had a self-loop upstream, ascending.
    pub self_loops: Vec<u32>,
    /// Features, nodes × dimensions.
    pub features: Option<CsrMatrix>,
    /// Number of feature columns, known also where the features are not at hand.
    pub dimensions: usize,
    /// Public range of the features.
    pub feature_range: FeatureRange,
    /// Class of each node.
    pub labels: Vec<u32>,
    /// Number of classes.
    pub classes: usize,
}

/// A labelled graph with features: ground truth, which only an experiment may hold beside a report.
///
/// The graph is undirected and without self-loops; nodes that had one upstream are in [`Dataset::self_loops`], so
/// that every published edge count can be reproduced.
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    pub(crate) name: String,
    pub(crate) graph: CsrGraph,
    pub(crate) self_loops: Vec<u32>,
    pub(crate) features: Option<CsrMatrix>,
    pub(crate) dimensions: usize,
    pub(crate) feature_range: FeatureRange,
    pub(crate) labels: Vec<u32>,
    pub(crate) classes: usize,
    pub(crate) public_split: Option<Split>,
    pub(crate) unlabelled: Vec<u32>,
    pub(crate) traffic: Option<Vec<i64>>,
    pub(crate) median_labels: Option<Vec<u32>>,
    pub(crate) marks: Vec<String>,
    pub(crate) sha256: Option<String>,
}

impl Dataset {
    /// Checks the parts and puts them together.
    ///
    /// # Errors
    /// [`Error::TooFewNodes`] below two nodes, [`Error::TooFewClasses`] below two classes, [`Error::NoEdges`],
    /// [`Error::EdgeOutOfRange`], [`Error::SelfLoop`], [`Error::EdgeOrder`], [`Error::DuplicateEdge`],
    /// [`Error::NodeList`] for the self-loops, [`Error::Count`] where lengths disagree, [`Error::LabelOutOfRange`],
    /// [`Error::EmptyClass`], [`Error::EmptyRange`], [`Error::FeatureOutOfRange`].
    pub fn new(parts: DatasetParts) -> Result<Self, Error> {
        let DatasetParts { name, nodes, edges, self_loops, features, dimensions, feature_range, labels, classes } =
            parts;
        if nodes < 2 {
            return Err(Error::TooFewNodes { what: "a graph to learn on", nodes, at_least: 2 });
        }
        if classes < 2 {
            return Err(Error::TooFewClasses { classes });
        }
        check_edges(&edges, nodes)?;
        check_nodes("self-loops", &self_loops, nodes)?;
        check_labels(&labels, classes, nodes)?;
        if let Some(features) = &features {
            count("rows of the features", nodes, features.rows())?;
            count("columns of the features", dimensions, features.columns())?;
            feature_range.check(dimensions)?;
            check_features(features, &feature_range)?;
        }
        let graph = CsrGraph::from_edges(nodes, &edges, EdgeKind::Undirected)?;
        Ok(Self {
            name,
            graph,
            self_loops,
            features,
            dimensions,
            feature_range,
            labels,
            classes,
            public_split: None,
            unlabelled: Vec::new(),
            traffic: None,
            median_labels: None,
            marks: Vec::new(),
            sha256: None,
        })
    }

    /// Name, as the catalog or the user says it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.graph.nodes()
    }

    /// Number of edges, each once, without self-loops.
    pub fn edges(&self) -> usize {
        self.graph.entries() / 2
    }

    /// The graph: undirected, without self-loops.
    pub fn graph(&self) -> &CsrGraph {
        &self.graph
    }

    /// Nodes that had a self-loop upstream, ascending.
    pub fn self_loops(&self) -> &[u32] {
        &self.self_loops
    }

    /// True features, nodes × [`Dataset::dimensions`], where they are at hand.
    pub fn features(&self) -> Option<&CsrMatrix> {
        self.features.as_ref()
    }

    /// Number of feature columns, known also where the features are not at hand.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Public range of the features.
    pub fn feature_range(&self) -> &FeatureRange {
        &self.feature_range
    }

    /// True class of each node, in `0..classes`.
    pub fn labels(&self) -> &[u32] {
        &self.labels
    }

    /// Number of classes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// Number of nodes of each class.
    pub fn class_counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.classes];
        for &label in &self.labels {
            counts[label as usize] += 1;
        }
        counts
    }

    /// The split that came with the data (Planetoid's), where there is one.
    pub fn public_split(&self) -> Option<&Split> {
        self.public_split.as_ref()
    }

    /// Nodes without a label upstream, whose label here is 0 by convention (CiteSeer has 15).
    pub fn unlabelled(&self) -> &[u32] {
        &self.unlabelled
    }

    /// Average monthly page views (Wikipedia only).
    pub fn traffic(&self) -> Option<&[i64]> {
        self.traffic.as_deref()
    }

    /// What a reader of a result has to know about these data, one sentence each: synthetic features, a range learned
    /// from private values, a view other than the published labels. Empty for data as published.
    pub fn marks(&self) -> &[String] {
        &self.marks
    }

    /// Adds a mark.
    #[must_use]
    pub fn with_mark(mut self, mark: impl Into<String>) -> Self {
        self.marks.push(mark.into());
        self
    }

    /// Sets the split that comes with the data.
    ///
    /// # Errors
    /// As [`Split::check`].
    pub fn with_public_split(mut self, split: Split) -> Result<Self, Error> {
        split.check(self.nodes())?;
        self.public_split = Some(split);
        Ok(self)
    }

    /// Reads a `graph.npz` that is in no catalog; its public feature range is the one it declares, [0, 1] if none.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::In`] with whatever is wrong in the file.
    pub fn read_npz(path: &Path, name: &str) -> Result<Self, Error> {
        npz::read(path, name, None).map(|(dataset, _)| dataset)
    }

    /// Writes a `graph.npz` with the declared range and the marks in it; whole or not at all.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn write_npz(&self, path: &Path) -> Result<(), Error> {
        npz::write(path, self, true)
    }

    /// sha256 of the file the data were read from, in lower-case hexadecimal.
    pub fn sha256(&self) -> Option<&str> {
        self.sha256.as_deref()
    }
}

pub(crate) fn count(what: &str, expected: usize, found: usize) -> Result<(), Error> {
    if expected == found {
        return Ok(());
    }
    Err(Error::Count { what: what.to_owned(), expected: expected as u64, found: found as u64 })
}

fn check_edges(edges: &[(u32, u32)], nodes: usize) -> Result<(), Error> {
    if edges.is_empty() {
        return Err(Error::NoEdges);
    }
    let mut before = None;
    for (at, &(from, to)) in edges.iter().enumerate() {
        if from as usize >= nodes || to as usize >= nodes {
            return Err(Error::EdgeOutOfRange { at, from: from.into(), to: to.into(), nodes });
        }
        if from == to {
            return Err(Error::SelfLoop { at, node: from });
        }
        if before == Some((from, to)) {
            return Err(Error::DuplicateEdge { at, from, to });
        }
        if from > to || before.is_some_and(|before| before > (from, to)) {
            return Err(Error::EdgeOrder { at, from, to });
        }
        before = Some((from, to));
    }
    Ok(())
}

/// Checks a list of nodes: in range, ascending, each once.
pub(crate) fn check_nodes(what: &str, list: &[u32], nodes: usize) -> Result<(), Error> {
    for (at, &node) in list.iter().enumerate() {
        if node as usize >= nodes || (at > 0 && list[at - 1] >= node) {
            return Err(Error::NodeList { what: what.to_owned(), at, node: node.into(), nodes });
        }
    }
    Ok(())
}

fn check_labels(labels: &[u32], classes: usize, nodes: usize) -> Result<(), Error> {
    count("labels, one a node", nodes, labels.len())?;
    // More classes than nodes leaves one empty; said before memory is taken for each.
    let mut seen = vec![false; classes.min(nodes)];
    for (node, &label) in labels.iter().enumerate() {
        if label as usize >= classes {
            return Err(Error::LabelOutOfRange { node, label: label.into(), classes });
        }
        if let Some(seen) = seen.get_mut(label as usize) {
            *seen = true;
        }
    }
    match seen.iter().position(|&seen| !seen) {
        Some(class) => Err(Error::EmptyClass { class, classes }),
        None if classes > nodes => Err(Error::EmptyClass { class: nodes, classes }),
        None => Ok(()),
    }
}

fn check_features(features: &CsrMatrix, range: &FeatureRange) -> Result<(), Error> {
    let columns = features.columns();
    // Columns whose range leaves out 0 must be written in full in every row.
    let without_zero =
        (0..columns).filter(|&column| range.column(column).0 > 0.0 || range.column(column).1 < 0.0).count();
    for node in 0..features.rows() {
        let (row, values) = features.row(node);
        let mut written = 0;
        for (&column, &value) in row.iter().zip(values) {
            let (low, high) = range.column(column as usize);
            if !(low <= value && value <= high) {
                return Err(Error::FeatureOutOfRange { node, column: column as usize, value, low, high });
            }
            written += usize::from(low > 0.0 || high < 0.0);
        }
        if written != without_zero {
            let column = (0..columns)
                .find(|&column| {
                    let (low, high) = range.column(column);
                    (low > 0.0 || high < 0.0) && row.binary_search(&(column as u32)).is_err()
                })
                .unwrap_or(0);
            let (low, high) = range.column(column);
            return Err(Error::FeatureOutOfRange { node, column, value: 0.0, low, high });
        }
    }
    Ok(())
}
