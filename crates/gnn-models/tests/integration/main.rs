//! Tests of `gnn-models` through its public face.

#![expect(clippy::unwrap_used, reason = "a test may panic, also in what it calls")]

mod bad_input;
mod checkpoints;
mod determinism;
mod graphs;
mod learning;
mod pyg_vectors;
mod real_data;
mod reports;
