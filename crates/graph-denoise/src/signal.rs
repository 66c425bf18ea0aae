//! How much neighbours' true values differ, by the method of moments.

use crate::weights::check;
use crate::{CsrGraph, Error, Filter, Rows, Weights, propagate_blocks};

/// Between-neighbour variance σ_s² of the true values, a dimension, estimated from the reports.
///
/// Pools the statistic of DerSimonian and Laird over all neighbourhoods: with `w_j = 1/V_j`, neighbourhood `i`'s
/// `Q_i = Σ_j w_j ‖x′_j − x̄_i‖²` has expectation `d (k_i − 1) + d σ_s² (Σ w_j − Σ w_j² / Σ w_j)` where `k_i` is the
/// number of neighbours. Negative estimates become 0. A constant in the reports cancels.
///
/// # Shapes
/// `reports`: nodes × dimensions; `variance`: one a node, that of its report, above 0.
///
/// # Errors
/// [`Error::Shape`], [`Error::NotFinite`], [`Error::Negative`], [`Error::NoVariance`] for a variance of 0.
///
/// # Complexity
/// That of one hop.
pub fn signal_variance<'r>(graph: &CsrGraph, reports: impl Into<Rows<'r>>, variance: &[f32]) -> Result<f64, Error> {
    let reports = reports.into().without_offset();
    check(graph, "variance", variance)?;
    let weights = Weights::inverse_variance(graph, variance, 0.0)?;
    let nodes = graph.nodes();
    let mut norms = vec![0f64; nodes];
    propagate_blocks(&weights, reports, &Filter::power(0), |columns, block| {
        add_norms(&mut norms, block, columns.len());
    })?;
    let mut mean_norms = vec![0f64; nodes];
    propagate_blocks(&weights, reports, &Filter::power(1), |columns, block| {
        add_norms(&mut mean_norms, block, columns.len());
    })?;
    let dimensions = reports.columns() as f64;
    let (mut excess, mut slope) = (0.0, 0.0);
    for (node, &mean_norm) in mean_norms.iter().enumerate() {
        let (mut weight, mut squares, mut spread) = (0.0, 0.0, 0.0);
        for &j in graph.neighbours(node) {
            let w = 1.0 / f64::from(variance[j as usize]);
            weight += w;
            squares += w * w;
            spread += w * norms[j as usize];
        }
        let neighbours = graph.degree(node);
        if neighbours > 1 {
            excess += spread - weight * mean_norm - dimensions * (neighbours - 1) as f64;
            slope += dimensions * (weight - squares / weight);
        }
    }
    Ok(if slope > 0.0 { (excess / slope).max(0.0) } else { 0.0 })
}

fn add_norms(norms: &mut [f64], block: &[f32], width: usize) {
    for (norm, values) in norms.iter_mut().zip(block.chunks_exact(width)) {
        *norm += values.iter().map(|&value| f64::from(value).powi(2)).sum::<f64>();
    }
}
