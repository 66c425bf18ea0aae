//! Tests of the crate's public surface, one binary.

#![allow(clippy::unwrap_used, reason = "a test that unwraps an error has found what it looks for")]

mod accounting;
mod auditing;
mod bad_input;
mod budget;
mod bulk_encoding;
mod codec;
mod distribution;
mod golden;
mod grid_noise;
mod privacy_ratio;
mod private_level;
mod sampler_law;
mod statistics;
mod stub_generators;
mod tiers;
mod unbiased;
mod value_stability;
