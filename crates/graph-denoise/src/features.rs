//! Dense features.

use crate::Error;
use crate::pages::Pages;

/// Dense features, row-major: one row a node, one column a dimension. A clone shares its values until one of the two is
/// written to.
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureMatrix {
    rows: usize,
    columns: usize,
    data: Pages<f32>,
}

impl FeatureMatrix {
    /// Takes `rows × columns` values, row after row.
    ///
    /// # Errors
    /// [`Error::Shape`] when the number of values is another, [`Error::NotFinite`] at the first value that is NaN or
    /// infinite.
    pub fn new(rows: usize, columns: usize, data: Vec<f32>) -> Result<Self, Error> {
        if data.len() != rows.saturating_mul(columns) {
            return Err(Error::Shape {
                what: "values of a dense matrix",
                expected: rows.saturating_mul(columns),
                found: data.len(),
            });
        }
        if let Some(at) = data.iter().position(|value| !value.is_finite()) {
            return Err(Error::NotFinite { what: "dense features", row: at / columns, value: data[at] });
        }
        Ok(Self { rows, columns, data: data.into() })
    }

    /// All zeros; from 1 MiB on in huge pages where the system has them.
    pub fn zeros(rows: usize, columns: usize) -> Self {
        Self { rows, columns, data: Pages::zeros(rows * columns) }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// One row.
    ///
    /// # Panics
    /// When there is no such row.
    pub fn row(&self, row: usize) -> &[f32] {
        &self.data[row * self.columns..(row + 1) * self.columns]
    }

    /// All values, row after row.
    pub fn as_slice(&self) -> &[f32] {
        &self.data
    }

    /// All values, row after row, to write to.
    pub fn as_mut_slice(&mut self) -> &mut [f32] {
        &mut self.data
    }

    /// Gives the values back, row after row: those given to [`new`](Self::new) without a copy.
    pub fn into_vec(self) -> Vec<f32> {
        self.data.into_vec()
    }
}
