//! The server's side before training: rectified reports in, features for the model out.

use gnn_models::Features;
use graph_denoise::{
    CsrGraph, CsrMatrix, FeatureMatrix, Filter, Moments, Regularization, Rows, SelfLoops, Weights, aggregate_threshold,
    propagate, propagate_regularized, report_threshold, signal_variance, universal_thresholds,
};

use crate::mechanism::{Collected, Values};
use crate::spec::{DenoiseSpec, FilterSpec, NeighbourWeights, RegularizationSpec, Scale};
use crate::{Error, Seed};

/// Random sign vectors by which the variance of each node's value is estimated.
const PROBES: usize = 256;

/// Denoises `collected` over `graph`, the server's graph.
pub(crate) fn denoise(
    spec: &DenoiseSpec,
    graph: &CsrGraph,
    mut collected: Collected,
    stage: &Seed,
) -> Result<Features, Error> {
    if spec.scale != Scale::AsPrinted {
        collected.rescale(1.0 / collected.bound)?;
        collected.midpoint = 0.0;
    }
    let features = if spec.steps == 0 {
        unpropagated(spec, collected)?
    } else {
        Features::Dense(propagated(spec, graph, &collected, stage)?)
    };
    if spec.scale == Scale::UnitRms { with_unit_rms(features) } else { Ok(features) }
}

impl Collected {
    fn rows(&self) -> Rows<'_> {
        match &self.values {
            Values::Sparse(entries) => Rows::Sparse { entries, offset: self.midpoint },
            Values::Dense(matrix) => Rows::Dense(matrix),
        }
    }

    /// Multiplies values, bound and deviation by `factor`.
    fn rescale(&mut self, factor: f64) -> Result<(), Error> {
        let small = factor as f32;
        match &mut self.values {
            Values::Sparse(matrix) => *matrix = scaled(matrix, small)?,
            Values::Dense(matrix) => matrix.as_mut_slice().iter_mut().for_each(|value| *value *= small),
        }
        self.variance.iter_mut().for_each(|value| *value = (f64::from(*value) * factor * factor) as f32);
        self.bound *= factor;
        Ok(())
    }
}

fn scaled(matrix: &CsrMatrix, factor: f32) -> Result<CsrMatrix, Error> {
    let values = matrix.values().iter().map(|&value| value * factor).collect();
    Ok(CsrMatrix::new(matrix.columns(), matrix.indptr().to_vec(), matrix.indices().to_vec(), values)?)
}

fn propagated(
    spec: &DenoiseSpec,
    graph: &CsrGraph,
    collected: &Collected,
    stage: &Seed,
) -> Result<FeatureMatrix, Error> {
    let filter = match spec.filter {
        FilterSpec::Power => Filter::power(spec.steps),
        FilterSpec::MeanOfPowers => Filter::mean_of_powers(spec.steps)?,
        FilterSpec::PageRank { restart } => Filter::page_rank(spec.steps, restart as f32)?,
    };
    let weights = weights(spec, graph, collected)?;
    let rows = collected.rows();
    let bound = collected.bound as f32;
    let regularization = match spec.regularization {
        RegularizationSpec::None => return Ok(propagate(&weights, rows, &filter)?),
        RegularizationSpec::Reports { tau } => {
            Regularization::Reports { threshold: report_threshold(tau as f32, bound) }
        }
        RegularizationSpec::Aggregate { tau } => {
            let degree = (graph.entries() as f32 / graph.nodes() as f32).max(1.0);
            Regularization::Aggregate { threshold: aggregate_threshold(tau as f32, bound, degree, spec.steps) }
        }
        RegularizationSpec::Universal => {
            let mut rng = stage.child("probes").rng();
            let moments = Moments::probed(&weights, &filter, &collected.variance, PROBES, &mut rng)?;
            let thresholds = universal_thresholds(&moments.variance, rows.columns());
            Regularization::AggregatePerNode { thresholds }
        }
    };
    Ok(propagate_regularized(&weights, rows, &filter, &regularization)?)
}

