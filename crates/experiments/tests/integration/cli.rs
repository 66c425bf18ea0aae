//! The command line: what is refused, with which words and which exit code.

use std::path::Path;
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
    for cause in text.split(": ").map(str::trim).filter(|cause| cause.len() > 12) {
        assert_eq!(text.matches(cause).count(), 1, "{arguments:?} says a thing twice: {text}");
    }
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
fn the_label_budget_picks_from_a_suite_that_has_its_own() {
    let asked = ["--suite=lpgnn-labels", "--dataset=cora", "--method=Drop", "--label-epsilon"];
    let output = reproduce(&[&asked[..], &["0.5", "--print-spec"]].concat());
    let text = String::from_utf8_lossy(&output.stdout);
    let budgets: Vec<&str> = text.lines().filter(|line| line.starts_with("label_epsilon")).collect();
    assert_eq!(budgets, ["label_epsilon = \"0.5\""], "{text}");
    refused(&[&asked[..], &["0.7", "--print-spec"]].concat(), "no arm of suite lpgnn-labels");
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
    assert_eq!(output.status.code(), Some(2), "{text}");
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

/// A graph of four people, with what is the matter with it: words of the error.
fn own_graphs(folder: &Path) -> [(String, &'static str); 5] {
    let labels = "node,label\na,tea\nb,coffee\nc,tea\nd,coffee\n";
    let (edges, features) = ("from,to\na,b\nb,c\nc,d\n", "node,x\na,1\nb,0\nc,1\nd,0\n");
    let write = |name: &str, files: &[(&str, &str)], words: &'static str| {
        let place = folder.join(name);
        std::fs::create_dir(&place).expect("writable");
        files.iter().for_each(|(file, text)| std::fs::write(place.join(file), text).expect("writable"));
        (place.to_str().expect("a path").to_owned(), words)
    };
    let (labels, features) = (("labels.csv", labels), ("features.csv", features));
    [
        write("empty", &[], "labels.csv"),
        write("stranger", &[labels, ("edges.csv", "from,to\na,zz\n"), features], "line 2"),
        write("one class", &[("labels.csv", "node,label\na,tea\nb,tea\n"), ("edges.csv", "f,t\na,b\n")], "2"),
        write("range", &[labels, ("edges.csv", edges), ("features.csv", "node,x\na,7\nb,0\nc,1\nd,0\n")], "[0, 1]"),
        write("without", &[labels, ("edges.csv", edges)], "features.csv"),
    ]
}

/// Whatever names something wrong is exit code 2, each cause is said once, and nothing is left behind.
#[test]
fn a_wrong_request_is_exit_code_two_wherever_it_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("a path").to_owned();
    let (none, out) = (path("none"), path("out"));
    for (graph, words) in own_graphs(folder.path()) {
        refused(&["--dataset", &graph, "--dry-run", "--out", &out], words);
        refused(&["--dataset", &graph, "--out", &out], words);
    }
    let damaged = path("damaged");
    std::fs::create_dir(&damaged).expect("writable");
    std::fs::write(folder.path().join("damaged/runs.jsonl"), "{}\n").expect("writable");
    let table: [(&[&str], &str); 14] = [
        // A folder of its own: of runs that are finished none needs data or memory.
        (&["--dataset", "cora", "--data", &none, "--dry-run", "--out", &out], "cargo xtask fetch cora"),
        (&["--max-memory", "0.001", "--dry-run", "--out", &out], "--max-memory allows 1"),
        (&["--max-memory", "NaN", "--dry-run", "--out", &out], "NaN"),
        (&["--suite", "systems,controls", "--print-spec"], "2 were asked for"),
        (&["trace", "LPGNN", "--out", &none], "no runs.jsonl"),
        (&["trace", "LPGNN", "--out", &damaged], "line 1"),
        (&["merge", &none, "--into", &out], "no runs.jsonl"),
        (&["merge", &damaged, "--into", &out], "line 1"),
        (&["--feature-range", "0,5", "--dry-run"], "--feature-range would change nothing on synthetic"),
        (&["--feature-range", "0,5", "--dataset", "./a,cora", "--dry-run"], "nothing on cora"),
        (&["--feature-range", "0,5", "--suite", "controls", "--dry-run"], "suite controls"),
        (&["--features", "synthetic", "--dataset", "./a", "--dry-run"], "--features would change nothing on ./a"),
        (&["--features", "synthetic", "--dry-run"], "nothing on synthetic"),
        (&["--spec", &damaged, "--feature-range", "0,5"], "--feature-range"),
    ];
    for (arguments, words) in table {
        refused(arguments, words);
    }
    assert!(!folder.path().join("none").exists() && !folder.path().join("out").exists(), "something was left behind");
}

/// What the machine does not give is exit code 1.
#[test]
fn a_folder_that_cannot_be_had_is_exit_code_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let taken = folder.path().join("taken");
    std::fs::write(&taken, "x").expect("writable");
    let held = folder.path().join("held");
    let _journal = experiments::Journal::open(&held).expect("free");
    let file = folder.path().join("mine.toml");
    std::fs::write(&file, crate::small_plan().to_toml().expect("a plan")).expect("writable");
    for (out, words) in [(taken, "cannot create"), (held, "in use by another process")] {
        let [file, out] = [&file, &out].map(|path| path.to_str().expect("a path"));
        let output = reproduce(&["--spec", file, "--out", out]);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains(words), "{text}");
    }
}

/// Records of earlier code are read, merged and traced.
#[test]
fn records_that_were_kept_can_still_be_read() {
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/results");
    let mut seen = 0;
    for entry in std::fs::read_dir(results).expect("results") {
        let kept = entry.expect("an entry").path();
        let Ok(text) = std::fs::read_to_string(kept.join("runs.jsonl")) else { continue };
        // A copy: opening a record file locks it.
        let folder = tempfile::tempdir().expect("a folder");
        let (copy, all) = (folder.path().join("copy"), folder.path().join("all"));
        std::fs::create_dir_all(copy.join("plans")).expect("writable");
        std::fs::write(copy.join("runs.jsonl"), &text).expect("writable");
        for plan in std::fs::read_dir(kept.join("plans")).expect("plans") {
            let plan = plan.expect("an entry");
            std::fs::copy(plan.path(), copy.join("plans").join(plan.file_name())).expect("writable");
        }
        let [copy, all] = [&copy, &all].map(|path| path.to_str().expect("a path"));
        let merged = reproduce(&["merge", copy, "--into", all]);
        let said = String::from_utf8_lossy(&merged.stdout).into_owned();
        assert!(said.contains(&format!(": {} new records", text.lines().count())), "{}: {said}", kept.display());
        let first: String = text.trim_start_matches("{\"id\":\"").chars().take(6).collect();
        let traced = reproduce(&["trace", &first, "--out", copy]);
        assert!(traced.status.success() && traced.stdout.len() > 1000, "{}", kept.display());
        seen += 1;
    }
    assert!(seen > 0);
}
