//! The 128-column Twitch file that PyTorch Geometric used to download, for those who have it.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use graph_denoise::CsrMatrix;

use super::Imported;
use super::edges::CanonicalEdges;
use crate::npz::Archive;
use crate::{Card, Dataset, DatasetParts, Error, FeatureRange, npz};

/// Columns of the embedding.
const COLUMNS: u64 = 128;

/// Reads `ES.npz` of PyTorch Geometric's `Twitch`: `edges` (int64, both directions and a self-loop for every node),
/// `features` (float, nodes × 128), `target` (int64).
///
/// Graph and labels must be those of the catalog's Twitch; the loops, which no upstream file has, are dropped. No
/// public range of the embedding is known, so the caller declares one.
///
/// # Errors
/// [`Error::In`] with what is wrong in the file: another dtype or shape, a value outside the range, or
/// [`Error::Checksum`] when graph or labels are others.
pub fn import_twitch_embedding(card: &Card, path: &Path, range: FeatureRange) -> Result<Imported, Error> {
    read(card, path, range).map_err(|error| error.within(path))
}

fn read(card: &Card, path: &Path, range: FeatureRange) -> Result<Imported, Error> {
    let mut archive = Archive::new(BufReader::new(File::open(path).map_err(Error::io(path))?))?;
    let nodes = card.nodes;
    let (edges, _) = archive.read::<i64>("edges", &[None, Some(2)])?.ok_or(Error::NoArray { key: "edges" })?;
    let (target, _) = archive.read::<i64>("target", &[Some(nodes as u64)])?.ok_or(Error::NoArray { key: "target" })?;
    let shape = [Some(nodes as u64), Some(COLUMNS)];
    let values = match archive.read::<f32>("features", &shape) {
        Err(Error::Dtype { .. }) => archive
            .read::<f64>("features", &shape)?
            .map(|(values, _)| values.into_iter().map(|value| value as f32).collect()),
        read => read?.map(|(values, _)| values),
    };
    let values: Vec<f32> = values.ok_or(Error::NoArray { key: "features" })?;
    let id = |node: i64| u32::try_from(node).ok().filter(|&node| (node as usize) < nodes);
    let pair = |(at, &[from, to]): (usize, &[i64; 2])| {
        id(from).zip(id(to)).ok_or(Error::EdgeOutOfRange { at, from, to, nodes })
    };
    let pairs = edges.as_chunks().0.iter().enumerate().map(pair).collect::<Result<_, _>>()?;
    let label = |(node, label): (usize, i64)| match u32::try_from(label) {
        Ok(label) if (label as usize) < card.classes => Ok(label),
        _ => Err(Error::LabelOutOfRange { node, label, classes: card.classes }),
    };
    let labels = target.into_iter().enumerate().map(label).collect::<Result<_, _>>()?;
    let edges = CanonicalEdges::new(pairs);
    let upstream = edges.upstream();
    let columns = COLUMNS as usize;
    let indices = (0..nodes).flat_map(|_| 0..COLUMNS as u32).collect();
    let starts = (0..=nodes).map(|node| node * columns).collect();
    let dataset = Dataset::new(DatasetParts {
        name: card.name.clone(),
        nodes,
        edges: edges.edges,
        self_loops: Vec::new(),
        features: Some(CsrMatrix::new(columns, starts, indices, values)?),
        dimensions: columns,
        feature_range: range,
        labels,
        classes: card.classes,
    })?;
    let folder = tempfile::tempdir().map_err(Error::io(path))?;
    let copy = folder.path().join("graph.npz");
    npz::write(&copy, &dataset, true)?;
    let (_, found) = npz::read(&copy, &card.name, None)?;
    for key in ["edges", "labels"] {
        let expected = card.canonical.arrays.get(key).cloned().unwrap_or_default();
        let found = found.get(key).cloned().unwrap_or_default();
        if expected != found {
            return Err(Error::Checksum { what: format!("array {key} of {}", card.name), expected, found });
        }
    }
    let dataset = dataset.with_mark("features: the 128-column embedding of PyTorch Geometric, not the 3,170 published");
    Ok(Imported { dataset, upstream })
}
