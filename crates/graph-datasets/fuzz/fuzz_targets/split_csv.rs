//! Any bytes as a split file for 100 nodes: refused, or a split that comes back.
#![no_main]

use std::path::PathBuf;
use std::sync::OnceLock;

use graph_datasets::Split;
use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;

fn file() -> PathBuf {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    FOLDER.get_or_init(|| tempfile::tempdir_in("/dev/shm").expect("a folder")).path().join("split.csv")
}

fuzz_target!(|bytes: &[u8]| {
    let file = file();
    std::fs::write(&file, bytes).expect("a file");
    if let Ok(split) = Split::read_csv(&file, 100) {
        split.write_csv(&file).expect("written");
        assert_eq!(Split::read_csv(&file, 100).expect("what was written is read"), split);
    }
});
