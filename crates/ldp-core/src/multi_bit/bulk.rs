//! The bulk form: rows of many users at once, for simulation and for the server's null control.
//!
//! Words are read in large pieces; a row whose sampled columns are surely not listed is decided without looking at
//! its values.

use alloc::vec;

use rand_core::CryptoRng;

use super::{MultiBitEncoder, MultiBitReports, SparseRows, Users};
use crate::Error;
use crate::index_sample::IndexSampler;

/// Random words read at once.
const CHUNK_WORDS: usize = 1024;

/// What the coins of a row weigh.
trait Thresholds {
    /// The weight of 2⁶⁴ of a plus in columns that are not listed.
    fn absent(&self) -> u64;

    /// False when surely none of `columns` is listed in `row`.
    fn may_list<const M: usize>(&self, row: usize, columns: &[u32; M]) -> bool;

    /// The weight of a plus in any column.
    fn at(&self, row: usize, column: u32) -> u64;
}

struct FromRows<'a> {
    encoder: &'a MultiBitEncoder,
    rows: &'a SparseRows<'a>,
    absent: u64,
}

impl Thresholds for FromRows<'_> {
    fn absent(&self) -> u64 {
        self.absent
    }

    #[inline]
    fn may_list<const M: usize>(&self, row: usize, columns: &[u32; M]) -> bool {
        self.rows.may_list(row, columns)
    }

    #[inline]
    fn at(&self, row: usize, column: u32) -> u64 {
        self.rows.get(row, column).map_or(self.absent, |value| self.encoder.coin.threshold(f64::from(value)))
    }
}

/// Fair coins, whatever the column.
struct Fair;

impl Thresholds for Fair {
    fn absent(&self) -> u64 {
        1 << 63
    }

    fn may_list<const M: usize>(&self, _: usize, _: &[u32; M]) -> bool {
        false
    }

    fn at(&self, _: usize, _: u32) -> u64 {
        1 << 63
    }
}

impl MultiBitEncoder {
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
        self.draw_reports(rows.len(), users, stream, &FromRows { encoder: self, rows, absent })
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
        self.draw_reports(count, users, stream, &Fair)
    }

    /// The loop of the bulk forms: words in chunks, one user after the other.
    fn draw_reports<R: CryptoRng>(
        &self,
        count: usize,
        users: Users<'_>,
        stream: impl Fn(u128) -> R,
        thresholds: &impl Thresholds,
    ) -> Result<MultiBitReports, Error> {
        users.check(count)?;
        let width = self.words_per_report();
        let mut reports = MultiBitReports::blank(self.dimensions(), self.sampled, count);
        let mut sampler = self.sampler();
        // A multiple of 64 rows where there is room, so that packed bits fill whole words.
        let room = (CHUNK_WORDS / width).max(1);
        let room = if room < 64 { room } else { room / 64 * 64 };
        let mut bytes = vec![0_u8; 8 * width * room.min(count.max(1))];
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
            let whole = self.sampled == self.dimensions();
            match self.sampled {
                1 if !whole => self.write_few::<1, 2>(words, row, &mut reports, &sampler, thresholds),
                2 if !whole && width == 3 => self.write_few::<2, 3>(words, row, &mut reports, &sampler, thresholds),
                3 if !whole && width == 5 => self.write_few::<3, 5>(words, row, &mut reports, &sampler, thresholds),
                4 if !whole && width == 6 => self.write_few::<4, 6>(words, row, &mut reports, &sampler, thresholds),
                _ => self.write_many(words, row, &mut reports, &mut sampler, thresholds),
            }
            row += rows;
        }
        Ok(reports)
    }

    /// Reports of M entries from W words each; the bits of 64/M reports are packed before they are written.
    fn write_few<const M: usize, const W: usize>(
        &self,
        words: &[[u8; 8]],
        first: usize,
        reports: &mut MultiBitReports,
        sampler: &IndexSampler,
        thresholds: &impl Thresholds,
    ) {
        let (rows, _) = words.as_chunks::<W>();
        let absent = thresholds.absent();
        for (group, rows) in rows.chunks(64 / M).enumerate() {
            let first = first + group * (64 / M);
            let mut packed = 0;
            let (slots, _) = reports.indices[first * M..(first + rows.len()) * M].as_chunks_mut::<M>();
            for (offset, (words, slots)) in rows.iter().zip(slots).enumerate() {
                let (row, mut places) = (first + offset, words.iter());
                let indices = sampler.sample_few::<M>(|| places.next().map_or(0, |&w| u64::from_le_bytes(w)));
                *slots = indices;
                let coins: [u64; M] = core::array::from_fn(|k| u64::from_le_bytes(words[W - M + k]));
                let bits = if thresholds.may_list(row, &indices) {
                    pack(&coins, indices.map(|index| thresholds.at(row, index)))
                } else {
                    pack(&coins, [absent; M])
                };
                packed |= bits << (offset * M);
            }
            reports.put_bits(first * M, rows.len() * M, packed);
        }
    }

    /// Reports of any size: the words of the index set first, then one coin an entry.
    fn write_many(
        &self,
        words: &[[u8; 8]],
        first: usize,
        reports: &mut MultiBitReports,
        sampler: &mut IndexSampler,
        thresholds: &impl Thresholds,
    ) {
        let (sampled, width) = (self.sampled, self.words_per_report());
        for (row, words) in (first..).zip(words.chunks_exact(width)) {
            let (places, coins) = words.split_at(width - sampled);
            let mut places = places.iter().map(|&w| u64::from_le_bytes(w));
            let entries = row * sampled..(row + 1) * sampled;
            sampler.sample(|| places.next().unwrap_or_default(), &mut reports.indices[entries.clone()]);
            for (start, coins) in entries.step_by(64).zip(coins.chunks(64)) {
                let indices = &reports.indices[start..start + coins.len()];
                let bits = coins.iter().zip(indices).enumerate().fold(0, |bits, (k, (&coin, &index))| {
                    bits | u64::from(u64::from_le_bytes(coin) < thresholds.at(row, index)) << k
                });
                reports.put_bits(start, coins.len(), bits);
            }
        }
    }
}

#[inline]
fn pack<const M: usize>(coins: &[u64; M], thresholds: [u64; M]) -> u64 {
    (0..M).fold(0, |bits, k| bits | u64::from(coins[k] < thresholds[k]) << k)
}
