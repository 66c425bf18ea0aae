//! The multi-bit mechanism: m of d dimensions, one bit each.
//!
//! \[LPGNN, Alg. 1, Eq. 5\]; PPGNN's MLR is the same on [-1, 1]; m = 1 is Harmony. For a sampled value x ∈ [α, β] the
//! bit is + with probability 1/(e^{ε/m}+1) + (x−α)/(β−α)·tanh(ε/2m), and the server reads ± as
//! (d(β−α)/2m)·coth(ε/2m) around the midpoint. Per-coordinate variance (d/m)·((β−α)/2)²·coth²(ε/2m) − (x−mid)².
//!
//! Where ours differs: the papers send the rectified vector, d doubles of which d−m are zero; here a report is the m
//! indices and m bits, which says the same in a few bytes, and bounds what a dishonest user can send.

mod bulk;
mod rectifier;
mod reports;
mod sparse_rows;

pub use rectifier::MultiBitRectifier;
pub use reports::{MultiBitReport, MultiBitReports};
pub use sparse_rows::{SparseRows, Users};

use alloc::vec;
use alloc::vec::Vec;

use rand_core::CryptoRng;

use crate::index_sample::IndexSampler;
use crate::sample_size::MULTI_BIT;
use crate::weights::{BoundedCoin, TOTAL, TOTAL_F64, log_quotient};
use crate::{Bounds, Epsilon, Error, FiniteRandomizer, Randomizer, SampleSize};

/// Coins tossed from one read of random words.
const BATCH: usize = 64;

/// The user's side of the multi-bit mechanism.
///
/// Domain: a row of d values (`f32`), each inside the bounds. Report: [`MultiBitReport`]. A report takes exactly
/// [`MultiBitEncoder::words_per_report`] random words. Timing of the bulk form may depend on the data; it is meant for
/// simulation.
///
/// ```
/// use chacha20::{ChaCha12Rng, rand_core::SeedableRng};
/// use ldp_core::{Bounds, Epsilon, MultiBitEncoder, Randomizer, SampleSize};
/// let encoder = MultiBitEncoder::new(Epsilon::new(4.0)?, 5, Bounds::UNIT, SampleSize::Optimal)?;
/// let report = encoder.randomize(&[0.0, 1.0, 0.5, 0.0, 1.0], &mut ChaCha12Rng::from_seed([7; 32]))?;
/// let rectifier = encoder.rectifier();
/// for (index, bit) in report.entries() {
///     let estimate = rectifier.value(bit); // of dimension `index`; the others are estimated by `rectifier.midpoint()`
///     assert!(index < 5 && estimate.is_finite());
/// }
/// # Ok::<(), ldp_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MultiBitEncoder {
    epsilon: Epsilon,
    dimensions: u32,
    sampled: usize,
    coin: BoundedCoin,
}

impl MultiBitEncoder {
    /// For rows of `dimensions` values inside `bounds`; m follows `rule`, each sampled dimension gets ⌊ε/m⌋ in whole
    /// nano-nats.
    ///
    /// # Errors
    /// [`Error::Count`] without dimensions or with a fixed m outside 1 … d; [`Error::Split`] when ε/m is below a
    /// nano-nat.
    pub fn new(epsilon: Epsilon, dimensions: usize, bounds: Bounds, rule: SampleSize) -> Result<Self, Error> {
        let worst = |budget: f64| libm::pow(libm::tanh(budget / 2.0), -2.0);
        let sampled = rule.resolve(epsilon, dimensions, MULTI_BIT, worst)?;
        let coin = BoundedCoin::new(epsilon.split(sampled as u64)?.part, bounds)?;
        Ok(Self { epsilon, dimensions: dimensions as u32, sampled, coin })
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

    /// The public range of every value.
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        self.coin.bounds
    }

    /// 64-bit random words that one report takes: m for the bits, and for the indices ⌈m/2⌉ (m above 2¹⁶ dimensions,
    /// none when m = d).
    #[must_use]
    pub fn words_per_report(&self) -> usize {
        self.sampler().words() + self.sampled
    }

    /// The server's side.
    #[must_use]
    pub fn rectifier(&self) -> MultiBitRectifier {
        MultiBitRectifier::new(self.bounds(), self.dimensions(), self.sampled, self.coin.coin.gain())
    }

