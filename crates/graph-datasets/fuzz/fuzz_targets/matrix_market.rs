//! Any bytes as the edges or the features of a Matrix Market pair; the first byte says which.
#![no_main]

use std::sync::OnceLock;

use graph_datasets::{FeatureRange, OwnData, import_own};
use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;

const FILES: [(&str, &str); 2] = [
    ("edges.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n"),
    ("features.mtx", "%%MatrixMarket matrix coordinate real general\n3 2 2\n1 2 2\n3 1 -1\n"),
];

fuzz_target!(|bytes: &[u8]| {
    let Some((&which, bytes)) = bytes.split_first() else { return };
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| tempfile::tempdir_in("/dev/shm").expect("a folder")).path();
    std::fs::write(folder.join("labels.csv"), "node,label\nana,10\nbob,9\ncy,9\n").expect("a file");
    for (at, (name, good)) in FILES.iter().enumerate() {
        let content = if at == usize::from(which) % FILES.len() { bytes } else { good.as_bytes() };
        std::fs::write(folder.join(name), content).expect("a file");
    }
    let feature_range = FeatureRange::Uniform { low: -1.0, high: 2.0 };
    let _ = import_own(folder, &OwnData { name: "fuzz".to_owned(), feature_range });
});
