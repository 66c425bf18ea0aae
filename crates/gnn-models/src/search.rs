//! Hyper-parameter search with a fixed budget of trials.

use crate::Error;
use crate::counter::{Counter, Purpose};
use serde::{Deserialize, Serialize};

/// The values to choose from; their grid is what is searched.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchSpace {
    /// K, steps of propagation.
    pub steps: Vec<usize>,
    /// Adam's step sizes.
    pub learning_rates: Vec<f64>,
    /// Factors of the L2 term.
    pub weight_decays: Vec<f64>,
    /// Probabilities that a hidden activation is dropped.
    pub dropouts: Vec<f64>,
}

/// One point of the grid.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Candidate {
    /// K, steps of propagation.
    pub steps: usize,
    /// Adam's step size.
    pub learning_rate: f64,
    /// Factor of the L2 term.
    pub weight_decay: f64,
    /// Probability that a hidden activation is dropped.
    pub dropout: f64,
}

/// A candidate and what it scored.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trial {
    /// What was tried.
    pub candidate: Candidate,
    /// What came out, by the caller's rule; higher is better.
    pub score: f64,
}

impl SearchSpace {
    /// Number of points of the grid.
    pub fn size(&self) -> usize {
        let axes = [self.steps.len(), self.learning_rates.len(), self.weight_decays.len(), self.dropouts.len()];
        axes.into_iter().fold(1, usize::saturating_mul)
    }

    /// Scores `budget` different points of the grid (all, where it has no more), drawn by `seed`; returns all trials,
    /// the best first, equals in the order drawn.
    ///
    /// The score must come from validation labels; where they are private, from
    /// [`LabelNoise::true_accuracy`](crate::LabelNoise::true_accuracy). The best of many scores is too high by
    /// selection: report another measurement.
    ///
    /// # Errors
    /// [`Error::Setting`] when the grid or the budget is empty, [`Error::NotFinite`] for a score that is NaN, and
    /// whatever `score` returns.
    pub fn search(
        &self,
        budget: usize,
        seed: u64,
        mut score: impl FnMut(&Candidate) -> Result<f64, Error>,
    ) -> Result<Vec<Trial>, Error> {
        let size = self.size();
        if size == 0 {
            return Err(Error::Setting { what: "size of the search space", value: 0.0, bound: "at least 1" });
        }
        if budget == 0 {
            return Err(Error::Setting { what: "number of trials", value: 0.0, bound: "at least 1" });
        }
        let mut trials = Vec::new();
        for point in drawn(size, budget.min(size), seed) {
            let candidate = self.candidate(point);
            let score = score(&candidate)?;
            if score.is_nan() {
                return Err(Error::NotFinite { what: "score of a trial" });
            }
            trials.push(Trial { candidate, score });
        }
        trials.sort_by(|a, b| b.score.total_cmp(&a.score));
        Ok(trials)
    }

    fn candidate(&self, point: usize) -> Candidate {
        let mut rest = point;
        let mut take = |length: usize| {
            let index = rest % length;
            rest /= length;
            index
        };
        Candidate {
            steps: self.steps[take(self.steps.len())],
            learning_rate: self.learning_rates[take(self.learning_rates.len())],
            weight_decay: self.weight_decays[take(self.weight_decays.len())],
            dropout: self.dropouts[take(self.dropouts.len())],
        }
    }
}

/// `count` different numbers below `size` in random order \[Fisher and Yates\].
fn drawn(size: usize, count: usize, seed: u64) -> Vec<usize> {
    let stream = Counter::new(seed, Purpose::Search, 0, 0);
    let mut points: Vec<usize> = (0..size).collect();
    for at in 0..count {
        let span = (size - at) as u128;
        let offset = ((u128::from(stream.bits(at as u64)) * span) >> 64) as usize;
        points.swap(at, at + offset);
    }
    points.truncate(count);
    points
}
