//! The public graphs that this workspace knows, and the loader that holds a file against what is known.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;

use crate::dataset::count;
use crate::{Dataset, Error, FeatureRange, SearchPath, npz};

/// What is known of one public graph; one entry of `data/datasets.toml`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Card {
    /// Short name, as on the command line.
    pub name: String,
    /// Name as papers write it.
    pub title: String,
    /// What nodes, edges, features and classes are.
    pub about: String,
    /// Number of nodes.
    pub nodes: usize,
    /// Undirected edges, each once, without self-loops.
    pub edges: usize,
    /// Edges as most papers print them.
    pub edges_in_papers: usize,
    /// Nodes with a self-loop upstream.
    pub self_loops: usize,
    /// Feature columns.
    pub features: usize,
    /// Number of classes.
    pub classes: usize,
    /// Nodes of each class.
    pub class_counts: Vec<usize>,
    feature_range: RangeEntry,
    /// Whether that range was read off the very data: then it is no public constant in earnest, and the data set is
    /// marked.
    #[serde(default)]
    pub range_from_data: bool,
    /// Density of the real features, where they are known of but not at hand.
    #[serde(default)]
    pub feature_density: Option<f64>,
    /// Licence, and of what.
    pub licence: String,
    /// Page of the source.
    pub source: String,
    /// Whom to cite.
    pub citation: String,
    /// Form of the raw files.
    pub format: RawFormat,
    /// The checked file.
    pub canonical: Canonical,
    /// The files as published.
    pub raw: Vec<RawFile>,
}

/// Form of the raw files of a data set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum RawFormat {
    /// Python pickles `ind.NAME.*`.
    Planetoid,
    /// CSV and JSON of MUSAE and FEATHER.
    Musae,
}

/// The canonical file of a data set.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Canonical {
    /// File name.
    pub file: String,
    /// sha256 of the file as first published; one that we wrote differs, its arrays do not.
    pub sha256: String,
    /// sha256 of each NPY member.
    pub arrays: BTreeMap<String, String>,
}

/// One file as published.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct RawFile {
    /// File name below `raw/`.
    pub file: String,
    /// Size.
    pub bytes: Option<u64>,
    /// sha256 of the content.
    pub sha256: Option<String>,
    /// Name of the content in git, where that is all we know.
    pub git_blob: Option<String>,
    /// Whether the graph is of use without it.
    #[serde(default)]
    pub optional: bool,
    /// Where it can be had, best first.
    pub urls: Vec<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct RangeEntry {
    low: Bound,
    high: Bound,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum Bound {
    All(f32),
    Each(Vec<f32>),
}

impl Card {
    /// Public range of the features.
    pub fn feature_range(&self) -> FeatureRange {
        let each = |bound: &Bound| match bound {
            Bound::All(value) => vec![*value; self.features],
            Bound::Each(values) => values.clone(),
        };
        match (&self.feature_range.low, &self.feature_range.high) {
            (Bound::All(low), Bound::All(high)) => FeatureRange::Uniform { low: *low, high: *high },
            (low, high) => FeatureRange::PerColumn { low: each(low), high: each(high) },
        }
    }

    /// Reads the data set from the first folder that has it and holds it against this card.
    ///
    /// LastFM is taken with features where an imported `graph.npz` is at hand, else without.
    ///
    /// # Errors
    /// [`Error::Missing`]; [`Error::In`] with [`Error::Archive`], [`Error::Checksum`], [`Error::Count`] or what
    /// [`Dataset::new`] finds wrong.
    pub fn load(&self, search: &SearchPath) -> Result<Dataset, Error> {
        let mut files = vec![FULL];
        if self.canonical.file != FULL {
            files.push(&self.canonical.file);
        }
        let path = search.find(&self.name, &files)?;
        let (dataset, sums) = npz::read(&path, &self.name, Some(&self.feature_range()))?;
        let dataset = self.check(dataset, &sums).map_err(|error| error.within(&path))?;
        Ok(dataset)
    }

    /// Holds arrays and counts against the card.
    pub(crate) fn check(&self, mut dataset: Dataset, sums: &BTreeMap<String, String>) -> Result<Dataset, Error> {
        count("nodes", self.nodes, dataset.nodes())?;
        count("edges", self.edges, dataset.edges())?;
        count("self-loops", self.self_loops, dataset.self_loops().len())?;
        count("feature columns", self.features, dataset.dimensions())?;
        count("classes", self.classes, dataset.classes())?;
        for (class, (&expected, found)) in self.class_counts.iter().zip(dataset.class_counts()).enumerate() {
            count(&format!("nodes of class {class}"), expected, found)?;
        }
        for (key, expected) in &self.canonical.arrays {
            match sums.get(key) {
                Some(found) if found == expected => {}
                found => {
                    return Err(Error::Checksum {
                        what: format!("array {key} of {}", self.name),
                        expected: expected.clone(),
                        found: found.cloned().unwrap_or_else(|| "no such array".to_owned()),
                    });
                }
            }
        }
        if dataset.features().is_some() && !self.canonical.arrays.contains_key("feat_data") {
            dataset = dataset.with_mark("features: real, but the catalog has no checksum of the imported arrays");
        }
        if self.range_from_data {
            dataset = dataset.with_mark(RANGE_FROM_DATA);
        }
        Ok(dataset)
    }
}

/// What a reader has to know of a range that was read off the data.
const RANGE_FROM_DATA: &str = "feature range: column maxima of the published file, learned from the values that are to be \
                               protected; a deployment has to agree on bounds without looking";

/// Name of a canonical file with features.
const FULL: &str = "graph.npz";

/// The entries of `data/datasets.toml`, compiled in.
///
/// # Errors
/// [`Error::Catalog`], which a test of this crate rules out for the catalog of this build.
pub fn catalog() -> Result<&'static [Card], Error> {
    static CATALOG: OnceLock<Result<Vec<Card>, String>> = OnceLock::new();
    let read = || {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct File {
            dataset: Vec<Card>,
        }
        let file: File = toml::from_str(include_str!("../../../data/datasets.toml")).map_err(|e| e.to_string())?;
        for card in &file.dataset {
            card.feature_range().check(card.features).map_err(|e| format!("{}: {e}", card.name))?;
        }
        Ok(file.dataset)
    };
    match CATALOG.get_or_init(read) {
        Ok(cards) => Ok(cards),
        Err(problem) => Err(Error::Catalog { problem: problem.clone() }),
    }
}

/// The card of the data set `name`.
///
/// # Errors
/// [`Error::UnknownName`].
pub fn card(name: &str) -> Result<&'static Card, Error> {
    let cards = catalog()?;
    cards.iter().find(|card| card.name == name).ok_or_else(|| Error::UnknownName {
        name: name.to_owned(),
        known: cards.iter().map(|card| card.name.as_str()).collect::<Vec<_>>().join(", "),
    })
}

/// Finds, reads and checks the data set `name`; see [`Card::load`].
///
/// # Errors
/// [`Error::UnknownName`], and those of [`Card::load`].
pub fn load(name: &str, search: &SearchPath) -> Result<Dataset, Error> {
    card(name)?.load(search)
}
