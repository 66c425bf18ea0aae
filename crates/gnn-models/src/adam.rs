//! Adam with PyTorch's update, for a flat list of parameters.
//!
//! Burn's own would do for one parameter group; this one also clips by the norm over *all* gradients, needs no module
//! around the weights and is one loop on the CPU.

use crate::DeviceChoice;
use crate::ops::{AdamStep, adam_step};
use crate::parameters::values;
use burn::tensor::{Tensor, TensorData};

const BETA_1: f64 = 0.9;
const BETA_2: f64 = 0.999;
const EPSILON: f64 = 1e-8;

/// Moments of each parameter \[Kingma and Ba, 2015, algorithm 1\].
pub(crate) struct Adam {
    moments: Vec<Moments>,
    steps: i32,
}

/// First and second.
#[expect(clippy::large_enum_variant, reason = "there is one a parameter")]
enum Moments {
    /// On the CPU.
    Host(Vec<f32>, Vec<f32>),
    /// On another device.
    Device(Tensor<2>, Tensor<2>),
}

impl Adam {
    /// For parameters that lie on the device of `choice`.
    pub(crate) fn new(parameters: &[Tensor<2>], choice: DeviceChoice) -> Self {
        let zeros = |parameter: &Tensor<2>| match choice {
            DeviceChoice::Cpu => {
                let count = parameter.shape().num_elements();
                Moments::Host(vec![0.0; count], vec![0.0; count])
            }
            _ => Moments::Device(parameter.zeros_like(), parameter.zeros_like()),
        };
        Self { moments: parameters.iter().map(zeros).collect(), steps: 0 }
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
        let rate = rate / (1.0 - BETA_1.powi(self.steps));
        let second_bias = (1.0 - BETA_2.powi(self.steps)).sqrt();
        for (at, gradient) in gradients.into_iter().enumerate() {
            let parameter = parameters[at].clone();
            parameters[at] = match &mut self.moments[at] {
                Moments::Host(first, second) => {
                    let (shape, device) = (parameter.shape(), parameter.device());
                    let mut weights = values(parameter);
                    let step = AdamStep {
                        first: [BETA_1, 1.0 - BETA_1].map(|factor| factor as f32),
                        second: [BETA_2, 1.0 - BETA_2].map(|factor| factor as f32),
                        second_bias: second_bias as f32,
                        epsilon: EPSILON as f32,
                        rate: rate as f32,
                        decay: decay(at) as f32,
                    };
                    adam_step(step, &mut weights, &values(gradient), (first, second));
                    Tensor::from_data(TensorData::new(weights, shape), &device)
                }
                Moments::Device(first, second) => {
                    let gradient = gradient + parameter.clone() * decay(at);
                    *first = first.clone() * BETA_1 + gradient.clone() * (1.0 - BETA_1);
                    *second = second.clone() * BETA_2 + gradient.clone() * gradient * (1.0 - BETA_2);
                    parameter - first.clone() / (second.clone().sqrt() / second_bias + EPSILON) * rate
                }
            };
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

#[cfg(test)]
mod tests {
    use super::{Adam, Moments, clip};
    use crate::DeviceChoice;
    use crate::parameters::values;
    use burn::tensor::{Tensor, TensorData};

    fn row(numbers: &[f32]) -> Tensor<2> {
        let device = DeviceChoice::Cpu.open().expect("there is always a CPU");
        Tensor::from_data(TensorData::new(numbers.to_vec(), [1, numbers.len()]), &device)
    }

    fn assert_close(found: &Tensor<2>, right: &[f32]) {
        let found = values(found.clone());
        let close = found.len() == right.len() && found.iter().zip(right).all(|(a, b)| (a - b).abs() < 2e-6);
        assert!(close, "{found:?} for {right:?}");
    }

    /// The numbers are, rounded to six places, those of `torch.optim.Adam([p], lr=0.1, weight_decay=0.02)`, PyTorch 2.15, with `p.grad` set to
    /// each row before `step()`.
    #[test]
    fn four_steps_are_those_of_pytorch() {
        let steps = [
            ([0.3, -0.2, 0.0], [0.4, -0.9, 1.9]),
            ([-0.1, 0.4, 1e-3], [0.356_947, -0.931_064, 1.800_074]),
            ([0.25, 0.25, -5.0], [0.291_125, -0.982_027, 1.863_083]),
            ([0.0, -0.5, 2.0], [0.236_394, -0.968_910, 1.888_755]),
        ];
        let start = || row(&[0.5, -1.0, 2.0]);
        let by_loop = Adam::new(&[start()], DeviceChoice::Cpu);
        let zeros = || row(&[0.0; 3]);
        let by_operations = Adam { moments: vec![Moments::Device(zeros(), zeros())], steps: 0 };
        for mut adam in [by_loop, by_operations] {
            let mut parameters = [start()];
            for (gradient, right) in steps {
                adam.step(&mut parameters, vec![row(&gradient)], 0.1, |_| 0.02);
                assert_close(&parameters[0], &right);
            }
        }
    }

    /// As `torch.nn.utils.clip_grad_norm_`: a joint length of 13 cut to 6.5; one that is short enough stays.
    #[test]
    fn gradients_are_cut_together() {
        let gradients = || vec![row(&[3.0, -4.0]), row(&[12.0])];
        let cut = clip(gradients(), 6.5);
        assert_close(&cut[0], &[1.5, -2.0]);
        assert_close(&cut[1], &[6.0]);
        let kept = clip(gradients(), 14.0);
        assert_close(&kept[0], &[3.0, -4.0]);
        assert_close(&kept[1], &[12.0]);
    }
}
