//! Writing a [`Dataset`] as a `graph.npz`: whole or not at all.

use std::fs::File;
use std::io::{Seek, Write};
use std::path::Path;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::npy::{Element, Header};
use crate::{Dataset, Error, FeatureRange};

/// Elements encoded at a time.
const CHUNK: usize = 1 << 14;

/// Writes the file beside its final place, flushes it to the disk, then renames it: whoever opens `path` finds the old
/// file or the new one, never a part.
///
/// `declared` adds the feature range and the marks, for data that are in no catalog.
pub(crate) fn write(path: &Path, dataset: &Dataset, declared: bool) -> Result<(), Error> {
    write_file(path, |file| arrays(file, dataset, declared))
}

/// Runs `content` on a new file and puts it in place of `path` when that went well.
pub(crate) fn write_file(path: &Path, content: impl FnOnce(&mut File) -> std::io::Result<()>) -> Result<(), Error> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".part-");
    // A temporary file is its owner's alone; what it becomes is read by whomever the umask lets.
    #[cfg(unix)]
    let readable = <std::fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o666);
    #[cfg(unix)]
    builder.permissions(readable);
    let mut file = builder.tempfile_in(folder).map_err(Error::io(folder))?;
    content(file.as_file_mut()).map_err(Error::io(path))?;
    file.as_file().sync_all().map_err(Error::io(path))?;
    file.persist(path).map_err(|error| Error::Io { path: path.to_path_buf(), problem: error.error })?;
    // The rename itself must survive a power cut too; not every system can open a folder.
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
    Ok(())
}

fn arrays(file: &mut File, dataset: &Dataset, declared: bool) -> std::io::Result<()> {
    let mut zip = ZipWriter::new(file);
    let edges: Vec<i32> = dataset.graph.iter_edges().flat_map(|(from, to)| [from as i32, to as i32]).collect();
    array(&mut zip, "edges", &[edges.len() as u64 / 2, 2], &edges)?;
    list(&mut zip, "self_loops", &signed(&dataset.self_loops))?;
    list(&mut zip, "labels", &signed(&dataset.labels))?;
    list(&mut zip, "num_classes", &[dataset.classes as i64])?;
    list(&mut zip, "shape", &[dataset.nodes() as i64, dataset.dimensions as i64])?;
    if let Some(features) = &dataset.features {
        let indptr: Vec<i64> = features.indptr().iter().map(|&start| start as i64).collect();
        list(&mut zip, "feat_indptr", &indptr)?;
        list(&mut zip, "feat_indices", &signed(features.indices()))?;
        list(&mut zip, "feat_data", features.values())?;
    }
    if let Some(split) = &dataset.public_split {
        list(&mut zip, "train_index", &signed(&split.train))?;
        list(&mut zip, "val_index", &signed(&split.validation))?;
        list(&mut zip, "test_index", &signed(&split.test))?;
    }
    if !dataset.unlabelled.is_empty() {
        list(&mut zip, "no_label_nodes", &signed(&dataset.unlabelled))?;
    }
    if let Some(traffic) = &dataset.traffic {
        list(&mut zip, "traffic", traffic)?;
    }
    if let Some(labels) = &dataset.median_labels {
        list(&mut zip, "labels_median", &signed(labels))?;
    }
    if declared {
        let (low, high) = match &dataset.feature_range {
            FeatureRange::Uniform { low, high } => (vec![*low], vec![*high]),
            FeatureRange::PerColumn { low, high } => (low.clone(), high.clone()),
        };
        list(&mut zip, "feature_low", &low)?;
        list(&mut zip, "feature_high", &high)?;
        if !dataset.marks.is_empty() {
            list(&mut zip, "marks", dataset.marks.join("\n").as_bytes())?;
        }
    }
    zip.finish()?;
    Ok(())
}

/// Node ids and classes as the format has them; they are below 2³¹ by [`Dataset`]'s own bounds.
fn signed(list: &[u32]) -> Vec<i32> {
    list.iter().map(|&entry| entry as i32).collect()
}

fn list<T: Element, W: Write + Seek>(zip: &mut ZipWriter<W>, key: &str, elements: &[T]) -> std::io::Result<()> {
    array(zip, key, &[elements.len() as u64], elements)
}

fn array<T: Element, W: Write + Seek>(
    zip: &mut ZipWriter<W>,
    key: &str,
    shape: &[u64],
    elements: &[T],
) -> std::io::Result<()> {
    let header = Header { descr: T::DESCR.to_owned(), shape: shape.to_vec() };
    // The time stamp is fixed, so that the same data give the same file.
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(DateTime::default());
    zip.start_file(format!("{key}.npy"), options)?;
    zip.write_all(&header.to_bytes())?;
    let mut bytes = Vec::with_capacity(CHUNK * T::SIZE);
    for chunk in elements.chunks(CHUNK) {
        bytes.clear();
        T::encode(chunk, &mut bytes);
        zip.write_all(&bytes)?;
    }
    Ok(())
}
