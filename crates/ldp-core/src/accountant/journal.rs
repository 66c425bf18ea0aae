//! Where charges are recorded before they are granted: nowhere, or in an append-only file.
//!
//! The file is a sequence of 32-byte records: version, user, nano-nats, δ units, checksum, all little-endian. A
//! record counts when it is whole and its checksum fits. A torn last record belongs to a charge that was never
//! granted; it is cut off on opening. A bad record before the end is no accident of a crash and refuses the file.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::{format, string::String, vec::Vec};

use crate::Error;

/// Bytes of a record.
const RECORD: usize = 32;
/// First four bytes of every record: name and version.
const MAGIC: [u8; 4] = *b"LDP1";

/// One charge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Who is charged.
    pub user: u64,
    /// ε in nano-nats.
    pub nano: u64,
    /// δ in units of 2⁻⁶³.
    pub delta_units: u64,
}

/// A durable record of charges. [`Journal::append`] returns only when the charge would survive a crash.
pub trait Journal {
    /// Records one charge.
    ///
    /// # Errors
    /// [`Error::Storage`] when it could not be made durable; the charge then must not be granted.
    fn append(&mut self, entry: Entry) -> Result<(), Error>;
}

/// No record: charges are forgotten with the process. For simulations.
#[derive(Debug, Default)]
pub struct Volatile;

impl Journal for Volatile {
    fn append(&mut self, _: Entry) -> Result<(), Error> {
        Ok(())
    }
}

/// An append-only file, locked against a second accountant while open.
#[derive(Debug)]
pub struct JournalFile {
    file: File,
    path: PathBuf,
    length: u64,
    broken: bool,
}

impl JournalFile {
    /// Opens or creates, cuts off a torn last record, and returns the charges made so far.
    ///
    /// # Errors
    /// [`Error::Storage`] when the file cannot be opened, locked, read or mended, or holds a bad record that is not
    /// the last.
    pub fn open(path: &Path) -> Result<(Self, Vec<Entry>), Error> {
        let fail = |what: String| Error::Storage { path: path.display().to_string(), what };
        let open = || OpenOptions::new().read(true).append(true).create(true).open(path);
        let mut file = open().map_err(|e| fail(format!("{e}")))?;
        lock(&file).map_err(|e| fail(format!("{e}")))?;
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(0)).and_then(|_| file.read_to_end(&mut bytes)).map_err(|e| fail(format!("{e}")))?;
        let mut entries = Vec::new();
        for (at, record) in bytes.chunks(RECORD).enumerate() {
            match decode(record) {
                Some(entry) => entries.push(entry),
                None if (at + 1) * RECORD >= bytes.len() => break,
                None => return Err(fail(format!("record {at} is damaged"))),
            }
        }
        let length = (entries.len() * RECORD) as u64;
        if length != bytes.len() as u64 {
            file.set_len(length).and_then(|()| file.sync_all()).map_err(|e| fail(format!("{e}")))?;
        }
        if let Some(folder) = path.parent().filter(|_| length == 0) {
            // The name of a new file is durable when its folder is.
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            File::open(folder).and_then(|f| f.sync_all()).map_err(|e| fail(format!("{e}")))?;
        }
        Ok((Self { file, path: path.to_path_buf(), length, broken: false }, entries))
    }
}

impl Journal for JournalFile {
    fn append(&mut self, entry: Entry) -> Result<(), Error> {
        let fail = |what: String| Error::Storage { path: self.path.display().to_string(), what };
        if self.broken {
            return Err(fail("an earlier write failed and could not be undone".into()));
        }
        let written = self.file.write_all(&encode(entry)).and_then(|()| self.file.sync_data());
        if let Err(error) = written {
            // Undo what may be half written; if that fails too, nothing more is granted.
            let undone = self.file.set_len(self.length).and_then(|()| self.file.sync_data());
            self.broken = undone.is_err();
            return Err(fail(format!("{error}")));
        }
        self.length += RECORD as u64;
        Ok(())
    }
}

fn encode(entry: Entry) -> [u8; RECORD] {
    let mut record = [0; RECORD];
    record[..4].copy_from_slice(&MAGIC);
    record[4..12].copy_from_slice(&entry.user.to_le_bytes());
    record[12..20].copy_from_slice(&entry.nano.to_le_bytes());
    record[20..28].copy_from_slice(&entry.delta_units.to_le_bytes());
    let sum = checksum(&record[..28]);
    record[28..].copy_from_slice(&sum.to_le_bytes());
    record
}

fn decode(record: &[u8]) -> Option<Entry> {
    let record: &[u8; RECORD] = record.try_into().ok()?;
    let number = |at: usize| Some(u64::from_le_bytes(record[at..at + 8].try_into().ok()?));
    let sum = u32::from_le_bytes(record[28..].try_into().ok()?);
    if record[..4] != MAGIC || sum != checksum(&record[..28]) {
        return None;
    }
    Some(Entry { user: number(4)?, nano: number(12)?, delta_units: number(20)? })
}

/// CRC-32 (the polynomial of Ethernet), bit by bit: a record is short and written with a disk flush.
fn checksum(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 };
    !bytes.iter().fold(u32::MAX, |crc, &byte| (0..8).fold(crc ^ u32::from(byte), step))
}

/// Locks the file, waiting up to a second: a process started meanwhile holds a copy of an open file, and with it the
/// lock, from its fork to its exec.
fn lock(file: &File) -> Result<(), std::fs::TryLockError> {
    for _ in 0..50 {
        match file.try_lock() {
            Err(std::fs::TryLockError::WouldBlock) => std::thread::sleep(std::time::Duration::from_millis(20)),
            outcome => return outcome,
        }
    }
    file.try_lock()
}

#[cfg(test)]
mod tests {
    #[test]
    fn checksum_of_the_standard_text() {
        assert_eq!(super::checksum(b"123456789"), 0xCBF4_3926);
    }
}
