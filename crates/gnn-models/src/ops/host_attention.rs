//! Graph attention on plain slices, for the CPU. Every number written has one writer, and every sum one order.

use super::attention::SLOPE;
use super::exponential::exp;
use super::host::{RowWork, in_blocks, in_chunks, in_row_blocks};
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

/// ⟨source, x_i⟩ and ⟨target, x_i⟩ for each node and head.
pub(super) fn scores(x: &[f32], source: &[f32], target: &[f32], heads: Heads) -> (Vec<f32>, Vec<f32>) {
    struct Work<'a> {
        x: &'a [f32],
        source: &'a [f32],
        target: &'a [f32],
        heads: Heads,
    }
    impl RowWork for Work<'_> {
        /// Both scores of a node side by side: its row is read once.
        #[inline(always)]
        fn run(&self, rows: Range<usize>, out: &mut [f32]) {
            let Heads { heads, width } = self.heads;
            let rows = self.x[rows.start * heads * width..].chunks_exact(heads * width);
            for (scores, row) in out.chunks_exact_mut(2 * heads).zip(rows) {
                let (by_source, by_target) = scores.split_at_mut(heads);
                let vectors = self.source.chunks_exact(width).zip(self.target.chunks_exact(width));
                let scores = by_source.iter_mut().zip(by_target);
                for ((row, (source, target)), (by_source, by_target)) in
                    row.chunks_exact(width).zip(vectors).zip(scores)
                {
                    *by_source = dot(row, source);
                    *by_target = dot(row, target);
                }
            }
        }
    }
    let nodes = x.len() / heads.total();
    let mut both = vec![0f32; 2 * nodes * heads.heads];
    in_row_blocks(&mut both, 2 * heads.heads, 2 * heads.total(), &Work { x, source, target, heads });
    let (mut by_source, mut by_target) = (Vec::with_capacity(both.len() / 2), Vec::with_capacity(both.len() / 2));
    for scores in both.chunks_exact(2 * heads.heads) {
        by_source.extend_from_slice(&scores[..heads.heads]);
        by_target.extend_from_slice(&scores[heads.heads..]);
    }
    (by_source, by_target)
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
            // The usual numbers of heads, known to the compiler.
            match heads {
                1 => softmax(lists, rows, source, target, 1, out),
                4 => softmax(lists, rows, source, target, 4, out),
                8 => softmax(lists, rows, source, target, 8, out),
                _ => softmax(lists, rows, source, target, heads, out),
            }
        }
    }
    let mut out = vec![0f32; lists.indices.len() * heads];
    in_blocks(lists.indptr, heads, heads * 8, &mut out, &Work { lists, source, target, heads });
    out
}

/// The weights of some nodes: softmaxes shifted by the highest score, so that nothing overflows. The exponentials of all
/// nodes are one loop: the lists are shorter than a vector.
#[inline(always)]
fn softmax(lists: Lists<'_>, rows: Range<usize>, source: &[f32], target: &[f32], heads: usize, weights: &mut [f32]) {
    let base = lists.indptr[rows.start] as usize;
    let part = |row| {
        let range = lists.range(row);
        (range.start - base) * heads..(range.end - base) * heads
    };
    let mut room = vec![0f32; heads];
    for row in rows.clone() {
        let (weights, highest) = (&mut weights[part(row)], &mut room[..heads]);
        let target = &target[row * heads..][..heads];
        highest.fill(f32::NEG_INFINITY);
        for (&other, weights) in lists.indices[lists.range(row)].iter().zip(weights.chunks_exact_mut(heads)) {
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
    }
    for weight in weights.iter_mut() {
        *weight = exp(*weight);
    }
    for row in rows {
        let (weights, sums) = (&mut weights[part(row)], &mut room[..heads]);
        sums.fill(0.0);
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
}

#[inline(always)]
fn leaky(score: f32) -> f32 {
    if score > 0.0 { score } else { SLOPE * score }
}

/// Σ_j weight_ij x_j per head; `entries` says where an entry's weight stands, itself where it is `None`. Where there are
/// `scores`, what reaches x through the two scores of its node is added.
pub(super) fn gather(
    lists: Lists<'_>,
    entries: Option<&[i32]>,
    weights: &[f32],
    x: &[f32],
    heads: Heads,
    scores: Option<ByScores<'_>>,
) -> Vec<f32> {
    struct Work<'a> {
        lists: Lists<'a>,
        entries: Option<&'a [i32]>,
        weights: &'a [f32],
        x: &'a [f32],
        heads: Heads,
        scores: Option<ByScores<'a>>,
    }
    impl RowWork for Work<'_> {
        #[inline(always)]
        fn run(&self, rows: Range<usize>, out: &mut [f32]) {
            let Self { lists, entries, weights, x, heads, scores } = *self;
            for (row, sums) in rows.zip(out.chunks_exact_mut(heads.total())) {
                let lists = (lists, row, entries);
                gather_row(lists, weights, x, heads, sums);
                if let Some(scores) = scores {
                    scores.add(row, heads, sums);
                }
            }
        }
    }
    let total = heads.total();
    let mut out = vec![0f32; (lists.indptr.len() - 1) * total];
    let work = Work { lists, entries, weights, x, heads, scores };
    in_row_blocks(&mut out, total, total * lists.mean_length(), &work);
    out
}

