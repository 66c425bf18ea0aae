//! Graph attention on plain slices, for the CPU. Every number written has one writer, and every sum one order.

use super::attention::SLOPE;
use super::host::{in_blocks, in_row_blocks};
use pulp::Arch;

/// The lists of one orientation.
#[derive(Clone, Copy)]
pub(super) struct Lists<'a> {
    pub(super) indptr: &'a [i32],
    pub(super) indices: &'a [i32],
}

impl<'a> Lists<'a> {
    fn range(self, row: usize) -> std::ops::Range<usize> {
        self.indptr[row] as usize..self.indptr[row + 1] as usize
    }
}

/// Number of heads and width of one.
#[derive(Clone, Copy)]
pub(super) struct Heads {
    pub(super) heads: usize,
    pub(super) width: usize,
}

impl Heads {
    fn total(self) -> usize {
        self.heads * self.width
    }
}

/// ⟨vector, x_i⟩ for each node and head.
pub(super) fn scores(x: &[f32], vector: &[f32], heads: Heads) -> Vec<f32> {
    let rows = x.len() / heads.total();
    let mut out = vec![0f32; rows * heads.heads];
    in_row_blocks(&mut out, heads.heads, heads.total(), |first, part| {
        Arch::new().dispatch(|| {
            for (offset, scores) in part.chunks_exact_mut(heads.heads).enumerate() {
                let row = &x[(first + offset) * heads.total()..][..heads.total()];
                let pairs = row.chunks_exact(heads.width).zip(vector.chunks_exact(heads.width));
                for (score, (row, vector)) in scores.iter_mut().zip(pairs) {
                    *score = dot(row, vector);
                }
            }
        });
    });
    out
}

/// α, entries × heads.
pub(super) fn weights(lists: Lists<'_>, source: &[f32], target: &[f32], heads: usize) -> Vec<f32> {
    let mut out = vec![0f32; lists.indices.len() * heads];
    in_blocks(lists.indptr, heads, heads * 8, &mut out, |rows, part| {
        let base = lists.indptr[rows.start] as usize;
        for row in rows {
            let range = lists.range(row);
            let part = &mut part[(range.start - base) * heads..(range.end - base) * heads];
            softmax_row(&lists.indices[range], source, &target[row * heads..][..heads], part);
        }
    });
    out
}

/// One node's weights: a softmax shifted by the highest score, so that nothing overflows.
fn softmax_row(list: &[i32], source: &[f32], target: &[f32], weights: &mut [f32]) {
    let heads = target.len();
    for (head, &target) in target.iter().enumerate() {
        let mut highest = f32::NEG_INFINITY;
        for (&other, weights) in list.iter().zip(weights.chunks_exact_mut(heads)) {
            let score = leaky(target + source[other as usize * heads + head]);
            highest = highest.max(score);
            weights[head] = score;
        }
        let mut sum = 0.0;
        for weights in weights.chunks_exact_mut(heads) {
            let weight = (weights[head] - highest).exp();
            sum += weight;
            weights[head] = weight;
        }
        let scale = 1.0 / sum;
        for weights in weights.chunks_exact_mut(heads) {
            weights[head] *= scale;
        }
    }
}

fn leaky(score: f32) -> f32 {
    if score > 0.0 { score } else { SLOPE * score }
}

/// Σ_j weight_ij x_j per head; `entries` says where an entry's weight stands, itself where it is `None`.
pub(super) fn gather(lists: Lists<'_>, entries: Option<&[i32]>, weights: &[f32], x: &[f32], heads: Heads) -> Vec<f32> {
    let mut out = vec![0f32; (lists.indptr.len() - 1) * heads.total()];
    let total = heads.total();
    in_rows(lists, total, total, &mut out, |row, sums| {
        for (at, &other) in lists.range(row).zip(&lists.indices[lists.range(row)]) {
            let entry = entries.map_or(at, |entries| entries[at] as usize);
            let weights = &weights[entry * heads.heads..][..heads.heads];
            let x = &x[other as usize * total..][..total];
            let parts = sums.chunks_exact_mut(heads.width).zip(x.chunks_exact(heads.width));
            for ((sums, x), &weight) in parts.zip(weights) {
                for (sum, x) in sums.iter_mut().zip(x) {
                    *sum += weight * x;
                }
            }
        }
    });
    out
}

/// What the derivative needs beside the gradient.
pub(super) struct Saved<'a> {
    pub(super) x: &'a [f32],
    pub(super) weights: &'a [f32],
    pub(super) source: &'a [f32],
    pub(super) target: &'a [f32],
}

