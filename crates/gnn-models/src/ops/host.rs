//! The kernels on plain slices, for the CPU.

use super::Activation;
use super::elementwise::exponential;
use rayon::prelude::*;

/// Below this many multiplications starting threads costs more than it saves.
const PARALLEL_WORK: usize = 1 << 16;

/// Rows handled by one task.
fn block(length: usize, work_per_item: usize) -> usize {
    (PARALLEL_WORK / 4 / work_per_item.max(1)).clamp(1, length.max(1))
}

fn for_each_row(out: &mut [f32], width: usize, run: impl Fn(usize, &mut [f32]) + Sync) {
    let rows = block(out.len() / width.max(1), width * 8);
    if out.len() * 8 < PARALLEL_WORK {
        out.chunks_mut(rows * width).enumerate().for_each(|(at, part)| run(at * rows * width, part));
    } else {
        out.par_chunks_mut(rows * width).enumerate().for_each(|(at, part)| run(at * rows * width, part));
    }
}

/// activation(x + bias).
pub(super) fn activate(x: &[f32], bias: &[f32], activation: Activation) -> Vec<f32> {
    let mut out = vec![0f32; x.len()];
    for_each_row(&mut out, bias.len(), |from, part| {
        for (out, x) in part.chunks_exact_mut(bias.len()).zip(x[from..].chunks_exact(bias.len())) {
            for ((out, &x), &b) in out.iter_mut().zip(x).zip(bias) {
                *out = x + b;
            }
        }
        if let Some((slope, limit)) = exponential(activation) {
            for out in part {
                *out = if *out > 0.0 { slope * *out } else { limit * (out.exp() - 1.0) };
            }
        }
    });
    out
}

/// gradient · activation'(x + bias).
pub(super) fn activate_backward(x: &[f32], bias: &[f32], activation: Activation, gradient: &[f32]) -> Vec<f32> {
    let mut out = gradient.to_vec();
    let Some((slope, limit)) = exponential(activation) else { return out };
    for_each_row(&mut out, bias.len(), |from, part| {
        for (out, x) in part.chunks_exact_mut(bias.len()).zip(x[from..].chunks_exact(bias.len())) {
            for ((out, &x), &b) in out.iter_mut().zip(x).zip(bias) {
                let z = x + b;
                *out *= if z > 0.0 { slope } else { limit * z.exp() };
            }
        }
    });
    out
}

/// Sum over rows, in the order of the rows.
pub(super) fn column_sums(x: &[f32], width: usize) -> Vec<f32> {
    let mut sums = vec![0f32; width];
    for row in x.chunks_exact(width.max(1)) {
        for (sum, value) in sums.iter_mut().zip(row) {
            *sum += value;
        }
    }
    sums
}
