//! Child processes: cargo with the repository as working directory.

use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::Instant;

use anyhow::{Context, Result, bail};

/// The repository's root folder.
pub(crate) fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).parent().map(PathBuf::from).unwrap_or_default()
}

/// `cargo` of the toolchain that runs this program, started in the repository's root.
pub(crate) fn cargo() -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.current_dir(root());
    command
}

/// Runs `cargo` with `arguments`, says what it runs and how long it took, and fails when it fails.
pub(crate) fn run_cargo(arguments: &[&str], environment: &[(&str, &str)]) -> Result<()> {
    let shown = format!("cargo {}", arguments.join(" "));
    eprintln!("\n▶ {shown}");
    let start = Instant::now();
    let status = cargo()
        .args(arguments)
        .envs(environment.iter().copied())
        .status()
        .with_context(|| format!("cannot start {shown}"))?;
    if !status.success() {
        bail!("`{shown}` failed: {status}");
    }
    eprintln!("✔ {shown} ({:.0} s)", start.elapsed().as_secs_f64());
    Ok(())
}

/// Builds the experiment runner and hands it the caller's terminal, working directory and arguments.
///
/// Its exit code is returned: 0 done, 1 failed, 2 wrong arguments, 130 stopped by Ctrl-C.
pub(crate) fn reproduce(arguments: &[String]) -> ExitCode {
    if !target_directory().join("release/reproduce").exists() {
        eprintln!("Building the experiment runner; the first time takes some minutes (the neural-network library).");
    }
    let built = cargo().args(["build", "--release", "--package", "experiments", "--bin", "reproduce"]).status();
    match built {
        Ok(status) if status.success() => {}
        Ok(_) => return ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: cannot start cargo: {error}");
            return ExitCode::FAILURE;
        }
    }
    let program = target_directory().join("release").join("reproduce");
    match Command::new(&program).args(arguments).env("REPRODUCE_ROOT", root()).status() {
        // A child that a signal ended has no code; the shell's convention for Ctrl-C is 130.
        Ok(status) => ExitCode::from(status.code().map_or(130, |code| code.clamp(0, 255) as u8)),
        Err(error) => {
            eprintln!("error: cannot start {}: {error}", program.display());
            ExitCode::FAILURE
        }
    }
}

/// Cargo's target folder, wherever the caller's configuration puts it.
fn target_directory() -> PathBuf {
    let output = cargo().args(["metadata", "--format-version", "1", "--no-deps"]).output().ok();
    output
        .and_then(|output| serde_json::from_slice::<serde_json::Value>(&output.stdout).ok())
        .and_then(|metadata| metadata["target_directory"].as_str().map(PathBuf::from))
        .unwrap_or_else(|| root().join("target"))
}
