//! From the arrays of a `graph.npz` to a checked [`Dataset`].

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::Path;

use graph_denoise::CsrMatrix;
use sha2::{Digest, Sha256};

use super::archive::{Archive, Elements, hexadecimal};
use crate::dataset::check_nodes;
use crate::{Dataset, DatasetParts, Error, FeatureRange, Split};

const KNOWN: [&str; 17] = [
    "edges",
    "feat_data",
    "feat_indices",
    "feat_indptr",
    "feature_high",
    "feature_low",
    "labels",
    "labels_median",
    "marks",
    "no_label_nodes",
    "num_classes",
    "self_loops",
    "shape",
    "test_index",
    "traffic",
    "train_index",
    "val_index",
];

/// Reads the file; returns also the sha256 of each array.
///
/// `range` is the public range of the features where somebody else (the catalog) knows it; otherwise the file says it.
pub(crate) fn read(
    path: &Path,
    name: &str,
    range: Option<&FeatureRange>,
) -> Result<(Dataset, BTreeMap<String, String>), Error> {
    let mut file = File::open(path).map_err(Error::io(path))?;
    let sha256 = sha256_of(&mut file).map_err(Error::io(path))?;
    file.rewind().map_err(Error::io(path))?;
    let (mut dataset, sums) = read_from(BufReader::new(file), name, range).map_err(|error| error.within(path))?;
    dataset.sha256 = Some(sha256);
    Ok((dataset, sums))
}

/// Hashes what is left to read.
fn sha256_of(from: &mut impl Read) -> std::io::Result<String> {
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match from.read(&mut buffer)? {
            0 => return Ok(hexadecimal(&hash.finalize())),
            read => hash.update(&buffer[..read]),
        }
    }
}

pub(crate) fn read_from<R: Read + Seek>(
    from: R,
    name: &str,
    range: Option<&FeatureRange>,
) -> Result<(Dataset, BTreeMap<String, String>), Error> {
    let mut archive = Archive::new(from)?;
    if let Some(key) = archive.keys().find(|key| KNOWN.binary_search(key).is_err()) {
        let problem = "not part of the format".to_owned();
        return Err(Error::Array { key: key.to_owned(), problem });
    }
    let shape = required(archive.read::<i64>("shape", &[Some(2)])?, "shape")?;
    let (nodes, dimensions) = (size("shape", shape[0])?, size("shape", shape[1])?);
    let classes = size("num_classes", required(archive.read::<i64>("num_classes", &[Some(1)])?, "num_classes")?[0])?;
    let n = Some(nodes as u64);
    let edges = required(archive.read::<i32>("edges", &[None, Some(2)])?, "edges")?;
    let edges = pairs(&edges, nodes)?;
    let self_loops = node_list(&mut archive, "self_loops", nodes)?.ok_or(Error::NoArray { key: "self_loops" })?;
    let labels = classes_of(required(archive.read::<i32>("labels", &[n])?, "labels")?, classes)?;
    let features = features(&mut archive, nodes, dimensions)?;
    let feature_range = match range {
        Some(range) => range.clone(),
        None => declared_range(&mut archive, dimensions)?,
    };
    let mut dataset = Dataset::new(DatasetParts {
        name: name.to_owned(),
        nodes,
        edges,
        self_loops,
        features,
        dimensions,
        feature_range,
        labels,
        classes,
    })?;
    dataset.unlabelled = node_list(&mut archive, "no_label_nodes", nodes)?.unwrap_or_default();
    dataset.traffic = archive.read::<i64>("traffic", &[n])?.map(|(traffic, _)| traffic);
    if let Some((labels, _)) = archive.read::<i32>("labels_median", &[n])? {
        dataset.median_labels = Some(classes_of(labels, 2)?);
    }
    if let Some((text, _)) = archive.read::<u8>("marks", &[None])? {
        let text = String::from_utf8(text)
            .map_err(|_| Error::Array { key: "marks".to_owned(), problem: "not UTF-8".to_owned() })?;
        dataset.marks = text.lines().map(str::to_owned).collect();
    }
    let parts = [
        node_list(&mut archive, "train_index", nodes)?,
        node_list(&mut archive, "val_index", nodes)?,
        node_list(&mut archive, "test_index", nodes)?,
    ];
    match parts {
        [Some(train), Some(validation), Some(test)] => {
            dataset = dataset.with_public_split(Split { train, validation, test })?;
        }
        [None, None, None] => {}
        _ => {
            let problem = "train_index, val_index and test_index come together".to_owned();
            return Err(Error::Array { key: "train_index".to_owned(), problem });
        }
    }
    Ok((dataset, archive.sha256()))
}

