//! CSR graphs, weighted multi-hop propagation, and how noisy its results are. Knows no privacy.
//!
//! What a server does with reports before any learning: it averages them over the graph. A [`CsrGraph`] is who is
//! connected to whom; [`Weights`] say how much each neighbour counts (normalised adjacency, FlexProp, random effects,
//! or any [`CsrMatrix`]); a [`Filter`] says which powers of the weights are summed (KProp, HOA, personalised PageRank);
//! [`propagate`] applies both to [`Rows`], dense or sparse, and [`Moments`] gives the variance of what comes out.
//!
//! ```
//! use graph_denoise::{
//!     CsrGraph, CsrMatrix, EdgeKind, Filter, Moments, Rows, Weights, mse_estimate, propagate, regularize,
//!     universal_thresholds,
//! };
//!
//! // A path of four nodes. Each reported one of two dimensions, the last with a fifth of the others' noise.
//! let graph = CsrGraph::from_edges(4, &[(0, 1), (1, 2), (2, 3)], EdgeKind::Undirected)?;
//! let entries = CsrMatrix::from_triplets(4, 2, &[(0, 0, 2.0), (1, 1, -2.0), (2, 0, 2.0), (3, 1, 0.5)])?;
//! let reports = Rows::Sparse { entries: &entries, offset: 0.5 };
//! let variance = [5.0, 5.0, 5.0, 1.0];
//!
//! // Weights that follow the variance through two hops.
//! let (weights, _) = Weights::variance_propagated(&graph, &variance, 0.1, 2)?;
//! let filter = Filter::power(2);
//! let mut denoised = propagate(&weights, reports, &filter)?;
//! let moments = Moments::exact(&weights, &filter, &variance)?;
//! assert!(moments.variance.iter().all(|&after| after <= 5.0));
//! assert!(mse_estimate(reports, &denoised, &variance, &moments)?.is_finite());
//! regularize(&mut denoised, &universal_thresholds(&moments.variance, 2))?;
//! # Ok::<(), graph_denoise::Error>(())
//! ```
//!
//! Errors are values: shapes, numbers that are not finite, negative weights and indices out of range are refused
//! before anything is written. Nothing here draws randomness of its own, and nothing depends on the number of threads.

mod constant;
mod csr_graph;
mod csr_matrix;
mod error;
mod features;
mod filter;
mod interchange;
pub mod kernel;
mod labels;
mod low_precision;
mod moments;
mod pages;
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
pub use low_precision::{Bf16Matrix, CodeMatrix};
pub use moments::{Moments, mse_estimate};
pub use propagate::{
    SparseResult, propagate, propagate_blocks, propagate_channels, propagate_into, propagate_sparse,
    propagate_sparse_into,
};
pub use regularize::{
    Regularization, aggregate_threshold, propagate_regularized, regularize, regularize_reports, report_threshold,
    soft_threshold, universal_thresholds,
};
pub use rows::Rows;
pub use signal::signal_variance;
pub use weights::{Normalization, SelfLoops, Weights, report_weight};
