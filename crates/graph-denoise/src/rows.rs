//! What a propagation takes in: dense rows at three precisions, or sparse reports; constants are never written out.

use crate::{Bf16Matrix, CodeMatrix, CsrMatrix, FeatureMatrix};

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
    /// One byte a value: value = `offset + scale · code`.
    Codes {
        /// Codes and their scale.
        codes: &'a CodeMatrix,
        /// Added to every value.
        offset: f32,
    },
    /// Two bytes a value.
    Bf16(&'a Bf16Matrix),
}

impl Rows<'_> {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        match self {
            Self::Dense(matrix) => matrix.rows(),
            Self::Sparse { entries, .. } => entries.rows(),
            Self::Codes { codes, .. } => codes.rows(),
            Self::Bf16(matrix) => matrix.rows(),
        }
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        match self {
            Self::Dense(matrix) => matrix.columns(),
            Self::Sparse { entries, .. } => entries.columns(),
            Self::Codes { codes, .. } => codes.columns(),
            Self::Bf16(matrix) => matrix.columns(),
        }
    }

    /// The same without the constant.
    pub(crate) fn without_offset(self) -> Self {
        match self {
            Self::Sparse { entries, .. } => Self::Sparse { entries, offset: 0.0 },
            Self::Codes { codes, .. } => Self::Codes { codes, offset: 0.0 },
            Self::Dense(_) | Self::Bf16(_) => self,
        }
    }

    /// The constant that every value contains.
    pub fn offset(&self) -> f32 {
        match self {
            Self::Dense(_) | Self::Bf16(_) => 0.0,
            Self::Sparse { offset, .. } | Self::Codes { offset, .. } => *offset,
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

impl<'a> From<&'a CodeMatrix> for Rows<'a> {
    fn from(matrix: &'a CodeMatrix) -> Self {
        Self::Codes { codes: matrix, offset: matrix.offset() }
    }
}

impl<'a> From<&'a Bf16Matrix> for Rows<'a> {
    fn from(matrix: &'a Bf16Matrix) -> Self {
        Self::Bf16(matrix)
    }
}
