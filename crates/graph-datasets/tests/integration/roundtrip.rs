//! What is written comes back, byte for byte in every array.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use graph_datasets::{BlockModel, Dataset, SearchPath, catalog, load};
use zip::ZipArchive;

use crate::real_data::folder;
use crate::rng;

/// Name and bytes of every member of the archive.
pub(crate) fn members(path: &Path) -> Vec<(String, Vec<u8>)> {
    let mut zip = ZipArchive::new(File::open(path).unwrap()).unwrap();
    (0..zip.len())
        .map(|at| {
            let mut member = zip.by_index(at).unwrap();
            let name = member.name().unwrap().strip_suffix(".npy").unwrap().to_owned();
            let mut bytes = Vec::new();
            member.read_to_end(&mut bytes).unwrap();
            (name, bytes)
        })
        .collect()
}

#[test]
fn real_arrays_come_back_byte_for_byte() {
    let Some(folder) = folder() else { return };
    let out = tempfile::tempdir().unwrap();
    for card in catalog().unwrap() {
        let dataset = load(&card.name, &SearchPath::new(vec![folder.clone()])).unwrap();
        let path = out.path().join("graph.npz");
        dataset.write_npz(&path).unwrap();
        let written = members(&path);
        for (key, bytes) in members(&folder.join(&card.name).join(&card.canonical.file)) {
            let ours = written.iter().find(|(name, _)| *name == key);
            assert!(ours.is_some_and(|(_, ours)| *ours == bytes), "{}: {key}", card.name);
        }
    }
}

#[test]
fn range_and_marks_of_ones_own_data_come_back() {
    let dataset = BlockModel { nodes: 200, ..BlockModel::default() }.generate(&mut rng(1)).unwrap();
    let out = tempfile::tempdir().unwrap();
    let path = out.path().join("graph.npz");
    dataset.write_npz(&path).unwrap();
    let back = Dataset::read_npz(&path, "synthetic").unwrap();
    assert_eq!((back.graph(), back.features()), (dataset.graph(), dataset.features()));
    assert_eq!((back.labels(), back.feature_range()), (dataset.labels(), dataset.feature_range()));
    assert_eq!(back.marks(), dataset.marks());
    assert_eq!(back.marks().len(), 1);
}

#[test]
fn same_data_same_file() {
    let out = tempfile::tempdir().unwrap();
    let files: Vec<Vec<u8>> = ["a.npz", "b.npz"]
        .iter()
        .map(|name| {
            let path = out.path().join(name);
            BlockModel::default().generate(&mut rng(2)).unwrap().write_npz(&path).unwrap();
            std::fs::read(path).unwrap()
        })
        .collect();
    assert_eq!(files[0], files[1]);
}

#[test]
fn nothing_is_left_of_a_write_that_fails() {
    let out = tempfile::tempdir().unwrap();
    let dataset = BlockModel { nodes: 200, ..BlockModel::default() }.generate(&mut rng(3)).unwrap();
    // The final place is a folder: the last step fails, after all was written beside it.
    let place = out.path().join("graph.npz");
    std::fs::create_dir(&place).unwrap();
    dataset.write_npz(&place).unwrap_err();
    assert_eq!(std::fs::read_dir(out.path()).unwrap().count(), 1);
    assert!(dataset.write_npz(&out.path().join("nowhere/graph.npz")).is_err());
}
