//! Node features as a model takes them.

use crate::Error;
use graph_denoise::{CsrMatrix, FeatureMatrix};

/// Node features, nodes × dimensions.
///
/// Sparse features stay sparse: the first layer multiplies them as they are, which on bag-of-words features is the
/// difference between milliseconds and a second.
#[derive(Debug, Clone, PartialEq)]
pub enum Features {
    /// Every entry stored.
    Dense(FeatureMatrix),
    /// Only the entries that are not zero stored.
    Sparse(CsrMatrix),
}

impl Features {
    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        match self {
            Self::Dense(matrix) => matrix.rows(),
            Self::Sparse(matrix) => matrix.rows(),
        }
    }

    /// Number of dimensions.
    pub fn dimensions(&self) -> usize {
        match self {
            Self::Dense(matrix) => matrix.columns(),
            Self::Sparse(matrix) => matrix.columns(),
        }
    }

    /// Refuses NaN and infinity; a sparse matrix was checked when it was made.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let Self::Dense(matrix) = self else { return Ok(()) };
        let dimensions = matrix.columns();
        match matrix.as_slice().iter().position(|value| !value.is_finite()) {
            Some(at) => {
                Err(Error::Feature { node: at / dimensions, dimension: at % dimensions, value: matrix.as_slice()[at] })
            }
            None => Ok(()),
        }
    }
}

impl From<FeatureMatrix> for Features {
    fn from(matrix: FeatureMatrix) -> Self {
        Self::Dense(matrix)
    }
}

impl From<CsrMatrix> for Features {
    fn from(matrix: CsrMatrix) -> Self {
        Self::Sparse(matrix)
    }
}
