//! The derivatives of attention by its scores, and of what the scores are made of.

use super::{Heads, Lists, dot, some};
use crate::ops::attention::SLOPE;
use crate::ops::host::{RowWork, in_blocks, in_chunks, in_row_blocks};
use pulp::Simd;
use std::ops::Range;

/// What the derivative needs beside the gradient.
pub(in crate::ops) struct Saved<'a> {
    pub(in crate::ops) x: &'a [f32],
    pub(in crate::ops) weights: &'a [f32],
    /// The weights after dropout.
    pub(in crate::ops) kept: &'a [f32],
    pub(in crate::ops) source: &'a [f32],
    pub(in crate::ops) target: &'a [f32],
}

/// The derivative by each edge's score before the rectifier, entries × heads.
pub(in crate::ops) fn score_gradients(lists: Lists<'_>, saved: &Saved<'_>, gradient: &[f32], heads: Heads) -> Vec<f32> {
    struct Work<'a> {
        lists: Lists<'a>,
        saved: &'a Saved<'a>,
        gradient: &'a [f32],
        heads: Heads,
    }
    impl RowWork for Work<'_> {
        #[inline(always)]
        fn run<S: Simd>(&self, simd: S, rows: Range<usize>, out: &mut [f32]) {
            let Self { lists, saved, heads, .. } = *self;
            let (count, total) = (heads.heads, heads.total());
            let base = lists.indptr[rows.start] as usize;
            for row in rows {
                let range = lists.range(row);
                let part = &mut out[(range.start - base) * count..(range.end - base) * count];
                let gradient = &self.gradient[row * total..][..total];
                match heads {
                    Heads { heads: 4, width: 16 } => {
                        score_gradient_row(simd, lists, saved, row, gradient, Heads { heads: 4, width: 16 }, part);
                    }
                    Heads { heads: 4, width: 64 } => {
                        score_gradient_row(simd, lists, saved, row, gradient, Heads { heads: 4, width: 64 }, part);
                    }
                    _ => score_gradient_row(simd, lists, saved, row, gradient, heads, part),
                }
            }
        }
    }
    let mut out = vec![0f32; saved.weights.len()];
    let work = Work { lists, saved, gradient, heads };
    in_blocks(lists.indptr, heads.heads, heads.total(), &mut out, &work);
    out
}

#[inline(always)]
fn score_gradient_row<S: Simd>(
    simd: S,
    lists: Lists<'_>,
    saved: &Saved<'_>,
    row: usize,
    gradient: &[f32],
    heads: Heads,
    out: &mut [f32],
) {
    let Heads { heads: count, width } = heads;
    let range = lists.range(row);
    for (&other, out) in lists.indices[range].iter().zip(out.chunks_exact_mut(count)) {
        let x = &saved.x[other as usize * count * width..][..count * width];
        for ((out, x), gradient) in out.iter_mut().zip(x.chunks_exact(width)).zip(gradient.chunks_exact(width)) {
            *out = dot(simd, x, gradient);
        }
    }
    match count {
        1 => rectify::<1>(0, 1, lists, saved, row, out),
        4 => rectify::<4>(0, 4, lists, saved, row, out),
        8 => rectify::<8>(0, 8, lists, saved, row, out),
        _ => {
            for first in 0..count {
                rectify::<1>(first, count, lists, saved, row, out);
            }
        }
    }
}

/// From the derivatives by the weights of a row, of `H` heads from the `first` on, those by the scores.
#[inline(always)]
fn rectify<const H: usize>(
    first: usize,
    heads: usize,
    lists: Lists<'_>,
    saved: &Saved<'_>,
    row: usize,
    out: &mut [f32],
) {
    let range = lists.range(row);
    let weights = saved.weights[range.start * heads..range.end * heads].chunks_exact(heads);
    let kept = saved.kept[range.start * heads..range.end * heads].chunks_exact(heads);
    let mut means = [0f32; H];
    for (kept, out) in kept.clone().zip(out.chunks_exact(heads)) {
        for head in 0..H {
            means[head] += kept[first + head] * out[first + head];
        }
    }
    let target = some::<H>(saved.target, row * heads + first);
    let entries = lists.indices[range].iter().zip(weights.zip(kept));
    for ((&other, (weights, kept)), out) in entries.zip(out.chunks_exact_mut(heads)) {
        let source = some::<H>(saved.source, other as usize * heads + first);
        for head in 0..H {
            let slope = if target[head] + source[head] > 0.0 { 1.0 } else { SLOPE };
            let (at, mean) = (first + head, means[head]);
            out[at] = (kept[at] * out[at] - weights[at] * mean) * slope;
        }
    }
}

