//! How noisy a denoised value is, and an error estimate that needs no truth.

use rand_core::Rng;

use crate::low_precision::widen;
use crate::{CsrMatrix, Error, FeatureMatrix, Filter, Rows, Weights, propagate_blocks};

/// Second moments of the noise in a filtered value, one number a node and a dimension.
///
/// With independent, unbiased reports `x′` of variance `V_j` and the filter as a matrix `F`, node `i`'s value
/// `h_i = Σ_j F_ij x′_j` has
/// variance `Σ_j F_ij² V_j` and covariance `F_ii V_i` with its own report.
#[derive(Debug, Clone, PartialEq)]
pub struct Moments {
    /// Variance of each node's value.
    pub variance: Vec<f32>,
    /// Covariance of each node's value with the node's own report.
    pub covariance: Vec<f32>,
}

impl Moments {
    /// The exact moments, from the filter of every unit vector.
    ///
    /// # Shapes
    /// `variance`: that of each node's report.
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::NotFinite`], [`Error::Negative`].
    ///
    /// # Complexity
    /// That of propagating as many columns as there are nodes.
    pub fn exact(weights: &Weights<'_>, filter: &Filter, variance: &[f32]) -> Result<Self, Error> {
        let deviation = deviations(weights, variance)?;
        let nodes = weights.nodes();
        let diagonal = CsrMatrix::new(nodes, (0..=nodes).collect(), (0..nodes as u32).collect(), deviation.clone())?;
        let mut sum = vec![0f64; nodes];
        let mut own = vec![0f32; nodes];
        propagate_blocks(weights, &diagonal, filter, |columns, block| {
            for (node, values) in block.chunks_exact(columns.len()).enumerate() {
                sum[node] += values.iter().map(|&value| f64::from(value).powi(2)).sum::<f64>();
                if columns.contains(&node) {
                    own[node] = values[node - columns.start] * deviation[node];
                }
            }
        })?;
        Ok(Self { variance: sum.into_iter().map(|value| value as f32).collect(), covariance: own })
    }

    /// Unbiased estimates of the moments from `probes` random vectors of signs.
    ///
    /// The variance has a relative standard deviation of at most √(2 / probes). For graphs whose exact moments cost
    /// too much.
    ///
    /// # Errors
    /// As [`exact`](Self::exact); [`Error::NoSteps`] never; [`Error::Shape`] for no probe.
    ///
    /// # Complexity
    /// That of propagating `probes` columns; memory for nodes × probes numbers.
    pub fn probed(
        weights: &Weights<'_>,
        filter: &Filter,
        variance: &[f32],
        probes: usize,
        rng: &mut impl Rng,
    ) -> Result<Self, Error> {
        if probes == 0 {
            return Err(Error::Shape { what: "probes", expected: 1, found: 0 });
        }
        let deviation = deviations(weights, variance)?;
        let nodes = weights.nodes();
        let mut signs = Vec::with_capacity(nodes * probes);
        for &deviation in &deviation {
            let mut bits = 0;
            for probe in 0..probes {
                if probe % 64 == 0 {
                    bits = rng.next_u64();
                }
                signs.push(if bits >> (probe % 64) & 1 == 1 { deviation } else { -deviation });
            }
        }
        let signs = FeatureMatrix::new(nodes, probes, signs)?;
        let (mut squares, mut products) = (vec![0f64; nodes], vec![0f64; nodes]);
        propagate_blocks(weights, &signs, filter, |columns, block| {
            for (node, values) in block.chunks_exact(columns.len()).enumerate() {
                for (&value, &sign) in values.iter().zip(&signs.row(node)[columns.clone()]) {
                    squares[node] += f64::from(value).powi(2);
                    products[node] += f64::from(value) * f64::from(sign);
                }
            }
        })?;
        let mean = |sums: Vec<f64>| sums.into_iter().map(|sum| (sum / probes as f64) as f32).collect();
        Ok(Self { variance: mean(squares), covariance: mean(products) })
    }
}

fn deviations(weights: &Weights<'_>, variance: &[f32]) -> Result<Vec<f32>, Error> {
    let what = "variance";
    if variance.len() != weights.nodes() {
        return Err(Error::Shape { what, expected: weights.nodes(), found: variance.len() });
    }
    for (node, &value) in variance.iter().enumerate() {
        if !value.is_finite() {
            return Err(Error::NotFinite { what, row: node, value });
        }
        if value < 0.0 {
            return Err(Error::Negative { what, node, value });
        }
    }
    Ok(variance.iter().map(|value| value.sqrt()).collect())
}

/// An unbiased estimate of the mean squared error of `denoised`, from the reports alone.
///
/// For a linear filter of unbiased reports, `‖h − x′‖² − Σ V + 2 Σ Cov(h, x′)` has the expectation of `‖h − x‖²`; here
/// divided by the number of values. It is compared with other filters' to choose one. May come out negative where the
/// noise of the estimate exceeds the error. Where `variance` is an upper bound, such as a multi-bit report's without
/// its `−x²`, the estimate is too low by that slack times `1 − 2 F_ii`, on average.
///
/// # Shapes
/// `reports` and `denoised`: nodes × dimensions; `variance`: one a node, that of its report.
///
/// # Errors
/// [`Error::Shape`].
pub fn mse_estimate<'r>(
    reports: impl Into<Rows<'r>>,
    denoised: &FeatureMatrix,
    variance: &[f32],
    moments: &Moments,
) -> Result<f64, Error> {
    let reports = reports.into();
    let nodes = reports.rows();
    for (what, expected, found) in [
        ("rows of the denoised values", nodes, denoised.rows()),
        ("columns of the denoised values", reports.columns(), denoised.columns()),
        ("variance", nodes, variance.len()),
        ("covariance", nodes, moments.covariance.len()),
    ] {
        if expected != found {
            return Err(Error::Shape { what, expected, found });
        }
    }
    if nodes == 0 || reports.columns() == 0 {
        return Ok(0.0);
    }
    let dimensions = reports.columns() as f64;
    let mut total = 0.0;
    for (node, (&variance, &covariance)) in variance.iter().zip(&moments.covariance).enumerate() {
        total += squared_distance(reports, node, denoised.row(node));
        total += dimensions * (2.0 * f64::from(covariance) - f64::from(variance));
    }
    Ok(total / (nodes as f64 * dimensions))
}

fn squared_distance(reports: Rows<'_>, node: usize, values: &[f32]) -> f64 {
    match reports {
        Rows::Dense(matrix) => {
            matrix.row(node).iter().zip(values).map(|(&a, &b)| (f64::from(a) - f64::from(b)).powi(2)).sum()
        }
        Rows::Codes { codes, offset } => codes
            .row(node)
            .iter()
            .zip(values)
            .map(|(&code, &b)| (f64::from(codes.scale()) * f64::from(code) + f64::from(offset) - f64::from(b)).powi(2))
            .sum(),
        Rows::Bf16(matrix) => {
            matrix.row(node).iter().zip(values).map(|(&bits, &b)| (f64::from(widen(bits)) - f64::from(b)).powi(2)).sum()
        }
        Rows::Sparse { entries, offset } => {
            let from_offset = |value: f32| f64::from(value) - f64::from(offset);
            let mut sum: f64 = values.iter().map(|&value| from_offset(value).powi(2)).sum();
            let (columns, stored) = entries.row(node);
            for (&column, &entry) in columns.iter().zip(stored) {
                let (value, entry) = (from_offset(values[column as usize]), f64::from(entry));
                sum += (entry - value).powi(2) - value.powi(2);
            }
            sum
        }
    }
}
