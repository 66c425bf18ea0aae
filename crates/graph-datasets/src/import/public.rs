//! Raw files of the catalog's data sets to checked canonical files.

use std::path::{Path, PathBuf};

use super::{Imported, musae, planetoid};
use crate::{Card, Error, RawFormat, npz};

/// Reads the raw files of a data set of the catalog from the folder that holds them.
///
/// # Errors
/// [`Error::Io`] for a missing file, [`Error::Line`] or [`Error::Byte`] for one that does not follow its format, and
/// what [`Dataset::new`](crate::Dataset::new) finds wrong.
pub fn read_public(card: &Card, raw: &Path) -> Result<Imported, Error> {
    match card.format {
        RawFormat::Planetoid => planetoid::read_folder(card, raw),
        RawFormat::Musae => musae::read(card, raw),
    }
}

/// Reads the raw files and writes the canonical file into `folder`, once it agrees with the catalog; returns its path.
///
/// # Errors
/// Those of [`read_public`]; [`Error::Checksum`] or [`Error::Count`] when the outcome is not what the catalog says, and
/// then no file is written.
pub fn import_public(card: &Card, raw: &Path, folder: &Path) -> Result<PathBuf, Error> {
    let imported = read_public(card, raw)?;
    std::fs::create_dir_all(folder).map_err(Error::io(folder))?;
    let file = if imported.dataset.features().is_some() { "graph.npz" } else { card.canonical.file.as_str() };
    // Written and read back beside its final place: what is checked is what will lie there.
    let trial = tempfile::Builder::new().prefix(".import-").tempdir_in(folder).map_err(Error::io(folder))?;
    let written = trial.path().join(file);
    npz::write(&written, &imported.dataset, false)?;
    let (dataset, sums) = npz::read(&written, &card.name, Some(&card.feature_range()))?;
    card.check(dataset, &sums).map_err(|error| error.within(raw))?;
    let path = folder.join(file);
    std::fs::rename(&written, &path).map_err(Error::io(&path))?;
    Ok(path)
}
