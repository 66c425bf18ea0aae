//! `cargo xtask data`: hands everything to the `graph-data` program, which knows the data sets.

use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

use crate::process::root;

/// Runs `graph-data` with these arguments in the caller's working directory and returns its exit code.
pub(crate) fn run(arguments: &[String]) -> ExitCode {
    match graph_data(arguments).status() {
        Ok(status) => ExitCode::from(status.code().map_or(130, |code| code.clamp(0, 255) as u8)),
        Err(error) => {
            eprintln!("error: cannot start cargo: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Makes the canonical file of the data set from its raw files; fails when the outcome is not what the catalog says.
pub(crate) fn import(name: &str, raw: &std::path::Path, out: &std::path::Path) -> Result<()> {
    let (raw, out) = (raw.display().to_string(), out.display().to_string());
    let arguments = ["import", name, "--raw", &raw, "--out", &out].map(str::to_owned);
    let status = graph_data(&arguments).status().context("cannot start cargo")?;
    if !status.success() {
        bail!("the import of {name} failed: {status}");
    }
    Ok(())
}

fn graph_data(arguments: &[String]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command
        .args(["run", "--release", "--package", "graph-datasets", "--bin", "graph-data", "--manifest-path"])
        .arg(root().join("Cargo.toml"))
        .arg("--")
        .args(arguments);
    command
}