/// Σ over a row's entries of a number an entry and head, rows × heads.
pub(in crate::ops) fn row_sums(lists: Lists<'_>, entries: Option<&[i32]>, numbers: &[f32], heads: usize) -> Vec<f32> {
    struct Work<'a> {
        lists: Lists<'a>,
        entries: Option<&'a [i32]>,
        numbers: &'a [f32],
        heads: usize,
    }
    impl RowWork for Work<'_> {
        #[inline(always)]
        fn run<S: Simd>(&self, _: S, rows: Range<usize>, out: &mut [f32]) {
            let heads = self.heads;
            match heads {
                1 => self.sum::<1>(0, 1, rows, out),
                4 => self.sum::<4>(0, 4, rows, out),
                8 => self.sum::<8>(0, 8, rows, out),
                _ => {
                    for first in 0..heads {
                        self.sum::<1>(first, heads, rows.clone(), out);
                    }
                }
            }
        }
    }
    impl Work<'_> {
        #[inline(always)]
        fn sum<const H: usize>(&self, first: usize, heads: usize, rows: Range<usize>, out: &mut [f32]) {
            for (row, out) in rows.zip(out.chunks_exact_mut(heads)) {
                let mut sums = [0f32; H];
                for at in self.lists.range(row) {
                    let entry = self.entries.map_or(at, |entries| entries[at] as usize);
                    let numbers = some::<H>(self.numbers, entry * heads + first);
                    for head in 0..H {
                        sums[head] += numbers[head];
                    }
                }
                out[first..first + H].copy_from_slice(&sums);
            }
        }
    }
    let mut out = vec![0f32; (lists.indptr.len() - 1) * heads];
    let work = Work { lists, entries, numbers, heads };
    in_row_blocks(&mut out, heads, heads * lists.mean_length(), &work);
    out
}

/// Σ_i score_gradient_i x_i per head, by source scores and by target scores: the derivatives by the attention vectors.
pub(in crate::ops) fn vector_gradients(
    source: &[f32],
    target: &[f32],
    x: &[f32],
    heads: Heads,
) -> (Vec<f32>, Vec<f32>) {
    struct Work<'a> {
        source: &'a [f32],
        target: &'a [f32],
        x: &'a [f32],
        heads: Heads,
    }
    impl RowWork for Work<'_> {
        /// The sums of the heads `rows`, both derivatives side by side.
        #[inline(always)]
        fn run<S: Simd>(&self, _: S, rows: Range<usize>, out: &mut [f32]) {
            let Heads { heads, width } = self.heads;
            let numbers = self.source.chunks_exact(heads).zip(self.target.chunks_exact(heads));
            for (x, (source, target)) in self.x.chunks_exact(heads * width).zip(numbers) {
                for (head, out) in rows.clone().zip(out.chunks_exact_mut(2 * width)) {
                    let (by_source, by_target) = out.split_at_mut(width);
                    let sums = by_source.iter_mut().zip(by_target);
                    for ((by_source, by_target), x) in sums.zip(&x[head * width..][..width]) {
                        *by_source += source[head] * x;
                        *by_target += target[head] * x;
                    }
                }
            }
        }
    }
    let mut both = vec![0f32; 2 * heads.total()];
    let at_once = heads.heads.div_ceil(rayon::current_num_threads());
    in_chunks(&mut both, 2 * heads.width, at_once, &Work { source, target, x, heads });
    let (mut by_source, mut by_target) = (Vec::new(), Vec::new());
    for sums in both.chunks_exact(2 * heads.width) {
        by_source.extend_from_slice(&sums[..heads.width]);
        by_target.extend_from_slice(&sums[heads.width..]);
    }
    (by_source, by_target)
}
