//! Rows given by their few non-default values, checked once.

use crate::{Bounds, Error};

/// Columns compared at once when a row is searched.
const BLOCK: usize = 16;

/// Compressed sparse rows inside public bounds: row r holds `values[k]` in column `indices[k]` for
/// k in `indptr[r]..indptr[r + 1]`, and the public default everywhere else.
#[derive(Clone, Copy, Debug)]
pub struct SparseRows<'a> {
    dimensions: usize,
    bounds: Bounds,
    indptr: &'a [usize],
    indices: &'a [u32],
    values: &'a [f32],
    absent: f32,
}

impl<'a> SparseRows<'a> {
    /// Checks and borrows. `indptr` has one entry more than there are rows.
    ///
    /// # Errors
    /// [`Error::SparseRows`] when `indptr` does not ascend from 0 to the number of indices, or the columns of a row
    /// do not ascend strictly below `dimensions`; [`Error::Length`] when values and indices differ in number;
    /// [`Error::Value`] when a value or the default is outside `bounds` or not a number.
    pub fn new(
        dimensions: usize,
        bounds: Bounds,
        indptr: &'a [usize],
        indices: &'a [u32],
        values: &'a [f32],
        absent: f32,
    ) -> Result<Self, Error> {
        if values.len() != indices.len() {
            return Err(Error::Length { what: "values", expected: indices.len(), got: values.len() });
        }
        let broken = |what, position| Err(Error::SparseRows { what, position });
        if indptr.first() != Some(&0) || indptr.last() != Some(&indices.len()) {
            return broken("indptr must run from 0 to the number of indices", 0);
        }
        for (row, ends) in indptr.windows(2).enumerate() {
            // The last entry bounds the others only when they ascend, so this comes before slicing.
            if ends[0] > ends[1] || ends[1] > indices.len() {
                return broken("indptr must ascend", row + 1);
            }
            let columns = &indices[ends[0]..ends[1]];
            if columns.last().is_some_and(|&last| last as usize >= dimensions) {
                return broken("a column is not below the number of dimensions", ends[1] - 1);
            }
            let ascending = columns.iter().zip(columns.iter().skip(1)).fold(true, |ok, (a, b)| ok & (a < b));
            if !ascending {
                return broken("columns of a row must ascend strictly", ends[0]);
            }
        }
        if bounds.contain_all(values) && bounds.contains(f64::from(absent)) {
            Ok(Self { dimensions, bounds, indptr, indices, values, absent })
        } else {
            Err(bounds.outside())
        }
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.indptr.len() - 1
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of columns.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// The bounds that all values were checked against.
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// The value of every column that a row does not list.
    #[must_use]
    pub fn absent(&self) -> f32 {
        self.absent
    }

    /// The listed value at (`row`, `column`), if any.
    ///
    /// # Panics
    /// When `row` is not below [`SparseRows::len`].
    #[inline]
    #[must_use]
    pub fn get(&self, row: usize, column: u32) -> Option<f32> {
        if self.may_list(row, &[column]) { self.search(row, column) } else { None }
    }

    #[cold]
    fn search(&self, row: usize, column: u32) -> Option<f32> {
        let (start, end) = (self.indptr[row], self.indptr[row + 1]);
        let position = self.indices[start..end].binary_search(&column).ok()?;
        Some(self.values[start + position])
    }

    /// False when surely none of `columns` is listed in `row`. Sampled columns seldom are, so whole blocks are
    /// compared without a branch, over the end of the row: what is found there, the search that follows puts right.
    #[inline]
    pub(super) fn may_list<const M: usize>(&self, row: usize, columns: &[u32; M]) -> bool {
        let (mut at, end) = (self.indptr[row], self.indptr[row + 1]);
        let mut found = [0_u32; BLOCK];
        while at < end {
            let Some(block) = self.indices[at..].first_chunk::<BLOCK>() else {
                return true;
            };
            for &column in columns {
                for (found, &c) in found.iter_mut().zip(block) {
                    *found |= if c == column { u32::MAX } else { 0 };
                }
            }
            at += BLOCK;
        }
        let found = found.iter().fold(0, |all, f| all | f);
        found != 0
    }
}

/// Which users the rows belong to; a user's number places the words of its report in the stream.
#[derive(Clone, Copy, Debug)]
pub enum Users<'a> {
    /// Row r belongs to user `first + r`. The fast form: the stream is read in one go.
    From(u64),
    /// Row r belongs to user `list[r]`.
    Listed(&'a [u64]),
}

impl Users<'_> {
    pub(crate) fn number(self, row: usize) -> u64 {
        match self {
            Self::From(first) => first + row as u64,
            Self::Listed(list) => list[row],
        }
    }

    pub(crate) fn check(self, rows: usize) -> Result<(), Error> {
        match self {
            Self::Listed(list) if list.len() != rows => {
                Err(Error::Length { what: "users", expected: rows, got: list.len() })
            }
            _ => Ok(()),
        }
    }
}
