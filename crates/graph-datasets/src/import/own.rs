//! A person's own graph: `labels.csv`, `edges.csv` and, if there are features, `features.csv`; edges and features may
//! be Matrix Market files instead.
//!
//! Ids of nodes and names of classes and features are any text. Nodes are numbered in the order of `labels.csv`;
//! classes and features in numerical order where all their names are whole numbers, else in the order of the text.

use std::collections::HashMap;
use std::path::Path;

use graph_denoise::CsrMatrix;

use super::edges::CanonicalEdges;
use super::table::{Table, line_error};
use super::{Imported, matrix_market};
use crate::dataset::count;
use crate::{Dataset, DatasetParts, Error, FeatureRange};

/// What the files cannot say.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnData {
    /// Name of the data set.
    pub name: String,
    /// Public range of the features: what every value could be, not what the values happen to be.
    pub feature_range: FeatureRange,
}

/// Reads a folder with
///
/// - `labels.csv`: a header, then `node,label`;
/// - `edges.csv`: a header, then two node ids; both directions, repeats and self-loops are welcome;
/// - `features.csv`, if any: dense (`node` and one column a feature; a node without a row has only zeros) or, with the
///   header `node,feature,value`, one row a value.
///
/// In place of `edges.csv` there may be `edges.mtx`, in place of `features.csv` `features.mtx`: Matrix Market files in
/// coordinate form, whose row k is the k-th node of `labels.csv`. Values of edges are not looked at.
///
/// # Errors
/// [`Error::Io`], [`Error::Line`] and what [`Dataset::new`] finds wrong.
pub fn import_own(folder: &Path, own: &OwnData) -> Result<Imported, Error> {
    let (nodes, labels, classes) = read_labels(&folder.join("labels.csv"))?;
    let matrix = folder.join("edges.mtx");
    let pairs = if matrix.exists() {
        matrix_edges(&matrix, nodes.len())?
    } else {
        read_edges(&folder.join("edges.csv"), &nodes)?
    };
    let edges = CanonicalEdges::new(pairs);
    let (file, matrix) = (folder.join("features.csv"), folder.join("features.mtx"));
    let features = match (matrix.exists(), file.exists()) {
        (true, _) => Some(matrix_features(&matrix, nodes.len())?),
        (false, true) => Some(read_features(&file, &nodes)?),
        (false, false) => None,
    };
    let upstream = edges.upstream();
    let dataset = Dataset::new(DatasetParts {
        name: own.name.clone(),
        nodes: labels.len(),
        edges: edges.edges,
        self_loops: edges.self_loops,
        dimensions: features.as_ref().map_or(0, CsrMatrix::columns),
        features,
        feature_range: own.feature_range.clone(),
        labels,
        classes,
    })
    .map_err(|error| error.within(folder))?;
    Ok(Imported { dataset, upstream })
}

pub(super) type Ids = HashMap<String, u32>;

/// Most nodes, classes or features that are told apart by name; each takes some 80 bytes.
pub(super) const MOST_NAMES: usize = 1 << 24;

fn check_names(names: &Ids, table: &Table) -> Result<(), Error> {
    if names.len() > MOST_NAMES {
        return Err(table.expected(table.line(), &format!("at most {MOST_NAMES} different names"), "one more"));
    }
    Ok(())
}

fn read_labels(path: &Path) -> Result<(Ids, Vec<u32>, usize), Error> {
    let mut table = Table::open(path)?;
    let (node, label) = (table.column("node")?, table.column("label")?);
    let mut nodes = Ids::new();
    let (mut names, mut labels) = (Ids::new(), Vec::new());
    while table.next()? {
        if table.field(label).is_empty() {
            return Err(table.wrong("a label", label));
        }
        let next = nodes.len() as u32;
        if table.field(node).is_empty() || nodes.insert(table.field(node).to_owned(), next).is_some() {
            return Err(table.wrong("a node id, each once", node));
        }
        check_names(&nodes, &table)?;
        labels.push(number(&mut names, table.field(label)));
    }
    let order = sorted(&names);
    for label in &mut labels {
        *label = order[*label as usize];
    }
    Ok((nodes, labels, names.len()))
}

fn read_edges(path: &Path, nodes: &Ids) -> Result<Vec<(u32, u32)>, Error> {
    let mut table = Table::open(path)?;
    if table.header().len() != 2 || table.header().iter().any(|name| nodes.contains_key(name)) {
        let found = table.header().iter().take(20).collect::<Vec<_>>().join(",");
        return Err(table.expected(1, "a header of two names that are no node ids", &found));
    }
    let mut pairs = Vec::new();
    while table.next()? {
        pairs.push((known(&table, 0, nodes)?, known(&table, 1, nodes)?));
    }
    Ok(pairs)
}

