//! What a record says of the code and the machine.

use std::path::Path;
use std::process::Command;

use graph_datasets::{DATA_DIR_VARIABLE, SearchPath};

use crate::record::CodeStamp;

/// The code that this program was built from: commit, whether it was changed since, and the compiler. Noted by the build
/// script, so it stays true when the checkout moves on under a program that is not built again. Unknown where the note is
/// another checkout's, which happens when two share a target folder.
pub fn code_stamp() -> CodeStamp {
    let is_own = is_this_checkout(env!("STAMPED_FOLDER"));
    CodeStamp {
        commit: if is_own { env!("BUILT_FROM_COMMIT") } else { "unknown" }.to_owned(),
        dirty: !is_own || env!("BUILT_FROM_CHANGED") == "yes",
        toolchain: env!("COMPILER_VERSION").to_owned(),
    }
}

fn is_this_checkout(stamped: &str) -> bool {
    stamped == env!("CARGO_MANIFEST_DIR")
}

/// The commit that the checkout at `root`, from which suites and printed numbers are read, is at now; none where there is
/// no git or no checkout.
pub fn checkout_commit(root: &Path) -> Option<String> {
    let output = Command::new("git").arg("-C").arg(root).args(["rev-parse", "HEAD"]).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
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

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::process::Command;

    /// The tests are built with the program: unless the code was changed, both are the checkout's.
    #[test]
    fn the_stamp_is_the_commit_that_was_built() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let stamp = super::code_stamp();
        let Some(commit) = super::checkout_commit(&root) else {
            eprintln!("skipped: no git, or no checkout");
            assert_eq!((stamp.commit.as_str(), stamp.dirty), ("unknown", true));
            return;
        };
        assert_eq!(stamp.commit, commit);
        let changes = Command::new("git")
            .arg("-C")
            .arg(&root)
            .args(["status", "--porcelain", "--untracked-files=no", "--", "crates/experiments/src"])
            .output()
            .expect("git was there a moment ago");
        assert!(stamp.dirty || changes.stdout.is_empty(), "changed sources under a stamp that says none");
        assert!(stamp.toolchain.starts_with("rustc "), "{}", stamp.toolchain);
    }
}
