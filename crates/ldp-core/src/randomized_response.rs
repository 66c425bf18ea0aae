//! k-ary randomized response: the truth with probability p, any one of the k−1 lies with probability q each.
//!
//! p = e^ε/(e^ε + k − 1), q = 1/(e^ε + k − 1) \[papers' GRR/KRR; LPGNN's labels; VERITAS, Stage 1\]. Here q is an
//! integer of 2⁶⁴ rounded up and p = 2⁶⁴ − (k−1)·q, so p/q ≤ e^ε holds exactly, for every ε; a double would be 1.0
//! from ε ≈ 40 and the randomizer would send the truth always.

use alloc::vec::Vec;

use rand_core::CryptoRng;

use crate::weights::{Reciprocal, TOTAL, TOTAL_F64, log_quotient, require_signal, unlikely_weight};
use crate::{Epsilon, Error, FiniteRandomizer, Randomizer};

/// The k-ary randomizer. Domain: categories 0 … k−1. Report: a category. One random word a report.
///
/// ```
/// use chacha20::{ChaCha12Rng, rand_core::SeedableRng};
/// use ldp_core::{Epsilon, RandomizedResponse, Randomizer};
/// let labels = RandomizedResponse::new(Epsilon::new(1.0)?, 7)?;
/// let report = labels.randomize(&3, &mut ChaCha12Rng::from_seed([7; 32]))?;
/// assert!(report < 7);
/// # Ok::<(), ldp_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RandomizedResponse {
    epsilon: Epsilon,
    categories: u32,
    truth: u64,
    lie: u64,
    by_lie: Reciprocal,
}

impl RandomizedResponse {
    /// Over `categories` ≥ 2 categories.
    ///
    /// # Errors
    /// [`Error::Domain`] below two categories; [`Error::Resolution`] when ε is so small beside k that 64-bit
    /// weights cannot tell truth from lie (k above about 2³²·√ε).
    pub fn new(epsilon: Epsilon, categories: u32) -> Result<Self, Error> {
        if categories < 2 {
            return Err(Error::Domain { got: u64::from(categories) });
        }
        let others = u64::from(categories) - 1;
        let lie = unlikely_weight(epsilon, 1, others);
        let truth = TOTAL.saturating_sub(u128::from(others) * u128::from(lie));
        require_signal(truth, u128::from(lie), epsilon, u64::from(categories))?;
        // lie ≥ 1 and others ≥ 1, so truth < 2⁶⁴.
        Ok(Self { epsilon, categories, truth: truth as u64, lie, by_lie: Reciprocal::new(lie) })
    }

    /// Number of categories k.
    #[must_use]
    pub fn categories(&self) -> u32 {
        self.categories
    }

    /// Probability p of the truth.
    #[must_use]
    pub fn truth_probability(&self) -> f64 {
        self.truth as f64 / TOTAL_F64
    }

    /// Probability q of one particular lie.
    #[must_use]
    pub fn lie_probability(&self) -> f64 {
        self.lie as f64 / TOTAL_F64
    }

    /// p − q, from the integers.
    #[must_use]
    pub fn gain(&self) -> f64 {
        (self.truth - self.lie) as f64 / TOTAL_F64
    }

    /// Exact weight of 2⁶⁴ of `report` given `value`; zero for a category outside the domain.
    #[must_use]
    pub fn weight(&self, value: u32, report: u32) -> u64 {
        match report {
            _ if report >= self.categories || value >= self.categories => 0,
            _ if report == value => self.truth,
            _ => self.lie,
        }
    }

    /// The category that one word leads to. `value` must be below k.
    #[inline]
    pub(crate) fn respond(&self, value: u32, word: u64) -> u32 {
        let lie = self.by_lie.divide(word.saturating_sub(self.truth)) as u32;
        let lie = lie + u32::from(lie >= value);
        if word < self.truth { value } else { lie }
    }

    fn check(&self, value: u32) -> Result<u32, Error> {
        if value < self.categories { Ok(value) } else { Err(Error::Category { categories: self.categories }) }
    }

