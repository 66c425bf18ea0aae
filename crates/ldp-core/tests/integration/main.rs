//! Tests of the crate's public surface, one binary.

#![allow(clippy::unwrap_used, reason = "a test that unwraps an error has found what it looks for")]

mod bad_input;
mod budget;
mod bulk_encoding;
mod golden;
mod privacy_ratio;
mod sampler_law;
mod statistics;
mod unbiased;
mod value_stability;
