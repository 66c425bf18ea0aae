//! One binary for all integration tests of the crate.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

mod bad_data;
mod bad_npz;
mod import_graphml;
mod import_planetoid;
mod import_real;
mod import_text;
mod import_twitch;
mod npz_file;
mod real_data;
mod roundtrip;
mod scaling;
mod split;
mod synthetic;
mod views;

use chacha20::ChaCha12Rng;
use chacha20::rand_core::SeedableRng;

/// The generator of every test; the seed stands in the test.
fn rng(seed: u64) -> ChaCha12Rng {
    ChaCha12Rng::seed_from_u64(seed)
}
