//! Weighted sums over each node's list.

use super::{Heads, Lists, some};
use crate::ops::host::{RowWork, in_row_blocks};
use pulp::Simd;
use std::ops::Range;

/// Σ_j weight_ij x_j per head; `entries` says where an entry's weight stands, itself where it is `None`. Where there are
/// `scores`, what reaches x through the two scores of its node is added.
pub(in crate::ops) fn gather(
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
        fn run<S: Simd>(&self, simd: S, rows: Range<usize>, out: &mut [f32]) {
            let Self { lists, entries, weights, x, heads, scores } = *self;
            for (row, sums) in rows.zip(out.chunks_exact_mut(heads.total())) {
                let list = (lists, row, entries);
                match (heads.heads, heads.width, S::F32_LANES) {
                    (4, 16, 16) => gather_all::<S, 4, 1>(simd, list, weights, x, sums),
                    (4, 64, 16) => gather_all::<S, 4, 4>(simd, list, weights, x, sums),
                    _ => gather_row(list, weights, x, heads, sums),
                }
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
pub(in crate::ops) struct ByScores<'a> {
    pub(in crate::ops) source: &'a [f32],
    pub(in crate::ops) target: &'a [f32],
    pub(in crate::ops) source_gradient: &'a [f32],
    pub(in crate::ops) target_gradient: &'a [f32],
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

/// [`gather_row`] with a vector register for each sixteen columns of a node's sum, for machines that have so many.
#[inline(always)]
fn gather_all<S: Simd, const HEADS: usize, const VECTORS: usize>(
    simd: S,
    (lists, row, entries): Entries<'_>,
    weights: &[f32],
    x: &[f32],
    out: &mut [f32],
) {
    let mut sums = [[simd.splat_f32s(0.0); VECTORS]; HEADS];
    for at in lists.range(row) {
        let weights = some::<HEADS>(weights, HEADS * entries.map_or(at, |entries| entries[at] as usize));
        let first = lists.indices[at] as usize * out.len();
        let (x, _) = S::as_simd_f32s(&x[first..first + out.len()]);
        let (x, _) = x.as_chunks::<VECTORS>();
        let x: &[[S::f32s; VECTORS]; HEADS] = x.first_chunk().expect("a node has a whole row");
        for head in 0..HEADS {
            let weight = simd.splat_f32s(weights[head]);
            for k in 0..VECTORS {
                sums[head][k] = simd.add_f32s(sums[head][k], simd.mul_f32s(weight, x[head][k]));
            }
        }
    }
    let (out, _) = S::as_mut_simd_f32s(out);
    out.copy_from_slice(sums.as_flattened());
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
