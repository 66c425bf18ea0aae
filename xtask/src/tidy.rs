//! File heads, file lengths, words. What the compiler does not see.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::process::root;

/// Lines of a source file above which it must be split.
const LONGEST: usize = 500;

/// Words with no honest use here, and the project's own word for the thing.
const WORDS: [(&str, &str); 4] =
    [("noisify", "randomize"), ("debias", "rectify"), ("x_star", "report"), ("anonymise", "randomize")];

/// Checks every tracked Rust file.
pub(crate) fn check() -> Result<()> {
    let mut faults = Vec::new();
    let files = rust_files()?;
    for file in &files {
        let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        let name = file.strip_prefix(root()).unwrap_or(file).display().to_string();
        faults.extend(complaints(&name, &text));
    }
    let architecture = root().join("docs/architecture.md");
    let written = std::fs::read_to_string(&architecture).context("docs/architecture.md")?;
    if !written.contains(&crate::layers::table()) {
        faults.push("docs/architecture.md: the table of layers differs from `cargo xtask layers --print`".to_owned());
    }
    if !faults.is_empty() {
        bail!("tidy:\n  {}", faults.join("\n  "));
    }
    eprintln!("✔ tidy: {} files", files.len());
    Ok(())
}

fn rust_files() -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> = ["crates", "benches", "examples", "xtask"].map(|name| root().join(name)).into();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))? {
            let path = entry?.path();
            if path.is_dir() && !path.ends_with("target") {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

fn complaints(name: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    if !text.starts_with("//!") && !text.starts_with("#![") {
        found.push(format!("{name}: opens without `//!`, which says what the file is for"));
    }
    let lines = text.lines().count();
    if lines > LONGEST {
        found.push(format!("{name}: {lines} lines, more than {LONGEST}: split it"));
    }
    if !Path::new(name).ends_with("xtask/src/tidy.rs") {
        for (word, ours) in WORDS {
            if let Some(line) = text.lines().position(|line| line.contains(word)) {
                found.push(format!("{name}:{}: `{word}`: our word is `{ours}`", line + 1));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::complaints;

    #[test]
    fn each_rule_fires() {
        assert_eq!(complaints("a.rs", "//! Fine.\n"), Vec::<String>::new());
        assert_eq!(complaints("a.rs", "fn main() {}\n").len(), 1);
        assert_eq!(complaints("a.rs", &format!("//! Long.\n{}", "\n".repeat(500))).len(), 1);
        assert_eq!(complaints("a.rs", "//! We debias here.\n").len(), 1);
    }
}
