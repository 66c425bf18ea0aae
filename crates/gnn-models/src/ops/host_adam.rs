//! A step of Adam as one loop, for the CPU: from stock operations it is fifteen passes over the weights.

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

/// Weights of a piece of work.
const PIECE: usize = 1 << 14;

/// The numbers of a step that all weights share.
#[derive(Clone, Copy)]
pub(crate) struct AdamStep {
    /// β and 1 − β, rounded each by itself, of the first moment.
    pub(crate) first: [f32; 2],
    /// The same of the second.
    pub(crate) second: [f32; 2],
    /// What the square root of the second moment is divided by.
    pub(crate) second_bias: f32,
    /// Added to that quotient.
    pub(crate) epsilon: f32,
    /// The learning rate over the first moment's bias.
    pub(crate) rate: f32,
    /// Factor of the L2 term.
    pub(crate) decay: f32,
}

/// Changes weights and both moments in place; one `gradient` a weight.
pub(crate) fn adam_step(step: AdamStep, weights: &mut [f32], gradient: &[f32], moments: (&mut [f32], &mut [f32])) {
    let weights = weights.par_chunks_mut(PIECE).zip(gradient.par_chunks(PIECE));
    let moments = moments.0.par_chunks_mut(PIECE).zip(moments.1.par_chunks_mut(PIECE));
    weights.zip(moments).for_each(|((weights, gradient), (first, second))| {
        Arch::new().dispatch(Piece { step, weights, gradient, first, second });
    });
}

struct Piece<'a> {
    step: AdamStep,
    weights: &'a mut [f32],
    gradient: &'a [f32],
    first: &'a mut [f32],
    second: &'a mut [f32],
}

impl WithSimd for Piece<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let AdamStep { first: [keep_1, take_1], second: [keep_2, take_2], second_bias, epsilon, rate, decay } =
            self.step;
        let weights = self.weights.iter_mut().zip(self.gradient);
        for ((weight, gradient), (first, second)) in weights.zip(self.first.iter_mut().zip(self.second)) {
            let gradient = gradient + *weight * decay;
            *first = *first * keep_1 + gradient * take_1;
            *second = *second * keep_2 + gradient * gradient * take_2;
            *weight -= *first / (second.sqrt() / second_bias + epsilon) * rate;
        }
    }
}
