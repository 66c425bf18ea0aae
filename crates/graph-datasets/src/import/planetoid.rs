//! Planetoid's `ind.NAME.*` files [Yang et al., ICML 2016].
//!
//! Row i of `allx`/`ally` is node i; row i of `tx`/`ty` is the node that line i of `test.index` names. Ids that neither
//! covers (CiteSeer has 15) are nodes without features and without a label, which get class 0.

use std::path::{Path, PathBuf};

use graph_denoise::CsrMatrix;

use super::edges::CanonicalEdges;
use super::pickle::{Array, Csr, Pickle, Problem};
use super::table::line_error;
use super::{Imported, read};
use crate::dataset::count;
use crate::{Card, Dataset, DatasetParts, Error, Split};

/// Validation nodes of the public split, which follow the training nodes.
const VALIDATION: u32 = 500;

/// Reads the eight files of the data set from the folder.
pub(super) fn read_folder(card: &Card, raw: &Path) -> Result<Imported, Error> {
    let path = |part: &str| raw.join(format!("ind.{}.{part}", card.name));
    let training = csr(&path("x"))?.shape[0];
    let all = Half::read(&path("allx"), &path("ally"), card.classes)?;
    let test = Half::read(&path("tx"), &path("ty"), card.classes)?;
    let order = node_lines(&path("test.index"), card.nodes)?;
    count("nodes", test.features.rows(), order.len()).map_err(|error| error.within(&path("test.index")))?;
    let in_all = all.features.rows();
    let mut sources: Vec<Option<(&Half, usize)>> =
        (0..card.nodes).map(|node| (node < in_all).then_some((&all, node))).collect();
    for (row, &node) in order.iter().enumerate() {
        sources[node as usize] = Some((&test, row));
    }
    let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    let (mut labels, mut unlabelled, mut absent) = (Vec::with_capacity(card.nodes), 0, Vec::new());
    for (node, source) in sources.into_iter().enumerate() {
        let label = match source {
            Some((half, row)) => {
                let (columns, row_values) = half.features.row(row);
                indices.extend_from_slice(columns);
                values.extend_from_slice(row_values);
                half.labels[row]
            }
            None => {
                absent.push(node as u32);
                None
            }
        };
        unlabelled += u64::from(label.is_none());
        labels.push(label.unwrap_or(0));
        indptr.push(indices.len());
    }
    let edges = CanonicalEdges::new(adjacency(&path("graph"), card.nodes)?);
    let mut upstream = edges.upstream();
    upstream.insert("rows_without_label_upstream", unlabelled);
    let dataset = Dataset::new(DatasetParts {
        name: card.name.clone(),
        nodes: card.nodes,
        edges: edges.edges,
        self_loops: edges.self_loops,
        features: Some(CsrMatrix::new(card.features, indptr, indices, values)?),
        dimensions: card.features,
        feature_range: card.feature_range(),
        labels,
        classes: card.classes,
    })?;
    let mut test = order;
    test.sort_unstable();
    let training = training as u32;
    let split = Split {
        train: (0..training).collect(),
        validation: (training..training.saturating_add(VALIDATION)).collect(),
        test,
    };
    let mut dataset = dataset.with_public_split(split)?;
    dataset.unlabelled = absent;
    Ok(Imported { dataset, upstream })
}

/// Features and labels of the same rows.
struct Half {
    features: CsrMatrix,
    labels: Vec<Option<u32>>,
}

impl Half {
    fn read(features: &Path, labels: &Path, classes: usize) -> Result<Self, Error> {
        let half = Self { features: rows(features, csr(features)?)?, labels: one_hot(labels, classes)? };
        count("rows", half.features.rows(), half.labels.len()).map_err(|error| error.within(labels))?;
        Ok(half)
    }
}

fn byte_error(path: &Path, problem: Problem) -> Error {
    let Problem { offset, expected, found } = problem;
    Error::Byte { path: path.to_path_buf(), offset, expected: expected.to_owned(), found }
}

fn expected(path: &Path, what: &'static str) -> impl FnOnce() -> Error {
    let path: PathBuf = path.to_path_buf();
    move || byte_error(&path, Problem { offset: 0, expected: what, found: "another object".to_owned() })
}

fn csr(path: &Path) -> Result<Csr, Error> {
    let bytes = read(path)?;
    let pickle = Pickle::read(&bytes).map_err(|problem| byte_error(path, problem))?;
    pickle.csr().ok_or_else(expected(path, "a CSR matrix of numbers"))
}

