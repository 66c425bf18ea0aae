//! The kernels on plain slices, for the CPU.

use super::Activation;
use super::elementwise::exponential;
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
    let mut out = vec![0f32; x.len()];
    in_row_blocks(&mut out, bias.len(), bias.len() * 8, |first, part| {
        let from = first * bias.len();
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
    in_row_blocks(&mut out, bias.len(), bias.len() * 8, |first, part| {
        let from = first * bias.len();
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
