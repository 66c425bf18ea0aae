//! The law of one list entry under (κ+1)-ary randomized response, and what follows from it exactly.
//!
//! p = e^ε/(e^ε + κ), q = 1/(e^ε + κ). The numbers here are those of the integers that
//! [`ldp_core::RandomizedResponse`] executes, not of the formula.

use ldp_core::{Epsilon, RandomizedResponse, Randomizer};

use crate::Error;

/// The law of a randomized endorsement: true grade a ∈ 0 … κ in, reported grade out [VERITAS, Alg. 2].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EndorsementLaw {
    randomizer: RandomizedResponse,
    levels: u8,
    truth: f64,
    lie: f64,
    gain: f64,
}

impl EndorsementLaw {
    /// With ε = `epsilon` for one entry and grades up to κ = `levels`.
    ///
    /// # Errors
    /// [`Error::Levels`] outside 1 … 255, [`Error::Randomizer`] where ε is too small for 64-bit weights.
    pub fn new(epsilon: Epsilon, levels: usize) -> Result<Self, Error> {
        let levels = u8::try_from(levels).ok().filter(|&l| l > 0).ok_or(Error::Levels { got: levels })?;
        let randomizer = RandomizedResponse::new(epsilon, u32::from(levels) + 1)?;
        Ok(Self {
            randomizer,
            levels,
            truth: randomizer.truth_probability(),
            lie: randomizer.lie_probability(),
            gain: randomizer.gain(),
        })
    }

    /// The randomizer itself.
    pub fn randomizer(&self) -> &RandomizedResponse {
        &self.randomizer
    }

    /// ε of one entry, in nats.
    pub fn epsilon(&self) -> f64 {
        self.randomizer.epsilon().nats()
    }

    /// The highest grade κ.
    pub fn levels(&self) -> u8 {
        self.levels
    }

    /// p: the probability that an entry is reported as it is.
    pub fn truth(&self) -> f64 {
        self.truth
    }

    /// q: the probability of one particular other value.
    pub fn lie(&self) -> f64 {
        self.lie
    }

    /// p − q.
    pub fn gain(&self) -> f64 {
        self.gain
    }

    /// ρ = κ·q: the probability that a zero is reported as some grade.
    pub fn noise_rate(&self) -> f64 {
        f64::from(self.levels) * self.lie
    }

    /// P(report | grade).
    pub fn probability(&self, grade: u8, report: u8) -> f64 {
        if grade == report { self.truth } else { self.lie }
    }

    /// E[r | a] = a(p−q) + qκ(κ+1)/2.
    pub fn mean(&self, grade: u8) -> f64 {
        let k = f64::from(self.levels);
        f64::from(grade) * self.gain + self.lie * k * (k + 1.0) / 2.0
    }

    /// Var[r | a] = a²(p−q) + qκ(κ+1)(2κ+1)/6 − E².
    pub fn variance(&self, grade: u8) -> f64 {
        let (k, a) = (f64::from(self.levels), f64::from(grade));
        a * a * self.gain + self.lie * k * (k + 1.0) * (2.0 * k + 1.0) / 6.0 - self.mean(grade).powi(2)
    }

    /// E\[S_v\] of an honest user with symmetric grades is 0; this is Var\[S_v\] with S_v = Σ_u (r_vu − r_uv), for a user
    /// whose neighbours have the true grades `grades` (the same both ways) among `nodes` users.
    pub fn imbalance_variance(&self, nodes: usize, grades: &[u8]) -> f64 {
        let others = nodes.saturating_sub(1 + grades.len()) as f64;
        2.0 * (others * self.variance(0) + grades.iter().map(|&a| self.variance(a)).sum::<f64>())
    }

    /// E of r_vu − r_uv where v reports `given` and is reported `received`: (p−q)(given − received).
    ///
    /// With κ and 1 this is the corrected Proposition 2, (p−q)(κ−1).
    pub fn imbalance_mean(&self, given: u8, received: u8) -> f64 {
        self.gain * (f64::from(given) - f64::from(received))
    }

    /// Expected number of unordered pairs without an edge in which both sides report some grade: ρ² · (n(n−1)/2 − m).
    ///
    /// The papers' notes use ρ²n²/2, which differs by a factor 1 − 1/n and by the edges.
    pub fn noise_pairs(&self, nodes: usize, edges: usize) -> f64 {
        let pairs = nodes as f64 * nodes.saturating_sub(1) as f64 / 2.0;
        self.noise_rate().powi(2) * (pairs - edges as f64).max(0.0)
    }

    /// Expected number of the `edges` whose both ends still report some grade: (1−q)²·m.
    pub fn surviving_edges(&self, edges: usize) -> f64 {
        (1.0 - self.lie).powi(2) * edges as f64
    }
}
