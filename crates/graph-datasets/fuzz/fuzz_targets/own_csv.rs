//! Any bytes as one of a person's own CSV files; the first byte says which.
#![no_main]

use std::sync::OnceLock;

use graph_datasets::{FeatureRange, OwnData, import_own};
use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;

const FILES: [(&str, &str); 3] = [
    ("labels.csv", "node,label\nana,10\nbob,9\ncy,9\n"),
    ("edges.csv", "from,to\nbob,ana\nana,bob\ncy,cy\ncy,bob\n"),
    ("features.csv", "node,age,height\ncy,0,1.5\nana,-1,2\n"),
];

fuzz_target!(|bytes: &[u8]| {
    let Some((&which, bytes)) = bytes.split_first() else { return };
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| tempfile::tempdir_in("/dev/shm").expect("a folder")).path();
    for (at, (name, good)) in FILES.iter().enumerate() {
        let content = if at == usize::from(which) % FILES.len() { bytes } else { good.as_bytes() };
        std::fs::write(folder.join(name), content).expect("a file");
    }
    let feature_range = FeatureRange::Uniform { low: -1.0, high: 2.0 };
    let _ = import_own(folder, &OwnData { name: "fuzz".to_owned(), feature_range });
});
