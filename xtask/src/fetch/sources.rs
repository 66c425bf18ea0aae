//! What `data/datasets.toml` says about raw files; the rest of it belongs to graph-datasets.

use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

#[derive(Deserialize)]
struct Catalog {
    dataset: Vec<DataSet>,
}

/// The raw files of one data set.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct DataSet {
    pub(super) name: String,
    pub(super) raw: Vec<RawFile>,
}

/// One file as published.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct RawFile {
    pub(super) file: String,
    pub(super) bytes: Option<u64>,
    pub(super) sha256: Option<String>,
    pub(super) git_blob: Option<String>,
    #[serde(default)]
    pub(super) optional: bool,
    pub(super) urls: Vec<String>,
}

pub(super) fn read(path: &Path) -> Result<Vec<DataSet>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let catalog: Catalog = toml::from_str(&text).with_context(|| path.display().to_string())?;
    Ok(catalog.dataset)
}

/// The data sets named, in the order of the catalog.
pub(super) fn choose<'a>(catalog: &'a [DataSet], names: &[String]) -> Result<Vec<&'a DataSet>> {
    let known: Vec<&str> = catalog.iter().map(|data_set| data_set.name.as_str()).collect();
    if let Some(name) = names.iter().find(|name| *name != "all" && !known.contains(&name.as_str())) {
        bail!("no data set is called {name:?}; known are {}, and `all`", known.join(", "));
    }
    if names.is_empty() {
        bail!("name data sets, or `all`; known are {}", known.join(", "));
    }
    let all = names.iter().any(|name| name == "all");
    Ok(catalog.iter().filter(|data_set| all || names.contains(&data_set.name)).collect())
}
