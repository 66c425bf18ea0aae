//! MLR: m of d dimensions, each through a scalar mechanism with ε/m.
//!
//! The wrapper around any scalar mechanism \[PPGNN, footnote 3; UPGNET, stage 1\]; with the one-bit mechanism it is
//! multi-bit, for which [`MultiBitEncoder`](crate::MultiBitEncoder) is the fast form. m = d is plain composition over
//! all dimensions. An estimate is midpoint + (d/m)·(rectified − midpoint) where reported, midpoint elsewhere; its
//! variance is (d/m)·(V(x) + (x−mid)²) − (x−mid)².

use alloc::vec;
use alloc::vec::Vec;

use rand_core::CryptoRng;

use crate::index_sample::IndexSampler;
use crate::{Bounds, Epsilon, Error, FiniteRandomizer, Randomizer, SampleSize, ScalarMechanism};

/// A row of d numbers through mechanism `M` in m sampled dimensions.
///
/// ```
/// use chacha20::{ChaCha12Rng, rand_core::SeedableRng};
/// use ldp_core::{Bounds, Epsilon, Piecewise, Randomizer, SampleSize, Sampled};
/// let mechanism = Sampled::<Piecewise>::new(Epsilon::new(5.0)?, 4, Bounds::SYMMETRIC, SampleSize::Optimal)?;
/// let report = mechanism.randomize(&[0.5, -1.0, 0.0, 1.0], &mut ChaCha12Rng::from_seed([7; 32]))?;
/// let row = mechanism.rectify(&report); // unbiased, dense
/// assert_eq!(row.len(), 4);
/// # Ok::<(), ldp_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Sampled<M> {
    epsilon: Epsilon,
    dimensions: u32,
    sampled: usize,
    mechanism: M,
}

/// A report of [`Sampled`]: ascending dimensions and one scalar report each.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct SampledReport<R> {
    /// The reported dimensions, ascending.
    pub indices: Vec<u32>,
    /// One report a dimension.
    pub reports: Vec<R>,
}

impl<M: ScalarMechanism> Sampled<M> {
    /// For rows of `dimensions` numbers inside `bounds`.
    ///
    /// [`SampleSize::Optimal`] takes the m of smallest worst-case variance of this very mechanism, by trying m = 1, 2,
    /// … until it has grown twice in a row; [`SampleSize::FloorRule`] is ⌊ε/2.5⌋, the papers' rule for the piecewise
    /// mechanism.
    ///
    /// # Errors
    /// [`Error::Count`] without dimensions or with m outside 1 … d; the mechanism's own errors.
    pub fn new(epsilon: Epsilon, dimensions: usize, bounds: Bounds, rule: SampleSize) -> Result<Self, Error> {
        let build = |m: usize| M::build(epsilon.split(m as u64)?.part, bounds);
        let worst = |m: usize| build(m).map_or(f64::INFINITY, |b| b.worst_variance(dimensions as f64 / m as f64));
        let sampled = rule.search(epsilon, dimensions, 2.5, worst)?;
        Ok(Self { epsilon, dimensions: dimensions as u32, sampled, mechanism: build(sampled)? })
    }

    /// d, the length of a row.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.dimensions as usize
    }

    /// m, the number of reported dimensions.
    #[must_use]
    pub fn sampled(&self) -> usize {
        self.sampled
    }

    /// The mechanism of one dimension, with its share of ε.
    #[must_use]
    pub fn mechanism(&self) -> &M {
        &self.mechanism
    }

    /// Variance of the estimate of one dimension whose true value is `value`.
    #[must_use]
    pub fn variance(&self, value: f64) -> f64 {
        let offset = value - self.mechanism.bounds().midpoint();
        let keep = f64::from(self.dimensions) / self.sampled as f64;
        keep * (self.mechanism.variance(value) + offset * offset) - offset * offset
    }

    /// The largest variance over the ends and the middle of the range.
    #[must_use]
    pub fn worst_variance(&self) -> f64 {
        self.mechanism.worst_variance(f64::from(self.dimensions) / self.sampled as f64)
    }

    /// Estimates minus the midpoint, one a reported dimension; the others are estimated by the midpoint.
    pub fn centred_values(&self, report: &SampledReport<M::Report>) -> impl Iterator<Item = (u32, f64)> {
        let keep = f64::from(self.dimensions) / self.sampled as f64;
        let middle = self.mechanism.bounds().midpoint();
        let value = move |r: &M::Report| keep * (self.mechanism.rectify(r) - middle);
        report.indices.iter().copied().zip(report.reports.iter().map(value))
    }

    /// The dense row of unbiased estimates.
    ///
    /// # Panics
    /// When the report is not one that [`Randomizer::accepts`].
    #[must_use]
    pub fn rectify(&self, report: &SampledReport<M::Report>) -> Vec<f64> {
        let mut row = vec![self.mechanism.bounds().midpoint(); self.dimensions()];
        self.centred_values(report).for_each(|(index, value)| row[index as usize] += value);
        row
    }

    fn check(&self, row: &[f64]) -> Result<(), Error> {
        if row.len() != self.dimensions() {
            return Err(Error::Length { what: "row", expected: self.dimensions(), got: row.len() });
        }
        self.mechanism.bounds().check_all(row, row.len())
    }
}

impl<M: ScalarMechanism> Randomizer for Sampled<M> {
    type Value = [f64];
    type Report = SampledReport<M::Report>;

    fn epsilon(&self) -> Epsilon {
        self.epsilon
    }

    fn randomize<R: CryptoRng + ?Sized>(&self, value: &[f64], rng: &mut R) -> Result<Self::Report, Error> {
        self.check(value)?;
        let mut indices = vec![0; self.sampled];
        IndexSampler::new(self.dimensions, self.sampled).sample(|| rng.next_u64(), &mut indices);
        let reports: Result<Vec<_>, _> =
            indices.iter().map(|&i| self.mechanism.randomize(&value[i as usize], rng)).collect();
        Ok(SampledReport { indices, reports: reports? })
    }

    fn accepts(&self, report: &Self::Report) -> bool {
        report.indices.len() == self.sampled
            && report.reports.len() == self.sampled
            && report.indices.is_sorted_by(|a, b| a < b)
            && report.indices.last().is_some_and(|&last| last < self.dimensions)
            && report.reports.iter().all(|r| self.mechanism.accepts(r))
    }
}

impl<M: ScalarMechanism + FiniteRandomizer> FiniteRandomizer for Sampled<M> {
    fn probability(&self, value: &[f64], report: &Self::Report) -> Result<f64, Error> {
        self.check(value)?;
        if !self.accepts(report) {
            return Ok(0.0);
        }
        let sets = (0..self.sampled).map(|k| (self.sampled - k) as f64 / (self.dimensions() - k) as f64);
        report.indices.iter().zip(&report.reports).zip(sets).try_fold(1.0, |product, ((&index, report), set)| {
            Ok(product * set * self.mechanism.probability(&value[index as usize], report)?)
        })
    }

    fn log_ratio(&self, one: &[f64], other: &[f64], report: &Self::Report) -> Result<f64, Error> {
        self.check(one)?;
        self.check(other)?;
        if !self.accepts(report) {
            return Err(Error::Report { what: "wrong number of dimensions, or one outside the row" });
        }
        report.indices.iter().zip(&report.reports).try_fold(0.0, |sum, (&index, report)| {
            let index = index as usize;
            Ok(sum + self.mechanism.log_ratio(&one[index], &other[index], report)?)
        })
    }

    fn achieved_epsilon(&self) -> f64 {
        self.mechanism.achieved_epsilon() * self.sampled as f64
    }
}
