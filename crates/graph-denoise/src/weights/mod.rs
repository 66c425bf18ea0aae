//! Weights of the edges: normalisation of the graph, or any matrix.
//!
//! Most weights of the field have the form `left[i] · A[i][j] · right[j]` and are kept so: the pattern once, two
//! numbers a node, and the product runs over the bare pattern.

mod layout;
mod report;

use std::borrow::Cow;

pub(crate) use layout::Layout;
pub(crate) use report::check;
pub use report::report_weight;

use crate::{CsrGraph, CsrMatrix, Error};

/// How the adjacency is scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Normalization {
    /// `D⁻¹ A`, the mean of the neighbours: every row that has a neighbour sums to 1.
    Row,
    /// `D^{-1/2} A D^{-1/2}`, the normalisation of GCN and of [LPGNN]'s KProp.
    ///
    /// `D` holds the lengths of the nodes' own lists, also in a directed graph; where a list is empty, `D^{-1/2}`
    /// counts as 0.
    ///
    /// [LPGNN]: https://arxiv.org/abs/2006.05535
    Symmetric,
}

/// What happens to self-loops before the graph is normalised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SelfLoops {
    /// Those that the graph has stay, none is added.
    AsIs,
    /// Every node has exactly one, of weight 1; a node that has one keeps it (PyTorch Geometric's
    /// `add_remaining_self_loops`).
    Add,
    /// No node has one.
    Remove,
}

/// Left and right factor of one hop: weight of edge (i, j) = `left[i] · right[j]`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Scales {
    pub(crate) left: Vec<f32>,
    pub(crate) right: Vec<f32>,
}

/// The weights that a propagation uses, nodes × nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct Weights<'g> {
    pub(crate) form: Form<'g>,
    /// The same in another node order, where that was asked for.
    pub(crate) layout: Option<Box<Layout>>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Form<'g> {
    /// The pattern and one pair of scales a hop; the last pair serves all further hops.
    Scaled {
        graph: Cow<'g, CsrGraph>,
        hops: Vec<Scales>,
    },
    Matrix(Cow<'g, CsrMatrix>),
}

impl<'g> Weights<'g> {
    /// The normalised adjacency of `graph`.
    ///
    /// A node without neighbours gets an empty row: one hop makes its values zero.
    ///
    /// # Complexity
    /// Time and space O(nodes); a copy of the graph only where self-loops change.
    pub fn normalized(graph: &'g CsrGraph, normalization: Normalization, self_loops: SelfLoops) -> Self {
        let graph = graph.with_self_loops(self_loops);
        let scales = match normalization {
            Normalization::Row => {
                Scales { left: by_degree(&graph, |degree| 1.0 / degree), right: vec![1.0; graph.nodes()] }
            }
            Normalization::Symmetric => {
                let root = by_degree(&graph, |degree| 1.0 / degree.sqrt());
                Scales { left: root.clone(), right: root }
            }
        };
        Self::of(Form::Scaled { graph, hops: vec![scales] })
    }

    /// `(1−α) W + α I` with `W` the normalised adjacency: each hop keeps the share `stay` = α of a node's own value.
    ///
    /// This is the (1−α)/α form of propagation, one hop `h ← (1−α) W h + α h`; the form that goes back to the input,
    /// `h ← (1−α) W h + α x`, is [`Filter::page_rank`](crate::Filter::page_rank). [LPGNN]'s own code has neither.
    ///
    /// # Errors
    /// [`Error::Fraction`] unless 0 ≤ α ≤ 1.
    ///
    /// [LPGNN]: https://arxiv.org/abs/2006.05535
    pub fn lazy(
        graph: &CsrGraph,
        normalization: Normalization,
        self_loops: SelfLoops,
        stay: f32,
    ) -> Result<Self, Error> {
        if !(0.0..=1.0).contains(&stay) {
            return Err(Error::Fraction { what: "share α that stays", value: stay });
        }
        let plain = graph.normalized(normalization, self_loops);
        let looped = graph.with_self_loops(SelfLoops::Add).into_owned();
        let mut values = Vec::with_capacity(looped.entries());
        for node in 0..graph.nodes() {
            let (columns, weights) = plain.row(node);
            let mut listed = columns.iter().zip(weights).peekable();
            for &other in looped.neighbours(node) {
                let own = if other as usize == node { stay } else { 0.0 };
                let weight = listed.next_if(|&(&column, _)| column == other).map_or(0.0, |(_, &weight)| weight);
                values.push((1.0 - stay) * weight + own);
            }
        }
        let matrix = CsrMatrix::trusted(graph.nodes(), looped.indptr().to_vec(), looped.indices().to_vec(), values);
        Self::from_matrix(matrix)
    }