fn required<T>(read: Option<Elements<T>>, key: &'static str) -> Result<Vec<T>, Error> {
    read.map(|(elements, _)| elements).ok_or(Error::NoArray { key })
}

/// A count that fits a node id.
fn size(key: &str, value: i64) -> Result<usize, Error> {
    match u32::try_from(value) {
        Ok(value) if value <= i32::MAX as u32 => Ok(value as usize),
        _ => {
            let problem = format!("{value} is not a count between 0 and {}", i32::MAX);
            Err(Error::Array { key: key.to_owned(), problem })
        }
    }
}

fn pairs(flat: &[i32], nodes: usize) -> Result<Vec<(u32, u32)>, Error> {
    let pair = |(at, &[from, to]): (usize, &[i32; 2])| match (u32::try_from(from), u32::try_from(to)) {
        (Ok(from), Ok(to)) => Ok((from, to)),
        _ => Err(Error::EdgeOutOfRange { at, from: from.into(), to: to.into(), nodes }),
    };
    flat.as_chunks().0.iter().enumerate().map(pair).collect()
}

fn node_list<R: Read + Seek>(archive: &mut Archive<R>, key: &str, nodes: usize) -> Result<Option<Vec<u32>>, Error> {
    let Some((list, _)) = archive.read::<i32>(key, &[None])? else { return Ok(None) };
    let wrong = |at: usize, node: i32| Error::NodeList { what: key.to_owned(), at, node: node.into(), nodes };
    let list: Vec<u32> = list
        .iter()
        .enumerate()
        .map(|(at, &node)| u32::try_from(node).map_err(|_| wrong(at, node)))
        .collect::<Result<_, _>>()?;
    check_nodes(key, &list, nodes)?;
    Ok(Some(list))
}

fn classes_of(labels: Vec<i32>, classes: usize) -> Result<Vec<u32>, Error> {
    let class = |(node, label): (usize, i32)| match u32::try_from(label) {
        Ok(label) if (label as usize) < classes => Ok(label),
        _ => Err(Error::LabelOutOfRange { node, label: label.into(), classes }),
    };
    labels.into_iter().enumerate().map(class).collect()
}

fn features<R: Read + Seek>(
    archive: &mut Archive<R>,
    nodes: usize,
    dimensions: usize,
) -> Result<Option<CsrMatrix>, Error> {
    let Some((indptr, _)) = archive.read::<i64>("feat_indptr", &[Some(nodes as u64 + 1)])? else {
        if let Some(key) = archive.keys().find(|key| key.starts_with("feat_")) {
            let problem = "there is no feat_indptr to go with it".to_owned();
            return Err(Error::Array { key: key.to_owned(), problem });
        }
        return Ok(None);
    };
    let indices = required(archive.read::<i32>("feat_indices", &[None])?, "feat_indices")?;
    let entries = Some(indices.len() as u64);
    let values = required(archive.read::<f32>("feat_data", &[entries])?, "feat_data")?;
    let outside = |key: &str, found: i64| {
        let problem = format!("{found} is negative");
        Error::Array { key: key.to_owned(), problem }
    };
    let indptr: Vec<usize> = indptr
        .into_iter()
        .map(|start| usize::try_from(start).map_err(|_| outside("feat_indptr", start)))
        .collect::<Result<_, _>>()?;
    let indices: Vec<u32> = indices
        .into_iter()
        .map(|column| u32::try_from(column).map_err(|_| outside("feat_indices", column.into())))
        .collect::<Result<_, _>>()?;
    if let Some(at) = values.iter().position(|value| !value.is_finite()) {
        let node = indptr.partition_point(|&start| start <= at).saturating_sub(1);
        return Err(Error::NotFinite { node, column: indices[at] as usize, value: values[at] });
    }
    Ok(Some(CsrMatrix::new(dimensions, indptr, indices, values)?))
}

fn declared_range<R: Read + Seek>(archive: &mut Archive<R>, dimensions: usize) -> Result<FeatureRange, Error> {
    let low = archive.read::<f32>("feature_low", &[None])?;
    let high = archive.read::<f32>("feature_high", &[None])?;
    match (low, high) {
        (None, None) => Ok(FeatureRange::UNIT),
        (Some((low, _)), Some((high, _))) => match (&low[..], &high[..]) {
            (&[low], &[high]) => Ok(FeatureRange::Uniform { low, high }),
            _ => {
                let range = FeatureRange::PerColumn { low, high };
                range.check(dimensions)?;
                Ok(range)
            }
        },
        (low, _) => Err(Error::NoArray { key: if low.is_none() { "feature_low" } else { "feature_high" } }),
    }
}
