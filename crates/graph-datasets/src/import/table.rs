//! CSV files with a header, read row by row; every error has its line.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use csv::{ErrorKind, Reader, ReaderBuilder, StringRecord, Trim};

use crate::Error;

/// Longest line. A dense row of a million columns fits; a file that is one endless line does not fill the memory.
const LONGEST_LINE: u64 = 32 << 20;

/// A CSV file, its header read. Byte order marks and both kinds of line ends are taken as they come.
pub(crate) struct Table {
    path: PathBuf,
    reader: Reader<Lines<File>>,
    header: StringRecord,
    row: StringRecord,
}

impl Table {
    /// Opens the file and reads the header.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let file = Lines { inner: super::open(path)?, line: 0, returned: false, ended: false };
        let mut reader = ReaderBuilder::new().flexible(true).trim(Trim::All).from_reader(file);
        let header = match reader.headers() {
            Ok(header) => header.clone(),
            Err(error) => return Err(explain(path, 1, &error)),
        };
        let table = Self { path: path.to_path_buf(), reader, header, row: StringRecord::new() };
        if table.header.iter().all(str::is_empty) {
            return Err(table.expected(1, "a header line", "an empty file or line"));
        }
        Ok(table)
    }

    /// The file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Names of the columns.
    pub(super) fn header(&self) -> &StringRecord {
        &self.header
    }

    /// Position of the column of this name.
    pub(crate) fn column(&self, name: &str) -> Result<usize, Error> {
        self.header.iter().position(|column| column == name).ok_or_else(|| {
            let columns: Vec<&str> = self.header.iter().take(20).collect();
            self.expected(1, &format!("a column {name:?}"), &columns.join(","))
        })
    }

    /// Reads the next row, which must have as many fields as the header; false at the end.
    pub(crate) fn next(&mut self) -> Result<bool, Error> {
        let before = self.reader.position().line();
        match self.reader.read_record(&mut self.row) {
            Ok(false) => Ok(false),
            Ok(true) if self.row.len() == self.header.len() => Ok(true),
            Ok(true) => {
                let (expected, found) = (self.header.len(), self.row.len());
                Err(self.expected(self.line(), &format!("{expected} fields, as in the header"), &format!("{found}")))
            }
            Err(error) => Err(explain(&self.path, before, &error)),
        }
    }

    /// First line of the row that was read last; empty lines before it, which are skipped, are counted.
    pub(super) fn line(&self) -> u64 {
        let within: usize = self.row.iter().map(|field| field.matches('\n').count()).sum();
        self.reader.position().line().saturating_sub(1 + within as u64).max(1)
    }

    /// A field of the row that was read last.
    pub(crate) fn field(&self, column: usize) -> &str {
        &self.row[column]
    }

    /// A field as a whole number below `bound`.
    pub(crate) fn index(&self, column: usize, bound: usize, what: &str) -> Result<u32, Error> {
        match self.field(column).parse::<u32>() {
            Ok(index) if (index as usize) < bound => Ok(index),
            _ => Err(self.wrong(&format!("{what} in 0..{bound}"), column)),
        }
    }

    /// A field as a finite number.
    pub(super) fn number(&self, column: usize) -> Result<f32, Error> {
        match self.field(column).parse::<f32>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ => Err(self.wrong("a finite number", column)),
        }
    }

    /// An error about a field of the row that was read last.
    pub(crate) fn wrong(&self, expected: &str, column: usize) -> Error {
        let shown: String = self.field(column).chars().take(60).collect();
        self.expected(self.line(), expected, &format!("{shown:?}"))
    }

    /// An error about a line.
    pub(super) fn expected(&self, line: u64, expected: &str, found: &str) -> Error {
        line_error(&self.path, line, expected, found)
    }
}

/// An error about a line of a file.
pub(super) fn line_error(path: &Path, line: u64, expected: &str, found: &str) -> Error {
    Error::Line { path: path.to_path_buf(), line, expected: expected.to_owned(), found: found.to_owned() }
}

fn explain(path: &Path, before: u64, error: &csv::Error) -> Error {
    let line = error.position().map_or(before, csv::Position::line);
    match error.kind() {
        ErrorKind::Utf8 { .. } => line_error(path, line, "UTF-8 text", "other bytes"),
        ErrorKind::Io(source) if source.kind() == io::ErrorKind::FileTooLarge => {
            line_error(path, line, &format!("lines of at most {LONGEST_LINE} bytes"), "a longer one")
        }
        ErrorKind::Io(source) => {
            Error::Io { path: path.to_path_buf(), problem: io::Error::new(source.kind(), source.to_string()) }
        }
        _ => line_error(path, line, "a row of comma-separated values", &error.to_string()),
    }
}

/// Gives every line a plain line feed as its end, the last one too, so that lines can be counted; stops reading inside
/// a line that does not end.
struct Lines<R> {
    inner: R,
    line: u64,
    /// A carriage return was read, and not yet what follows it.
    returned: bool,
    ended: bool,
}

impl<R: Read> Read for Lines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.ended || buffer.len() < 2 {
            return Ok(0);
        }
        let mut kept = 0;
        while kept == 0 {
            // One byte is left free for a carriage return that was held back.
            let read = self.inner.read(&mut buffer[1..])?;
            if read == 0 {
                self.ended = true;
                if self.line == 0 {
                    return Ok(0);
                }
                buffer[0] = b'\n';
                return Ok(1);
            }
            for at in 1..=read {
                let byte = buffer[at];
                if std::mem::replace(&mut self.returned, byte == b'\r') && byte != b'\n' {
                    buffer[kept] = b'\r';
                    kept += 1;
                }
                self.line = if byte == b'\n' { 0 } else { self.line + 1 };
                if byte != b'\r' {
                    buffer[kept] = byte;
                    kept += 1;
                }
            }
        }
        if self.line > LONGEST_LINE {
            return Err(io::Error::from(io::ErrorKind::FileTooLarge));
        }
        Ok(kept)
    }
}
