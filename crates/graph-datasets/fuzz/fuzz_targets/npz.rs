//! Any bytes as a `graph.npz`: refused or well-formed, and then the same after a round trip.
#![no_main]

use std::path::PathBuf;
use std::sync::OnceLock;

use graph_datasets::Dataset;
use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;

fn file() -> PathBuf {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    FOLDER.get_or_init(|| tempfile::tempdir_in("/dev/shm").expect("a folder")).path().join("graph.npz")
}

fuzz_target!(|bytes: &[u8]| {
    let file = file();
    std::fs::write(&file, bytes).expect("a file");
    if let Ok(dataset) = Dataset::read_npz(&file, "fuzz") {
        dataset.write_npz(&file).expect("written");
        let again = Dataset::read_npz(&file, "fuzz").expect("what was written is read");
        assert_eq!((dataset.graph(), dataset.labels()), (again.graph(), again.labels()));
        assert_eq!((dataset.features(), dataset.feature_range()), (again.features(), again.feature_range()));
        let _ = dataset.statistics();
    }
});
