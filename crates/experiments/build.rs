//! Notes for the records what the program is built from: commit, whether the code was changed since, compiler.
//!
//! Run again when the commit moves or a source file that goes into the program changes, so that the note is never older
//! than the program.

use std::path::{Path, PathBuf};
use std::process::Command;

/// What goes into the program, below the root. Tests and documents are no part of it.
const CODE: [&str; 18] = [
    "Cargo.lock",
    "Cargo.toml",
    "crates/experiments/Cargo.toml",
    "crates/experiments/build.rs",
    "crates/experiments/src",
    "crates/gnn-models/Cargo.toml",
    "crates/gnn-models/src",
    "crates/graph-datasets/Cargo.toml",
    "crates/graph-datasets/src",
    "crates/graph-denoise/Cargo.toml",
    "crates/graph-denoise/src",
    "crates/ldp-core/Cargo.toml",
    "crates/ldp-core/src",
    "crates/veritas-defense/Cargo.toml",
    "crates/veritas-defense/src",
    "data/datasets.toml",
    "data/hyperparameters.toml",
    "third_party",
];

/// What git writes when the commit moves, beside the branch.
const MOVES: [&str; 2] = ["HEAD", "logs/HEAD"];

fn main() {
    // As it is now: checkouts that share a target folder share this program, too.
    let folder = std::env::var("CARGO_MANIFEST_DIR").expect("cargo names the folder");
    note("STAMPED_FOLDER", &folder);
    let root = Path::new(&folder).join("../..");
    let compiler = std::env::var_os("RUSTC").map_or_else(|| PathBuf::from("rustc"), PathBuf::from);
    note("COMPILER_VERSION", said(Command::new(compiler).arg("--version")).as_deref().unwrap_or("unknown"));

    let git = |arguments: &[&str]| said(git(&root).args(arguments));
    // Sources that were unpacked inside of somebody else's checkout have no commit of their own.
    let top = git(&["rev-parse", "--show-toplevel"]).and_then(|top| Path::new(&top).canonicalize().ok());
    let is_checkout = top.is_some() && top == root.canonicalize().ok();
    let commit = git(&["rev-parse", "HEAD"]).filter(|_| is_checkout);
    let changes = git(&[&["status", "--porcelain", "--untracked-files=no", "--"], &CODE[..]].concat());
    let is_changed = commit.is_none() || changes.is_none_or(|changes| !changes.is_empty());
    note("BUILT_FROM_COMMIT", commit.as_deref().unwrap_or("unknown"));
    note("BUILT_FROM_CHANGED", if is_changed { "yes" } else { "no" });

    let branch = git(&["symbolic-ref", "--quiet", "HEAD"]);
    let moves = MOVES.into_iter().chain(branch.as_deref()).filter(|_| is_checkout);
    let moves = moves.filter_map(|name| Some(root.join(git(&["rev-parse", "--git-path", name])?)));
    // Of a path that does not exist cargo would think that it always changes.
    for path in CODE.iter().filter(|path| root.join(path).exists()) {
        println!("cargo::rerun-if-changed=../../{path}");
    }
    for path in moves.filter(|path| path.exists()) {
        println!("cargo::rerun-if-changed={}", path.display());
    }
}

fn note(name: &str, value: &str) {
    println!("cargo::rustc-env={name}={value}");
}

/// `git` in the checkout, whatever a hook that started the build says of another one.
fn git(root: &Path) -> Command {
    let mut command = Command::new("git");
    // Looking must not write the index, whose change would be a reason to look again.
    command.arg("--no-optional-locks").arg("-C").arg(root);
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        command.env_remove(name);
    }
    command
}

/// What a program prints, where it can be started and succeeds.
fn said(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