/// The matrix with columns ascending in each row and without explicit zeros.
fn rows(path: &Path, csr: Csr) -> Result<CsrMatrix, Error> {
    let bad = |found: String| Error::Byte {
        path: path.to_path_buf(),
        offset: 0,
        expected: "a CSR matrix whose parts agree".to_owned(),
        found,
    };
    let Csr { shape: [rows, columns], indptr: starts, indices: from, values: data } = csr;
    if starts.len() != rows.saturating_add(1) || from.len() != data.len() {
        return Err(bad(format!("{} row starts, {} columns, {} values", starts.len(), from.len(), data.len())));
    }
    let (mut indptr, mut indices, mut values) = (vec![0], Vec::with_capacity(from.len()), Vec::new());
    let mut row = Vec::new();
    for pair in starts.windows(2) {
        let range = usize::try_from(pair[0]).ok().zip(usize::try_from(pair[1]).ok());
        let entries = range.and_then(|(start, end)| from.get(start..end).zip(data.get(start..end)));
        let Some((in_row, of_row)) = entries else { return Err(bad(format!("a row from {} to {}", pair[0], pair[1]))) };
        row.clear();
        for (&column, &value) in in_row.iter().zip(of_row) {
            let column = u32::try_from(column).map_err(|_| bad(format!("column {column}")))?;
            if value != 0.0 {
                row.push((column, value));
            }
        }
        row.sort_by_key(|&(column, _)| column);
        indices.extend(row.iter().map(|&(column, _)| column));
        values.extend(row.iter().map(|&(_, value)| value));
        indptr.push(indices.len());
    }
    CsrMatrix::new(columns, indptr, indices, values).map_err(|error| Error::from(error).within(path))
}

/// Class of each row; none where the row is all zero. A row of two classes is refused.
fn one_hot(path: &Path, classes: usize) -> Result<Vec<Option<u32>>, Error> {
    let bytes = read(path)?;
    let pickle = Pickle::read(&bytes).map_err(|problem| byte_error(path, problem))?;
    let fits = |array: &Array<'_>| array.shape.len() == 2 && array.shape[1] == classes;
    let array = pickle.array().filter(fits).and_then(|array| array.integers());
    let array = array.ok_or_else(expected(path, "an integer array with one column a class"))?;
    let class = |row: &[i64]| {
        let mut ones = (0..).zip(row).filter(|&(_, &value)| value != 0);
        let class = ones.next();
        match (class, ones.next()) {
            (None, _) => Ok(None),
            (Some((class, 1)), None) => Ok(Some(class)),
            _ => Err(expected(path, "an integer array with a single 1 a row, or none")()),
        }
    };
    array.chunks_exact(classes).map(class).collect()
}

/// One node a line, each at most once.
fn node_lines(path: &Path, nodes: usize) -> Result<Vec<u32>, Error> {
    let bytes = read(path)?;
    let text = std::str::from_utf8(&bytes).map_err(|_| line_error(path, 1, "text", "other bytes"))?;
    let mut seen = vec![false; nodes];
    let mut list = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        let node = line.parse::<u32>().ok().filter(|&node| (node as usize) < nodes);
        let node = node.filter(|&node| !std::mem::replace(&mut seen[node as usize], true));
        let shown: String = line.chars().take(60).collect();
        let wrong =
            || line_error(path, at as u64 + 1, &format!("a node in 0..{nodes}, each once"), &format!("{shown:?}"));
        list.push(node.ok_or_else(wrong)?);
    }
    Ok(list)
}

fn adjacency(path: &Path, nodes: usize) -> Result<Vec<(u32, u32)>, Error> {
    let bytes = read(path)?;
    let pickle = Pickle::read(&bytes).map_err(|problem| byte_error(path, problem))?;
    let lists = pickle.adjacency().ok_or_else(expected(path, "a dictionary of node → list of nodes"))?;
    let mut pairs = Vec::new();
    let mut seen = vec![false; nodes];
    for (from, list) in lists {
        for to in std::iter::once(from).chain(list.iter().copied()) {
            let node = u32::try_from(to).ok().filter(|&node| (node as usize) < nodes);
            if node.is_none() {
                let error = Error::EdgeOutOfRange { at: pairs.len(), from, to, nodes };
                return Err(error.within(path));
            }
        }
        seen[from as usize] = true;
        pairs.extend(list.iter().map(|&to| (from as u32, to as u32)));
    }
    let found = seen.iter().filter(|&&seen| seen).count();
    count("nodes with a list", nodes, found).map_err(|error| error.within(path))?;
    Ok(pairs)
}
