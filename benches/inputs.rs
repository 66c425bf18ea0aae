//! What the benches share: where real graphs are looked for.

use std::path::Path;

use graph_datasets::{DATA_DIR_VARIABLE, SearchPath};

/// `$GRAPH_DATA_DIR`, `data/cache`, `../shared/data`, in this order.
pub fn data_folders() -> SearchPath {
    let variable = std::env::var_os(DATA_DIR_VARIABLE);
    SearchPath::standard(None, variable.as_deref(), &Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
}
