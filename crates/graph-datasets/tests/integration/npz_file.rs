//! Hand-made npz files, written by the ZIP crate and not by our writer, so that a test can get everything wrong.

use std::io::{Cursor, Write};
use std::path::PathBuf;

use tempfile::TempDir;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// Arrays by name, as the bytes of their NPY members.
#[derive(Clone)]
pub(crate) struct NpzFile(pub(crate) Vec<(String, Vec<u8>)>);

/// An NPY member with this header and data.
pub(crate) fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut raw = b"\x93NUMPY\x01\x00".to_vec();
    raw.extend((text.len() as u16).to_le_bytes());
    raw.extend(text.as_bytes());
    raw.extend(data);
    raw
}

pub(crate) fn i32s(shape: &str, values: &[i32]) -> Vec<u8> {
    npy("<i4", shape, &values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>())
}

pub(crate) fn i64s(shape: &str, values: &[i64]) -> Vec<u8> {
    npy("<i8", shape, &values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>())
}

pub(crate) fn f32s(shape: &str, values: &[f32]) -> Vec<u8> {
    npy("<f4", shape, &values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>())
}

impl NpzFile {
    /// A path of four nodes, two classes, three binary columns, all as it should be.
    pub(crate) fn good() -> Self {
        Self(Vec::new())
            .with("edges", i32s("(3, 2)", &[0, 1, 1, 2, 2, 3]))
            .with("self_loops", i32s("(1,)", &[2]))
            .with("labels", i32s("(4,)", &[0, 0, 1, 1]))
            .with("num_classes", i64s("(1,)", &[2]))
            .with("shape", i64s("(2,)", &[4, 3]))
            .with("feat_indptr", i64s("(5,)", &[0, 1, 2, 2, 4]))
            .with("feat_indices", i32s("(4,)", &[0, 2, 0, 1]))
            .with("feat_data", f32s("(4,)", &[1.0, 1.0, 1.0, 0.5]))
    }

    /// Sets an array.
    pub(crate) fn with(mut self, key: &str, member: Vec<u8>) -> Self {
        match self.0.iter_mut().find(|(name, _)| name == key) {
            Some(array) => array.1 = member,
            None => self.0.push((key.to_owned(), member)),
        }
        self
    }

    /// Takes an array away.
    pub(crate) fn without(mut self, key: &str) -> Self {
        self.0.retain(|(name, _)| name != key);
        self
    }

    /// The archive.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for (key, member) in &self.0 {
            zip.start_file(format!("{key}.npy"), SimpleFileOptions::default()).unwrap();
            zip.write_all(member).unwrap();
        }
        zip.finish().unwrap().into_inner()
    }
}

/// Puts these bytes into a file of a folder that goes when the guard goes.
pub(crate) fn on_disk(bytes: &[u8]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.npz");
    std::fs::write(&path, bytes).unwrap();
    (folder, path)
}
