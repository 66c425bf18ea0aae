//! CSR graphs and weighted multi-hop propagation. Knows no privacy.
//!
//! What a server does with reports before any learning: it averages them over the graph. The types here are plain:
//! a [`CsrGraph`] is who is connected to whom, a [`CsrMatrix`] holds weights (a normalised adjacency, or sparse
//! features), a [`FeatureMatrix`] is dense and row-major.

mod constant;
mod csr_graph;
mod csr_matrix;
mod error;
mod features;
mod filter;
mod interchange;
pub mod kernel;
mod labels;
mod moments;
mod propagate;
mod regularize;
mod rows;
mod signal;
mod weights;

pub use csr_graph::{CsrGraph, EdgeKind};
pub use csr_matrix::CsrMatrix;
pub use error::Error;
pub use features::FeatureMatrix;
pub use filter::Filter;
pub use labels::propagate_labels;
pub use moments::{Moments, mse_estimate};
pub use propagate::{propagate, propagate_blocks, propagate_channels, propagate_into};
pub use regularize::{
    Regularization, aggregate_threshold, propagate_regularized, regularize, regularize_reports, report_threshold,
    soft_threshold, universal_thresholds,
};
pub use rows::Rows;
pub use signal::signal_variance;
pub use weights::{Normalization, SelfLoops, Weights, report_weight};
