//! Adding up what a user has spent, in integers, before anything is released.
//!
//! [`Budget`] is one user's account; [`Accountant`] holds many, is shared between threads, and can keep a journal that
//! survives a crash. Reserving comes first: it is recorded durably, then granted as a [`Permit`], and only a permit
//! makes a [`Report`](crate::Report). A crash in between keeps the charge, so never more is released than charged. A
//! refused request changes nothing.
//!
//! ε of several reports of one user add up ([`sequential`]), also over attributes: "disjoint attributes" of one person
//! are no parallel composition. Reports of different people are ([`parallel`]). [`advanced`] and [`zero_concentrated`]
//! are for reporting; the accounts charge the sum.

use crate::{Delta, Epsilon, Error, Randomizer};

#[cfg(feature = "std")]
mod journal;
#[cfg(feature = "std")]
mod shared;

#[cfg(feature = "std")]
pub use journal::{Entry, Journal, JournalFile, Volatile};
#[cfg(feature = "std")]
pub use shared::Accountant;

/// What one release costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loss {
    /// ε.
    pub epsilon: Epsilon,
    /// δ, if any.
    pub delta: Option<Delta>,
}

impl Loss {
    /// The cost of one report of `mechanism`.
    pub fn of<M: Randomizer>(mechanism: &M) -> Self {
        Self { epsilon: mechanism.epsilon(), delta: mechanism.delta() }
    }

    pub(crate) fn delta_units(&self) -> u64 {
        self.delta.map_or(0, Delta::units)
    }
}

/// Leave to release one report of a certain cost. Dropping it forfeits the charge, and it pays once:
///
/// ```compile_fail,E0599
/// # use ldp_core::{Budget, Epsilon, Loss};
/// # let loss = Loss { epsilon: Epsilon::new(0.5)?, delta: None };
/// let permit = Budget::new(7, Epsilon::new(1.0)?, None).reserve(loss)?;
/// let second = permit.clone();
/// # Ok::<(), ldp_core::Error>(())
/// ```
#[must_use = "the charge is already made"]
#[derive(Debug, PartialEq, Eq)]
pub struct Permit {
    user: u64,
    loss: Loss,
}

impl Permit {
    /// Whom it was granted to.
    #[must_use]
    pub fn user(&self) -> u64 {
        self.user
    }

    /// What was charged.
    #[must_use]
    pub fn loss(&self) -> Loss {
        self.loss
    }
}

/// One user's account: a limit and what is spent of it.
///
/// ```
/// use ldp_core::accountant::{Budget, Loss};
/// use ldp_core::Epsilon;
/// let mut budget = Budget::new(7, Epsilon::new(1.0)?, None);
/// let tenth = Loss { epsilon: Epsilon::new(0.1)?, delta: None };
/// for _ in 0..10 {
///     let permit = budget.reserve(tenth)?;
///     drop(permit);
/// }
/// assert!(budget.reserve(tenth).is_err());
/// # Ok::<(), ldp_core::Error>(())
/// ```
#[derive(Debug, PartialEq, Eq)]
pub struct Budget {
    user: u64,
    limit: u64,
    delta_limit: u64,
    spent: u64,
    delta_spent: u64,
}

impl Budget {
    /// An account of `user` that may spend ε up to `limit` and δ up to `delta_limit` (none without it).
    #[must_use]
    pub fn new(user: u64, limit: Epsilon, delta_limit: Option<Delta>) -> Self {
        let delta_limit = delta_limit.map_or(0, Delta::units);
        Self { user, limit: limit.nano(), delta_limit, spent: 0, delta_spent: 0 }
    }

    /// Spent so far, in nano-nats.
    #[must_use]
    pub fn spent_nano(&self) -> u64 {
        self.spent
    }

    /// Left, in nano-nats.
    #[must_use]
    pub fn left_nano(&self) -> u64 {
        self.limit - self.spent
    }

    /// Charges `loss` and grants a permit, or refuses and changes nothing.
    ///
    /// # Errors
    /// [`Error::Overspend`] with what was asked and what is left.
    pub fn reserve(&mut self, loss: Loss) -> Result<Permit, Error> {
        self.check(loss)?;
        self.charge(loss.epsilon.nano(), loss.delta_units());
        Ok(Permit { user: self.user, loss })
    }

    pub(crate) fn check(&self, loss: Loss) -> Result<(), Error> {
        let (asked, left) = (loss.epsilon.nano(), self.limit.saturating_sub(self.spent));
        if asked > left {
            return Err(Error::Overspend { what: "nano-nats of epsilon", asked, left });
        }
        let (asked, left) = (loss.delta_units(), self.delta_limit.saturating_sub(self.delta_spent));
        if asked > left {
            return Err(Error::Overspend { what: "units of delta (2^-63)", asked, left });
        }
        Ok(())
    }

    pub(crate) fn charge(&mut self, nano: u64, delta_units: u64) {
        self.spent = self.spent.saturating_add(nano);
        self.delta_spent = self.delta_spent.saturating_add(delta_units);
    }

    #[cfg(feature = "std")]
    pub(crate) fn permit(&self, loss: Loss) -> Permit {
        Permit { user: self.user, loss }
    }
}

/// Sequential composition: the sum of ε in nano-nats, and of δ in units of 2⁻⁶³, over releases about one user.
#[must_use]
pub fn sequential(losses: &[Loss]) -> (u64, u64) {
    losses.iter().fold((0, 0), |(nano, delta): (u64, u64), loss| {
        (nano.saturating_add(loss.epsilon.nano()), delta.saturating_add(loss.delta_units()))
    })
}

/// Parallel composition: the largest ε and δ over releases about **different** users.
#[must_use]
pub fn parallel(losses: &[Loss]) -> (u64, u64) {
    losses.iter().fold((0, 0), |(nano, delta), loss| (nano.max(loss.epsilon.nano()), delta.max(loss.delta_units())))
}

/// Advanced composition, for reporting: `releases` times ε are (ε', δ)-private with
/// ε' = ε·√(2·releases·ln(1/δ)) + releases·ε·(e^ε − 1). Often worse than the sum.
#[must_use]
pub fn advanced(epsilon: Epsilon, releases: u32, delta: Delta) -> f64 {
    let (nats, count) = (epsilon.nats(), f64::from(releases));
    nats * libm::sqrt(2.0 * count * -libm::log(delta.get())) + count * nats * libm::expm1(nats)
}

/// Zero-concentrated composition, for reporting: ρ + 2√(ρ·ln(1/δ)) with ρ = releases·ε²/2.
#[must_use]
pub fn zero_concentrated(epsilon: Epsilon, releases: u32, delta: Delta) -> f64 {
    let rho = f64::from(releases) * epsilon.nats() * epsilon.nats() / 2.0;
    rho + 2.0 * libm::sqrt(rho * -libm::log(delta.get()))
}
