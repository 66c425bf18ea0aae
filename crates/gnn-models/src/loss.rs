//! What is minimised, and what noisy labels make of it.

use crate::Error;
use crate::ops::Sparse;
use burn::tensor::{Tensor, activation};
use serde::{Deserialize, Serialize};

/// Added to a probability before its logarithm, as in the reference implementation of LPGNN.
const TINY: f32 = 1e-20;

/// What k-ary randomized response does to a label: kept with probability `keep`, each other class with `flip`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelNoise {
    /// p = e^ε / (e^ε + c − 1).
    pub keep: f64,
    /// q = 1 / (e^ε + c − 1).
    pub flip: f64,
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

    /// # Errors
    /// [`Error::Setting`] unless p + (c − 1) q = 1 and p > q.
    pub(crate) fn check(&self, classes: usize) -> Result<(), Error> {
        let total = self.keep + (classes as f64 - 1.0) * self.flip;
        if (total - 1.0).abs() > 1e-6 || self.flip < 0.0 {
            return Err(Error::Setting { what: "label noise p + (c − 1) q", value: total, bound: "1 with q ≥ 0" });
        }
        if self.keep <= self.flip {
            return Err(Error::Setting { what: "label noise p − q", value: self.keep - self.flip, bound: "above 0" });
        }
        Ok(())
    }
}

/// What is minimised, as a mean over the training nodes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Loss {
    /// −log P\[label\], P = softmax(logits).
    CrossEntropy,
    /// −log (P T)\[label\] with the transition matrix T of the labels' noise \[Patrini et al., 2017\].
    ForwardCorrection {
        /// The labels' noise.
        noise: LabelNoise,
    },
    /// Label denoising with propagation \[LPGNN, section 4.3, and its reference implementation\]: −log P̃\[t\] with
    /// P̃ = softmax(S^K (P T)) and t the class that S^K gives the highest score from the noisy labels of training *and*
    /// validation nodes; S = D^−½ A D^−½ without added self-loops. With K = 0 this is the forward correction.
    Drop {
        /// The labels' noise; `None` leaves out the correction (T = I).
        noise: Option<LabelNoise>,
        /// K, steps of label propagation.
        steps: usize,
    },
}

impl Loss {
    /// The noise that the loss corrects for.
    pub(crate) fn noise(&self) -> Option<LabelNoise> {
        match *self {
            Self::CrossEntropy => None,
            Self::ForwardCorrection { noise } => Some(noise),
            Self::Drop { noise, .. } => noise,
        }
    }

    /// Steps of label propagation.
    pub(crate) fn steps(&self) -> usize {
        match *self {
            Self::Drop { steps, .. } => steps,
            _ => 0,
        }
    }
}

/// P T = q + (p − q) P for the symmetric T of randomized response, element by element.
pub(crate) fn corrected(probability: f64, noise: Option<LabelNoise>) -> f64 {
    noise.map_or(probability, |noise| noise.flip + (noise.keep - noise.flip) * probability)
}

/// The loss of `logits` against `targets`, whose rows hold 1 / |train| at the training nodes' targets and else 0.
///
/// `propagation` is S where the loss propagates.
pub(crate) fn evaluate(loss: &Loss, logits: Tensor<2>, targets: Tensor<2>, propagation: Option<&Sparse>) -> Tensor<1> {
    let log_probabilities = match (loss.noise(), propagation) {
        (None, None) => activation::log_softmax(logits, 1),
        (noise, propagation) => {
            let mut probabilities = activation::softmax(logits, 1);
            if let Some(noise) = noise {
                probabilities = probabilities * (noise.keep - noise.flip) + noise.flip;
            }
            match propagation {
                Some(propagation) => {
                    for _ in 0..loss.steps() {
                        probabilities = propagation.matmul(probabilities);
                    }
                    activation::log_softmax(probabilities, 1)
                }
                None => (probabilities + TINY).log(),
            }
        }
    };
    -(log_probabilities * targets).sum()
}
