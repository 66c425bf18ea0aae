//! The checks between parts in memory and a data set, and the search for files.

use std::path::Path;

use graph_datasets::{Error, SearchPath, card, load};

use crate::npz_file::{NpzFile, on_disk};

#[test]
fn unknown_names_are_answered_with_the_known_ones() {
    let error = load("korra", &SearchPath::new(Vec::new())).unwrap_err().to_string();
    assert!(error.contains("korra") && error.contains("cora") && error.contains("twitch"), "{error}");
}

#[test]
fn missing_data_say_which_file_where_and_how() {
    let search = SearchPath::standard(None, None, Path::new("/root/w"));
    let error = load("pubmed", &search).unwrap_err();
    assert!(matches!(error, Error::Missing { .. }));
    let text = error.to_string();
    for part in ["graph.npz", "/root/w/data/cache, /root/w/../shared/data", "cargo xtask fetch pubmed"] {
        assert!(text.contains(part), "{part} is not in: {text}");
    }
}

#[test]
fn a_folder_that_was_named_is_the_only_one_searched() {
    let (root, named, variable) = (tempfile::tempdir().unwrap(), Path::new("/a"), Some("/b".as_ref()));
    let cache = root.path().join("data/cache/cora");
    std::fs::create_dir_all(&cache).unwrap();
    std::fs::write(cache.join("graph.npz"), b"").unwrap();
    let search = |named, variable| SearchPath::standard(named, variable, root.path());
    assert!(search(None, None).find("cora", &["graph.npz"]).unwrap().starts_with(root.path()));
    assert!(search(None, Some("".as_ref())).find("cora", &["graph.npz"]).unwrap().starts_with(root.path()));
    for (search, only) in [(search(Some(named), variable), "/a"), (search(None, variable), "/b")] {
        assert_eq!(search.folders(), [Path::new(only)]);
        let text = search.find("cora", &["graph.npz"]).unwrap_err().to_string();
        assert!(text.contains(&format!("looked in {only}. ")), "{text}");
    }
}

#[test]
fn the_first_of_several_folders_counts() {
    let (low, high) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for folder in [&low, &high] {
        std::fs::create_dir(folder.path().join("cora")).unwrap();
        std::fs::write(folder.path().join("cora/graph.npz"), b"").unwrap();
    }
    let search = SearchPath::new(vec![high.path().to_path_buf(), low.path().to_path_buf()]);
    assert!(search.find("cora", &["graph.npz"]).unwrap().starts_with(high.path()));
}

#[test]
fn a_well_formed_file_of_another_graph_is_refused() {
    let (folder, path) = on_disk(&NpzFile::good().bytes());
    std::fs::create_dir(folder.path().join("cora")).unwrap();
    std::fs::rename(path, folder.path().join("cora/graph.npz")).unwrap();
    let error = load("cora", &SearchPath::new(vec![folder.path().to_path_buf()])).unwrap_err();
    let Error::In { problem, .. } = error else { panic!("{error}") };
    assert!(matches!(*problem, Error::Count { expected: 2708, found: 4, .. }), "{problem}");
}

#[test]
fn catalog_entries_are_consistent() {
    for name in ["cora", "citeseer", "pubmed", "lastfm", "facebook", "wikipedia", "twitch"] {
        let card = card(name).unwrap();
        assert_eq!(card.class_counts.len(), card.classes, "{name}");
        assert_eq!(card.class_counts.iter().sum::<usize>(), card.nodes, "{name}");
        assert_eq!(card.canonical.sha256.len(), 64, "{name}");
        for raw in &card.raw {
            assert!(raw.sha256.is_some() != raw.git_blob.is_some(), "{name}/{}", raw.file);
            assert!(raw.urls.iter().all(|url| url.starts_with("https://")), "{name}/{}", raw.file);
        }
    }
}
