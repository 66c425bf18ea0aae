//! What a record says of the code and the machine.

use std::path::Path;
use std::process::Command;

use graph_datasets::{DATA_DIR_VARIABLE, SearchPath};

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

/// Where data are looked for: in the folder `named` on a command line, else in the one that the environment names
/// ([`DATA_DIR_VARIABLE`]), else in `data/cache` and `../shared/data` below `root`, the checkout.
pub fn search_path(named: Option<&Path>, root: &Path) -> SearchPath {
    SearchPath::standard(named, std::env::var_os(DATA_DIR_VARIABLE).as_deref(), root)
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
