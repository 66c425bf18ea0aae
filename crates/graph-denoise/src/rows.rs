//! What a propagation takes in: dense rows, or sparse reports with a constant that is never written out.

use crate::{CsrMatrix, FeatureMatrix};

/// Input rows, one a node.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Rows<'a> {
    /// Every value is stored.
    Dense(&'a FeatureMatrix),
    /// Value = `offset` + entry; where no entry is stored, value = `offset`.
    ///
    /// This is a rectified multi-bit report whose range has a midpoint other than 0: the midpoint costs one number a
    /// node instead of a dense matrix, because propagation is linear.
    Sparse {
        /// Stored entries, nodes × dimensions.
        entries: &'a CsrMatrix,
        /// Added to every value.
        offset: f32,
    },
}

impl Rows<'_> {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        match self {
            Self::Dense(matrix) => matrix.rows(),
            Self::Sparse { entries, .. } => entries.rows(),
        }
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        match self {
            Self::Dense(matrix) => matrix.columns(),
            Self::Sparse { entries, .. } => entries.columns(),
        }
    }

    /// The constant that every value contains.
    pub fn offset(&self) -> f32 {
        match self {
            Self::Dense(_) => 0.0,
            Self::Sparse { offset, .. } => *offset,
        }
    }
}

impl<'a> From<&'a FeatureMatrix> for Rows<'a> {
    fn from(matrix: &'a FeatureMatrix) -> Self {
        Self::Dense(matrix)
    }
}

impl<'a> From<&'a CsrMatrix> for Rows<'a> {
    fn from(entries: &'a CsrMatrix) -> Self {
        Self::Sparse { entries, offset: 0.0 }
    }
}
