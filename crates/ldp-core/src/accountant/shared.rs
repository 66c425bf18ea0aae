//! Accounts of many users, shared between threads.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::journal::{Entry, Journal, JournalFile, Volatile};
use super::{Budget, Loss, Permit};
use crate::{Delta, Epsilon, Error};

/// One account a user, all with the same limit, opened at the first charge.
///
/// Checking and charging happen under one lock, so parallel requests cannot overspend: with limit B, exactly ⌊B/ε⌋
/// requests of ε succeed, whatever the threads do.
///
/// ```
/// use ldp_core::accountant::{Accountant, Loss};
/// use ldp_core::Epsilon;
/// let accountant = Accountant::in_memory(Epsilon::new(1.0)?, None);
/// let permit = accountant.reserve(7, Loss { epsilon: Epsilon::new(0.6)?, delta: None })?;
/// assert_eq!(permit.user(), 7);
/// assert!(accountant.reserve(7, Loss { epsilon: Epsilon::new(0.6)?, delta: None }).is_err());
/// # Ok::<(), ldp_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Accountant<J = Volatile> {
    limit: Epsilon,
    delta_limit: Option<Delta>,
    inner: Mutex<Inner<J>>,
}

#[derive(Debug)]
struct Inner<J> {
    budgets: BTreeMap<u64, Budget>,
    journal: J,
}

impl Accountant<Volatile> {
    /// Charges are forgotten with the process.
    #[must_use]
    pub fn in_memory(limit: Epsilon, delta_limit: Option<Delta>) -> Self {
        Self::with_journal(limit, delta_limit, Volatile, [])
    }
}

impl Accountant<JournalFile> {
    /// Charges are recorded in an append-only file, and those already there count.
    ///
    /// # Errors
    /// [`Error::Storage`] as [`JournalFile::open`].
    pub fn open(path: &Path, limit: Epsilon, delta_limit: Option<Delta>) -> Result<Self, Error> {
        let (journal, entries) = JournalFile::open(path)?;
        Ok(Self::with_journal(limit, delta_limit, journal, entries))
    }
}

impl<J: Journal> Accountant<J> {
    /// With a journal of the caller's, and the charges that it already holds.
    #[must_use]
    pub fn with_journal(
        limit: Epsilon,
        delta_limit: Option<Delta>,
        journal: J,
        entries: impl IntoIterator<Item = Entry>,
    ) -> Self {
        let mut budgets = BTreeMap::new();
        for entry in entries {
            let budget = budgets.entry(entry.user).or_insert_with(|| Budget::new(entry.user, limit, delta_limit));
            budget.charge(entry.nano, entry.delta_units);
        }
        Self { limit, delta_limit, inner: Mutex::new(Inner { budgets, journal }) }
    }

    /// Charges `user` durably and grants a permit, or refuses and changes nothing.
    ///
    /// # Errors
    /// [`Error::Overspend`] with what was asked and what is left; [`Error::Storage`] when the charge could not be
    /// recorded.
    pub fn reserve(&self, user: u64, loss: Loss) -> Result<Permit, Error> {
        // A panic of another thread cannot leave the accounts half changed: they are changed last, by one call.
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let Inner { budgets, journal } = &mut *inner;
        let fresh = Budget::new(user, self.limit, self.delta_limit);
        budgets.get(&user).unwrap_or(&fresh).check(loss)?;
        journal.append(Entry { user, nano: loss.epsilon.nano(), delta_units: loss.delta_units() })?;
        let budget = budgets.entry(user).or_insert(fresh);
        budget.charge(loss.epsilon.nano(), loss.delta_units());
        Ok(budget.permit(loss))
    }

    /// Spent by `user` so far, in nano-nats.
    pub fn spent_nano(&self, user: u64) -> u64 {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.budgets.get(&user).map_or(0, Budget::spent_nano)
    }
}
