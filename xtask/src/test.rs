//! `cargo xtask test`: crates without Burn in the dev profile (overflow checks on), the others optimized, so that Burn
//! is compiled once for tests and experiments alike.

use anyhow::Result;

use crate::process::run_cargo;

/// The crates that compile in seconds and are also checked alone.
pub(crate) const LIGHT: [&str; 5] = ["ldp-core", "graph-denoise", "veritas-defense", "graph-datasets", "xtask"];
/// The crates that link Burn.
pub(crate) const HEAVY: [&str; 3] = ["gnn-models", "experiments", "examples"];

/// Runs all tests; `require_data` turns "skipped: no data" into a failure.
pub(crate) fn run(require_data: bool) -> Result<()> {
    let environment: &[(&str, &str)] = if require_data { &[("GRAPH_DATA_REQUIRED", "1")] } else { &[] };
    let packages = |names: &[&'static str]| names.iter().flat_map(|name| ["--package", name]).collect::<Vec<_>>();
    run_cargo(&[&["test"], &packages(&LIGHT)[..]].concat(), environment)?;
    run_cargo(&[&["test", "--release"], &packages(&HEAVY)[..]].concat(), environment)
}
