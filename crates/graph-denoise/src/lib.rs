//! CSR graphs and weighted multi-hop propagation. Knows no privacy.
//!
//! What a server does with reports before any learning: it averages them over the graph. The types here are plain:
//! a [`CsrGraph`] is who is connected to whom, a [`CsrMatrix`] holds weights (a normalised adjacency, or sparse
//! features), a [`FeatureMatrix`] is dense and row-major.

mod csr_graph;
mod csr_matrix;
mod error;
mod features;

pub use csr_graph::{CsrGraph, EdgeKind};
pub use csr_matrix::CsrMatrix;
pub use error::Error;
pub use features::FeatureMatrix;
