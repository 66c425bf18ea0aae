//! Where data are looked for.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::Error;

/// Name of the environment variable that a program hands to [`SearchPath::standard`].
pub const DATA_DIR_VARIABLE: &str = "GRAPH_DATA_DIR";

/// Folders that hold data sets, one folder a data set, in the order in which they are searched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchPath {
    folders: Vec<PathBuf>,
}

impl SearchPath {
    /// What every command of this workspace searches: only the folder `named` on the command line (`--data`) where
    /// there is one; else only the folder in the value of [`DATA_DIR_VARIABLE`] where there is one; else `data/cache`
    /// and `../shared/data` below the workspace `root`. Who names a folder gets the data of that folder or none.
    pub fn standard(named: Option<&Path>, variable: Option<&OsStr>, root: &Path) -> Self {
        let variable = variable.filter(|value| !value.is_empty()).map(Path::new);
        Self {
            folders: match named.or(variable) {
                Some(folder) => vec![folder.to_path_buf()],
                None => vec![root.join("data/cache"), root.join("../shared/data")],
            },
        }
    }

    /// These folders, in this order.
    pub fn new(folders: Vec<PathBuf>) -> Self {
        Self { folders }
    }

    /// The folders, in order.
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// The first of the `files` that is in the folder of the data set `name`, folder by folder.
    ///
    /// # Errors
    /// [`Error::Missing`], which says where it looked and how to get the data.
    pub fn find(&self, name: &str, files: &[&str]) -> Result<PathBuf, Error> {
        let places =
            || self.folders.iter().flat_map(|folder| files.iter().map(move |file| folder.join(name).join(file)));
        places().find(|place| place.is_file()).ok_or_else(|| Error::Missing {
            name: name.to_owned(),
            file: files.join(" or "),
            looked: self.folders.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>().join(", "),
        })
    }
}
