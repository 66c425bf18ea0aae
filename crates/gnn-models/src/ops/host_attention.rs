//! Graph attention on plain slices, for the CPU. Every number written has one writer, and every sum one order.

use super::attention::SLOPE;
use super::exponential::exp;
use super::host::{RowWork, in_blocks, in_row_blocks};
use std::ops::Range;

/// The lists of one orientation.
#[derive(Clone, Copy)]
pub(super) struct Lists<'a> {
    pub(super) indptr: &'a [i32],
    pub(super) indices: &'a [i32],
}

impl<'a> Lists<'a> {
    #[inline(always)]
    fn range(self, row: usize) -> Range<usize> {
        self.indptr[row] as usize..self.indptr[row + 1] as usize
    }

    /// At least 1.
    fn mean_length(self) -> usize {
        self.indices.len().div_ceil(self.indptr.len()).max(1)
    }
}

/// Number of heads and width of one.
#[derive(Clone, Copy)]
pub(super) struct Heads {
    pub(super) heads: usize,
    pub(super) width: usize,
}

impl Heads {
    #[inline(always)]
    fn total(self) -> usize {
        self.heads * self.width
    }
}

/// ⟨vector, x_i⟩ for each node and head.
pub(super) fn scores(x: &[f32], vector: &[f32], heads: Heads) -> Vec<f32> {
    struct Work<'a> {
        x: &'a [f32],
        vector: &'a [f32],
        heads: Heads,
    }
    impl RowWork for Work<'_> {
        #[inline(always)]
        fn run(&self, rows: Range<usize>, out: &mut [f32]) {
            let Heads { heads, width } = self.heads;
            let rows = self.x[rows.start * heads * width..].chunks_exact(heads * width);
            for (scores, row) in out.chunks_exact_mut(heads).zip(rows) {
                let pairs = row.chunks_exact(width).zip(self.vector.chunks_exact(width));
                for (score, (row, vector)) in scores.iter_mut().zip(pairs) {
                    *score = dot(row, vector);
                }
            }
        }
    }
    let mut out = vec![0f32; x.len() / heads.width];
    in_row_blocks(&mut out, heads.heads, heads.total(), &Work { x, vector, heads });
    out
}

/// α, entries × heads.
pub(super) fn weights(lists: Lists<'_>, source: &[f32], target: &[f32], heads: usize) -> Vec<f32> {
    struct Work<'a> {
        lists: Lists<'a>,
        source: &'a [f32],
        target: &'a [f32],
        heads: usize,
    }
    impl RowWork for Work<'_> {
        #[inline(always)]
        fn run(&self, rows: Range<usize>, out: &mut [f32]) {
            let Self { lists, source, target, heads } = *self;
            let base = lists.indptr[rows.start] as usize;
            let (mut highest, mut sums) = (vec![0f32; heads], vec![0f32; heads]);
            for row in rows {
                let range = lists.range(row);
                let part = &mut out[(range.start - base) * heads..(range.end - base) * heads];
                let target = &target[row * heads..][..heads];
                softmax_row(&lists.indices[range], source, target, part, (&mut highest, &mut sums));
            }
        }
    }
    let mut out = vec![0f32; lists.indices.len() * heads];
    in_blocks(lists.indptr, heads, heads * 8, &mut out, &Work { lists, source, target, heads });
    out
}

/// One node's weights: a softmax shifted by the highest score, so that nothing overflows. `highest` and `sums` are room
/// for a number a head.
#[inline(always)]
fn softmax_row(
    list: &[i32],
    source: &[f32],
    target: &[f32],
    weights: &mut [f32],
    (highest, sums): (&mut [f32], &mut [f32]),
) {
    let heads = target.len();
    highest.fill(f32::NEG_INFINITY);
    sums.fill(0.0);
    for (&other, weights) in list.iter().zip(weights.chunks_exact_mut(heads)) {
        let source = &source[other as usize * heads..][..heads];
        for head in 0..heads {
            let score = leaky(target[head] + source[head]);
            weights[head] = score;
            highest[head] = if score > highest[head] { score } else { highest[head] };
        }
    }
    for weights in weights.chunks_exact_mut(heads) {
        for head in 0..heads {
            weights[head] -= highest[head];
        }
    }
    for weight in weights.iter_mut() {
        *weight = exp(*weight);
    }
    for weights in weights.chunks_exact(heads) {
        for head in 0..heads {
            sums[head] += weights[head];
        }
    }
    for sum in sums.iter_mut() {
        *sum = 1.0 / *sum;
    }
    for weights in weights.chunks_exact_mut(heads) {
        for head in 0..heads {
            weights[head] *= sums[head];
        }
    }
}

