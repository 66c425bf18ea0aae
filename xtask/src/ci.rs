//! `cargo xtask ci`: everything that must hold before a change lands, the cheap checks first.

use anyhow::Result;

use crate::process::run_cargo;
use crate::{layers, test, tidy};

/// Runs every check and stops at the first that fails.
pub(crate) fn run(require_data: bool, skip_tests: bool) -> Result<()> {
    layers::check()?;
    tidy::check()?;
    run_cargo(&["fmt", "--all", "--check"], &[])?;
    run_cargo(&["clippy", "--workspace", "--all-targets", "--", "--deny", "warnings"], &[])?;
    // Each light crate alone: the union of features in a workspace build hides holes.
    for package in test::LIGHT {
        run_cargo(&["check", "--package", package], &[])?;
    }
    run_cargo(&["check", "--package", "ldp-core", "--no-default-features"], &[])?;
    if !skip_tests {
        test::run(require_data)?;
    }
    run_cargo(&["doc", "--workspace", "--no-deps"], &[("RUSTDOCFLAGS", "--deny warnings")])?;
    // Together with experiments: the same features, so the same build of Burn.
    run_cargo(&["bench", "--package", "benches", "--package", "experiments", "--benches", "--no-run"], &[])?;
    run_cargo(&["build", "--release", "--package", "examples", "--examples"], &[])?;
    eprintln!("\nall checks passed");
    Ok(())
}
