//! What randomized response does to a label, and what can be said about labels that went through it.

use crate::Error;
use serde::{Deserialize, Serialize};

/// What k-ary randomized response does to a label: kept with probability `keep`, each other class with `flip`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelNoise {
    /// p = e^ε / (e^ε + c − 1).
    pub keep: f64,
    /// q = 1 / (e^ε + c − 1).
    pub flip: f64,
}

/// A share with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The unbiased estimate; it may lie outside [0, 1].
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

impl LabelNoise {
    /// The noise of labels reported with budget `epsilon`; ∞ stands for no noise.
    ///
    /// # Errors
    /// [`Error::Setting`] when `epsilon` is not above 0 or there are fewer than two classes.
    pub fn randomized_response(epsilon: f64, classes: usize) -> Result<Self, Error> {
        if epsilon.is_nan() || epsilon <= 0.0 {
            return Err(Error::Setting { what: "label budget", value: epsilon, bound: "above 0" });
        }
        if classes < 2 {
            return Err(Error::Setting { what: "number of classes", value: classes as f64, bound: "at least 2" });
        }
        let odds = (-epsilon).exp();
        let keep = 1.0 / (1.0 + (classes - 1) as f64 * odds);
        Ok(Self { keep, flip: keep * odds })
    }

    /// The accuracy on true labels, from the accuracy on `nodes` labels with this noise: (a − q) / (p − q), unbiased
    /// where the predictions did not see these labels; normal interval of half width
    /// 1.96 √(a (1 − a) / n) / (p − q).
    pub fn true_accuracy(&self, noisy_accuracy: f64, nodes: usize) -> Estimate {
        let gap = self.keep - self.flip;
        let value = (noisy_accuracy - self.flip) / gap;
        let half = 1.96 * (noisy_accuracy * (1.0 - noisy_accuracy) / nodes as f64).sqrt() / gap;
        Estimate { value, low: value - half, high: value + half }
    }

    /// P\[true class | report\] for each report, classes × classes with reports as rows, from the reports themselves:
    /// the prior is their histogram, inverted and cut at 0.
    pub(crate) fn posterior(&self, reports: impl Iterator<Item = u32>, classes: usize) -> Vec<f64> {
        let mut prior = vec![0f64; classes];
        let mut total = 0.0;
        for report in reports {
            prior[report as usize] += 1.0;
            total += 1.0;
        }
        for share in &mut prior {
            *share = ((*share / total - self.flip) / (self.keep - self.flip)).max(0.0);
        }
        let mut posterior = vec![0f64; classes * classes];
        for (report, row) in posterior.chunks_exact_mut(classes).enumerate() {
            for (class, probability) in row.iter_mut().enumerate() {
                *probability = prior[class] * if class == report { self.keep } else { self.flip };
            }
            let sum: f64 = row.iter().sum();
            row.iter_mut().for_each(|probability| *probability /= sum);
        }
        posterior
    }

    /// # Errors
    /// [`Error::Setting`] unless p + (c − 1) q = 1 and p > q ≥ 0.
    pub(crate) fn check(&self, classes: usize) -> Result<(), Error> {
        let total = self.keep + (classes as f64 - 1.0) * self.flip;
        let sums_to_one = (total - 1.0).abs() <= 1e-6 && self.flip >= 0.0;
        if !sums_to_one {
            return Err(Error::Setting { what: "label noise p + (c − 1) q", value: total, bound: "1 with q ≥ 0" });
        }
        if self.keep <= self.flip {
            return Err(Error::Setting { what: "label noise p − q", value: self.keep - self.flip, bound: "above 0" });
        }
        Ok(())
    }
}
