//! Features on one scale for every column, as a randomizer on a bounded domain wants them.

use graph_denoise::CsrMatrix;

use crate::{Dataset, Error, FeatureRange};

/// Where the ends of a column's range come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scaling {
    /// The public range of the data set. Costs no privacy, drops no column.
    PublicRange,
    /// Minimum and maximum of each column over all nodes, as the papers do [LPGNN]; constant columns are dropped.
    ///
    /// **Learned from private values:** the bounds and the list of dropped columns reach the user's side without any
    /// randomizer, so a run with it is not ε-private end to end. The data set is marked.
    ///
    /// [LPGNN]: https://arxiv.org/abs/2006.05535
    MinMax,
}

impl Dataset {
    /// The data set with every feature scaled to [0, 1], value by value `(x − low) / (high − low)`.
    ///
    /// Zeros stay implicit where a column's lower end is 0; other columns are written in full.
    ///
    /// # Errors
    /// [`Error::NoFeatures`]; [`Error::AllConstant`] when min-max would drop every column.
    pub fn scaled(&self, scaling: Scaling) -> Result<Self, Error> {
        let features = self.features().ok_or_else(|| Error::NoFeatures { name: self.name.clone() })?;
        let columns = features.columns();
        let ranges: Vec<(f32, f32)> = match scaling {
            Scaling::PublicRange => (0..columns).map(|column| self.feature_range.column(column)).collect(),
            Scaling::MinMax => column_ranges(features),
        };
        let kept: Vec<u32> = (0..columns as u32)
            .filter(|&column| {
                let (low, high) = ranges[column as usize];
                low < high
            })
            .collect();
        if kept.is_empty() {
            return Err(Error::AllConstant { columns });
        }
        let dropped = columns - kept.len();
        let mut scaled = self.clone();
        scaled.features = Some(scale_columns(features, &ranges, &kept)?);
        scaled.dimensions = kept.len();
        scaled.feature_range = FeatureRange::UNIT;
        if scaling == Scaling::MinMax {
            scaled.marks.push(format!(
                "feature range: minimum and maximum of each column, learned from private values ({dropped} constant \
                 columns dropped)"
            ));
        }
        Ok(scaled)
    }
}

/// Smallest and largest value of each column, implicit zeros included.
pub(crate) fn column_ranges(features: &CsrMatrix) -> Vec<(f32, f32)> {
    let mut ranges = vec![(f32::INFINITY, f32::NEG_INFINITY); features.columns()];
    let mut written = vec![0usize; features.columns()];
    for (&column, &value) in features.indices().iter().zip(features.values()) {
        let (low, high) = &mut ranges[column as usize];
        *low = low.min(value);
        *high = high.max(value);
        written[column as usize] += 1;
    }
    for ((low, high), written) in ranges.iter_mut().zip(written) {
        if written < features.rows() {
            *low = low.min(0.0);
            *high = high.max(0.0);
        }
    }
    ranges
}

fn scale_columns(features: &CsrMatrix, ranges: &[(f32, f32)], kept: &[u32]) -> Result<CsrMatrix, Error> {
    const DROPPED: u32 = u32::MAX;
    let mut place = vec![DROPPED; features.columns()];
    for (at, &column) in kept.iter().enumerate() {
        place[column as usize] = at as u32;
    }
    // Columns in which a zero is not the lower end: absent entries become explicit.
    let shifted: Vec<u32> = kept.iter().copied().filter(|&column| ranges[column as usize].0 != 0.0).collect();
    let mut indptr = Vec::with_capacity(features.rows() + 1);
    indptr.push(0);
    let (mut indices, mut values) = (Vec::new(), Vec::new());
    for row in 0..features.rows() {
        let (columns, row_values) = features.row(row);
        let mut absent = shifted.iter().copied().filter(|column| columns.binary_search(column).is_err()).peekable();
        let mut push = |column: u32, value: f32| {
            let (low, high) = ranges[column as usize];
            indices.push(place[column as usize]);
            values.push(((value - low) / (high - low)).clamp(0.0, 1.0));
        };
        for (&column, &value) in columns.iter().zip(row_values) {
            while let Some(before) = absent.next_if(|&before| before < column) {
                push(before, 0.0);
            }
            if place[column as usize] != DROPPED {
                push(column, value);
            }
        }
        absent.for_each(|column| push(column, 0.0));
        indptr.push(indices.len());
    }
    Ok(CsrMatrix::new(kept.len(), indptr, indices, values)?)
}
