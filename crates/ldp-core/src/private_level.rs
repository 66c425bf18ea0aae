//! PPGNN's mechanism made sound: the level is randomized with a public budget, the features with the user's own.
//!
//! The report is (τ', S, s): an output τ' of the level channel, m' = m(τ') sampled dimensions, one bit each with
//! P(+) = ½ + ½·x·tanh(ε₂(τ)/2m'), ε₂(τ) = ε_τ − ε_L. The server rectifies with constants that depend on τ' only.
//!
//! **What is promised** \[papers' derivation\], and printed by [`Certificate`]:
//! * features, level fixed: ε₂(τ);
//! * level, features fixed and known: ε_L **plus a residual leak**, since the bits' reliability depends on the level;
//! * both together: ε_L + the larger ε₂.
//!
//! No mechanism can give each user ε_τ for features and level together and still be useful: all would be
//! 2ε₁-private. So the three numbers are stated apart. PPGNN's own wire format, which reveals the level exactly, is
//! [`as_printed`].

pub mod as_printed;
mod certificate;
mod rectifier;

pub use certificate::Certificate;
pub use rectifier::{LevelRectifier, PrivateLevelRectifier};

use alloc::vec;
use alloc::vec::Vec;

use rand_core::CryptoRng;

use crate::index_sample::IndexSampler;
use crate::level::{LevelBudgets, LevelChannel};
use crate::sample_size::MULTI_BIT;
use crate::weights::{BoundedCoin, TOTAL, TOTAL_F64, log_quotient};
use crate::{Bounds, Epsilon, Error, FiniteRandomizer, MultiBitReport, Randomizer, SampleSize, SparseRows, Users};

/// What a user holds: a level and a row of features.
#[derive(Clone, Debug, PartialEq)]
pub struct LeveledRow {
    /// The user's level, 0 … h−1.
    pub level: u32,
    /// The features.
    pub row: Vec<f32>,
}

/// What leaves the device: the randomized level and the bits of the sampled dimensions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct PrivateLevelReport {
    /// Output of the level channel.
    pub level: u32,
    /// m(level) dimensions and bits.
    pub features: MultiBitReport,
}

/// Reports of many users: user u has entries `indptr[u]..indptr[u + 1]`, bit k packed in `words[k / 64]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrivateLevelReports {
    /// Output of the level channel, one a user.
    pub levels: Vec<u32>,
    /// Ends of the users' entries, one more than there are users.
    pub indptr: Vec<usize>,
    /// Reported dimensions.
    pub indices: Vec<u32>,
    /// Bits, packed.
    pub words: Vec<u64>,
}

impl PrivateLevelReports {
    /// The bit that belongs to `indices[entry]`.
    ///
    /// # Panics
    /// When `entry` is not below the number of indices.
    #[must_use]
    pub fn bit(&self, entry: usize) -> bool {
        self.words[entry / 64] >> (entry % 64) & 1 == 1
    }
}

/// The user's side.
#[derive(Clone, Debug, PartialEq)]
pub struct PrivateLevelEncoder {
    budgets: LevelBudgets,
    channel: LevelChannel,
    features: Vec<Epsilon>,
    dimensions: u32,
    bounds: Bounds,
    /// m', one an output of the channel.
    sampled: Vec<usize>,
    /// The bits' coins, row-major: one row a level, one column an output.
    coins: Vec<BoundedCoin>,
}

impl PrivateLevelEncoder {
    /// For levels with `budgets`, randomized by `channel`, and rows of `dimensions` values inside `bounds`.
    ///
    /// m' of an output follows `rule` with ε₂ of the level that the output speaks for.
    ///
    /// # Errors
    /// [`Error::Length`] when channel and budgets differ in levels; [`Error::Split`] when ε_L is not below the lowest
    /// budget or a share is below a nano-nat; those of the sample size.
    pub fn new(
        budgets: LevelBudgets,
        channel: LevelChannel,
        dimensions: usize,
        bounds: Bounds,
        rule: SampleSize,
    ) -> Result<Self, Error> {
        let levels = budgets.as_slice();
        if levels.len() != channel.levels() as usize {
            return Err(Error::Length { what: "levels", expected: levels.len(), got: channel.levels() as usize });
        }
        let spent = channel.epsilon().nano();
        let rest = |budget: &Epsilon| match budget.nano().checked_sub(spent) {
            Some(nano) if nano > 0 => Epsilon::from_nano(nano),
            _ => Err(Error::Split { nano: budget.nano(), parts: 2 }),
        };
        let features = levels.iter().map(rest).collect::<Result<Vec<_>, _>>()?;
        let worst = |budget: f64| libm::pow(libm::tanh(budget / 2.0), -2.0);
        let sampled = (0..channel.outputs())
            .map(|y| rule.resolve(features[channel.nearest_level(y) as usize], dimensions, MULTI_BIT, worst))
            .collect::<Result<Vec<_>, _>>()?;
        let mut coins = Vec::with_capacity(features.len() * sampled.len());
        for budget in &features {
            for &m in &sampled {
                coins.push(BoundedCoin::new(budget.split(m as u64)?.part, bounds)?);
            }
        }
        Ok(Self { budgets, channel, features, dimensions: dimensions as u32, bounds, sampled, coins })
    }

