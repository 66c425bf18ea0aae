//! Adam with PyTorch's update, for a flat list of parameters.
//!
//! Burn's own would do for one parameter group; this one also clips by the norm over *all* gradients and needs no
//! module around the weights.

use crate::parameters::values;
use burn::tensor::Tensor;

const BETA_1: f64 = 0.9;
const BETA_2: f64 = 0.999;
const EPSILON: f64 = 1e-8;

/// Moments of each parameter \[Kingma and Ba, 2015, algorithm 1\].
pub(crate) struct Adam {
    moments: Vec<Option<(Tensor<2>, Tensor<2>)>>,
    steps: i32,
}

impl Adam {
    pub(crate) fn new(parameters: usize) -> Self {
        Self { moments: vec![None; parameters], steps: 0 }
    }

    /// One step for all parameters; `decay` gives each parameter's factor of the L2 term.
    pub(crate) fn step(
        &mut self,
        parameters: &mut [Tensor<2>],
        gradients: Vec<Tensor<2>>,
        rate: f64,
        decay: impl Fn(usize) -> f64,
    ) {
        self.steps += 1;
        let first_bias = 1.0 - BETA_1.powi(self.steps);
        let second_bias = (1.0 - BETA_2.powi(self.steps)).sqrt();
        for (at, mut gradient) in gradients.into_iter().enumerate() {
            let parameter = parameters[at].clone();
            if decay(at) > 0.0 {
                gradient = gradient + parameter.clone() * decay(at);
            }
            let new_first = gradient.clone() * (1.0 - BETA_1);
            let new_second = gradient.clone() * gradient * (1.0 - BETA_2);
            let (first, second) = match self.moments[at].take() {
                Some((first, second)) => (first * BETA_1 + new_first, second * BETA_2 + new_second),
                None => (new_first, new_second),
            };
            let scale = second.clone().sqrt() / second_bias + EPSILON;
            parameters[at] = parameter - first.clone() / scale * (rate / first_bias);
            self.moments[at] = Some((first, second));
        }
    }
}

/// Scales the gradients down where their joint length exceeds `longest`, as PyTorch's `clip_grad_norm_`.
pub(crate) fn clip(gradients: Vec<Tensor<2>>, longest: f64) -> Vec<Tensor<2>> {
    let squared: f64 =
        gradients.iter().flat_map(|gradient| values(gradient.clone())).map(|value| f64::from(value).powi(2)).sum();
    let scale = longest / (squared.sqrt() + 1e-6);
    if scale >= 1.0 {
        return gradients;
    }
    gradients.into_iter().map(|gradient| gradient * scale).collect()
}
