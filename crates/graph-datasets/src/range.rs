//! The public range of a feature: agreed beforehand, never learned from private values.

use crate::Error;

/// Closed interval of values that a feature can take, for all columns or column by column.
///
/// A randomizer for bounded values needs it before it sees a value. It is a public constant: of the catalog, of the
/// generator that made the features, or declared by the person who brings the data.
#[derive(Debug, Clone, PartialEq)]
pub enum FeatureRange {
    /// One interval for every column.
    Uniform {
        /// Lower end.
        low: f32,
        /// Upper end.
        high: f32,
    },
    /// An interval for each column.
    PerColumn {
        /// Lower ends.
        low: Vec<f32>,
        /// Upper ends.
        high: Vec<f32>,
    },
}

impl FeatureRange {
    /// The unit interval for every column.
    pub const UNIT: Self = Self::Uniform { low: 0.0, high: 1.0 };

    /// Lower and upper end for one column.
    ///
    /// # Panics
    /// When the range is given column by column and has no such column.
    pub fn column(&self, column: usize) -> (f32, f32) {
        match self {
            Self::Uniform { low, high } => (*low, *high),
            Self::PerColumn { low, high } => (low[column], high[column]),
        }
    }

    /// The smallest interval that holds the ranges of all columns.
    pub fn hull(&self) -> (f32, f32) {
        match self {
            Self::Uniform { low, high } => (*low, *high),
            Self::PerColumn { low, high } => (
                low.iter().copied().fold(f32::INFINITY, f32::min),
                high.iter().copied().fold(f32::NEG_INFINITY, f32::max),
            ),
        }
    }

    /// Checks that every one of `columns` intervals is finite and holds more than one value.
    ///
    /// # Errors
    /// [`Error::EmptyRange`]; [`Error::Count`] when there are bounds for another number of columns.
    pub fn check(&self, columns: usize) -> Result<(), Error> {
        if let Self::PerColumn { low, high } = self {
            for found in [low.len(), high.len()] {
                if found != columns {
                    return Err(Error::Count {
                        what: "bounds of the feature range, one a column".to_owned(),
                        expected: columns as u64,
                        found: found as u64,
                    });
                }
            }
        }
        for column in 0..columns {
            let (low, high) = self.column(column);
            // Written so that NaN fails; an infinite width would make every scaled value 0 or NaN.
            if !(low < high && (high - low).is_finite()) {
                return Err(Error::EmptyRange { column, low, high });
            }
        }
        Ok(())
    }
}
