//! Matrix Market files in coordinate form, as graph and matrix collections hand them out.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use super::table::line_error;
use crate::Error;

/// Entries of a sparse matrix, counted from 0; those of a symmetric one once, as the file has them.
#[derive(Debug)]
pub(super) struct Coordinates {
    pub(super) rows: usize,
    pub(super) columns: usize,
    /// Row, column and value; 1 where the file has a pattern only.
    pub(super) entries: Vec<(u32, u32, f32)>,
    /// Line of each entry.
    pub(super) lines: Vec<u64>,
    pub(super) symmetric: bool,
}

/// Longest line; three numbers fit well.
const LONGEST_LINE: u64 = 1024;

/// Reads `%%MatrixMarket matrix coordinate (pattern|integer|real) (general|symmetric)`.
pub(super) fn read(path: &Path) -> Result<Coordinates, Error> {
    let mut lines = Lines { reader: BufReader::new(super::open(path)?), path, number: 0, text: String::new() };
    let expected = "%%MatrixMarket matrix coordinate pattern|integer|real general|symmetric";
    lines.next()?;
    let banner = lines.text.to_ascii_lowercase();
    let words: Vec<&str> = banner.split_whitespace().collect();
    let &["%%matrixmarket", "matrix", "coordinate", kind, symmetry] = &words[..] else {
        return Err(lines.wrong(expected));
    };
    let (pattern, symmetric) = match (kind, symmetry) {
        ("pattern" | "integer" | "real", "general" | "symmetric") => (kind == "pattern", symmetry == "symmetric"),
        _ => return Err(lines.wrong(expected)),
    };
    while lines.next()? && (lines.text.trim().is_empty() || lines.text.starts_with('%')) {}
    let sizes: Option<Vec<u32>> = lines.text.split_whitespace().map(|word| word.parse().ok()).collect();
    let Some(&[rows, columns, claimed]) = sizes.as_deref() else {
        return Err(lines.wrong("numbers of rows, columns and entries"));
    };
    let (rows, columns) = (rows as usize, columns as usize);
    let mut found = Coordinates { rows, columns, entries: Vec::new(), lines: Vec::new(), symmetric };
    while lines.next()? {
        let mut words = lines.text.split_whitespace();
        let Some(row) = words.next() else { continue };
        let place = |word: Option<&str>, bound: usize| {
            let place = word.and_then(|word| word.parse::<u32>().ok());
            place.filter(|&place| place >= 1 && place as usize <= bound).map(|place| place - 1)
        };
        let (row, column) = (place(Some(row), rows), place(words.next(), columns));
        let value = if pattern { Some(1.0) } else { words.next().and_then(|word| word.parse().ok()) };
        let value = value.filter(|value: &f32| value.is_finite());
        let (Some(row), Some(column), Some(value), None) = (row, column, value, words.next()) else {
            let numbers = if pattern { "" } else { " and a finite number" };
            return Err(lines.wrong(&format!("a row from 1 to {rows}, a column from 1 to {columns}{numbers}")));
        };
        if found.entries.len() == claimed as usize {
            return Err(lines.wrong(&format!("the end of the file after {claimed} entries")));
        }
        found.entries.push((row, column, value));
        found.lines.push(lines.number);
    }
    if found.entries.len() < claimed as usize {
        let short = format!("the end of the file after {}", found.entries.len());
        return Err(line_error(path, lines.number, &format!("{claimed} entries"), &short));
    }
    Ok(found)
}

struct Lines<'a, R> {
    reader: R,
    path: &'a Path,
    number: u64,
    text: String,
}

impl<R: BufRead> Lines<'_, R> {
    /// Reads the next line; false, and an empty line, at the end.
    fn next(&mut self) -> Result<bool, Error> {
        let mut bytes = Vec::new();
        let read = (&mut self.reader).take(LONGEST_LINE).read_until(b'\n', &mut bytes).map_err(Error::io(self.path))?;
        self.number += 1;
        self.text.clear();
        let Ok(text) = std::str::from_utf8(&bytes) else {
            return Err(line_error(self.path, self.number, "text", "other bytes"));
        };
        if read as u64 == LONGEST_LINE && !text.ends_with('\n') {
            let expected = format!("lines of at most {LONGEST_LINE} bytes");
            return Err(line_error(self.path, self.number, &expected, "a longer one"));
        }
        self.text.push_str(text.trim_start_matches('\u{feff}').trim_end());
        Ok(read > 0)
    }

    fn wrong(&self, expected: &str) -> Error {
        let shown: String = self.text.chars().take(60).collect();
        line_error(self.path, self.number, expected, &format!("{shown:?}"))
    }
}
