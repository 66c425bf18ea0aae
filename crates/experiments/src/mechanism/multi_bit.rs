//! Multi-bit [LPGNN, Alg. 1]: m of d dimensions, one bit each.

use graph_denoise::CsrMatrix;
use ldp_core::{Bounds, MultiBitEncoder, MultiBitReports, SparseRows};
use serde::{Deserialize, Serialize};

use super::{Collected, Randomize, SampleSize, Users, Values};
use crate::{Epsilon, Error};

/// The multi-bit mechanism.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MultiBit {
    /// Budget for one user's whole vector.
    pub epsilon: Epsilon,
    /// How many dimensions a user reports.
    pub sample_size: SampleSize,
}

impl MultiBit {
    fn encoder(&self, dimensions: usize) -> Result<MultiBitEncoder, Error> {
        Ok(MultiBitEncoder::new(self.epsilon, dimensions, Bounds::UNIT, self.sample_size.rule(dimensions))?)
    }
}

impl Randomize for MultiBit {
    fn label(&self) -> String {
        if self.sample_size == SampleSize::All { "1B".to_owned() } else { "MB".to_owned() }
    }

    fn epsilon(&self) -> Epsilon {
        self.epsilon
    }

    fn claim(&self, dimensions: usize) -> Result<String, Error> {
        let sampled = self.encoder(dimensions)?.sampled();
        Ok(format!(
            "one report is {}-LDP for the whole vector: {sampled} of {dimensions} dimensions, one bit each",
            self.epsilon
        ))
    }

    fn reported(&self, dimensions: usize) -> Result<usize, Error> {
        Ok(self.encoder(dimensions)?.sampled())
    }

    fn collect(&self, users: &Users<'_>) -> Result<Collected, Error> {
        let encoder = self.encoder(users.rows.columns())?;
        let rectifier = encoder.rectifier();
        let from = ldp_core::Users::From(0);
        let reports = if users.with_data {
            let rows = users.rows;
            let rows =
                SparseRows::new(rows.columns(), Bounds::UNIT, rows.indptr(), rows.indices(), rows.values(), 0.0)?;
            encoder.encode_sparse_rows(&rows, from, |word| users.stream(word))?
        } else {
            encoder.draw_data_free_control(users.len(), from, |word| users.stream(word))?
        };
        Ok(Collected {
            values: Values::Sparse(signed(&reports, rectifier.scale() as f32)?),
            midpoint: rectifier.midpoint() as f32,
            bound: rectifier.scale(),
            variance: vec![rectifier.worst_variance() as f32; users.len()],
            reported: encoder.sampled(),
            levels: None,
        })
    }
}

/// Reports as a sparse matrix of ±`magnitude`.
fn signed(reports: &MultiBitReports, magnitude: f32) -> Result<CsrMatrix, Error> {
    let (users, sampled) = (reports.len(), reports.sampled());
    let values = (0..reports.indices().len()).map(|entry| if reports.bit(entry) { magnitude } else { -magnitude });
    let indptr = (0..=users).map(|user| user * sampled).collect();
    Ok(CsrMatrix::new(reports.dimensions(), indptr, reports.indices().to_vec(), values.collect())?)
}
