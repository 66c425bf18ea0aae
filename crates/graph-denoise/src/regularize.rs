//! NFR: node feature regularization by a soft threshold, before or after high-order aggregation.

use crate::constant::constant_part;
use crate::{CsrMatrix, Error, FeatureMatrix, Filter, Rows, Weights, propagate};

/// Where the soft threshold stands, and how large it is.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Regularization {
    /// N-H: on the reports, then aggregate; `μ₂ = τ₂ B` [UPGNET, Sec. 4].
    ///
    /// On multi-bit reports, which are −B, 0 or B, this only scales them by `1 − τ₂` (papers.md 11.11 of this
    /// project's notes calls it a step-size effect).
    Reports {
        /// μ₂.
        threshold: f32,
    },
    /// H-N: aggregate, then on the aggregate, one threshold for all; `μ₁ = τ₁ B / √(d̄ K)` [UPGNET, Sec. 4].
    Aggregate {
        /// μ₁.
        threshold: f32,
    },
    /// H-N with one threshold a node, as [`universal_thresholds`] gives.
    AggregatePerNode {
        /// One a node.
        thresholds: Vec<f32>,
    },
}

/// `sign(z) · max(|z| − μ, 0)`, the minimiser of `½(z − w)² + μ|w|`.
pub fn soft_threshold(value: f32, threshold: f32) -> f32 {
    (value.abs() - threshold).max(0.0).copysign(value)
}

/// `μ₂ = τ₂ B`, UPGNET's threshold on reports of magnitude at most `bound`.
pub fn report_threshold(tau: f32, bound: f32) -> f32 {
    tau * bound
}

/// `μ₁ = τ₁ B / √(d̄ K)`, UPGNET's threshold on the aggregate; `mean_degree` = d̄.
///
/// Larger than the noise calls for by a factor √(d/m), because `B / √(d̄ K)` is no standard deviation of the aggregate;
/// [`universal_thresholds`] is.
pub fn aggregate_threshold(tau: f32, bound: f32, mean_degree: f32, steps: usize) -> f32 {
    tau * bound / (mean_degree * steps as f32).sqrt()
}

/// `μ_i = σ_i √(2 ln d)` from the variance `σ_i²` of each node's value: what pure noise exceeds rarely in any of `d`
/// dimensions.
pub fn universal_thresholds(variance: &[f32], dimensions: usize) -> Vec<f32> {
    let factor = (2.0 * (dimensions.max(1) as f64).ln()).sqrt();
    variance.iter().map(|&variance| (f64::from(variance).sqrt() * factor) as f32).collect()
}

/// Soft-thresholds every value, in place; one threshold a node.
///
/// A soft threshold never spreads values apart, so the variance of a node's values is at most what it was before.
///
/// # Errors
/// [`Error::Shape`], [`Error::NotFinite`], [`Error::Negative`]; then `features` are untouched.
pub fn regularize(features: &mut FeatureMatrix, thresholds: &[f32]) -> Result<(), Error> {
    if thresholds.len() != features.rows() {
        let (expected, found) = (features.rows(), thresholds.len());
        return Err(Error::Shape { what: "thresholds, one a node", expected, found });
    }
    for (node, &threshold) in thresholds.iter().enumerate() {
        check(node, threshold)?;
    }
    let columns = features.columns();
    if columns > 0 {
        for (row, &threshold) in features.as_mut_slice().chunks_exact_mut(columns).zip(thresholds) {
            for value in row {
                *value = soft_threshold(*value, threshold);
            }
        }
    }
    Ok(())
}

/// Soft-thresholds sparse reports; entries keep their places.
///
/// # Errors
/// [`Error::NotFinite`], [`Error::Negative`].
pub fn regularize_reports(reports: &CsrMatrix, threshold: f32) -> Result<CsrMatrix, Error> {
    check(0, threshold)?;
    let values: Vec<f32> = reports.values().iter().map(|&value| soft_threshold(value, threshold)).collect();
    Ok(CsrMatrix::trusted(reports.columns(), reports.indptr().to_vec(), reports.indices().to_vec(), values))
}

/// A filter with NFR before it (N-H) or after it (H-N); with [`Filter::mean_of_powers`] this is UPGNET's denoiser.
///
/// The threshold pulls towards the constant of the reports: towards 0 for dense rows, towards the offset for sparse
/// ones. (UPGNET's code thresholds with the offset inside, which removes it.)
///
/// # Errors
/// As [`propagate`] and [`regularize`].
pub fn propagate_regularized<'r>(
    weights: &Weights<'_>,
    reports: impl Into<Rows<'r>>,
    filter: &Filter,
    regularization: &Regularization,
) -> Result<FeatureMatrix, Error> {
    let reports = reports.into();
    match regularization {
        Regularization::Reports { threshold } => match reports {
            Rows::Dense(matrix) => {
                let mut matrix = matrix.clone();
                let thresholds = vec![*threshold; matrix.rows()];
                regularize(&mut matrix, &thresholds)?;
                propagate(weights, &matrix, filter)
            }
            Rows::Sparse { entries, offset } => {
                let entries = regularize_reports(entries, *threshold)?;
                propagate(weights, Rows::Sparse { entries: &entries, offset }, filter)
            }
            Rows::Codes { .. } | Rows::Bf16(_) => {
                let mut matrix = propagate(weights, reports.without_offset(), &Filter::power(0))?;
                let thresholds = vec![*threshold; matrix.rows()];
                regularize(&mut matrix, &thresholds)?;
                let mut values = propagate(weights, &matrix, filter)?;
                add_constant(weights, reports, filter, &mut values)?;
                Ok(values)
            }
        },
        Regularization::Aggregate { threshold } => after(weights, reports, filter, &vec![*threshold; reports.rows()]),
        Regularization::AggregatePerNode { thresholds } => after(weights, reports, filter, thresholds),
    }
}

fn after(
    weights: &Weights<'_>,
    reports: Rows<'_>,
    filter: &Filter,
    thresholds: &[f32],
) -> Result<FeatureMatrix, Error> {
    let mut values = propagate(weights, reports.without_offset(), filter)?;
    regularize(&mut values, thresholds)?;
    add_constant(weights, reports, filter, &mut values)?;
    Ok(values)
}

fn add_constant(
    weights: &Weights<'_>,
    reports: Rows<'_>,
    filter: &Filter,
    values: &mut FeatureMatrix,
) -> Result<(), Error> {
    let columns = values.columns();
    if reports.offset() != 0.0 && columns > 0 {
        let constant = constant_part(weights, filter, reports.offset())?;
        for (row, constant) in values.as_mut_slice().chunks_exact_mut(columns).zip(constant) {
            for value in row {
                *value += constant;
            }
        }
    }
    Ok(())
}

fn check(node: usize, threshold: f32) -> Result<(), Error> {
    if !threshold.is_finite() {
        return Err(Error::NotFinite { what: "threshold", row: node, value: threshold });
    }
    if threshold < 0.0 {
        return Err(Error::Negative { what: "threshold", node, value: threshold });
    }
    Ok(())
}