/// The derivative by each edge's score before the rectifier, entries × heads.
pub(super) fn score_gradients(lists: Lists<'_>, saved: &Saved<'_>, gradient: &[f32], heads: Heads) -> Vec<f32> {
    let mut out = vec![0f32; saved.weights.len()];
    let total = heads.total();
    in_blocks(lists.indptr, heads.heads, total, &mut out, |rows, part| {
        Arch::new().dispatch(|| {
            let base = lists.indptr[rows.start] as usize;
            for row in rows.clone() {
                let range = lists.range(row);
                let part = &mut part[(range.start - base) * heads.heads..(range.end - base) * heads.heads];
                let gradient = &gradient[row * total..][..total];
                score_gradient_row(lists, saved, row, gradient, heads, part);
            }
        });
    });
    out
}

#[inline(always)]
fn score_gradient_row(
    lists: Lists<'_>,
    saved: &Saved<'_>,
    row: usize,
    gradient: &[f32],
    heads: Heads,
    out: &mut [f32],
) {
    let Heads { heads: count, width } = heads;
    let range = lists.range(row);
    let list = &lists.indices[range.clone()];
    let weights = &saved.weights[range.start * count..range.end * count];
    for (&other, out) in list.iter().zip(out.chunks_exact_mut(count)) {
        let x = &saved.x[other as usize * count * width..][..count * width];
        for ((out, x), gradient) in out.iter_mut().zip(x.chunks_exact(width)).zip(gradient.chunks_exact(width)) {
            *out = dot(x, gradient);
        }
    }
    for head in 0..count {
        let mean: f32 = (0..list.len()).map(|k| weights[k * count + head] * out[k * count + head]).sum();
        let target = saved.target[row * count + head];
        for (k, &other) in list.iter().enumerate() {
            let score = target + saved.source[other as usize * count + head];
            let slope = if score > 0.0 { 1.0 } else { SLOPE };
            let at = k * count + head;
            out[at] = weights[at] * (out[at] - mean) * slope;
        }
    }
}

/// Σ over a row's entries of a number an entry and head, rows × heads.
pub(super) fn row_sums(lists: Lists<'_>, entries: Option<&[i32]>, numbers: &[f32], heads: usize) -> Vec<f32> {
    let mut out = vec![0f32; (lists.indptr.len() - 1) * heads];
    in_rows(lists, heads, heads, &mut out, |row, sums| {
        for at in lists.range(row) {
            let entry = entries.map_or(at, |entries| entries[at] as usize);
            for (sum, number) in sums.iter_mut().zip(&numbers[entry * heads..][..heads]) {
                *sum += number;
            }
        }
    });
    out
}

/// Adds what reaches x through the two scores of its node.
pub(super) fn add_score_gradients(
    out: &mut [f32],
    (source, target): (&[f32], &[f32]),
    (source_gradient, target_gradient): (&[f32], &[f32]),
    heads: Heads,
) {
    let total = heads.total();
    in_row_blocks(out, total, total, |first, part| {
        for (offset, row) in part.chunks_exact_mut(total).enumerate() {
            let node = first + offset;
            for head in 0..heads.heads {
                let (by_source, by_target) =
                    (source_gradient[node * heads.heads + head], target_gradient[node * heads.heads + head]);
                let span = head * heads.width..(head + 1) * heads.width;
                for (out, (s, t)) in row[span.clone()].iter_mut().zip(source[span.clone()].iter().zip(&target[span])) {
                    *out += by_source * s + by_target * t;
                }
            }
        }
    });
}

/// Σ_i score_gradient_i x_i per head: the derivative by an attention vector.
pub(super) fn vector_gradient(score_gradient: &[f32], x: &[f32], heads: Heads) -> Vec<f32> {
    let mut sums = vec![0f32; heads.total()];
    for (numbers, row) in score_gradient.chunks_exact(heads.heads).zip(x.chunks_exact(heads.total())) {
        let parts = sums.chunks_exact_mut(heads.width).zip(row.chunks_exact(heads.width));
        for ((sums, row), &number) in parts.zip(numbers) {
            for (sum, x) in sums.iter_mut().zip(row) {
                *sum += number * x;
            }
        }
    }
    sums
}

/// Runs `run` for each row of `out`.
fn in_rows(lists: Lists<'_>, width: usize, work: usize, out: &mut [f32], run: impl Fn(usize, &mut [f32]) + Sync) {
    let mean_length = lists.indices.len().div_ceil(lists.indptr.len().max(1));
    in_row_blocks(out, width, work * mean_length.max(1), |first, part| {
        Arch::new().dispatch(|| {
            for (offset, row) in part.chunks_exact_mut(width).enumerate() {
                run(first + offset, row);
            }
        });
    });
}

/// ⟨a, b⟩ in eight interleaved partial sums.
#[inline(always)]
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0f32; 8];
    let (a_eights, b_eights) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f32 = a_eights.remainder().iter().zip(b_eights.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a_eights.zip(b_eights) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    sums.iter().sum::<f32>() + rest
}
