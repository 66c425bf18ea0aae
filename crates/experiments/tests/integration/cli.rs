//! The command line: what is refused, with which words and which exit code.

use std::process::{Command, Output};

fn reproduce(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_reproduce"))
        .args(arguments)
        .env_remove("GRAPH_DATA_DIR")
        .env("REPRODUCE_ROOT", concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .output()
        .expect("the program starts")
}

fn refused(arguments: &[&str], words: &str) {
    let output = reproduce(arguments);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {text}");
    assert!(text.contains(words), "{arguments:?}: {text}");
}

#[test]
fn wrong_budgets_are_refused_with_their_value() {
    for wrong in ["0", "NaN", "inf", "-1", "1e-12", "x", ""] {
        let output = reproduce(&[&format!("--epsilon={wrong}"), "--print-spec"]);
        assert_eq!(output.status.code(), Some(2), "{wrong}");
        assert!(!output.stderr.is_empty());
    }
    refused(&["--epsilon=0,1"], "'0'");
}

#[test]
fn budgets_at_the_ends_of_the_range_are_taken() {
    for right in ["1e-9", "0.01", "1000000"] {
        let output = reproduce(&["--epsilon", right, "--print-spec"]);
        assert!(output.status.success(), "{right}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn wrong_arguments_are_exit_code_two() {
    refused(&["--sedes", "3"], "--sedes");
    refused(&["--seeds", "0"], "0");
    refused(&["--suite", "no-such"], "systems");
    refused(&["--seed=-1"], "a seed is a whole number from 0");
    refused(&["--shard", "3/2"], "1/4");
    refused(&["--dataset", "coar"], "coar");
    refused(&["--jobs", "0"], "0");
    refused(&["--device", "tpu"], "tpu");
    refused(&["--spec", "a.toml", "--dataset", "cora"], "--dataset");
    refused(&["--spec", "no-such-file.toml"], "no-such-file.toml");
}

#[test]
fn an_unknown_key_in_a_spec_file_is_refused_by_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let printed = reproduce(&["--print-spec"]);
    assert!(printed.status.success());
    let text = String::from_utf8(printed.stdout).expect("text");
    for (from, to, word) in [
        ("hidden = 16", "hidden = 16\nhiden = 3", "hiden"),
        ("repeats = 3", "repeats = 3\nrepeat = 1", "repeat"),
        ("kind = \"multi-bit\"", "kind = \"multi-bit\"\nnoise = 1", "noise"),
        ("kind = \"gcn\"", "kind = \"transformer\"", "transformer"),
        ("epochs = 200", "", "epochs"),
        ("learning_rate = 0.01", "learning_rate = 11.0", "11"),
        ("epsilon = 1.0", "epsilon = 0.0", "epsilon"),
    ] {
        let path = folder.path().join("plan.toml");
        assert!(text.contains(from), "the printed plan has no `{from}`");
        std::fs::write(&path, text.replacen(from, to, 1)).expect("writable");
        refused(&["--spec", path.to_str().expect("a path")], word);
    }
}

#[test]
fn a_printed_spec_is_a_spec() {
    let folder = tempfile::tempdir().expect("a folder");
    let printed = reproduce(&["--dataset", "cora", "--epsilon", "0.5", "--seeds", "2", "--print-spec"]);
    let path = folder.path().join("plan.toml");
    std::fs::write(&path, &printed.stdout).expect("writable");
    let again = reproduce(&["--spec", path.to_str().expect("a path"), "--print-spec"]);
    assert!(again.status.success(), "{}", String::from_utf8_lossy(&again.stderr));
    assert_eq!(String::from_utf8_lossy(&again.stdout), String::from_utf8_lossy(&printed.stdout));
}

#[test]
fn a_data_set_that_is_not_there_says_how_to_get_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_str().expect("a path");
    let output = reproduce(&["--dataset", "cora", "--data", path, "--out", path]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("graph.npz") && text.contains("cargo xtask fetch cora"), "{text}");
}

#[test]
fn help_teaches() {
    let text = String::from_utf8(reproduce(&["--help"]).stdout).expect("text");
    for word in ["NonPriv", "SIM", "FeatFree", "--dataset cora", "Exit codes", "--print-spec"] {
        assert!(text.contains(word), "{word}");
    }
}

#[test]
fn another_plan_in_the_same_folder_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let run = |seed: u64| {
        let mut plan = crate::small_plan();
        (plan.seed, plan.repeats) = (seed, 1);
        let file = folder.path().join("mine.toml");
        std::fs::write(&file, plan.to_toml().expect("a plan")).expect("writable");
        let output = reproduce(&["--spec", file.to_str().expect("a path"), "--out", out.to_str().expect("a path")]);
        assert!(output.status.success());
        String::from_utf8_lossy(&output.stderr).contains("held another plan")
    };
    assert_eq!([run(1), run(1), run(2)], [false, false, true]);
    let records = std::fs::read_to_string(out.join("runs.jsonl")).expect("records");
    assert_eq!(records.lines().count(), 2 * 4);
}
