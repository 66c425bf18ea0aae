//! Counts and content of the seven public graphs, wherever the files are found.

use std::path::{Path, PathBuf};

use graph_datasets::{Error, SearchPath, card, catalog, load};

/// Folder of the real data, or nothing, said on stderr; `GRAPH_DATA_REQUIRED=1` makes nothing a failure.
pub(crate) fn folder() -> Option<PathBuf> {
    let named = std::env::var_os("GRAPH_DATA_DIR").map(PathBuf::from);
    let folder = named.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"));
    if folder.is_dir() {
        return Some(folder);
    }
    let required = std::env::var_os("GRAPH_DATA_REQUIRED").is_some_and(|value| value == "1");
    assert!(!required, "GRAPH_DATA_REQUIRED=1, but {} is no folder", folder.display());
    eprintln!("skipped: no real data, {} is no folder", folder.display());
    None
}

#[test]
fn every_public_graph_loads_with_its_counts() {
    let Some(folder) = folder() else { return };
    let search = SearchPath::new(vec![folder.clone()]);
    for card in catalog().unwrap() {
        let dataset = load(&card.name, &search).unwrap();
        // The loader has compared every count; these are the ones that papers print.
        assert_eq!((dataset.nodes(), dataset.edges()), (card.nodes, card.edges), "{}", card.name);
        let path = folder.join(&card.name).join(&card.canonical.file);
        if path.is_file() && !folder.join(&card.name).join("graph.npz").is_file() || card.name != "lastfm" {
            assert_eq!(dataset.sha256(), Some(card.canonical.sha256.as_str()), "{}", card.name);
        }
        assert_eq!(dataset.features().is_some(), card.name != "lastfm");
        let from_data: Vec<bool> = dataset.marks().iter().map(|mark| mark.contains("column maxima")).collect();
        assert_eq!(from_data, vec![true; usize::from(card.name == "pubmed")], "{}", card.name);
    }
}

#[test]
fn entries_of_cora_as_upstream_has_them() {
    let Some(folder) = folder() else { return };
    let dataset = load("cora", &SearchPath::new(vec![folder])).unwrap();
    // From `ind.cora.graph`: node 0 lists 633, 1862, 2582.
    assert_eq!(dataset.graph().neighbours(0), [633, 1862, 2582]);
    assert_eq!(dataset.labels()[..5], [3, 4, 4, 0, 3]);
    let split = dataset.public_split().unwrap();
    assert_eq!((split.train.len(), split.validation.len(), split.test.len()), (140, 500, 1000));
    assert_eq!((split.train[139], split.validation[0], split.test[0]), (139, 140, 1708));
}

#[test]
fn a_wrong_byte_in_a_real_file_is_seen() {
    let Some(folder) = folder() else { return };
    let mut bytes = std::fs::read(folder.join("cora/graph.npz")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    let copy = tempfile::tempdir().unwrap();
    std::fs::create_dir(copy.path().join("cora")).unwrap();
    std::fs::write(copy.path().join("cora/graph.npz"), bytes).unwrap();
    let error = load("cora", &SearchPath::new(vec![copy.path().to_path_buf()])).unwrap_err();
    assert!(matches!(error, Error::In { .. }), "{error}");
}

#[test]
fn a_change_that_keeps_every_count_fails_the_checksum() {
    let Some(folder) = folder() else { return };
    let dataset = load("cora", &SearchPath::new(vec![folder])).unwrap();
    // Swap the labels of two nodes of different classes: all counts stay.
    let labels = {
        let mut labels = dataset.labels().to_vec();
        labels.swap(0, 1);
        labels
    };
    assert_ne!(labels, dataset.labels());
    let copy = tempfile::tempdir().unwrap();
    std::fs::create_dir(copy.path().join("cora")).unwrap();
    let path = copy.path().join("cora/graph.npz");
    dataset.write_npz(&path).unwrap();
    let swapped = crate::roundtrip::members(&path);
    let mut file = crate::npz_file::NpzFile(swapped);
    let signed: Vec<i32> = labels.iter().map(|&label| label as i32).collect();
    file = file.with("labels", crate::npz_file::i32s("(2708,)", &signed));
    std::fs::write(&path, file.bytes()).unwrap();
    let error = load("cora", &SearchPath::new(vec![copy.path().to_path_buf()])).unwrap_err();
    let Error::In { problem, .. } = error else { panic!("{error}") };
    let expected = &card("cora").unwrap().canonical.arrays["labels"];
    assert!(
        matches!(&*problem, Error::Checksum { what, expected: e, .. } if what == "array labels of cora" && e == expected),
        "{problem}"
    );
}