    /// Any square matrix as weights.
    ///
    /// # Errors
    /// [`Error::Shape`] when the matrix is not square; [`Error::NotFinite`] for a weight that overflowed, such as one of a
    /// propagation's result.
    pub fn from_matrix(matrix: impl Into<Cow<'g, CsrMatrix>>) -> Result<Self, Error> {
        let matrix = matrix.into();
        if matrix.rows() != matrix.columns() {
            return Err(Error::Shape {
                what: "columns of the weights",
                expected: matrix.rows(),
                found: matrix.columns(),
            });
        }
        if let Some(at) = matrix.values().iter().position(|value| !value.is_finite()) {
            let row = matrix.indptr().partition_point(|&start| start <= at) - 1;
            return Err(Error::NotFinite { what: "weights", row, value: matrix.values()[at] });
        }
        Ok(Self::of(Form::Matrix(matrix)))
    }

    fn of(form: Form<'g>) -> Self {
        Self { form, layout: None }
    }

    /// Scales of a hop, counted from 0; none for a matrix.
    pub(crate) fn scales(&self, hop: usize) -> Option<&Scales> {
        match &self.form {
            Form::Scaled { hops, .. } => Some(&hops[hop.min(hops.len() - 1)]),
            Form::Matrix(_) => None,
        }
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        match &self.form {
            Form::Scaled { graph, .. } => graph.nodes(),
            Form::Matrix(matrix) => matrix.rows(),
        }
    }

    /// Number of weights.
    pub fn entries(&self) -> usize {
        match &self.form {
            Form::Scaled { graph, .. } => graph.entries(),
            Form::Matrix(matrix) => matrix.entries(),
        }
    }

    /// The weights of hop `hop` (counted from 0), written out.
    ///
    /// # Complexity
    /// Time and space O(nodes + entries).
    pub fn to_matrix(&self, hop: usize) -> CsrMatrix {
        match &self.form {
            Form::Matrix(matrix) => matrix.clone().into_owned(),
            Form::Scaled { graph, hops } => {
                let Scales { left, right } = &hops[hop.min(hops.len() - 1)];
                let values: Vec<f32> = (0..graph.nodes())
                    .flat_map(|node| graph.neighbours(node).iter().map(move |&j| left[node] * right[j as usize]))
                    .collect();
                CsrMatrix::trusted(graph.nodes(), graph.indptr().to_vec(), graph.indices().to_vec(), values)
            }
        }
    }
}

impl CsrGraph {
    /// This graph with its self-loops as `self_loops` says; a copy only where something changes.
    ///
    /// # Complexity
    /// Time and space O(nodes + entries).
    pub fn with_self_loops(&self, self_loops: SelfLoops) -> Cow<'_, Self> {
        let present = match self_loops {
            SelfLoops::AsIs => return Cow::Borrowed(self),
            SelfLoops::Add | SelfLoops::Remove => self.self_loops(),
        };
        let wanted = if self_loops == SelfLoops::Add { self.nodes() } else { 0 };
        if present == wanted {
            return Cow::Borrowed(self);
        }
        let mut indptr = Vec::with_capacity(self.nodes() + 1);
        let mut indices = Vec::with_capacity(self.entries() - present + wanted);
        indptr.push(0);
        for node in 0..self.nodes() {
            let list = self.neighbours(node);
            let own = node as u32;
            let before = list.partition_point(|&other| other < own);
            let after = list.partition_point(|&other| other <= own);
            indices.extend_from_slice(&list[..before]);
            if self_loops == SelfLoops::Add {
                indices.push(own);
            }
            indices.extend_from_slice(&list[after..]);
            indptr.push(indices.len());
        }
        Cow::Owned(Self::trusted(self.kind(), indptr, indices))
    }

    /// The normalised adjacency as a matrix: [`Weights::normalized`], written out.
    pub fn normalized(&self, normalization: Normalization, self_loops: SelfLoops) -> CsrMatrix {
        Weights::normalized(self, normalization, self_loops).to_matrix(0)
    }
}

fn by_degree(graph: &CsrGraph, scale: impl Fn(f64) -> f64) -> Vec<f32> {
    let of = |node| match graph.degree(node) {
        0 => 0.0,
        degree => scale(degree as f64) as f32,
    };
    (0..graph.nodes()).map(of).collect()
}

impl From<CsrMatrix> for Cow<'_, CsrMatrix> {
    fn from(matrix: CsrMatrix) -> Self {
        Cow::Owned(matrix)
    }
}

impl<'a> From<&'a CsrMatrix> for Cow<'a, CsrMatrix> {
    fn from(matrix: &'a CsrMatrix) -> Self {
        Cow::Borrowed(matrix)
    }
}