    /// Exact weight of 2⁶⁴ of one bit for a sampled `value` inside the bounds.
    ///
    /// # Errors
    /// [`Error::Value`] when the value is outside.
    pub fn bit_weight(&self, value: f32, bit: bool) -> Result<u64, Error> {
        let plus = self.coin.threshold(self.bounds().check(f64::from(value))?);
        Ok(if bit { plus } else { (TOTAL - u128::from(plus)) as u64 })
    }

    /// Bits for the ascending `indices`, which do not depend on the row.
    pub(crate) fn randomize_at<R: CryptoRng + ?Sized>(
        &self,
        indices: Vec<u32>,
        row: &[f32],
        rng: &mut R,
    ) -> Result<MultiBitReport, Error> {
        self.check_row(row)?;
        let mut bits = vec![false; indices.len()];
        if indices.len() == row.len() {
            self.toss(row.iter().copied(), &mut bits, rng);
        } else {
            self.toss(indices.iter().map(|&i| row[i as usize]), &mut bits, rng);
        }
        Ok(MultiBitReport::from_sorted(indices, bits))
    }

    /// One coin a value, one word a coin.
    fn toss<R: CryptoRng + ?Sized>(&self, mut values: impl Iterator<Item = f32>, bits: &mut [bool], rng: &mut R) {
        let mut bytes = [0; 8 * BATCH];
        for bits in bits.chunks_mut(BATCH) {
            let bytes = &mut bytes[..8 * bits.len()];
            rng.fill_bytes(bytes);
            let (words, _) = bytes.as_chunks::<8>();
            for ((bit, &word), value) in bits.iter_mut().zip(words).zip(&mut values) {
                *bit = u64::from_le_bytes(word) < self.coin.threshold(f64::from(value));
            }
        }
    }

    fn sampler(&self) -> IndexSampler {
        IndexSampler::new(self.dimensions, self.sampled)
    }

    fn check_row(&self, row: &[f32]) -> Result<(), Error> {
        if row.len() != self.dimensions() {
            return Err(Error::Length { what: "row", expected: self.dimensions(), got: row.len() });
        }
        if self.bounds().contain_all(row) { Ok(()) } else { Err(self.bounds().outside()) }
    }
}

impl Randomizer for MultiBitEncoder {
    type Value = [f32];
    type Report = MultiBitReport;

    fn epsilon(&self) -> Epsilon {
        self.epsilon
    }

    fn randomize<R: CryptoRng + ?Sized>(&self, value: &[f32], rng: &mut R) -> Result<MultiBitReport, Error> {
        self.check_row(value)?;
        let mut indices = vec![0; self.sampled];
        self.sampler().sample(|| rng.next_u64(), &mut indices);
        self.randomize_at(indices, value, rng)
    }

    fn accepts(&self, report: &MultiBitReport) -> bool {
        let indices = report.indices();
        indices.len() == self.sampled && indices.last().is_some_and(|&last| last < self.dimensions)
    }
}

impl FiniteRandomizer for MultiBitEncoder {
    /// 1/C(d, m) times the weights of the bits. The sampler's index law is within 1 ± m·d·2⁻⁶⁴ of uniform; see
    /// [`weights::index_weight`](crate::weights::index_weight) for m = 1.
    fn probability(&self, value: &[f32], report: &MultiBitReport) -> Result<f64, Error> {
        self.check_row(value)?;
        if !self.accepts(report) {
            return Ok(0.0);
        }
        // C(d, m) as a product of quotients, each folded into the probability of one bit.
        let sets = (0..self.sampled).map(|k| (self.sampled - k) as f64 / (self.dimensions() - k) as f64);
        report.entries().zip(sets).try_fold(1.0, |product, ((index, bit), set)| {
            Ok(product * set * (self.bit_weight(value[index as usize], bit)? as f64 / TOTAL_F64))
        })
    }

    fn log_ratio(&self, one: &[f32], other: &[f32], report: &MultiBitReport) -> Result<f64, Error> {
        self.check_row(one)?;
        self.check_row(other)?;
        if !self.accepts(report) {
            return Err(Error::Report { what: "wrong number of indices, or an index outside the row" });
        }
        report.entries().try_fold(0.0, |sum, (index, bit)| {
            let weight = |row: &[f32]| self.bit_weight(row[index as usize], bit).map(u128::from);
            Ok(sum + log_quotient(weight(one)?, weight(other)?))
        })
    }

    fn achieved_epsilon(&self) -> f64 {
        self.coin.coin.achieved_epsilon() * self.sampled as f64
    }
}
