//! What leaves the device: m indices and m bits, alone or for many users in contiguous storage.

use alloc::vec;
use alloc::vec::Vec;

use crate::Error;

/// One user's report: ascending dimension indices, one bit each (`true` is plus).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(try_from = "Unchecked"))]
pub struct MultiBitReport {
    indices: Vec<u32>,
    bits: Vec<bool>,
}

impl MultiBitReport {
    /// From its parts, as a server receives them.
    ///
    /// # Errors
    /// [`Error::Report`] unless there are as many bits as indices and the indices ascend strictly.
    pub fn new(indices: Vec<u32>, bits: Vec<bool>) -> Result<Self, Error> {
        if indices.len() != bits.len() {
            return Err(Error::Report { what: "as many bits as indices are needed" });
        }
        if !indices.is_sorted_by(|a, b| a < b) {
            return Err(Error::Report { what: "indices must ascend strictly" });
        }
        Ok(Self { indices, bits })
    }

    pub(super) fn from_sorted(indices: Vec<u32>, bits: Vec<bool>) -> Self {
        Self { indices, bits }
    }

    /// The reported dimensions, ascending.
    #[must_use]
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// One bit a reported dimension.
    #[must_use]
    pub fn bits(&self) -> &[bool] {
        &self.bits
    }

    /// (dimension, bit) pairs.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = (u32, bool)> {
        self.indices.iter().copied().zip(self.bits.iter().copied())
    }
}

/// The fields as they arrive.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Unchecked {
    indices: Vec<u32>,
    bits: Vec<bool>,
}

#[cfg(feature = "serde")]
impl TryFrom<Unchecked> for MultiBitReport {
    type Error = Error;

    fn try_from(fields: Unchecked) -> Result<Self, Error> {
        Self::new(fields.indices, fields.bits)
    }
}

/// The reports of many users, m entries each, without a box a user: indices in one array, bits packed in another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MultiBitReports {
    dimensions: usize,
    sampled: usize,
    pub(super) indices: Vec<u32>,
    pub(super) words: Vec<u64>,
}

impl MultiBitReports {
    /// Collects single reports, as a server does.
    ///
    /// # Errors
    /// [`Error::Report`] when a report has not `sampled` indices below `dimensions`.
    pub fn collect<'a>(
        dimensions: usize,
        sampled: usize,
        reports: impl IntoIterator<Item = &'a MultiBitReport>,
    ) -> Result<Self, Error> {
        let mut all = Self::blank(dimensions, sampled, 0);
        for report in reports {
            if report.indices.len() != sampled || report.indices.last().is_some_and(|&i| i as usize >= dimensions) {
                return Err(Error::Report { what: "wrong number of indices, or an index outside the row" });
            }
            report.entries().for_each(|(index, bit)| all.push(index, bit));
        }
        Ok(all)
    }

    /// Room for `users` reports, all zero.
    pub(super) fn blank(dimensions: usize, sampled: usize, users: usize) -> Self {
        let entries = users * sampled;
        Self { dimensions, sampled, indices: vec![0; entries], words: vec![0; entries.div_ceil(64)] }
    }

    fn push(&mut self, index: u32, bit: bool) {
        let entry = self.indices.len();
        self.words.resize(entry / 64 + 1, 0);
        self.words[entry / 64] |= u64::from(bit) << (entry % 64);
        self.indices.push(index);
    }

    /// Writes `count` ≤ 64 bits, so far zero, from entry number `entry` on.
    #[inline]
    pub(super) fn put_bits(&mut self, entry: usize, count: usize, bits: u64) {
        let (word, shift) = (entry / 64, entry % 64);
        self.words[word] |= bits << shift;
        if shift + count > 64 {
            self.words[word + 1] |= bits >> (64 - shift);
        }
    }

    /// Number of reports.
    #[must_use]
    pub fn len(&self) -> usize {
        self.indices.len() / self.sampled
    }

    /// Whether there is no report.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.indices.is_empty()
    }

    /// d, the length of a row.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// m, the entries of a report.
    #[must_use]
    pub fn sampled(&self) -> usize {
        self.sampled
    }

    /// All reported dimensions, report after report, `sampled` each, ascending inside a report.
    #[must_use]
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// The bits, one an index, packed: bit k is bit k mod 64 of word k / 64.
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The bit that belongs to `indices()[entry]`.
    ///
    /// # Panics
    /// When `entry` is not below the number of indices.
    #[must_use]
    pub fn bit(&self, entry: usize) -> bool {
        assert!(entry < self.indices.len(), "entry {entry} of {}", self.indices.len());
        self.words[entry / 64] >> (entry % 64) & 1 == 1
    }

    /// (dimension, bit) pairs of one report.
    ///
    /// # Panics
    /// When `user` is not below [`MultiBitReports::len`].
    pub fn entries(&self, user: usize) -> impl ExactSizeIterator<Item = (u32, bool)> {
        let entries = user * self.sampled..(user + 1) * self.sampled;
        entries.map(|entry| (self.indices[entry], self.bit(entry)))
    }

    /// One report.
    ///
    /// # Panics
    /// When `user` is not below [`MultiBitReports::len`].
    #[must_use]
    pub fn report(&self, user: usize) -> MultiBitReport {
        let (indices, bits) = self.entries(user).unzip();
        MultiBitReport { indices, bits }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_across_the_end_of_a_word() {
        for entry in 0..64 {
            for count in 1..=64 {
                let mut reports = MultiBitReports::blank(1, 1, 128);
                reports.put_bits(entry, count, u64::MAX >> (64 - count));
                let set = |k: usize| reports.words[k / 64] >> (k % 64) & 1 == 1;
                assert!(
                    (0..128).all(|k| set(k) == (entry..entry + count).contains(&k)),
                    "{count} bits from {entry} on"
                );
            }
        }
    }
}
