//! PPGNN's mechanism exactly as printed \[PPGNN, Alg. 1–3\]. **It does not protect the level**; for comparison only.
//!
//! * The report's non-zero entries all have magnitude M = (d/m)·coth(ε₂/2m). With m counted and d public,
//!   ε₂ = m·ln((mM/d + 1)/(mM/d − 1)): the true level, to fifteen digits. [`recover_level`](PrintedMechanism::recover_level)
//!   does it from one report; the privacy loss for the level is infinite.
//! * The level's own channel runs with budget γε_τ, so its parameters depend on the secret: with f = 5, γ = ½ and base
//!   ε = 0.1 the output domains differ between levels.
//! * Its window runs off the lower end, so a row there does not sum to one. It is renormalised here, since a sampler
//!   must draw something; that raises the loss further.
//!
//! The features, for a fixed level, are ε₂-private as claimed.

use alloc::vec;
use alloc::vec::Vec;

use rand_core::CryptoRng;

use super::LeveledRow;
use crate::index_sample::IndexSampler;
use crate::level::LevelBudgets;
use crate::weights::{BoundedCoin, TOTAL_F64};
use crate::window_mechanism::half_width;
use crate::{Bounds, Epsilon, Error};

/// The mechanism of the paper on [-1, 1].
#[derive(Clone, Debug, PartialEq)]
pub struct PrintedMechanism {
    budgets: LevelBudgets,
    dimensions: u32,
    /// (1 − γ)ε_τ.
    features: Vec<Epsilon>,
    /// Cumulative weights of 2⁶⁴ of outputs 1, 2, … for each level.
    outputs: Vec<Vec<u64>>,
}

/// A report as printed: the noisy level, 1-based, and the rectified non-zero entries.
#[derive(Clone, Debug, PartialEq)]
pub struct PrintedReport {
    /// Output of the extended square wave, from 1.
    pub level: u32,
    /// (dimension, ±M).
    pub entries: Vec<(u32, f64)>,
}

impl PrintedMechanism {
    /// γε_τ to the level, the rest to `dimensions` features.
    ///
    /// # Errors
    /// [`Error::Value`] for a γ outside (0, 1), [`Error::Count`] without dimensions, [`Error::Epsilon`] when a share
    /// is below a nano-nat.
    pub fn new(budgets: LevelBudgets, dimensions: u32, gamma: f64) -> Result<Self, Error> {
        if !(gamma > 0.0 && gamma < 1.0) {
            return Err(Error::Value { lower: 0.0, upper: 1.0 });
        }
        if dimensions == 0 {
            return Err(Error::Count { what: "dimensions", min: 1, max: u64::from(u32::MAX), got: 0 });
        }
        let part = |share: f64| move |b: &Epsilon| Epsilon::new(b.nats() * share);
        let features = budgets.as_slice().iter().map(part(1.0 - gamma)).collect::<Result<Vec<_>, _>>()?;
        let levels = budgets.as_slice().len();
        let row = |(level, budget): (usize, &Epsilon)| {
            let nats = budget.nats() * gamma;
            let reach = (half_width(nats) * levels as f64) as usize;
            let likely = libm::exp(nats);
            let cells = levels + 2 * reach;
            let weight = |output: usize| if (level + 1).abs_diff(output) <= reach { likely } else { 1.0 };
            let sum: f64 = (1..=cells).map(weight).sum();
            let running = (1..=cells).scan(0.0, |below, y| {
                *below += weight(y) / sum;
                Some((*below * TOTAL_F64) as u64)
            });
            running.collect()
        };
        let outputs = budgets.as_slice().iter().enumerate().map(row).collect();
        Ok(Self { budgets, dimensions, features, outputs })
    }

    /// m(τ') = max(1, min(d, ⌊ε₂/2.2⌋)), the level clipped to the domain.
    fn sampled(&self, level: u32) -> usize {
        let level = (level.max(1) as usize).min(self.features.len()) - 1;
        ((self.features[level].nats() / 2.2) as usize).clamp(1, self.dimensions as usize)
    }

    /// M for a true level.
    fn magnitude(&self, level: usize, sampled: usize) -> f64 {
        let share = self.features[level].nats() / sampled as f64;
        f64::from(self.dimensions) / sampled as f64 / libm::tanh(share / 2.0)
    }

    /// Draws one report.
    ///
    /// # Errors
    /// [`Error::Category`], [`Error::Length`] and [`Error::Value`] when level or row are outside the domain.
    pub fn randomize<R: CryptoRng + ?Sized>(&self, value: &LeveledRow, rng: &mut R) -> Result<PrintedReport, Error> {
        let level = value.level as usize;
        if level >= self.features.len() {
            return Err(Error::Category { categories: self.features.len() as u32 });
        }
        if value.row.len() != self.dimensions as usize {
            let expected = self.dimensions as usize;
            return Err(Error::Length { what: "row", expected, got: value.row.len() });
        }
        for &v in &value.row {
            Bounds::SYMMETRIC.check(f64::from(v))?;
        }
        let word = rng.next_u64();
        let cells = &self.outputs[level];
        let output = 1 + cells[..cells.len() - 1].iter().filter(|&&below| word >= below).count() as u32;
        let m = self.sampled(output);
        let coin = BoundedCoin::new(self.features[level].split(m as u64)?.part, Bounds::SYMMETRIC)?;
        let mut indices = vec![0; m];
        IndexSampler::new(self.dimensions, m).sample(|| rng.next_u64(), &mut indices);
        let magnitude = self.magnitude(level, m);
        let entry = |index: u32| {
            let plus = rng.next_u64() < coin.threshold(f64::from(value.row[index as usize]));
            (index, if plus { magnitude } else { -magnitude })
        };
        Ok(PrintedReport { level: output, entries: indices.into_iter().map(entry).collect() })
    }

    /// The attack: the true level, read off the magnitude of one report.
    #[must_use]
    pub fn recover_level(&self, report: &PrintedReport) -> Option<u32> {
        let m = report.entries.len() as f64;
        let scaled = libm::fabs(report.entries.first()?.1) * m / f64::from(self.dimensions);
        let found = m * libm::log1p(2.0 / (scaled - 1.0));
        let distance = |budget: &Epsilon| libm::fabs(budget.nats() - found);
        let nearest = self.features.iter().enumerate().min_by(|a, b| distance(a.1).total_cmp(&distance(b.1)))?;
        Some(nearest.0 as u32)
    }

    /// ε_τ of every level.
    #[must_use]
    pub fn budgets(&self) -> &LevelBudgets {
        &self.budgets
    }

    /// Sizes of the output domains, one a level; where they differ, an output can exclude a level.
    #[must_use]
    pub fn domain_sizes(&self) -> Vec<usize> {
        self.outputs.iter().map(Vec::len).collect()
    }
}
