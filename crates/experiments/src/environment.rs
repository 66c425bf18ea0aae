//! What a record says of the code and the machine.

use std::path::Path;
use std::process::Command;

use crate::record::CodeStamp;

/// The commit of the checkout at `root`, whether it was changed since, and the compiler.
pub fn code_stamp(root: &Path) -> CodeStamp {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").arg("-C").arg(root).args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    CodeStamp {
        commit: git(&["rev-parse", "HEAD"]).unwrap_or_else(|| "unknown".to_owned()),
        dirty: git(&["status", "--porcelain", "--untracked-files=no"]).is_none_or(|changes| !changes.is_empty()),
        toolchain: env!("COMPILER_VERSION").to_owned(),
    }
}

/// Forgets the greatest resident memory so far, so that [`peak_memory_mib`] speaks of what follows (Linux).
pub(crate) fn reset_peak_memory() {
    // Where the system has no such file the peak stays that of the process's life, as `Measured` says.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// Greatest resident memory, MiB; 0 where the system does not tell.
pub(crate) fn peak_memory_mib() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").trim().parse::<f64>().ok());
    kib.map_or(0.0, |kib| (kib / 1024.0 * 10.0).round() / 10.0)
}
