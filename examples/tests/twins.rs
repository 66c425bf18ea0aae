//! Every example on its synthetic twin: with no data set at hand it says what is missing and runs to the end.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The examples, and whether they ask for a published graph.
const EXAMPLES: [(&str, bool); 9] = [
    ("quickstart", false),
    ("own_graph", false),
    ("cora", true),
    ("citeseer", true),
    ("pubmed", true),
    ("lastfm", true),
    ("facebook", true),
    ("wikipedia", true),
    ("twitch", true),
];

/// Where cargo puts examples: beside the folder of this test's own program.
fn program(name: &str) -> PathBuf {
    let own = std::env::current_exe().expect("a path");
    let profile = own.ancestors().nth(2).expect("target/PROFILE");
    profile.join("examples").join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

fn run(name: &str, arguments: &[&str], data: &Path) -> Output {
    let program = program(name);
    assert!(program.exists(), "{} is not built; run all targets: cargo test --release -p examples", program.display());
    Command::new(program).args(arguments).env("GRAPH_DATA_DIR", data).output().expect("the program starts")
}

#[test]
fn each_runs_without_data_and_says_what_is_missing() {
    let empty = tempfile::tempdir().expect("a folder");
    for (name, published) in EXAMPLES {
        let output = run(name, &[], empty.path());
        let (told, printed) = (String::from_utf8_lossy(&output.stderr), String::from_utf8_lossy(&output.stdout));
        assert!(output.status.success() && !printed.is_empty(), "{name}: {told}");
        let missing = format!("cargo xtask fetch {name}");
        assert_eq!(told.contains(&missing) && told.contains("twin"), published, "{name}: {told}");
    }
}

#[test]
fn each_is_short_and_all_are_run_here() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found: Vec<String> = Vec::new();
    for entry in std::fs::read_dir(folder).expect("this package") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            let lines = std::fs::read_to_string(&path).expect("text").lines().count();
            assert!(lines <= 40, "{}: {lines} lines, more than 40", path.display());
            found.push(path.file_stem().and_then(|stem| stem.to_str()).expect("a name").to_owned());
        }
    }
    found.sort();
    let mut listed = EXAMPLES.map(|(name, _)| name.to_owned());
    listed.sort();
    assert_eq!(found, listed);
}

#[test]
fn an_own_graph_that_lacks_a_file_is_told_which() {
    let empty = tempfile::tempdir().expect("a folder");
    let output = run("own_graph", &[empty.path().to_str().expect("a path")], empty.path());
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("labels.csv"));
}

#[test]
fn an_own_graph_is_told_which_bound_is_no_number() {
    let empty = tempfile::tempdir().expect("a folder");
    let folder = empty.path().to_str().expect("a path");
    for (given, words) in [(&[folder, "0", "ten"][..], "\"ten\""), (&[folder, "0"], "two numbers")] {
        let output = run("own_graph", given, empty.path());
        assert!(!output.status.success());
        assert!(String::from_utf8_lossy(&output.stderr).contains(words), "{given:?}");
    }
}
