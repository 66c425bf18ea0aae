//! A report that only a permit and a raw value can make.
//!
//! The type is the rule: whoever holds a [`Report`] has paid for it. It can be sent (encoded, serialised) but not
//! built from a raw value, and it carries the fingerprint of the public parameters that made it, so that a server
//! cannot rectify it with the wrong ones.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::fmt;

use rand_core::CryptoRng;

use crate::accountant::Permit;
use crate::{Error, Wire};

/// A user's raw value: no `Debug` of the content, no `Serialize`.
pub struct Raw<'a, T: ?Sized>(&'a T);

impl<'a, T: ?Sized> Raw<'a, T> {
    /// Wraps a value that must not leave the device as it is.
    pub fn new(value: &'a T) -> Self {
        Self(value)
    }
}

impl<T: ?Sized> fmt::Debug for Raw<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Raw(..)")
    }
}

/// A paid-for report of mechanism `M`.
///
/// There is no other way to one than [`Report::release`]:
///
/// ```compile_fail,E0451
/// let forged = ldp_core::Report::<ldp_core::OneBit> { user: 1, fingerprint: 0, payload: true };
/// ```
#[derive(Debug)]
pub struct Report<M: Wire> {
    user: u64,
    fingerprint: u64,
    payload: M::Report,
}

impl<M: Wire> Report<M> {
    /// Randomizes `raw`; permit and value are used up.
    ///
    /// # Errors
    /// [`Error::Permit`] when the permit is for less than the mechanism spends; those of the mechanism. The charge
    /// stays in either case.
    pub fn release<R: CryptoRng + ?Sized>(
        mechanism: &M,
        permit: Permit,
        raw: Raw<'_, M::Value>,
        rng: &mut R,
    ) -> Result<Self, Error> {
        let loss = permit.loss();
        let enough = loss.epsilon >= mechanism.epsilon() && loss.delta >= mechanism.delta();
        if !enough {
            return Err(Error::Permit { needed: mechanism.epsilon().nano(), granted: loss.epsilon.nano() });
        }
        let payload = mechanism.randomize(raw.0, rng)?;
        Ok(Self { user: permit.user(), fingerprint: mechanism.fingerprint(), payload })
    }

    /// Whose report it is.
    #[must_use]
    pub fn user(&self) -> u64 {
        self.user
    }

    /// Fingerprint of the public parameters, see [`Wire::fingerprint`].
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// What the mechanism drew.
    #[must_use]
    pub fn payload(&self) -> &M::Report {
        &self.payload
    }

    /// The bytes to send.
    ///
    /// # Panics
    /// When `mechanism` is not the one that made the report.
    #[must_use]
    pub fn encode(&self, mechanism: &M) -> Vec<u8> {
        assert_eq!(self.fingerprint, mechanism.fingerprint(), "the mechanism that made the report");
        mechanism.encode(&self.payload)
    }
}

#[cfg(feature = "serde")]
impl<M: Wire> serde::Serialize for Report<M>
where
    M::Report: serde::Serialize,
{
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let mut fields = serializer.serialize_struct("Report", 3)?;
        fields.serialize_field("user", &self.user)?;
        fields.serialize_field("fingerprint", &self.fingerprint)?;
        fields.serialize_field("payload", &self.payload)?;
        fields.end()
    }
}

/// The first report for every key, replayed for ever: reporting the same value daily must not average the noise away.
///
/// The key names user, attribute **and value** (or a schema in which a changed value is a new attribute that needs
/// a fresh budget). Re-sending the same report costs nothing.
#[derive(Clone, Debug)]
pub struct Memo<K, R> {
    reports: BTreeMap<K, R>,
}

impl<K: Ord, R> Default for Memo<K, R> {
    fn default() -> Self {
        Self { reports: BTreeMap::new() }
    }
}

impl<K: Ord, R> Memo<K, R> {
    /// The remembered report, or the one that `release` makes now.
    ///
    /// # Errors
    /// Those of `release`; nothing is remembered then.
    pub fn get_or_release(&mut self, key: K, release: impl FnOnce() -> Result<R, Error>) -> Result<&R, Error> {
        use alloc::collections::btree_map::Entry;
        match self.reports.entry(key) {
            Entry::Occupied(found) => Ok(found.into_mut()),
            Entry::Vacant(empty) => Ok(empty.insert(release()?)),
        }
    }

    /// Number of remembered reports.
    #[must_use]
    pub fn len(&self) -> usize {
        self.reports.len()
    }

    /// Whether nothing is remembered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.reports.is_empty()
    }
}
