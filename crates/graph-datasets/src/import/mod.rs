//! From what people have to a checked [`Dataset`].
//!
//! Each reader streams where the format lets it, holds no more than a fixed multiple of what the file really contains,
//! and says file, line (or byte) and what it expected.

mod edges;
mod embedding;
mod features_json;
mod graphml;
mod matrix_market;
mod musae;
mod own;
mod pickle;
mod planetoid;
mod public;
mod table;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

pub use embedding::import_twitch_embedding;
pub use graphml::import_graphml;
pub use own::{OwnData, import_own};
pub use public::{import_public, read_public};
pub(crate) use table::Table;

use crate::{Dataset, Error};

/// A data set with what was dropped on the way in.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Imported {
    /// The data set.
    pub dataset: Dataset,
    /// Counts of the raw files, by the names of the data sets' `stats.json`: rows of edges, of self-loops, of repeated
    /// edges, repeated feature ids, nodes without a label.
    pub upstream: BTreeMap<&'static str, u64>,
}

/// Largest raw file that is read.
const LARGEST: u64 = 1 << 30;

/// Opens a raw file that is no larger than any that is meant.
fn open(path: &Path) -> Result<File, Error> {
    let file = File::open(path).map_err(Error::io(path))?;
    let found = file.metadata().map_err(Error::io(path))?.len();
    if found > LARGEST {
        let error = Error::TooLarge { what: "bytes of a raw file".to_owned(), found, limit: LARGEST };
        return Err(error.within(path));
    }
    Ok(file)
}

/// The whole of a raw file.
fn read(path: &Path) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    open(path)?.take(LARGEST).read_to_end(&mut bytes).map_err(Error::io(path))?;
    Ok(bytes)
}
