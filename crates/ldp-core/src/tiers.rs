//! Personal budgets as public tiers: everybody sees which tier a user is in, and the server rectifies by tier.
//!
//! A tier must be chosen independently of the value (a contract, a region, a device). Then every tier's estimate has
//! the same mean and they are pooled by inverse variance. Where the tier itself is sensitive it is a value of its own:
//! see [`private_level`](crate::private_level).

use alloc::vec::Vec;

use crate::{Epsilon, Error, Estimate, RandomizedResponse, Rectify, Wire};

/// One mechanism for every tier, the budgets strictly ascending.
///
/// ```
/// use chacha20::{ChaCha12Rng, rand_core::SeedableRng};
/// use ldp_core::{Bounds, Epsilon, OneBit, Randomizer, Tiers};
/// let budgets = [Epsilon::new(0.5)?, Epsilon::new(2.0)?];
/// let tiers = Tiers::new(&budgets, |epsilon| OneBit::new(epsilon, Bounds::UNIT))?;
/// let mut rng = ChaCha12Rng::from_seed([7; 32]);
/// let reports: Vec<(usize, bool)> = (0..1000)
///     .map(|user| Ok((user % 2, tiers.mechanism(user % 2)?.randomize(&0.25, &mut rng)?)))
///     .collect::<Result<_, ldp_core::Error>>()?;
/// let mean = tiers.pool_mean(reports.iter().map(|(tier, report)| (*tier, report)))?;
/// assert!((mean.value - 0.25).abs() < 5.0 * mean.variance.sqrt());
/// # Ok::<(), ldp_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Tiers<M> {
    mechanisms: Vec<M>,
}

impl<M> Tiers<M> {
    /// From the budgets of the tiers; `build` makes a tier's mechanism.
    ///
    /// # Errors
    /// [`Error::Count`] without a tier or when the budgets do not ascend strictly; those of `build`.
    pub fn new(budgets: &[Epsilon], build: impl FnMut(Epsilon) -> Result<M, Error>) -> Result<Self, Error> {
        if budgets.is_empty() || !budgets.is_sorted_by(|a, b| a < b) {
            let got = budgets.len() as u64;
            return Err(Error::Count { what: "strictly ascending budgets", min: 1, max: u64::MAX, got });
        }
        Ok(Self { mechanisms: budgets.iter().copied().map(build).collect::<Result<_, _>>()? })
    }

    /// Number of tiers.
    #[must_use]
    pub fn len(&self) -> usize {
        self.mechanisms.len()
    }

    /// Never: there is at least one tier.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The mechanism of a tier, from 0.
    ///
    /// # Errors
    /// [`Error::Category`] when there is no such tier.
    pub fn mechanism(&self, tier: usize) -> Result<&M, Error> {
        self.mechanisms.get(tier).ok_or(Error::Category { categories: self.mechanisms.len() as u32 })
    }
}

impl<M: Wire> Tiers<M> {
    /// The tier that made a report, by the fingerprint in its header, and the report.
    ///
    /// # Errors
    /// [`Error::Report`] when no tier can have made it.
    pub fn decode(&self, bytes: &[u8]) -> Result<(usize, M::Report), Error> {
        let found = self.mechanisms.iter().enumerate().find_map(|(tier, m)| Some((tier, m.decode(bytes).ok()?)));
        found.ok_or(Error::Report { what: "no tier's mechanism can have made it" })
    }
}

impl<M: Rectify> Tiers<M> {
    /// The users' mean from (tier, report) pairs: rectified by tier, pooled with weights n/V, where V is the tier's
    /// worst variance, which is public. The variance is that of the noise, at most.
    ///
    /// # Errors
    /// [`Error::Category`] for a tier that there is not; [`Error::Report`] for a report that its tier cannot emit;
    /// [`Error::Count`] when there is no report.
    pub fn pool_mean<'a>(&self, reports: impl IntoIterator<Item = (usize, &'a M::Report)>) -> Result<Estimate, Error>
    where
        M::Report: 'a,
    {
        let (mut weighted, mut weight) = (0.0, 0.0);
        for (tier, report) in reports {
            let mechanism = self.mechanism(tier)?;
            if !mechanism.accepts(report) {
                return Err(Error::Report { what: "not a report of its tier" });
            }
            let share = 1.0 / mechanism.worst_variance(1.0);
            weighted += share * mechanism.rectify(report);
            weight += share;
        }
        pooled(weighted, weight)
    }
}

impl Tiers<RandomizedResponse> {
    /// Unbiased shares of the categories from the counts of every tier's reports, pooled with weights
    /// n(p−q)²/(q(1−q)): the noise of a rare category, which is public. A tier without reports is left out.
    ///
    /// # Errors
    /// [`Error::Length`] unless there is one list of counts a tier and one count a category; [`Error::Count`] when
    /// there is no report.
    pub fn pool_frequencies(&self, counts: &[Vec<u64>]) -> Result<Vec<Estimate>, Error> {
        if counts.len() != self.len() {
            return Err(Error::Length { what: "tiers", expected: self.len(), got: counts.len() });
        }
        let mut sums: Vec<(f64, f64, f64)> = Vec::new();
        for (mechanism, counts) in self.mechanisms.iter().zip(counts) {
            let total: u64 = counts.iter().fold(0, |sum: u64, &c| sum.saturating_add(c));
            if total == 0 && counts.len() == mechanism.categories() as usize {
                continue;
            }
            let (q, gain) = (mechanism.lie_probability(), mechanism.gain());
            let weight = total as f64 * gain * gain / (q * (1.0 - q));
            let estimates = mechanism.estimate_frequencies(counts)?;
            sums.resize(estimates.len(), (0.0, 0.0, 0.0));
            for (sum, estimate) in sums.iter_mut().zip(estimates) {
                sum.0 += weight * estimate.value;
                sum.1 += weight * weight * estimate.variance;
                sum.2 += weight;
            }
        }
        if sums.is_empty() {
            return Err(Error::Count { what: "reports", min: 1, max: u64::MAX, got: 0 });
        }
        let finish =
            |(value, variance, weight)| Estimate { value: value / weight, variance: variance / weight / weight };
        Ok(sums.into_iter().map(finish).collect())
    }
}

fn pooled(weighted: f64, weight: f64) -> Result<Estimate, Error> {
    if weight == 0.0 {
        return Err(Error::Count { what: "reports", min: 1, max: u64::MAX, got: 0 });
    }
    Ok(Estimate { value: weighted / weight, variance: 1.0 / weight })
}
