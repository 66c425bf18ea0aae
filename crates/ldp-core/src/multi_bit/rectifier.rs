//! The server's side: from bits to unbiased values.

use alloc::vec::Vec;

use super::MultiBitReports;
use crate::Bounds;

/// Turns a bit of a multi-bit report into an unbiased estimate: midpoint ± scale.
///
/// Every dimension is estimated as midpoint + (±scale if it was reported, else 0); its mean is the true value
/// \[LPGNN, Eq. 8\]. Constants come from the integers that the encoder executes, so they agree with coth to about
/// 2⁻⁵⁰ and are exact for what is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MultiBitRectifier {
    midpoint: f64,
    scale: f64,
    reported: f64,
}

impl MultiBitRectifier {
    pub(super) fn new(bounds: Bounds, dimensions: usize, sampled: usize, gain: f64) -> Self {
        let reported = sampled as f64 / dimensions as f64;
        Self { midpoint: bounds.midpoint(), scale: bounds.width() / (2.0 * reported * gain), reported }
    }

    /// (d(β−α)/2m)·coth(ε/2m), in the unit of the values.
    #[must_use]
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// (α+β)/2: the estimate of a dimension that was not reported.
    #[must_use]
    pub fn midpoint(&self) -> f64 {
        self.midpoint
    }

    /// The estimate of a reported dimension.
    #[must_use]
    pub fn value(&self, bit: bool) -> f64 {
        self.midpoint + if bit { self.scale } else { -self.scale }
    }

    /// Variance of the estimate of one dimension whose true value is `value`:
    /// (d/m)·((β−α)/2)²·coth²(ε/2m) − (value − midpoint)².
    #[must_use]
    pub fn variance(&self, value: f64) -> f64 {
        self.worst_variance() - (value - self.midpoint) * (value - self.midpoint)
    }

    /// The largest variance, taken at the midpoint.
    #[must_use]
    pub fn worst_variance(&self) -> f64 {
        self.reported * self.scale * self.scale
    }

    /// Estimates minus the midpoint for every reported entry, in the order of [`MultiBitReports::indices`]: with
    /// them a sparse matrix of `sampled` entries a row. The midpoint is left out because it would fill the matrix.
    #[must_use]
    pub fn centred_values(&self, reports: &MultiBitReports) -> Vec<f32> {
        let pair = [-self.scale as f32, self.scale as f32];
        (0..reports.indices().len()).map(|entry| pair[usize::from(reports.bit(entry))]).collect()
    }
}
