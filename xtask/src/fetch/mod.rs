//! `cargo xtask fetch`: downloads the raw files of public graphs, checks them, imports them.
//!
//! A file has its name only when all of it is there and its checksum is right; until then it is called `.part`, and a
//! later run goes on where the earlier one broke off. A folder `data/cache/NAME` has its canonical file only when the
//! import agreed with the catalog.

mod checksum;
mod download;
mod sources;
#[cfg(test)]
mod tests;

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use self::download::{Client, Failure};
use self::sources::{DataSet, RawFile};
use crate::process::root;

/// What `cargo xtask fetch` was asked for.
pub(crate) struct Options {
    /// Names of data sets; `all` stands for all of the catalog.
    pub(crate) names: Vec<String>,
    /// A folder or an address with `NAME/raw/FILE` below it, in place of the public sources.
    pub(crate) from: Option<String>,
    /// Folder to put the data sets into; none: `data/cache` of the repository.
    pub(crate) to: Option<PathBuf>,
}

/// Fetches, imports and checks each data set. A failure of one does not keep the others from being fetched.
///
/// Exit codes: 1 when something could not be fetched or imported, 2 when what was asked for is not in the catalog.
pub(crate) fn run(options: &Options) -> ExitCode {
    let failed = |error: anyhow::Error, code: u8| {
        eprintln!("error: {error:#}");
        ExitCode::from(code)
    };
    let catalog = match sources::read(&root().join("data/datasets.toml")) {
        Ok(catalog) => catalog,
        Err(error) => return failed(error, 1),
    };
    match sources::choose(&catalog, &options.names) {
        Err(error) => failed(error, 2),
        Ok(wanted) => fetch_all(&wanted, options).map_or_else(|error| failed(error, 1), |()| ExitCode::SUCCESS),
    }
}

fn fetch_all(wanted: &[&DataSet], options: &Options) -> Result<()> {
    let to = options.to.clone().unwrap_or_else(|| root().join("data/cache"));
    let client = Client::new(download::Patience::default());
    let mut failed = Vec::new();
    for data_set in wanted {
        if let Err(error) = fetch(data_set, options.from.as_deref(), &to, &client, &crate::data::import) {
            eprintln!("{}: {error:#}\n", data_set.name);
            failed.push(data_set.name.as_str());
        }
    }
    if !failed.is_empty() {
        bail!("not fetched: {}", failed.join(", "));
    }
    Ok(())
}

/// Makes the canonical file in the third folder from the raw files in the second.
type Import = dyn Fn(&str, &Path, &Path) -> Result<()>;

fn fetch(data_set: &DataSet, from: Option<&str>, to: &Path, client: &Client, import: &Import) -> Result<()> {
    let folder = to.join(&data_set.name);
    let raw = folder.join("raw");
    fs::create_dir_all(&raw).with_context(|| format!("cannot make {}", raw.display()))?;
    let _lock = lock(&folder)?;
    let mut missing = Vec::new();
    for file in &data_set.raw {
        match obtain(data_set, file, from, &raw, client) {
            Ok(()) => {}
            Err(error) if file.optional => {
                eprintln!("  {}: {error:#}\n  going on without it", file.file);
            }
            Err(error) => {
                eprintln!("  {}: {error:#}", file.file);
                missing.push(file);
            }
        }
    }
    if !missing.is_empty() {
        bail!("{}", by_hand(data_set, &missing, &raw));
    }
    import(&data_set.name, &raw, &folder)
}

/// Whoever holds the lock is the only one to write below the folder.
fn lock(folder: &Path) -> Result<File> {
    let path = folder.join(".lock");
    let lock = File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => bail!("another fetch is writing to {}", folder.display()),
        Err(TryLockError::Error(error)) => Err(error).with_context(|| format!("cannot lock {}", path.display())),
    }
}

/// What to do where no network leads to the files.
fn by_hand(data_set: &DataSet, missing: &[&RawFile], raw: &Path) -> String {
    let mut text = format!(
        "{} of {} files are missing. To get them by hand, put these into {} and run `cargo xtask fetch {}` again; what \
         lies there already is checked and used:",
        missing.len(),
        data_set.raw.len(),
        raw.display(),
        data_set.name
    );
    for file in missing {
        text += &format!("\n  {}  from {}", file.file, file.urls.join("  or "));
    }
    text + "\nor name a folder or an address that has them below NAME/raw by --from"
}

/// Puts one file into the folder, if it is not there already.
fn obtain(data_set: &DataSet, file: &RawFile, from: Option<&str>, raw: &Path, client: &Client) -> Result<()> {
    let place = raw.join(&file.file);
    if place.exists() {
        match file.check(&place) {
            Ok(()) => return Ok(()),
            Err(error) => {
                eprintln!("  {}: {error:#}; fetching it anew", file.file);
                fs::remove_file(&place)?;
            }
        }
    }
    let part = raw.join(format!("{}.part", file.file));
    match from {
        Some(from) if from.starts_with("http://") || from.starts_with("https://") => {
            let url = format!("{}/{}/raw/{}", from.trim_end_matches('/'), data_set.name, file.file);
            from_network(file, &[url], &part, client)?;
        }
        Some(from) => from_folder(data_set, file, Path::new(from), &part)?,
        None => from_network(file, &file.urls, &part, client)?,
    }
    fs::rename(&part, &place).with_context(|| format!("cannot write {}", place.display()))?;
    if let Ok(folder) = File::open(raw) {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// Tries one address after the other until a file with the right checksum is there.
fn from_network(file: &RawFile, urls: &[String], part: &Path, client: &Client) -> Result<()> {
    let mut last = None;
    for url in urls {
        let outcome = client.download(url, file, part);
        // Nothing to go on from.
        if outcome.is_err() && fs::metadata(part).is_ok_and(|metadata| metadata.len() == 0) {
            fs::remove_file(part)?;
        }
        let error = match outcome {
            Ok(()) => match file.check(part) {
                Ok(()) => return Ok(()),
                Err(error) => {
                    // Not a byte of it can be trusted, so there is nothing to go on from.
                    fs::remove_file(part)?;
                    error.context(format!("{url} gave something else"))
                }
            },
            Err(Failure::Offline(error)) => return Err(error.context(format!("{url} is out of reach"))),
            Err(Failure::Refused(error)) => error.context(url.clone()),
        };
        last = Some(error);
    }
    Err(last.unwrap_or_else(|| anyhow::anyhow!("no address is known")))
}

fn from_folder(data_set: &DataSet, file: &RawFile, from: &Path, part: &Path) -> Result<()> {
    let places = [from.join(&data_set.name).join("raw"), from.join(&data_set.name), from.to_path_buf()];
    let places = places.map(|folder| folder.join(&file.file));
    let Some(place) = places.iter().find(|place| place.is_file()) else {
        let looked: Vec<String> = places.iter().map(|place| place.display().to_string()).collect();
        bail!("not among {}", looked.join(", "));
    };
    // Opened by hand: `fs::copy` would carry a read-only bit along.
    let mut source = File::open(place).with_context(|| format!("cannot read {}", place.display()))?;
    let mut target = File::create(part).with_context(|| format!("cannot write {}", part.display()))?;
    std::io::copy(&mut source, &mut target).with_context(|| format!("cannot copy {}", place.display()))?;
    target.sync_all()?;
    if let Err(error) = file.check(part) {
        fs::remove_file(part)?;
        return Err(error.context(place.display().to_string()));
    }
    println!("  {}: copied from {}", file.file, place.display());
    Ok(())
}
