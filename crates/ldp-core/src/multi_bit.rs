//! The multi-bit mechanism: m of d dimensions, one bit each.
//!
//! \[LPGNN, Alg. 1, Eq. 5\]; PPGNN's MLR is the same on [-1, 1]; m = 1 is Harmony. For a sampled value x ∈ [α, β] the
//! bit is + with probability 1/(e^{ε/m}+1) + (x−α)/(β−α)·tanh(ε/2m), and the server reads ± as
//! (d(β−α)/2m)·coth(ε/2m) around the midpoint. Per-coordinate variance (d/m)·((β−α)/2)²·coth²(ε/2m) − (x−mid)².
//!
//! Where ours differs: the papers send the rectified vector, d doubles of which d−m are zero; here a report is the m
//! indices and m bits, which says the same in a few bytes, and bounds what a dishonest user can send.

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
use crate::weights::{BoundedCoin, TOTAL, TOTAL_F64, index_below, log_quotient};
use crate::{Bounds, Epsilon, Error, FiniteRandomizer, Randomizer, SampleSize};

/// Rows of random words read at once by bulk encoding.
const CHUNK_WORDS: usize = 1024;

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

    /// 64-bit random words that one report takes: m for the indices (none when m = d) and m for the bits.
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
        let bits = indices.iter().map(|&i| rng.next_u64() < self.coin.threshold(f64::from(row[i as usize]))).collect();
        Ok(MultiBitReport::from_sorted(indices, bits))
    }

    fn sampler(&self) -> IndexSampler {
        IndexSampler::new(self.dimensions, self.sampled)
    }

    fn check_row(&self, row: &[f32]) -> Result<(), Error> {
        if row.len() != self.dimensions() {
            return Err(Error::Length { what: "row", expected: self.dimensions(), got: row.len() });
        }
        // No early exit: the time does not tell where the first bad value was.
        let inside = row.iter().fold(true, |ok, &v| ok & self.bounds().contains(f64::from(v)));
        if inside { Ok(()) } else { Err(self.bounds().outside()) }
    }

    /// Encodes sparse rows, one a user, into contiguous storage; nothing dense is built.
    ///
    /// User u reads words 2W·u … 2W·(u+1)−1 (32-bit, W = [`MultiBitEncoder::words_per_report`]) of one stream, so the
    /// report of a user depends neither on the other rows, nor on their order, nor on how the rows are cut over
    /// threads. `stream(position)` gives a generator placed at that 32-bit word, for ChaCha:
    ///
    /// ```
    /// use chacha20::{ChaCha12Rng, rand_core::SeedableRng};
    /// use ldp_core::{Bounds, Epsilon, MultiBitEncoder, SampleSize, SparseRows, Users};
    /// let encoder = MultiBitEncoder::new(Epsilon::new(1.0)?, 5, Bounds::UNIT, SampleSize::Optimal)?;
    /// // Two users: the first holds 1 in dimensions 1 and 4, the second has only the default.
    /// let rows = SparseRows::new(5, Bounds::UNIT, &[0, 2, 2], &[1, 4], &[1.0, 1.0], 0.0)?;
    /// let stream = |position| {
    ///     let mut rng = ChaCha12Rng::from_seed([7; 32]);
    ///     rng.set_word_pos(position);
    ///     rng
    /// };
    /// let reports = encoder.encode_sparse_rows(&rows, Users::From(0), stream)?;
    /// assert_eq!(reports.len(), 2);
    /// # Ok::<(), ldp_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Length`] when the rows were checked for other dimensions or listed users do not match the rows;
    /// [`Error::Bounds`] when they were checked for other bounds.
    ///
    /// # Complexity
    /// Time O(users · m + non-zeros), space O(users · m).
    pub fn encode_sparse_rows<R: CryptoRng>(
        &self,
        rows: &SparseRows<'_>,
        users: Users<'_>,
        stream: impl Fn(u128) -> R,
    ) -> Result<MultiBitReports, Error> {
        if rows.dimensions() != self.dimensions() {
            let (expected, got) = (self.dimensions(), rows.dimensions());
            return Err(Error::Length { what: "sparse row", expected, got });
        }
        if rows.bounds() != self.bounds() {
            return Err(Error::Bounds { lower: rows.bounds().lower(), upper: rows.bounds().upper() });
        }
        let absent = self.coin.threshold(f64::from(rows.absent()));
        self.draw_reports(rows.len(), users, stream, |row, index, word| {
            let threshold = rows.get(row, index).map_or(absent, |value| self.coin.threshold(f64::from(value)));
            word < threshold
        })
    }

    /// A null control for experiments, **not a mechanism**: reports with the index law and the format of this
    /// encoder whose bits are fair coins. No data goes in, so whatever a model learns from them is not in the
    /// features ("SIM", papers' null control).
    ///
    /// With the stream of a real encoding the indices are the same and only the bits differ.
    ///
    /// # Errors
    /// [`Error::Length`] when listed users are not `count`.
    pub fn draw_data_free_control<R: CryptoRng>(
        &self,
        count: usize,
        users: Users<'_>,
        stream: impl Fn(u128) -> R,
    ) -> Result<MultiBitReports, Error> {
        self.draw_reports(count, users, stream, |_, _, word| word < 1 << 63)
    }

    /// The loop of the bulk forms: words in chunks, one user after the other.
    fn draw_reports<R: CryptoRng>(
        &self,
        count: usize,
        users: Users<'_>,
        stream: impl Fn(u128) -> R,
        bit: impl Fn(usize, u32, u64) -> bool,
    ) -> Result<MultiBitReports, Error> {
        users.check(count)?;
        let width = self.words_per_report();
        let mut reports = MultiBitReports::blank(self.dimensions(), self.sampled, count);
        let mut sampler = self.sampler();
        let mut bytes = vec![0_u8; 8 * width * (CHUNK_WORDS / width).clamp(1, count.max(1))];
        let position = |user: u64| 2 * width as u128 * u128::from(user);
        let mut sequential = match users {
            Users::From(first) => Some(stream(position(first))),
            Users::Listed(_) => None,
        };
        let mut row = 0;
        while row < count {
            let rows = match (users, &mut sequential) {
                (Users::From(_), Some(rng)) => {
                    let rows = (bytes.len() / (8 * width)).min(count - row);
                    rng.fill_bytes(&mut bytes[..8 * width * rows]);
                    rows
                }
                (users, _) => {
                    stream(position(users.number(row))).fill_bytes(&mut bytes[..8 * width]);
                    1
                }
            };
            let (words, _) = bytes[..8 * width * rows].as_chunks::<8>();
            if width == 2 && self.dimensions > 1 {
                self.write_single(words, row, &mut reports, &bit);
            } else {
                self.write_several(words, row, &mut reports, &mut sampler, &bit);
            }
            row += rows;
        }
        Ok(reports)
    }

    /// Reports of one entry from two words each: an index and a coin.
    fn write_single(
        &self,
        words: &[[u8; 8]],
        first: usize,
        reports: &mut MultiBitReports,
        bit: impl Fn(usize, u32, u64) -> bool,
    ) {
        let (pairs, _) = words.as_chunks::<2>();
        for (row, (slot, [place, coin])) in (first..).zip(reports.indices[first..].iter_mut().zip(pairs)) {
            let index = index_below(self.dimensions, u64::from_le_bytes(*place));
            *slot = index;
            reports.words[row / 64] |= u64::from(bit(row, index, u64::from_le_bytes(*coin))) << (row % 64);
        }
    }

    /// Reports of any size: the words of the index set first, then one coin an entry.
    fn write_several(
        &self,
        words: &[[u8; 8]],
        first: usize,
        reports: &mut MultiBitReports,
        sampler: &mut IndexSampler,
        bit: impl Fn(usize, u32, u64) -> bool,
    ) {
        let (sampled, width) = (self.sampled, sampler.words() + self.sampled);
        for (row, words) in (first..).zip(words.chunks_exact(width)) {
            let (places, coins) = words.split_at(width - sampled);
            let mut places = places.iter().map(|&w| u64::from_le_bytes(w));
            let entries = row * sampled..(row + 1) * sampled;
            let indices = &mut reports.indices[entries.clone()];
            sampler.sample(|| places.next().unwrap_or_default(), indices);
            for ((entry, &index), &coin) in entries.zip(&*indices).zip(coins) {
                let bit = bit(row, index, u64::from_le_bytes(coin));
                reports.words[entry / 64] |= u64::from(bit) << (entry % 64);
            }
        }
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
