//! The raw files of the seven public graphs import to the arrays and counts that are published beside them.

use std::path::Path;

use graph_datasets::{Card, SearchPath, card, catalog, import_public, load, read_public};
use serde_json::Value;

use crate::real_data::folder;
use crate::roundtrip::members;

fn agrees(folder: &Path, card: &Card) {
    let out = tempfile::tempdir().unwrap();
    let raw = folder.join(&card.name).join("raw");
    let path = import_public(card, &raw, out.path()).unwrap();
    let published = folder.join(&card.name).join(&card.canonical.file);
    let (mut ours, mut theirs) = (members(&path), members(&published));
    ours.sort();
    theirs.sort();
    let names = |members: &[(String, Vec<u8>)]| members.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&ours), names(&theirs), "{}", card.name);
    for ((key, ours), (_, theirs)) in ours.iter().zip(&theirs) {
        assert!(ours == theirs, "{}: {key} differs", card.name);
    }
    assert_eq!(std::fs::read_dir(out.path()).unwrap().count(), 1, "nothing but the file is left");

    let imported = read_public(card, &raw).unwrap();
    let mut measured = serde_json::to_value(imported.dataset.statistics()).unwrap();
    measured["upstream"] = serde_json::to_value(&imported.upstream).unwrap();
    let stats = std::fs::read_to_string(folder.join(&card.name).join("stats.json")).unwrap();
    let stats: Value = serde_json::from_str(&stats).unwrap();
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&measured), keys(&stats), "{}", card.name);
    for (key, expected) in stats.as_object().unwrap() {
        assert!(same(&measured[key], expected), "{}: {key} is {}, not {expected}", card.name, measured[key]);
    }
}

/// Equal, numbers as numbers: the published 32-bit values are printed as 64-bit ones.
fn same(ours: &Value, theirs: &Value) -> bool {
    match (ours, theirs) {
        (Value::Array(ours), Value::Array(theirs)) => {
            ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(ours, theirs)| same(ours, theirs))
        }
        (Value::Object(ours), Value::Object(theirs)) => {
            ours.len() == theirs.len()
                && ours.iter().all(|(key, ours)| theirs.get(key).is_some_and(|theirs| same(ours, theirs)))
        }
        (Value::Number(ours), Value::Number(theirs)) => ours.as_f64() == theirs.as_f64(),
        (ours, theirs) => ours == theirs,
    }
}

#[test]
fn every_public_graph_imports_to_the_published_arrays_and_counts() {
    let Some(folder) = folder() else { return };
    for card in catalog().unwrap() {
        agrees(&folder, card);
    }
}

#[test]
fn a_changed_raw_file_is_seen_and_leaves_nothing() {
    let Some(folder) = folder() else { return };
    let card = card("cora").unwrap();
    let raw = tempfile::tempdir().unwrap();
    for file in &card.raw {
        std::fs::copy(folder.join("cora/raw").join(&file.file), raw.path().join(&file.file)).unwrap();
    }
    // Swap two lines of the test order: every count stays, features and labels go to the wrong nodes.
    let path = raw.path().join("ind.cora.test.index");
    let mut lines: Vec<String> = std::fs::read_to_string(&path).unwrap().lines().map(str::to_owned).collect();
    lines.swap(0, 1);
    std::fs::remove_file(&path).unwrap();
    std::fs::write(&path, lines.join("\n")).unwrap();
    let out = tempfile::tempdir().unwrap();
    let error = import_public(card, raw.path(), out.path()).unwrap_err().to_string();
    assert!(error.contains("sha256"), "{error}");
    assert_eq!(std::fs::read_dir(out.path()).unwrap().count(), 0);
}

#[test]
fn lastfm_takes_its_features_where_they_are() {
    let Some(folder) = folder() else { return };
    let card = card("lastfm").unwrap();
    let raw = tempfile::tempdir().unwrap();
    for file in ["lastfm_asia_edges.csv", "lastfm_asia_target.csv"] {
        std::fs::copy(folder.join("lastfm/raw").join(file), raw.path().join(file)).unwrap();
    }
    // The real file is not here; this one has its form.
    std::fs::write(raw.path().join("lastfm_asia_features.json"), r#"{"0": [7841, 3], "7623": [0]}"#).unwrap();
    let out = tempfile::tempdir().unwrap();
    let path = import_public(card, raw.path(), &out.path().join("lastfm")).unwrap();
    assert_eq!(path.file_name().unwrap(), "graph.npz");
    let dataset = load("lastfm", &SearchPath::new(vec![out.path().to_path_buf(), folder])).unwrap();
    assert_eq!(dataset.features().unwrap().row(0).0, [3, 7841]);
    assert!(dataset.marks()[0].contains("no checksum"), "{:?}", dataset.marks());
}