#[inline(always)]
fn leaky(score: f32) -> f32 {
    if score > 0.0 { score } else { SLOPE * score }
}

/// Σ_j weight_ij x_j per head; `entries` says where an entry's weight stands, itself where it is `None`.
pub(super) fn gather(lists: Lists<'_>, entries: Option<&[i32]>, weights: &[f32], x: &[f32], heads: Heads) -> Vec<f32> {
    struct Work<'a> {
        lists: Lists<'a>,
        entries: Option<&'a [i32]>,
        weights: &'a [f32],
        x: &'a [f32],
        heads: Heads,
    }
    impl RowWork for Work<'_> {
        #[inline(always)]
        fn run(&self, rows: Range<usize>, out: &mut [f32]) {
            let Self { lists, entries, weights, x, heads } = *self;
            for (row, sums) in rows.zip(out.chunks_exact_mut(heads.total())) {
                gather_row(lists, row, entries, weights, x, heads, sums);
            }
        }
    }
    let total = heads.total();
    let mut out = vec![0f32; (lists.indptr.len() - 1) * total];
    let work = Work { lists, entries, weights, x, heads };
    in_row_blocks(&mut out, total, total * lists.mean_length(), &work);
    out
}

#[inline(always)]
fn gather_row(
    lists: Lists<'_>,
    row: usize,
    entries: Option<&[i32]>,
    weights: &[f32],
    x: &[f32],
    heads: Heads,
    sums: &mut [f32],
) {
    for head in 0..heads.heads {
        let mut first = head * heads.width;
        let mut left = heads.width;
        while left > 0 {
            let sums = &mut sums[first..];
            let tile = Tile { lists, row, entries, weights, x, heads, head, first };
            let step = match left {
                32.. => tile.sum::<32>(sums),
                16.. => tile.sum::<16>(sums),
                8.. => tile.sum::<8>(sums),
                4.. => tile.sum::<4>(sums),
                _ => tile.sum::<1>(sums),
            };
            first += step;
            left -= step;
        }
    }
}

/// Some columns of one head of one node's sum.
struct Tile<'a> {
    lists: Lists<'a>,
    row: usize,
    entries: Option<&'a [i32]>,
    weights: &'a [f32],
    x: &'a [f32],
    heads: Heads,
    head: usize,
    first: usize,
}

impl Tile<'_> {
    /// `WIDTH` columns, kept in registers; gives `WIDTH` back.
    #[inline(always)]
    fn sum<const WIDTH: usize>(self, out: &mut [f32]) -> usize {
        let total = self.heads.total();
        let range = self.lists.range(self.row);
        let mut sums = [0f32; WIDTH];
        for at in range {
            let entry = match self.entries {
                Some(entries) => entries[at] as usize,
                None => at,
            };
            let weight = self.weights[entry * self.heads.heads + self.head];
            let from = self.lists.indices[at] as usize * total + self.first;
            let x: &[f32; WIDTH] = self.x[from..].first_chunk().expect("a node has a whole row");
            for k in 0..WIDTH {
                sums[k] += weight * x[k];
            }
        }
        out[..WIDTH].copy_from_slice(&sums);
        WIDTH
    }
}

/// What the derivative needs beside the gradient.
pub(super) struct Saved<'a> {
    pub(super) x: &'a [f32],
    pub(super) weights: &'a [f32],
    /// The weights after dropout.
    pub(super) kept: &'a [f32],
    pub(super) source: &'a [f32],
    pub(super) target: &'a [f32],
}