fn weights<'g>(spec: &DenoiseSpec, graph: &'g CsrGraph, collected: &Collected) -> Result<Weights<'g>, Error> {
    let loops = if spec.filter == FilterSpec::MeanOfPowers { SelfLoops::Remove } else { SelfLoops::AsIs };
    let normalized = |normalization| Ok(Weights::normalized(graph, normalization, loops));
    let signal = || Ok::<f32, Error>(signal_variance(graph, collected.rows(), &collected.variance)? as f32);
    match spec.weights {
        NeighbourWeights::Symmetric => normalized(graph_denoise::Normalization::Symmetric),
        NeighbourWeights::Row => normalized(graph_denoise::Normalization::Row),
        NeighbourWeights::Level => {
            let what = "denoise.weights = level weighs by reported levels, but this mechanism has none";
            let levels = collected.levels.as_ref().ok_or(Error::Combination { what })?;
            Ok(Weights::from_node_weights(graph, levels)?)
        }
        NeighbourWeights::Precision => {
            // Relative to the best report, so that no weight leaves the range of f32.
            let least = collected.variance.iter().copied().fold(f32::INFINITY, f32::min);
            let precision: Vec<f32> = collected.variance.iter().map(|&variance| least / variance).collect();
            Ok(Weights::from_node_weights(graph, &precision)?)
        }
        NeighbourWeights::RandomEffects => Ok(Weights::inverse_variance(graph, &collected.variance, signal()?)?),
        NeighbourWeights::VariancePropagated => {
            Ok(Weights::variance_propagated(graph, &collected.variance, signal()?, spec.steps)?.0)
        }
    }
}

/// Features as reported; NFR on the reports still applies.
fn unpropagated(spec: &DenoiseSpec, collected: Collected) -> Result<Features, Error> {
    let shrink = match spec.regularization {
        RegularizationSpec::Reports { tau } => (tau * collected.bound) as f32,
        _ => 0.0,
    };
    let soft = |value: f32| if shrink > 0.0 { graph_denoise::soft_threshold(value, shrink) } else { value };
    Ok(match collected.values {
        Values::Sparse(matrix) => {
            let values = matrix.values().iter().map(|&value| soft(value)).collect();
            let (indptr, indices) = (matrix.indptr().to_vec(), matrix.indices().to_vec());
            let matrix = CsrMatrix::new(matrix.columns(), indptr, indices, values)?;
            if collected.midpoint == 0.0 {
                Features::Sparse(matrix)
            } else {
                Features::Dense(filled(&matrix, collected.midpoint)?)
            }
        }
        Values::Dense(mut matrix) => {
            matrix.as_mut_slice().iter_mut().for_each(|value| *value = soft(*value));
            Features::Dense(matrix)
        }
    })
}

/// Every value written out: `offset` plus the entry.
fn filled(entries: &CsrMatrix, offset: f32) -> Result<FeatureMatrix, Error> {
    let mut data = vec![offset; entries.rows() * entries.columns()];
    for row in 0..entries.rows() {
        let (columns, values) = entries.row(row);
        for (&column, &value) in columns.iter().zip(values) {
            data[row * entries.columns() + column as usize] += value;
        }
    }
    Ok(FeatureMatrix::new(entries.rows(), entries.columns(), data)?)
}

/// Divides by the root mean square of the whole matrix, zeros included; all zeros stay as they are.
fn with_unit_rms(features: Features) -> Result<Features, Error> {
    let factor = |values: &[f32], cells: usize| {
        let squares: f64 = values.iter().map(|&value| f64::from(value) * f64::from(value)).sum();
        if squares > 0.0 { (cells as f64 / squares).sqrt() as f32 } else { 1.0 }
    };
    Ok(match features {
        Features::Dense(mut matrix) => {
            let factor = factor(matrix.as_slice(), matrix.as_slice().len());
            matrix.as_mut_slice().iter_mut().for_each(|value| *value *= factor);
            Features::Dense(matrix)
        }
        Features::Sparse(matrix) => {
            let factor = factor(matrix.values(), matrix.rows() * matrix.columns());
            Features::Sparse(scaled(&matrix, factor)?)
        }
    })
}
