//! Activations from a backend's stock operations: what the GPU runs, and the yardstick for the CPU's fused loops.

use super::Activation;
use burn::backend::{Backend, tensor::FloatTensor};

/// λ of SELU.
pub(crate) const SELU_SCALE: f32 = 1.050_701;
/// α of SELU.
pub(crate) const SELU_ALPHA: f32 = 1.673_263_2;

/// Slope above 0 and limit at −∞ of the exponential activations.
pub(super) fn exponential(activation: Activation) -> Option<(f32, f32)> {
    match activation {
        Activation::Selu => Some((SELU_SCALE, SELU_SCALE * SELU_ALPHA)),
        Activation::Elu => Some((1.0, 1.0)),
        Activation::Relu => Some((1.0, 0.0)),
        Activation::Identity => None,
    }
}

/// slope · max(z, 0) + limit · (exp(min(z, 0)) − 1): no branch in which an overflow could turn into NaN.
pub(super) fn activate<B: Backend>(x: FloatTensor<B>, bias: FloatTensor<B>, activation: Activation) -> FloatTensor<B> {
    let z = B::float_add(x, bias);
    let Some((slope, limit)) = exponential(activation) else { return z };
    let above = B::float_mul_scalar(B::float_clamp_min(z.clone(), 0f32.into()), slope.into());
    let decayed = B::float_exp(B::float_clamp_max(z, 0f32.into()));
    let below = B::float_mul_scalar(B::float_sub_scalar(decayed, 1f32.into()), limit.into());
    B::float_add(above, below)
}

/// gradient · (slope where y > 0, else y + limit), from the output y = limit (eᶻ − 1) below 0.
pub(super) fn activate_backward<B: Backend>(
    y: FloatTensor<B>,
    activation: Activation,
    gradient: FloatTensor<B>,
) -> FloatTensor<B> {
    let Some((slope, limit)) = exponential(activation) else { return gradient };
    let positive = B::float_sign(B::float_clamp_min(y.clone(), 0f32.into()));
    let below = B::float_add_scalar(B::float_clamp_max(y, 0f32.into()), limit.into());
    // below + positive · (slope − below), and below is the limit itself where y > 0.
    let factor = B::float_add(below, B::float_mul_scalar(positive, (slope - limit).into()));
    B::float_mul(gradient, factor)
}
