//! From and to petgraph.

use petgraph::graph::{Graph, NodeIndex};
use petgraph::visit::{EdgeRef, GraphProp, IntoEdgeReferences, NodeCompactIndexable};
use petgraph::{Directed, EdgeType, Undirected};

use crate::{CsrGraph, CsrMatrix, EdgeKind, Error};

impl CsrGraph {
    /// Takes the edges of a petgraph graph; its node and edge weights are not read, parallel edges count once.
    ///
    /// Node `i` here is the node that petgraph's `to_index` calls `i`.
    ///
    /// # Errors
    /// [`Error::TooManyNodes`].
    pub fn from_petgraph<G>(graph: G) -> Result<Self, Error>
    where
        G: IntoEdgeReferences + NodeCompactIndexable + GraphProp,
    {
        let (nodes, limit) = (graph.node_bound(), u32::MAX as usize);
        if nodes > limit {
            return Err(Error::TooManyNodes { nodes, limit });
        }
        let kind = if graph.is_directed() { EdgeKind::Directed } else { EdgeKind::Undirected };
        let edges: Vec<(u32, u32)> = graph
            .edge_references()
            .map(|edge| (graph.to_index(edge.source()) as u32, graph.to_index(edge.target()) as u32))
            .collect();
        Self::from_edges(nodes, &edges, kind)
    }

    /// An undirected petgraph graph with the same node numbers. A directed graph gives `None`.
    pub fn to_undirected_petgraph(&self) -> Option<Graph<(), (), Undirected, u32>> {
        (self.kind() == EdgeKind::Undirected).then(|| self.to_petgraph())
    }

    /// A directed petgraph graph with the same node numbers; an undirected edge becomes two.
    pub fn to_directed_petgraph(&self) -> Graph<(), (), Directed, u32> {
        let mut graph = Graph::with_capacity(self.nodes(), self.entries());
        for _ in 0..self.nodes() {
            graph.add_node(());
        }
        for from in 0..self.nodes() {
            for &to in self.neighbours(from) {
                graph.add_edge(NodeIndex::new(from), NodeIndex::new(to as usize), ());
            }
        }
        graph
    }

    fn to_petgraph<T: EdgeType>(&self) -> Graph<(), (), T, u32> {
        let mut graph = Graph::with_capacity(self.nodes(), self.edges());
        for _ in 0..self.nodes() {
            graph.add_node(());
        }
        for (from, to) in self.iter_edges() {
            graph.add_edge(NodeIndex::new(from as usize), NodeIndex::new(to as usize), ());
        }
        graph
    }
}

impl CsrMatrix {
    /// Takes the weighted edges of a petgraph graph as a square matrix, nodes × nodes; `weight` reads an edge's weight.
    ///
    /// An undirected edge gives two entries, a self-loop one; weights of parallel edges are added.
    ///
    /// # Errors
    /// [`Error::TooManyNodes`], [`Error::NotFinite`].
    pub fn from_petgraph<G>(graph: G, weight: impl Fn(&G::EdgeWeight) -> f32) -> Result<Self, Error>
    where
        G: IntoEdgeReferences + NodeCompactIndexable + GraphProp,
    {
        let (nodes, limit) = (graph.node_bound(), u32::MAX as usize);
        if nodes > limit {
            return Err(Error::TooManyNodes { nodes, limit });
        }
        let mut triplets = Vec::new();
        for edge in graph.edge_references() {
            let (from, to) = (graph.to_index(edge.source()) as u32, graph.to_index(edge.target()) as u32);
            let weight = weight(edge.weight());
            triplets.push((from, to, weight));
            if !graph.is_directed() && from != to {
                triplets.push((to, from, weight));
            }
        }
        Self::from_triplets(nodes, nodes, &triplets)
    }

    /// A directed petgraph graph with one weighted edge an entry. A matrix that is not square gives `None`.
    pub fn to_petgraph(&self) -> Option<Graph<(), f32, Directed, u32>> {
        if self.rows() != self.columns() {
            return None;
        }
        let mut graph = Graph::with_capacity(self.rows(), self.entries());
        for _ in 0..self.rows() {
            graph.add_node(());
        }
        for from in 0..self.rows() {
            let (columns, values) = self.row(from);
            for (&to, &value) in columns.iter().zip(values) {
                graph.add_edge(NodeIndex::new(from), NodeIndex::new(to as usize), value);
            }
        }
        Some(graph)
    }
}
