//! The record file: one JSON line a run, appended when the run is finished and on the disk.
//!
//! A process that dies while it writes leaves a torn last line; the next one cuts it off and makes that run again. A
//! damaged line anywhere else is an error, since nobody should go on over it unseen.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::record::identity;
use crate::{Error, Outcome, Record};

/// An open record file, locked against other processes.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    length: u64,
    records: Vec<Record>,
    torn: bool,
}

impl Journal {
    /// Opens `folder/runs.jsonl`, creates both where they are missing, and reads what is there.
    ///
    /// # Errors
    /// [`Error::File`], [`Error::Busy`], [`Error::Record`], [`Error::RecordIdentity`], [`Error::RecordRange`].
    pub fn open(folder: &Path) -> Result<Self, Error> {
        std::fs::create_dir_all(folder).map_err(Error::file("cannot create", folder))?;
        let path = folder.join("runs.jsonl");
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(Error::file("cannot open", &path))?;
        match lock(&file) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(Error::Busy { path }),
            Err(TryLockError::Error(source)) => return Err(Error::file("cannot lock", &path)(source)),
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(Error::file("cannot read", &path))?;
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let mut records = Vec::new();
        for (index, line) in bytes[..whole].split_inclusive(|&byte| byte == b'\n').enumerate() {
            if line.trim_ascii().is_empty() {
                continue;
            }
            let record: Record = serde_json::from_slice(line).map_err(|source| Error::Record {
                path: path.clone(),
                line: index + 1,
                source,
            })?;
            if record.id != identity(&record.spec, record.seed, record.repeat, &record.data.sha256) {
                return Err(Error::RecordIdentity { path, line: index + 1, id: record.id });
            }
            let outcome = &record.outcome;
            let accuracies = [outcome.test_accuracy, outcome.validation_accuracy, outcome.train_accuracy];
            if let Some(value) = accuracies.into_iter().find(|value| !(0.0..=1.0).contains(value)) {
                return Err(Error::RecordRange { path, line: index + 1, value });
            }
            records.push(record);
        }
        let torn = whole < bytes.len();
        if torn {
            file.set_len(whole as u64).map_err(Error::file("cannot mend", &path))?;
        }
        file.seek(SeekFrom::Start(whole as u64)).map_err(Error::file("cannot read", &path))?;
        Ok(Self { path, file, length: whole as u64, records, torn })
    }

    /// Opens `folder/runs.jsonl`, and makes nothing where there is none.
    ///
    /// # Errors
    /// [`Error::NoRecords`], and those of [`open`](Self::open).
    pub fn existing(folder: &Path) -> Result<Self, Error> {
        if !folder.join("runs.jsonl").exists() {
            return Err(Error::NoRecords { folder: folder.to_owned() });
        }
        Self::open(folder)
    }

    /// The records, in the order in which they were finished.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// Whether the last line was torn and has been cut off.
    pub fn was_torn(&self) -> bool {
        self.torn
    }

    /// The record file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends a record and returns when the disk has it. On failure the file is as it was before.
    ///
    /// # Errors
    /// [`Error::File`], for instance when the disk is full.
    pub fn append(&mut self, record: Record) -> Result<(), Error> {
        // A record is plain data with string keys and finite numbers: writing it cannot fail.
        let mut line = serde_json::to_vec(&record).unwrap_or_default();
        line.push(b'\n');
        let written = self.file.write_all(&line).and_then(|()| self.file.sync_data());
        if let Err(source) = written {
            let mended = self.file.set_len(self.length).and_then(|()| self.file.seek(SeekFrom::Start(self.length)));
            return Err(Error::file("cannot append to", &self.path)(mended.err().unwrap_or(source)));
        }
        self.length += line.len() as u64;
        self.records.push(record);
        Ok(())
    }
}

/// What [`merge`] did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// Records that came from each folder, in the order of the folders.
    pub new: Vec<usize>,
    /// Records that the target holds now.
    pub total: usize,
}

/// Copies into the folder `into` the records of the folders `from` that it lacks.
///
/// All folders are read and compared before anything is written or made.
///
/// # Errors
/// [`Error::NoRecords`] for a folder of `from` without a record file; [`Error::Differs`] when two have the same run with
/// another result; those of [`Journal::open`] and [`Journal::append`].
pub fn merge(from: &[PathBuf], into: &Path) -> Result<Merged, Error> {
    let target = into.join("runs.jsonl").exists().then(|| Journal::open(into)).transpose()?;
    let mut known: BTreeMap<String, Outcome> = BTreeMap::new();
    for record in target.iter().flat_map(Journal::records) {
        known.insert(record.id.clone(), record.outcome.clone());
    }
    let (mut lacking, mut new) = (Vec::new(), Vec::new());
    for folder in from {
        let before = lacking.len();
        // The target is open already.
        let is_target = target.is_some() && folder.canonicalize().ok() == into.canonicalize().ok();
        if !is_target {
            let journal = Journal::existing(folder)?;
            for record in journal.records {
                match known.get(&record.id) {
                    Some(outcome) if *outcome == record.outcome => {}
                    Some(_) => return Err(Error::Differs { path: journal.path, id: record.id }),
                    None => {
                        known.insert(record.id.clone(), record.outcome.clone());
                        lacking.push(record);
                    }
                }
            }
        }
        new.push(lacking.len() - before);
    }
    let mut target = target.map_or_else(|| Journal::open(into), Ok)?;
    lacking.into_iter().try_for_each(|record| target.append(record))?;
    Ok(Merged { new, total: target.records.len() })
}

/// Locks the file, waiting up to a second: a process started meanwhile holds a copy of an open file, and with it the
/// lock, from its fork to its exec.
fn lock(file: &File) -> Result<(), TryLockError> {
    for _ in 0..50 {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(20)),
            outcome => return outcome,
        }
    }
    file.try_lock()
}

/// Writes a file so that a reader sees the old content or the new one, never a part.
///
/// # Errors
/// [`Error::File`].
pub fn write_whole(path: &Path, text: &str) -> Result<(), Error> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let write = || {
        let mut builder = tempfile::Builder::new();
        // Left to itself the crate lets nobody but the owner read it.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let mut file = builder.tempfile_in(folder)?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    };
    write().map_err(Error::file("cannot write", path))
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn what_is_written_whole_is_not_its_owners_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let (ours, plain) = (folder.path().join("ours"), folder.path().join("plain"));
        super::write_whole(&ours, "text").expect("room");
        std::fs::write(&plain, "text").expect("room");
        let mode = |path| std::fs::metadata(path).expect("a file").permissions().mode();
        assert_eq!(mode(&ours), mode(&plain));
    }
}
