//! The CSV and JSON files of MUSAE and FEATHER (Rozemberczki et al.).

use std::path::Path;

use super::edges::CanonicalEdges;
use super::table::Table;
use super::{Imported, features_json};
use crate::dataset::count;
use crate::{Card, Dataset, DatasetParts, Error};

/// Where the parts of one data set are.
struct Layout {
    edges: &'static str,
    target: &'static str,
    /// Column of the node id in the target file, which is not always the row.
    node: &'static str,
    label: &'static str,
    /// Names of the classes in order; empty where the label is a number.
    classes: &'static [&'static str],
    features: &'static str,
    traffic: Option<&'static str>,
}

fn layout(name: &str) -> Option<Layout> {
    Some(match name {
        "facebook" => Layout {
            edges: "musae_facebook_edges.csv",
            target: "musae_facebook_target.csv",
            node: "id",
            label: "page_type",
            classes: &["company", "tvshow", "politician", "government"],
            features: "musae_facebook_features.json",
            traffic: None,
        },
        "wikipedia" => Layout {
            edges: "musae_crocodile_edges.csv",
            target: "wiki_croco_target.csv",
            node: "id",
            label: "target",
            classes: &[],
            features: "musae_crocodile_features.json",
            traffic: Some("musae_crocodile_target.csv"),
        },
        "twitch" => Layout {
            edges: "musae_ES_edges.csv",
            target: "musae_ES_target.csv",
            node: "new_id",
            label: "mature",
            classes: &["False", "True"],
            features: "musae_ES_features.json",
            traffic: None,
        },
        "lastfm" => Layout {
            edges: "lastfm_asia_edges.csv",
            target: "lastfm_asia_target.csv",
            node: "id",
            label: "target",
            classes: &[],
            features: "lastfm_asia_features.json",
            traffic: None,
        },
        _ => return None,
    })
}

/// Reads the files of the data set from the folder; the features may be missing where the catalog says so.
pub(super) fn read(card: &Card, raw: &Path) -> Result<Imported, Error> {
    let layout = layout(&card.name)
        .ok_or_else(|| Error::Catalog { problem: format!("no layout of MUSAE files is known for {}", card.name) })?;
    let edges = CanonicalEdges::new(read_pairs(&raw.join(layout.edges), card.nodes)?);
    let labels = read_column(&raw.join(layout.target), layout.node, layout.label, card.nodes, |table, column| {
        if layout.classes.is_empty() {
            return table.index(column, card.classes, "a class");
        }
        let class = layout.classes.iter().position(|class| *class == table.field(column));
        class
            .map(|class| class as u32)
            .ok_or_else(|| table.wrong(&format!("one of {}", layout.classes.join(", ")), column))
    })?;
    let mut upstream = edges.upstream();
    let file = raw.join(layout.features);
    let optional = card.raw.iter().any(|raw| raw.file == layout.features && raw.optional);
    let features = if optional && !file.exists() {
        None
    } else {
        let lists = features_json::read(&file, card.nodes, card.features)?;
        upstream.insert("repeated_feature_ids", lists.repeats);
        Some(lists.features)
    };
    let mut dataset = Dataset::new(DatasetParts {
        name: card.name.clone(),
        nodes: card.nodes,
        edges: edges.edges,
        self_loops: edges.self_loops,
        features,
        dimensions: card.features,
        feature_range: card.feature_range(),
        labels,
        classes: card.classes,
    })?;
    if let Some(file) = layout.traffic {
        let traffic = read_column(&raw.join(file), layout.node, "target", card.nodes, |table, column| {
            table.field(column).parse::<i64>().map_err(|_| table.wrong("a whole number", column))
        })?;
        dataset.median_labels = Some(at_or_above_median(&traffic));
        dataset.traffic = Some(traffic);
    }
    Ok(Imported { dataset, upstream })
}

/// Reads a table of two columns of node ids, whatever its header says.
pub(super) fn read_pairs(path: &Path, nodes: usize) -> Result<Vec<(u32, u32)>, Error> {
    let mut table = Table::open(path)?;
    let header = table.header();
    if header.len() != 2 || header.iter().any(|name| name.parse::<f64>().is_ok()) {
        let found = header.iter().take(20).collect::<Vec<_>>().join(",");
        return Err(table.expected(1, "a header of two names, like node_1,node_2", &found));
    }
    let mut pairs = Vec::new();
    while table.next()? {
        pairs.push((table.index(0, nodes, "a node")?, table.index(1, nodes, "a node")?));
    }
    Ok(pairs)
}

/// Reads one value for each node, in any order of rows.
fn read_column<T: Copy>(
    path: &Path,
    node: &str,
    value: &str,
    nodes: usize,
    parse: impl Fn(&Table, usize) -> Result<T, Error>,
) -> Result<Vec<T>, Error> {
    let mut table = Table::open(path)?;
    let (node, value) = (table.column(node)?, table.column(value)?);
    let mut values: Vec<Option<T>> = vec![None; nodes];
    while table.next()? {
        let at = table.index(node, nodes, "a node")? as usize;
        if values[at].replace(parse(&table, value)?).is_some() {
            return Err(table.wrong("each node once", node));
        }
    }
    let all: Vec<T> = values.iter().copied().flatten().collect();
    count("nodes with a row", nodes, all.len()).map_err(|error| error.within(path))?;
    Ok(all)
}

/// 1 where the value is at or above the median (mean of the middle two when their number is even).
fn at_or_above_median(values: &[i64]) -> Vec<u32> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let middle = sorted.len() / 2;
    // Twice the median, to stay in whole numbers.
    let doubled = if sorted.len() % 2 == 1 {
        2 * i128::from(sorted[middle])
    } else {
        i128::from(sorted[middle - 1]) + i128::from(sorted[middle])
    };
    values.iter().map(|&value| u32::from(2 * i128::from(value) >= doubled)).collect()
}