    /// Draws one report a value, in order, as repeated [`Randomizer::randomize`] would; no allocation.
    ///
    /// # Errors
    /// [`Error::Length`] when the slices differ in length, [`Error::Category`] when any value is outside the domain;
    /// nothing is written or drawn then.
    pub fn randomize_all<R: CryptoRng + ?Sized>(
        &self,
        values: &[u32],
        reports: &mut [u32],
        rng: &mut R,
    ) -> Result<(), Error> {
        if values.len() != reports.len() {
            return Err(Error::Length { what: "reports", expected: values.len(), got: reports.len() });
        }
        if values.iter().fold(0, |max, &v| v.max(max)) >= self.categories {
            return Err(Error::Category { categories: self.categories });
        }
        for (report, &value) in reports.iter_mut().zip(values) {
            *report = self.respond(value, rng.next_u64());
        }
        Ok(())
    }

    /// P(report | value) for all pairs.
    #[must_use]
    pub fn transition_matrix(&self) -> TransitionMatrix {
        TransitionMatrix {
            size: self.categories as usize,
            diagonal: self.truth_probability(),
            other: self.lie_probability(),
        }
    }

    /// Unbiased share of each category among the users, from the counts of the reports.
    ///
    /// f̂ = (c/n − q)/(p − q). The variance is estimated by c/n·(1 − c/n)/(n·(p − q)²). Shares may leave [0, 1].
    ///
    /// # Errors
    /// [`Error::Length`] unless there is one count a category, [`Error::Count`] when there is no report.
    pub fn estimate_frequencies(&self, counts: &[u64]) -> Result<Vec<Estimate>, Error> {
        if counts.len() != self.categories as usize {
            return Err(Error::Length { what: "counts", expected: self.categories as usize, got: counts.len() });
        }
        let total = counts.iter().fold(0_u64, |sum, &c| sum.saturating_add(c));
        if total == 0 {
            return Err(Error::Count { what: "reports", min: 1, max: u64::MAX, got: 0 });
        }
        let (n, q, gain) = (total as f64, self.lie_probability(), self.gain());
        let estimate = |&count: &u64| {
            let share = count as f64 / n;
            Estimate { value: (share - q) / gain, variance: share * (1.0 - share) / (n * gain * gain) }
        };
        Ok(counts.iter().map(estimate).collect())
    }
}

impl Randomizer for RandomizedResponse {
    type Value = u32;
    type Report = u32;

    fn epsilon(&self) -> Epsilon {
        self.epsilon
    }

    fn randomize<R: CryptoRng + ?Sized>(&self, value: &u32, rng: &mut R) -> Result<u32, Error> {
        Ok(self.respond(self.check(*value)?, rng.next_u64()))
    }

    fn accepts(&self, report: &u32) -> bool {
        *report < self.categories
    }
}

impl FiniteRandomizer for RandomizedResponse {
    fn probability(&self, value: &u32, report: &u32) -> Result<f64, Error> {
        Ok(self.weight(self.check(*value)?, *report) as f64 / TOTAL_F64)
    }

    fn log_ratio(&self, one: &u32, other: &u32, report: &u32) -> Result<f64, Error> {
        let weight = |value: u32| Ok(u128::from(self.weight(self.check(value)?, self.check(*report)?)));
        Ok(log_quotient(weight(*one)?, weight(*other)?))
    }

    fn achieved_epsilon(&self) -> f64 {
        log_quotient(u128::from(self.truth), u128::from(self.lie))
    }
}

/// P(report | value) of a k-ary randomizer: one probability on the diagonal, another beside it. Not stored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TransitionMatrix {
    size: usize,
    diagonal: f64,
    other: f64,
}

impl TransitionMatrix {
    /// Number of categories; the matrix is size × size.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// P(report | value).
    ///
    /// # Panics
    /// When an argument is not below [`TransitionMatrix::size`].
    #[must_use]
    pub fn probability(&self, value: usize, report: usize) -> f64 {
        assert!(value < self.size && report < self.size, "category outside the {0} × {0} matrix", self.size);
        if value == report { self.diagonal } else { self.other }
    }

    /// All entries, row-major: row = value, column = report.
    #[must_use]
    pub fn to_dense(&self) -> Vec<f64> {
        let cell = |i: usize| self.probability(i / self.size, i % self.size);
        (0..self.size * self.size).map(cell).collect()
    }
}

/// An unbiased estimate and its estimated variance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The estimate.
    pub value: f64,
    /// Its variance.
    pub variance: f64,
}