    /// ε_τ of every level.
    #[must_use]
    pub fn budgets(&self) -> &LevelBudgets {
        &self.budgets
    }

    /// The channel of the level.
    #[must_use]
    pub fn channel(&self) -> &LevelChannel {
        &self.channel
    }

    /// ε₂(τ) = ε_τ − ε_L of every level.
    #[must_use]
    pub fn feature_budgets(&self) -> &[Epsilon] {
        &self.features
    }

    /// d, the length of a row.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.dimensions as usize
    }

    /// The public range of every value.
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// m' of every output.
    #[must_use]
    pub fn sampled(&self) -> &[usize] {
        &self.sampled
    }

    /// 64-bit words a report takes, whatever the level: one for the level, two for each of the most dimensions.
    #[must_use]
    pub fn words_per_report(&self) -> usize {
        1 + 2 * self.sampled.iter().max().copied().unwrap_or_default()
    }

    /// The printable guarantee.
    #[must_use]
    pub fn certificate(&self) -> Certificate {
        Certificate::new(self)
    }

    /// The server's side. `prior` holds the share of every level among the users, estimated by
    /// [`LevelChannel::estimate_population`] or public.
    ///
    /// # Errors
    /// [`Error::Length`] unless there is one share a level; [`Error::Value`] when the shares are no distribution or,
    /// for [`LevelRectifier::Unbiased`], when the system cannot be solved to 1e-6.
    pub fn rectifier(&self, kind: LevelRectifier, prior: &[f64]) -> Result<PrivateLevelRectifier, Error> {
        PrivateLevelRectifier::new(self, kind, prior)
    }

    pub(crate) fn coin(&self, level: u32, output: u32) -> &BoundedCoin {
        &self.coins[(level * self.channel.outputs() + output) as usize]
    }

    /// P(output | level)·tanh(ε₂/2m'), from the integers.
    pub(crate) fn signal(&self, level: u32, output: u32) -> f64 {
        self.channel.weight(level, output) as f64 / TOTAL_F64 * self.coin(level, output).coin.gain()
    }

    fn check(&self, value: &LeveledRow) -> Result<(), Error> {
        self.channel.check(value.level)?;
        if value.row.len() != self.dimensions() {
            return Err(Error::Length { what: "row", expected: self.dimensions(), got: value.row.len() });
        }
        if self.bounds.contain_all(&value.row) { Ok(()) } else { Err(self.bounds.outside()) }
    }

    /// Level output, dimensions and bits from [`PrivateLevelEncoder::words_per_report`] words.
    fn respond(&self, level: u32, value: impl Fn(u32) -> f32, words: &[u64], mut entry: impl FnMut(u32, bool)) -> u32 {
        let output = self.channel.respond(level, words[0]);
        let m = self.sampled[output as usize];
        let mut indices = vec![0; m];
        let mut places = words[1..].iter().copied();
        IndexSampler::new(self.dimensions, m).sample(|| places.next().unwrap_or_default(), &mut indices);
        let coin = self.coin(level, output);
        for (&index, &word) in indices.iter().zip(&words[1 + (words.len() - 1) / 2..]) {
            entry(index, word < coin.threshold(f64::from(value(index))));
        }
        output
    }

    /// Encodes sparse rows, one a user, as [`MultiBitEncoder::encode_sparse_rows`](crate::MultiBitEncoder::encode_sparse_rows) does: user
    /// u reads 2W words (32-bit) from position 2W·u of one stream, W = [`PrivateLevelEncoder::words_per_report`].
    ///
    /// # Errors
    /// [`Error::Length`] when levels, users or dimensions do not match the rows; [`Error::Category`] for a level
    /// outside the domain; [`Error::Bounds`] when the rows were checked for other bounds.
    pub fn encode_sparse_rows<R: CryptoRng>(
        &self,
        levels: &[u32],
        rows: &SparseRows<'_>,
        users: Users<'_>,
        stream: impl Fn(u128) -> R,
    ) -> Result<PrivateLevelReports, Error> {
        if rows.dimensions() != self.dimensions() {
            let (expected, got) = (self.dimensions(), rows.dimensions());
            return Err(Error::Length { what: "sparse row", expected, got });
        }
        if rows.bounds() != self.bounds {
            return Err(Error::Bounds { lower: rows.bounds().lower(), upper: rows.bounds().upper() });
        }
        if levels.len() != rows.len() {
            return Err(Error::Length { what: "levels", expected: rows.len(), got: levels.len() });
        }
        levels.iter().try_for_each(|&level| self.channel.check(level).map(drop))?;
        users.check(rows.len())?;
        let width = self.words_per_report();
        let mut out = PrivateLevelReports { levels: vec![], indptr: vec![0], indices: vec![], words: vec![] };
        let mut words = vec![0; width];
        let position = |row: usize| 2 * width as u128 * u128::from(users.number(row));
        let mut sequential = matches!(users, Users::From(_)).then(|| stream(position(0)));
        for (row, &level) in levels.iter().enumerate() {
            let mut listed;
            let rng = match &mut sequential {
                Some(rng) => rng,
                None => {
                    listed = stream(position(row));
                    &mut listed
                }
            };
            words.fill_with(|| rng.next_u64());
            let value = |index| rows.get(row, index).unwrap_or(rows.absent());
            let (indices, bits) = (&mut out.indices, &mut out.words);
            let output = self.respond(level, value, &words, |index, bit| {
                let at = indices.len();
                bits.resize(at / 64 + 1, 0);
                bits[at / 64] |= u64::from(bit) << (at % 64);
                indices.push(index);
            });
            out.levels.push(output);
            out.indptr.push(out.indices.len());
        }
        Ok(out)
    }
}

