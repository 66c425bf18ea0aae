//! Any bytes as a GraphML file.
#![no_main]

use std::sync::OnceLock;

use graph_datasets::{FeatureRange, OwnData, import_graphml};
use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;

fuzz_target!(|bytes: &[u8]| {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    let file = FOLDER.get_or_init(|| tempfile::tempdir_in("/dev/shm").expect("a folder")).path().join("a.graphml");
    std::fs::write(&file, bytes).expect("a file");
    let feature_range = FeatureRange::Uniform { low: -1.0, high: 2.0 };
    let _ = import_graphml(&file, &OwnData { name: "fuzz".to_owned(), feature_range }, "label");
});
