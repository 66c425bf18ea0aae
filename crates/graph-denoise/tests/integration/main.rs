//! Tests of graph-denoise, one binary.
#![allow(clippy::unwrap_used, reason = "a test that cannot unwrap has failed")]

mod denoisers;
mod dense_oracle;
mod forms;
mod graph;
mod graphs;
mod kernel;
mod memory;
mod properties;
mod published;
mod sparse_hops;
mod vectors;