impl Randomizer for PrivateLevelEncoder {
    type Value = LeveledRow;
    type Report = PrivateLevelReport;

    /// The joint guarantee over all levels and rows: ε_L + the largest ε₂, which is the highest level's budget.
    fn epsilon(&self) -> Epsilon {
        let budgets = self.budgets.as_slice();
        budgets[budgets.len() - 1]
    }

    fn randomize<R: CryptoRng + ?Sized>(&self, value: &LeveledRow, rng: &mut R) -> Result<PrivateLevelReport, Error> {
        self.check(value)?;
        let mut words = vec![0; self.words_per_report()];
        words.fill_with(|| rng.next_u64());
        let (mut indices, mut bits) = (Vec::new(), Vec::new());
        let level = self.respond(
            value.level,
            |i| value.row[i as usize],
            &words,
            |index, bit| {
                indices.push(index);
                bits.push(bit);
            },
        );
        Ok(PrivateLevelReport { level, features: MultiBitReport::new(indices, bits)? })
    }

    fn accepts(&self, report: &PrivateLevelReport) -> bool {
        let indices = report.features.indices();
        self.channel.accepts(&report.level)
            && indices.len() == self.sampled[report.level as usize]
            && indices.last().is_some_and(|&last| last < self.dimensions)
    }
}

impl FiniteRandomizer for PrivateLevelEncoder {
    fn probability(&self, value: &LeveledRow, report: &PrivateLevelReport) -> Result<f64, Error> {
        self.check(value)?;
        if !self.accepts(report) {
            return Ok(0.0);
        }
        let m = report.features.indices().len();
        let sets = (0..m).map(|k| (m - k) as f64 / (self.dimensions() - k) as f64);
        let coin = self.coin(value.level, report.level);
        let start = self.channel.probability(&value.level, &report.level)?;
        Ok(report.features.entries().zip(sets).fold(start, |product, ((index, bit), set)| {
            let plus = coin.threshold(f64::from(value.row[index as usize]));
            let weight = if bit { u128::from(plus) } else { TOTAL - u128::from(plus) };
            product * set * (weight as f64 / TOTAL_F64)
        }))
    }

    fn log_ratio(&self, one: &LeveledRow, other: &LeveledRow, report: &PrivateLevelReport) -> Result<f64, Error> {
        self.check(one)?;
        self.check(other)?;
        if !self.accepts(report) {
            return Err(Error::Report { what: "not an output, or not its number of dimensions" });
        }
        let start = self.channel.log_ratio(&one.level, &other.level, &report.level)?;
        let weight = |value: &LeveledRow, index: u32, bit| {
            let plus = self.coin(value.level, report.level).threshold(f64::from(value.row[index as usize]));
            if bit { u128::from(plus) } else { TOTAL - u128::from(plus) }
        };
        let bits = report.features.entries();
        Ok(bits.fold(start, |sum, (index, bit)| sum + log_quotient(weight(one, index, bit), weight(other, index, bit))))
    }

    fn achieved_epsilon(&self) -> f64 {
        self.certificate().joint().iter().copied().fold(0.0, f64::max)
    }
}