/// The derivative by each edge's score before the rectifier, entries × heads.
pub(super) fn score_gradients(lists: Lists<'_>, saved: &Saved<'_>, gradient: &[f32], heads: Heads) -> Vec<f32> {
    struct Work<'a> {
        lists: Lists<'a>,
        saved: &'a Saved<'a>,
        gradient: &'a [f32],
        heads: Heads,
    }
    impl RowWork for Work<'_> {
        #[inline(always)]
        fn run(&self, rows: Range<usize>, out: &mut [f32]) {
            let Self { lists, saved, heads, .. } = *self;
            let (count, total) = (heads.heads, heads.total());
            let base = lists.indptr[rows.start] as usize;
            for row in rows {
                let range = lists.range(row);
                let part = &mut out[(range.start - base) * count..(range.end - base) * count];
                let gradient = &self.gradient[row * total..][..total];
                score_gradient_row(lists, saved, row, gradient, heads, part);
            }
        }
    }
    let mut out = vec![0f32; saved.weights.len()];
    let work = Work { lists, saved, gradient, heads };
    in_blocks(lists.indptr, heads.heads, heads.total(), &mut out, &work);
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
    let kept = &saved.kept[range.start * count..range.end * count];
    for (&other, out) in list.iter().zip(out.chunks_exact_mut(count)) {
        let x = &saved.x[other as usize * count * width..][..count * width];
        for ((out, x), gradient) in out.iter_mut().zip(x.chunks_exact(width)).zip(gradient.chunks_exact(width)) {
            *out = dot(x, gradient);
        }
    }
    for head in 0..count {
        let mean: f32 = (0..list.len()).map(|k| kept[k * count + head] * out[k * count + head]).sum();
        let target = saved.target[row * count + head];
        for (k, &other) in list.iter().enumerate() {
            let score = target + saved.source[other as usize * count + head];
            let slope = if score > 0.0 { 1.0 } else { SLOPE };
            let at = k * count + head;
            out[at] = (kept[at] * out[at] - weights[at] * mean) * slope;
        }
    }
}

/// Σ over a row's entries of a number an entry and head, rows × heads.
pub(super) fn row_sums(lists: Lists<'_>, entries: Option<&[i32]>, numbers: &[f32], heads: usize) -> Vec<f32> {
    struct Work<'a> {
        lists: Lists<'a>,
        entries: Option<&'a [i32]>,
        numbers: &'a [f32],
        heads: usize,
    }
    impl RowWork for Work<'_> {
        #[inline(always)]
        fn run(&self, rows: Range<usize>, out: &mut [f32]) {
            for (row, sums) in rows.zip(out.chunks_exact_mut(self.heads)) {
                for at in self.lists.range(row) {
                    let entry = self.entries.map_or(at, |entries| entries[at] as usize);
                    for (sum, number) in sums.iter_mut().zip(&self.numbers[entry * self.heads..][..self.heads]) {
                        *sum += number;
                    }
                }
            }
        }
    }
    let mut out = vec![0f32; (lists.indptr.len() - 1) * heads];
    let work = Work { lists, entries, numbers, heads };
    in_row_blocks(&mut out, heads, heads * lists.mean_length(), &work);
    out
}

/// Adds what reaches x through the two scores of its node.
pub(super) fn add_score_gradients(
    out: &mut [f32],
    (source, target): (&[f32], &[f32]),
    (source_gradient, target_gradient): (&[f32], &[f32]),
    heads: Heads,
) {
    struct Work<'a> {
        vectors: (&'a [f32], &'a [f32]),
        gradients: (&'a [f32], &'a [f32]),
        heads: Heads,
    }
    impl RowWork for Work<'_> {
        #[inline(always)]
        fn run(&self, rows: Range<usize>, out: &mut [f32]) {
            let Heads { heads, width } = self.heads;
            let by_source = &self.gradients.0[rows.start * heads..rows.end * heads];
            let by_target = &self.gradients.1[rows.start * heads..rows.end * heads];
            let numbers = by_source.iter().zip(by_target);
            let vectors = self.vectors.0.chunks_exact(width).zip(self.vectors.1.chunks_exact(width)).cycle();
            for ((out, (by_source, by_target)), (source, target)) in
                out.chunks_exact_mut(width).zip(numbers).zip(vectors)
            {
                for ((out, s), t) in out.iter_mut().zip(source).zip(target) {
                    *out += by_source * s + by_target * t;
                }
            }
        }
    }
    let work = Work { vectors: (source, target), gradients: (source_gradient, target_gradient), heads };
    in_row_blocks(out, heads.total(), heads.total(), &work);
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
