//! The kernels on plain slices, for the CPU, and how their rows are shared out.

use super::Activation;
use super::elementwise::exponential;
use super::exponential::exp;
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;
use std::ops::Range;

/// Below this many elementary operations starting threads costs more than it saves.
const PARALLEL_WORK: usize = 1 << 16;

/// Work on rows, compiled for each instruction set; which one runs is chosen at run time.
///
/// A closure would not do: the compiler keeps a long one apart, as code for the oldest processor.
pub(super) trait RowWork: Sync {
    /// Writes `rows`, the first of which stands at the start of `out`. Each implementation is `#[inline(always)]`.
    fn run<S: Simd>(&self, simd: S, rows: Range<usize>, out: &mut [f32]);
}

struct Dispatched<'a, W> {
    work: &'a W,
    rows: Range<usize>,
    out: &'a mut [f32],
}

impl<W: RowWork> WithSimd for Dispatched<'_, W> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        self.work.run(simd, self.rows, self.out);
    }
}

/// Runs `work` on `rows`, with the best instruction set that there is.
pub(super) fn dispatch(work: &impl RowWork, rows: Range<usize>, out: &mut [f32]) {
    Arch::new().dispatch(Dispatched { work, rows, out });
}

/// Cuts `out` into blocks of whole rows of `width` and runs `work` on each; `cost` is what one row costs, in
/// multiplications.
pub(super) fn in_row_blocks(out: &mut [f32], width: usize, cost: usize, work: &impl RowWork) {
    let rows = out.len().checked_div(width).unwrap_or(0);
    let small = rows * cost < PARALLEL_WORK;
    let block = if small { rows } else { PARALLEL_WORK / 4 / cost.max(1) };
    in_chunks(out, width, block, work);
}

/// Cuts `out` into blocks of `block` rows of `width` and runs `work` on each.
pub(super) fn in_chunks(out: &mut [f32], width: usize, block: usize, work: &impl RowWork) {
    let rows = out.len().checked_div(width).unwrap_or(0);
    if rows == 0 || block >= rows {
        return dispatch(work, 0..rows, out);
    }
    let block = block.max(1);
    out.par_chunks_mut(block * width).enumerate().for_each(|(number, part)| {
        let first = number * block;
        dispatch(work, first..first + part.len() / width, part);
    });
}

/// Cuts `out`, which has `width` numbers an entry of the rows that `indptr` describes, into blocks of whole rows with
/// about equally many entries; `cost` is what one entry costs.
pub(super) fn in_blocks(indptr: &[i32], width: usize, cost: usize, out: &mut [f32], work: &impl RowWork) {
    let rows = indptr.len() - 1;
    let entries = indptr[rows] as usize;
    if entries * cost < PARALLEL_WORK {
        return dispatch(work, 0..rows, out);
    }
    let goal = (PARALLEL_WORK / 4 / cost.max(1)).max(1) as i32;
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
    parts.into_par_iter().for_each(|(rows, part)| dispatch(work, rows, part));
}

/// activation(x + bias) in the place of x.
pub(super) fn activate(x: &mut [f32], bias: &[f32], activation: Activation) {
    struct Work<'a> {
        bias: &'a [f32],
        activation: Activation,
    }
    impl RowWork for Work<'_> {
        #[inline(always)]
        fn run<S: Simd>(&self, _: S, _: Range<usize>, out: &mut [f32]) {
            for row in out.chunks_exact_mut(self.bias.len()) {
                for (x, &b) in row.iter_mut().zip(self.bias) {
                    *x += b;
                }
            }
            if let Some((slope, limit)) = exponential(self.activation) {
                for x in out.iter_mut() {
                    let z = *x;
                    *x = if z > 0.0 { slope * z } else { limit * (exp(z) - 1.0) };
                }
            }
        }
    }
    in_row_blocks(x, bias.len(), bias.len() * 8, &Work { bias, activation });
}

/// gradient · activation' in the place of the gradient, where the output is `y`: y grows with x, is 0 at 0 and there is
/// no other fact needed.
pub(super) fn activate_backward(y: &[f32], activation: Activation, gradient: &mut [f32]) {
    struct Work<'a> {
        y: &'a [f32],
        slope: f32,
        limit: f32,
    }
    impl RowWork for Work<'_> {
        #[inline(always)]
        fn run<S: Simd>(&self, _: S, rows: Range<usize>, gradient: &mut [f32]) {
            for (gradient, &y) in gradient.iter_mut().zip(&self.y[rows]) {
                *gradient *= if y > 0.0 { self.slope } else { y + self.limit };
            }
        }
    }
    let Some((slope, limit)) = exponential(activation) else { return };
    in_row_blocks(gradient, 1, 2, &Work { y, slope, limit });
}

/// Sum over rows, in the order of the rows.
pub(super) fn column_sums(x: &[f32], width: usize) -> Vec<f32> {
    struct Work<'a> {
        x: &'a [f32],
        width: usize,
    }
    impl RowWork for Work<'_> {
        /// The sums of `columns`.
        #[inline(always)]
        fn run<S: Simd>(&self, _: S, columns: Range<usize>, sums: &mut [f32]) {
            for row in self.x.chunks_exact(self.width) {
                for (sum, value) in sums.iter_mut().zip(&row[columns.clone()]) {
                    *sum += value;
                }
            }
        }
    }
    let mut sums = vec![0f32; width];
    let at_once = width.div_ceil(rayon::current_num_threads()).next_multiple_of(16);
    in_chunks(&mut sums, 1, at_once, &Work { x, width });
    sums
}