fn read_features(path: &Path, nodes: &Ids) -> Result<CsrMatrix, Error> {
    let mut table = Table::open(path)?;
    if table.header().iter().eq(["node", "feature", "value"]) {
        return read_triples(table, nodes);
    }
    let node = table.column("node")?;
    let columns = table.header().len() - 1;
    let mut rows: Vec<Option<(usize, usize)>> = vec![None; nodes.len()];
    let mut flat: Vec<(u32, f32)> = Vec::new();
    while table.next()? {
        let at = known(&table, node, nodes)? as usize;
        let start = flat.len();
        let fields = (0..=columns).filter(|&column| column != node);
        for (column, field) in fields.enumerate() {
            let value = table.number(field)?;
            if value != 0.0 {
                flat.push((column as u32, value));
            }
        }
        if rows[at].replace((start, flat.len())).is_some() {
            return Err(table.wrong("each node once", node));
        }
    }
    assemble(columns, rows.into_iter().map(|row| row.map_or(&[][..], |(start, end)| &flat[start..end])))
}

fn read_triples(mut table: Table, nodes: &Ids) -> Result<CsrMatrix, Error> {
    let mut names = Ids::new();
    let mut entries: Vec<(u32, u32, f32)> = Vec::new();
    // Where each entry stands, to name the line of a repeated one.
    let mut lines = Vec::new();
    while table.next()? {
        let node = known(&table, 0, nodes)?;
        if table.field(1).is_empty() {
            return Err(table.wrong("the name of a feature", 1));
        }
        let feature = number(&mut names, table.field(1));
        check_names(&names, &table)?;
        entries.push((node, feature, table.number(2)?));
        lines.push(table.line());
    }
    let order = sorted(&names);
    for (_, feature, _) in &mut entries {
        *feature = order[*feature as usize];
    }
    from_entries(nodes.len(), names.len(), &entries, &lines, table.path())
}

/// The matrix with these entries; one that stands twice is an error in its line.
fn from_entries(
    nodes: usize,
    columns: usize,
    entries: &[(u32, u32, f32)],
    lines: &[u64],
    path: &Path,
) -> Result<CsrMatrix, Error> {
    let mut sorted: Vec<usize> = (0..entries.len()).collect();
    let key = |at: usize| (entries[at].0, entries[at].1);
    sorted.sort_by_key(|&at| key(at));
    if let Some(pair) = sorted.windows(2).find(|pair| key(pair[0]) == key(pair[1])) {
        return Err(line_error(path, lines[pair[1]], "each feature of a node once", "a repetition"));
    }
    let mut rows: Vec<Vec<(u32, f32)>> = vec![Vec::new(); nodes];
    for at in sorted {
        let (node, feature, value) = entries[at];
        if value != 0.0 {
            rows[node as usize].push((feature, value));
        }
    }
    assemble(columns, rows.iter().map(Vec::as_slice))
}

fn matrix_edges(path: &Path, nodes: usize) -> Result<Vec<(u32, u32)>, Error> {
    let matrix = matrix_market::read(path)?;
    for (what, found) in [("rows", matrix.rows), ("columns", matrix.columns)] {
        count(&format!("{what}, one a node of labels.csv"), nodes, found).map_err(|error| error.within(path))?;
    }
    Ok(matrix.entries.into_iter().map(|(from, to, _)| (from, to)).collect())
}

fn matrix_features(path: &Path, nodes: usize) -> Result<CsrMatrix, Error> {
    let matrix = matrix_market::read(path)?;
    if matrix.symmetric {
        return Err(line_error(path, 1, "a general matrix", "a symmetric one"));
    }
    count("rows, one a node of labels.csv", nodes, matrix.rows).map_err(|error| error.within(path))?;
    from_entries(nodes, matrix.columns, &matrix.entries, &matrix.lines, path)
}

fn assemble<'a>(columns: usize, rows: impl Iterator<Item = &'a [(u32, f32)]>) -> Result<CsrMatrix, Error> {
    let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in rows {
        indices.extend(row.iter().map(|&(column, _)| column));
        values.extend(row.iter().map(|&(_, value)| value));
        indptr.push(indices.len());
    }
    Ok(CsrMatrix::new(columns, indptr, indices, values)?)
}

fn known(table: &Table, column: usize, nodes: &Ids) -> Result<u32, Error> {
    nodes.get(table.field(column)).copied().ok_or_else(|| table.wrong("a node of labels.csv", column))
}

/// Number of the name, a new one if it was not seen before.
pub(super) fn number(names: &mut Ids, name: &str) -> u32 {
    if let Some(&number) = names.get(name) {
        return number;
    }
    let number = names.len() as u32;
    names.insert(name.to_owned(), number);
    number
}

/// Final number of each name: numerical order if all are whole numbers, else the order of the text.
pub(super) fn sorted(names: &Ids) -> Vec<u32> {
    let mut order: Vec<(&str, u32)> = names.iter().map(|(name, &number)| (name.as_str(), number)).collect();
    let numbers: Option<HashMap<&str, i64>> =
        order.iter().map(|&(name, _)| name.parse().ok().map(|value| (name, value))).collect();
    // The text decides between spellings of one number, so that the order never depends on the hash.
    order.sort_by_key(|&(name, _)| (numbers.as_ref().map(|numbers| numbers[name]), name));
    let mut place = vec![0; order.len()];
    for (at, (_, number)) in order.into_iter().enumerate() {
        place[number as usize] = at as u32;
    }
    place
}
