//! From true features to what the model trains on: users randomize, the server rectifies, propagates and scales.

use std::time::Instant;

use chacha20::ChaCha12Rng;
use gnn_models::Features;
use graph_denoise::{CsrMatrix, FeatureMatrix, Filter, Rows, SelfLoops, Weights, propagate};
use ldp_core::{Bounds, MultiBitEncoder, MultiBitReports, SparseRows, Users};
use rand_distr::{Distribution, StandardNormal};

use crate::record::Seconds;
use crate::{Epsilon, Error, FeatureSpec, Normalization, PropagationSpec, SampleSize, Scale, Seed, Truth};

/// Features as the model gets them.
pub(crate) struct Prepared {
    pub(crate) features: Features,
    /// Dimensions that one user reported.
    pub(crate) reported_dimensions: Option<usize>,
    /// Variance of one rectified report at the middle of the range.
    pub(crate) report_variance: Option<f64>,
}

/// What the server holds before propagation: sparse values around a constant, or dense values.
enum Received {
    Sparse { entries: CsrMatrix, offset: f32 },
    Dense(FeatureMatrix),
}

/// Runs the stages before training and notes their wall time.
///
/// The range of every feature is [0, 1] here: users map their values there by the public range of the data set.
pub(crate) fn prepare(
    spec: &FeatureSpec,
    propagation: &PropagationSpec,
    truth: &Truth,
    seed: &Seed,
    seconds: &mut Seconds,
) -> Result<Prepared, Error> {
    let start = Instant::now();
    let dataset = truth.dataset();
    let (mut reported_dimensions, mut report_variance) = (None, None);
    let received = match *spec {
        FeatureSpec::Clean => Received::Sparse { entries: truth.features()?.clone(), offset: 0.0 },
        FeatureSpec::FeatureFree { dimensions } => {
            Received::Dense(normal_features(dataset.nodes(), dimensions, &mut seed.child("feature-free").rng())?)
        }
        FeatureSpec::MultiBit { epsilon, sample_size } | FeatureSpec::Sim { epsilon, sample_size } => {
            let encoder = encoder(epsilon, dataset.dimensions(), sample_size)?;
            let rectifier = encoder.rectifier();
            reported_dimensions = Some(encoder.sampled());
            report_variance = Some(rectifier.worst_variance());
            let stage = seed.child("reports");
            let reports = if matches!(spec, FeatureSpec::Sim { .. }) {
                encoder.draw_data_free_control(dataset.nodes(), Users::From(0), |word| stream(&stage, word))?
            } else {
                let features = truth.features()?;
                let (indptr, indices, values) = (features.indptr(), features.indices(), features.values());
                let rows = SparseRows::new(features.columns(), Bounds::UNIT, indptr, indices, values, 0.0)?;
                encoder.encode_sparse_rows(&rows, Users::From(0), |word| stream(&stage, word))?
            };
            match propagation.scale {
                Scale::AsPrinted => Received::Sparse {
                    entries: entries(&reports, rectifier.scale() as f32)?,
                    offset: rectifier.midpoint() as f32,
                },
                Scale::Signs | Scale::UnitRms => Received::Sparse { entries: entries(&reports, 1.0)?, offset: 0.0 },
            }
        }
    };
    seconds.randomize = start.elapsed().as_secs_f64();

    let start = Instant::now();
    let mut features = propagated(received, propagation, truth)?;
    if propagation.scale == Scale::UnitRms {
        features = with_unit_rms(features)?;
    }
    seconds.propagate = start.elapsed().as_secs_f64();
    Ok(Prepared { features, reported_dimensions, report_variance })
}

/// The multi-bit encoder on [0, 1].
fn encoder(epsilon: Epsilon, dimensions: usize, sample_size: SampleSize) -> Result<MultiBitEncoder, Error> {
    let rule = match sample_size {
        SampleSize::Optimal => ldp_core::SampleSize::Optimal,
        SampleSize::FloorRule => ldp_core::SampleSize::FloorRule,
    };
    Ok(MultiBitEncoder::new(epsilon, dimensions, Bounds::UNIT, rule)?)
}

/// The stage's generator from its 32-bit word number `word` on.
fn stream(stage: &Seed, word: u128) -> ChaCha12Rng {
    let mut rng = stage.rng();
    rng.set_word_pos(word);
    rng
}

/// Reports as a sparse matrix of ±`magnitude`.
fn entries(reports: &MultiBitReports, magnitude: f32) -> Result<CsrMatrix, Error> {
    let (users, sampled) = (reports.len(), reports.sampled());
    let mut indices = Vec::with_capacity(users * sampled);
    let mut values = Vec::with_capacity(users * sampled);
    let mut row = Vec::with_capacity(sampled);
    for user in 0..users {
        row.clear();
        row.extend(reports.entries(user));
        row.sort_unstable();
        for &(index, bit) in &row {
            indices.push(index);
            values.push(if bit { magnitude } else { -magnitude });
        }
    }
    let indptr = (0..=users).map(|user| user * sampled).collect();
    Ok(CsrMatrix::new(reports.dimensions(), indptr, indices, values)?)
}

fn normal_features(nodes: usize, dimensions: usize, rng: &mut ChaCha12Rng) -> Result<FeatureMatrix, Error> {
    let data = (0..nodes * dimensions).map(|_| StandardNormal.sample(rng)).collect();
    Ok(FeatureMatrix::new(nodes, dimensions, data)?)
}

fn propagated(received: Received, spec: &PropagationSpec, truth: &Truth) -> Result<Features, Error> {
    if spec.steps == 0 {
        return Ok(match received {
            Received::Sparse { entries, offset: 0.0 } => Features::Sparse(entries),
            Received::Sparse { entries, offset } => Features::Dense(filled(&entries, offset)?),
            Received::Dense(matrix) => Features::Dense(matrix),
        });
    }
    let normalization = match spec.normalization {
        Normalization::Symmetric => graph_denoise::Normalization::Symmetric,
        Normalization::Row => graph_denoise::Normalization::Row,
    };
    let weights = Weights::normalized(truth.dataset().graph(), normalization, SelfLoops::AsIs);
    let rows = match &received {
        Received::Sparse { entries, offset } => Rows::Sparse { entries, offset: *offset },
        Received::Dense(matrix) => Rows::Dense(matrix),
    };
    Ok(Features::Dense(propagate(&weights, rows, &Filter::power(spec.steps))?))
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
            let values = matrix.values().iter().map(|&value| value * factor).collect();
            let (indptr, indices) = (matrix.indptr().to_vec(), matrix.indices().to_vec());
            Features::Sparse(CsrMatrix::new(matrix.columns(), indptr, indices, values)?)
        }
    })
}
