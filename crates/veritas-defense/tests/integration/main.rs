//! Integration tests of veritas-defense, one binary.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod attackers;
mod clean_graph;
mod conforming;
mod detectors;
mod discovery;
mod edges;
mod exact_laws;
mod layering;
mod planted;
mod printed;
mod properties;
mod real_graphs;
mod refusals;
mod scenario;
mod simulated_laws;
mod trust_models;
