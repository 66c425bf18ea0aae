//! The kernels on plain slices, for the CPU.

use super::Activation;
use super::elementwise::exponential;
use super::exponential::exp;
use pulp::Arch;
use rayon::prelude::*;
use std::ops::Range;

/// Below this many elementary operations starting threads costs more than it saves.
const PARALLEL_WORK: usize = 1 << 16;

/// Cuts `out` into blocks of whole rows of `width` and runs `run` with the number of a block's first row; `work` is
/// what one row costs, in multiplications.
pub(super) fn in_row_blocks(out: &mut [f32], width: usize, work: usize, run: impl Fn(usize, &mut [f32]) + Sync) {
    if out.is_empty() {
        return;
    }
    let rows = (PARALLEL_WORK / 4 / work.max(1)).clamp(1, out.len() / width);
    if out.len() / width * work < PARALLEL_WORK {
        run(0, out);
    } else {
        out.par_chunks_mut(rows * width).enumerate().for_each(|(block, part)| run(block * rows, part));
    }
}

/// Cuts `out`, which has `width` numbers an entry of the rows that `indptr` describes, into blocks of whole rows with
/// about equally many entries; `work` is what one entry costs.
pub(super) fn in_blocks(
    indptr: &[i32],
    width: usize,
    work: usize,
    out: &mut [f32],
    run: impl Fn(Range<usize>, &mut [f32]) + Sync,
) {
    let rows = indptr.len() - 1;
    let entries = indptr[rows] as usize;
    if entries * work < PARALLEL_WORK {
        return run(0..rows, out);
    }
    let goal = (PARALLEL_WORK / 4 / work.max(1)).max(1) as i32;
    let mut parts = Vec::new();
    let (mut first, mut rest) = (0, out);
    for row in 1..=rows {
        let size = indptr[row] - indptr[first];
        if size >= goal || row == rows {
            let (part, after) = std::mem::take(&mut rest).split_at_mut(size as usize * width);
            parts.push((first..row, part));
            (first, rest) = (row, after);
        }
    }
    parts.into_par_iter().for_each(|(rows, part)| run(rows, part));
}

/// activation(x + bias).
pub(super) fn activate(x: &[f32], bias: &[f32], activation: Activation) -> Vec<f32> {
    let width = bias.len();
    let mut out = vec![0f32; x.len()];
    in_row_blocks(&mut out, width, width * 8, |first, part| {
        let x = &x[first * width..][..part.len()];
        Arch::new().dispatch(|| {
            for (out, x) in part.chunks_exact_mut(width).zip(x.chunks_exact(width)) {
                for ((out, &x), &b) in out.iter_mut().zip(x).zip(bias) {
                    *out = x + b;
                }
            }
            if let Some((slope, limit)) = exponential(activation) {
                for out in part.iter_mut() {
                    let z = *out;
                    *out = if z > 0.0 { slope * z } else { limit * (exp(z) - 1.0) };
                }
            }
        });
    });
    out
}

/// gradient · activation' where the output is `y`: y grows with x, is 0 at 0 and there is no other fact needed.
pub(super) fn activate_backward(y: &[f32], activation: Activation, gradient: &[f32]) -> Vec<f32> {
    let Some((slope, limit)) = exponential(activation) else { return gradient.to_vec() };
    let mut out = vec![0f32; y.len()];
    in_row_blocks(&mut out, 1, 2, |first, part| {
        let (y, gradient) = (&y[first..][..part.len()], &gradient[first..][..part.len()]);
        Arch::new().dispatch(|| {
            for ((out, &y), &gradient) in part.iter_mut().zip(y).zip(gradient) {
                *out = gradient * if y > 0.0 { slope } else { y + limit };
            }
        });
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
