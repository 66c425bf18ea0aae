//! What is minimised, and what noisy labels make of it.

use crate::LabelNoise;
use crate::ops::Sparse;
use burn::tensor::{Tensor, activation};
use serde::{Deserialize, Serialize};

/// Added to a probability before its logarithm, as in the reference implementation of LPGNN.
const TINY: f32 = 1e-20;

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
    /// −Σ_y P\[y | label\] log P\[y\]: the label is replaced by what it says about the true class, given its noise and the
    /// classes' shares, which are estimated from the training labels.
    Posterior {
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
    /// The labels' noise as far as the loss knows it.
    pub(crate) fn noise(&self) -> Option<LabelNoise> {
        match *self {
            Self::CrossEntropy => None,
            Self::ForwardCorrection { noise } | Self::Posterior { noise } => Some(noise),
            Self::Drop { noise, .. } => noise,
        }
    }

    /// The T by which predictions are multiplied before they meet labels.
    pub(crate) fn correction(&self) -> Option<LabelNoise> {
        if matches!(self, Self::Posterior { .. }) { None } else { self.noise() }
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

/// The loss of `logits` against `targets`, whose rows hold the training nodes' target shares, divided by
/// their number, and else 0.
///
/// `propagation` is S where the loss propagates.
pub(crate) fn evaluate(loss: &Loss, logits: Tensor<2>, targets: Tensor<2>, propagation: Option<&Sparse>) -> Tensor<1> {
    let log_probabilities = match (loss.correction(), propagation) {
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