/// The attention vectors and the derivatives by the scores that they make.
#[derive(Clone, Copy)]
pub(super) struct ByScores<'a> {
    pub(super) source: &'a [f32],
    pub(super) target: &'a [f32],
    pub(super) source_gradient: &'a [f32],
    pub(super) target_gradient: &'a [f32],
}

impl ByScores<'_> {
    #[inline(always)]
    fn add(&self, row: usize, Heads { heads, width }: Heads, out: &mut [f32]) {
        let by_source = &self.source_gradient[row * heads..][..heads];
        let by_target = &self.target_gradient[row * heads..][..heads];
        let vectors = self.source.chunks_exact(width).zip(self.target.chunks_exact(width));
        let numbers = by_source.iter().zip(by_target);
        for ((out, (by_source, by_target)), (source, target)) in out.chunks_exact_mut(width).zip(numbers).zip(vectors) {
            for ((out, s), t) in out.iter_mut().zip(source).zip(target) {
                *out += by_source * s + by_target * t;
            }
        }
    }
}

/// The entries of a row: the lists, the row, and where the weights stand.
type Entries<'a> = (Lists<'a>, usize, Option<&'a [i32]>);

#[inline(always)]
fn gather_row((lists, row, entries): Entries<'_>, weights: &[f32], x: &[f32], heads: Heads, sums: &mut [f32]) {
    for head in 0..heads.heads {
        let mut first = head * heads.width;
        let mut left = heads.width;
        while left > 0 {
            let sums = &mut sums[first..];
            let tile = Tile { lists, row, entries, weights, x, heads, head, first };
            let step = match left {
                64.. => tile.sum::<64>(sums),
                32.. => tile.sum::<32>(sums),
                16.. => tile.sum::<16>(sums),
                8.. => tile.sum::<8>(sums),
                7 => tile.sum::<7>(sums),
                6 => tile.sum::<6>(sums),
                5 => tile.sum::<5>(sums),
                4 => tile.sum::<4>(sums),
                3 => tile.sum::<3>(sums),
                2 => tile.sum::<2>(sums),
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
                match heads {
                    Heads { heads: 4, width: 16 } => {
                        score_gradient_row(lists, saved, row, gradient, Heads { heads: 4, width: 16 }, part);
                    }
                    Heads { heads: 4, width: 64 } => {
                        score_gradient_row(lists, saved, row, gradient, Heads { heads: 4, width: 64 }, part);
                    }
                    _ => score_gradient_row(lists, saved, row, gradient, heads, part),
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

/// Σ_i score_gradient_i x_i per head, by source scores and by target scores: the derivatives by the attention vectors.
pub(super) fn vector_gradients(source: &[f32], target: &[f32], x: &[f32], heads: Heads) -> (Vec<f32>, Vec<f32>) {
    struct Work<'a> {
        source: &'a [f32],
        target: &'a [f32],
        x: &'a [f32],
        heads: Heads,
    }
    impl RowWork for Work<'_> {
        /// The sums of the heads `rows`, both derivatives side by side.
        #[inline(always)]
        fn run(&self, rows: Range<usize>, out: &mut [f32]) {
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
