//! `cargo xtask gpu-check`: the GPU kernels against the CPU, and the time of an epoch on both, in one command.

use anyhow::Result;

use crate::process::run_cargo;

/// Runs the kernels' tests and the comparison of whole trainings on `device`: `cuda`, `cuda:INDEX` or `wgpu`.
///
/// Without optimization: what is compared runs on the GPU, and the kernels are compiled at run time either way.
pub(crate) fn check(device: &str) -> Result<()> {
    let feature = device.split(':').next().unwrap_or(device);
    let common = ["--profile", "gpu", "--package", "gnn-models", "--features", feature];
    run_cargo(&[&["test"], &common[..], &["--lib", "on_the_gpu", "--", "--nocapture"]].concat(), &[])?;
    run_cargo(&[&["run"], &common[..], &["--example", "gpu_check", "--", device]].concat(), &[])
}
