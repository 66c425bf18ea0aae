//! Sparse weights, features and reports.

use crate::Error;
use crate::pages::Pages;

/// A sparse matrix of `f32`, rows one after the other, columns ascending in each row.
///
/// Serves as the weights of a propagation (nodes × nodes) and as sparse features or reports (nodes × dimensions).
#[derive(Debug, Clone, PartialEq)]
pub struct CsrMatrix {
    columns: usize,
    indptr: Vec<usize>,
    indices: Pages<u32>,
    values: Pages<f32>,
}

impl CsrMatrix {
    /// Checks and takes the three arrays.
    ///
    /// # Errors
    /// [`Error::Shape`] when lengths disagree, [`Error::RowStarts`], [`Error::Column`], [`Error::NotFinite`].
    pub fn new(columns: usize, indptr: Vec<usize>, indices: Vec<u32>, values: Vec<f32>) -> Result<Self, Error> {
        if indptr.is_empty() {
            return Err(Error::Shape { what: "row starts", expected: 1, found: 0 });
        }
        if indices.len() != values.len() {
            return Err(Error::Shape {
                what: "values, one a column index",
                expected: indices.len(),
                found: values.len(),
            });
        }
        let entries = indices.len();
        let rows = indptr.len() - 1;
        if indptr[0] != 0 {
            return Err(Error::RowStarts { row: 0, found: indptr[0], entries });
        }
        for row in 0..rows {
            if indptr[row + 1] < indptr[row] || indptr[row + 1] > entries {
                return Err(Error::RowStarts { row: row + 1, found: indptr[row + 1], entries });
            }
        }
        if indptr[rows] != entries {
            return Err(Error::RowStarts { row: rows, found: indptr[rows], entries });
        }
        for row in 0..rows {
            let mut last = None;
            for at in indptr[row]..indptr[row + 1] {
                let column = indices[at];
                if column as usize >= columns || last.is_some_and(|before| column <= before) {
                    return Err(Error::Column { row, column, columns });
                }
                last = Some(column);
                if !values[at].is_finite() {
                    return Err(Error::NotFinite { what: "sparse matrix", row, value: values[at] });
                }
            }
        }
        Ok(Self::trusted(columns, indptr, indices, values))
    }

    /// Builds a matrix from `(row, column, value)` in any order; values of the same place are added, in the order given.
    ///
    /// # Errors
    /// [`Error::Shape`] for a row outside `0..rows` (`found` is one more than the row), [`Error::Column`],
    /// [`Error::NotFinite`], also for a sum.
    ///
    /// # Complexity
    /// Time O(rows + entries · log(longest row)), space O(rows + entries).
    pub fn from_triplets(rows: usize, columns: usize, triplets: &[(u32, u32, f32)]) -> Result<Self, Error> {
        let mut next = vec![0usize; rows + 1];
        for &(row, column, value) in triplets {
            let at = row as usize;
            if at >= rows {
                return Err(Error::Shape { what: "rows that a triplet needs", expected: rows, found: at + 1 });
            }
            if column as usize >= columns {
                return Err(Error::Column { row: at, column, columns });
            }
            if !value.is_finite() {
                return Err(Error::NotFinite { what: "sparse matrix", row: at, value });
            }
            next[at + 1] += 1;
        }
        for row in 0..rows {
            next[row + 1] += next[row];
        }
        let starts = next.clone();
        let mut sorted = vec![(0u32, 0f32); triplets.len()];
        for &(row, column, value) in triplets {
            sorted[next[row as usize]] = (column, value);
            next[row as usize] += 1;
        }
        let mut indptr = Vec::with_capacity(rows + 1);
        let (mut indices, mut values) = (Vec::with_capacity(sorted.len()), Vec::with_capacity(sorted.len()));
        indptr.push(0);
        for row in 0..rows {
            let list = &mut sorted[starts[row]..starts[row + 1]];
            list.sort_by_key(|entry| entry.0);
            for same in list.chunk_by(|a, b| a.0 == b.0) {
                indices.push(same[0].0);
                values.push(same.iter().map(|entry| entry.1).sum::<f32>());
            }
            indptr.push(indices.len());
        }
        Self::new(columns, indptr, indices, values)
    }

    /// Takes arrays that this crate made: they keep what [`CsrMatrix::new`] checks.
    pub(crate) fn trusted(
        columns: usize,
        indptr: Vec<usize>,
        indices: impl Into<Pages<u32>>,
        values: impl Into<Pages<f32>>,
    ) -> Self {
        Self { columns, indptr, indices: indices.into(), values: values.into() }
    }

    /// Bytes of the three arrays.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(self.indptr()) + size_of_val(self.indices()) + size_of_val(self.values())
    }

    /// Row starts, columns and values, for another matrix to be written over.
    pub(crate) fn into_arrays(self) -> (Vec<usize>, Pages<u32>, Pages<f32>) {
        (self.indptr, self.indices, self.values)
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.indptr.len() - 1
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Number of stored entries.
    pub fn entries(&self) -> usize {
        self.indices.len()
    }

    /// Row starts, one more than there are rows.
    pub fn indptr(&self) -> &[usize] {
        &self.indptr
    }

    /// Column of each entry.
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// Value of each entry.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// Columns and values of one row.
    ///
    /// # Panics
    /// When there is no such row.
    pub fn row(&self, row: usize) -> (&[u32], &[f32]) {
        let range = self.indptr[row]..self.indptr[row + 1];
        (&self.indices[range.clone()], &self.values[range])
    }

    /// The transpose. Time and space O(rows + columns + entries).
    pub fn transpose(&self) -> Self {
        let mut indptr = vec![0usize; self.columns + 1];
        for &column in self.indices() {
            indptr[column as usize + 1] += 1;
        }
        for column in 0..self.columns {
            indptr[column + 1] += indptr[column];
        }
        let mut next = indptr.clone();
        let mut indices = Pages::zeros(self.entries());
        let mut values = Pages::zeros(self.entries());
        let (to_indices, to_values) = (&mut indices[..], &mut values[..]);
        for row in 0..self.rows() {
            let (columns, row_values) = self.row(row);
            for (&column, &value) in columns.iter().zip(row_values) {
                let at = next[column as usize];
                to_indices[at] = row as u32;
                to_values[at] = value;
                next[column as usize] += 1;
            }
        }
        Self { columns: self.rows(), indptr, indices, values }
    }
}
