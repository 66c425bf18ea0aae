//! The weights of attention: a softmax over each node's list, a head.

use super::{Lists, some};
use crate::ops::attention::SLOPE;
use crate::ops::exponential::exp;
use crate::ops::host::{RowWork, in_blocks};
use pulp::Simd;
use std::ops::Range;

/// α, entries × heads: softmaxes shifted by the highest score, so that nothing overflows. The exponentials of many nodes
/// are one loop: the lists are shorter than a vector.
pub(in crate::ops) fn weights(lists: Lists<'_>, source: &[f32], target: &[f32], heads: usize) -> Vec<f32> {
    let mut out = vec![0f32; lists.indices.len() * heads];
    in_blocks(lists.indptr, heads, heads * 8, &mut out, &Softmax { lists, source, target, heads });
    out
}

struct Softmax<'a> {
    lists: Lists<'a>,
    source: &'a [f32],
    target: &'a [f32],
    heads: usize,
}

impl RowWork for Softmax<'_> {
    #[inline(always)]
    fn run<S: Simd>(&self, _: S, rows: Range<usize>, out: &mut [f32]) {
        let heads = self.heads;
        // The usual numbers of heads, known to the compiler.
        match heads {
            1 => self.shifted_scores::<1>(0, 1, rows.clone(), out),
            4 => self.shifted_scores::<4>(0, 4, rows.clone(), out),
            8 => self.shifted_scores::<8>(0, 8, rows.clone(), out),
            _ => {
                for first in 0..heads {
                    self.shifted_scores::<1>(first, heads, rows.clone(), out);
                }
            }
        }
        for weight in out.iter_mut() {
            *weight = exp(*weight);
        }
        match heads {
            1 => self.divide::<1>(0, 1, rows, out),
            4 => self.divide::<4>(0, 4, rows, out),
            8 => self.divide::<8>(0, 8, rows, out),
            _ => {
                for first in 0..heads {
                    self.divide::<1>(first, heads, rows.clone(), out);
                }
            }
        }
    }
}

impl Softmax<'_> {
    /// The scores of `H` of the `heads`, from the `first` on, less the highest of their node.
    #[inline(always)]
    fn shifted_scores<const H: usize>(&self, first: usize, heads: usize, rows: Range<usize>, out: &mut [f32]) {
        let base = self.lists.indptr[rows.start] as usize;
        for row in rows {
            let range = self.lists.range(row);
            let out = &mut out[(range.start - base) * heads..(range.end - base) * heads];
            let target = some::<H>(self.target, row * heads + first);
            let mut highest = [f32::NEG_INFINITY; H];
            for (&other, out) in self.lists.indices[range].iter().zip(out.chunks_exact_mut(heads)) {
                let source = some::<H>(self.source, other as usize * heads + first);
                for head in 0..H {
                    let score = leaky(target[head] + source[head]);
                    out[first + head] = score;
                    highest[head] = if score > highest[head] { score } else { highest[head] };
                }
            }
            for out in out.chunks_exact_mut(heads) {
                for head in 0..H {
                    out[first + head] -= highest[head];
                }
            }
        }
    }

    /// Divides those heads' numbers by their sum over a node's list.
    #[inline(always)]
    fn divide<const H: usize>(&self, first: usize, heads: usize, rows: Range<usize>, out: &mut [f32]) {
        let base = self.lists.indptr[rows.start] as usize;
        for row in rows {
            let range = self.lists.range(row);
            let out = &mut out[(range.start - base) * heads..(range.end - base) * heads];
            let mut sums = [0f32; H];
            for out in out.chunks_exact(heads) {
                for head in 0..H {
                    sums[head] += out[first + head];
                }
            }
            let factors = sums.map(|sum| 1.0 / sum);
            for out in out.chunks_exact_mut(heads) {
                for head in 0..H {
                    out[first + head] *= factors[head];
                }
            }
        }
    }
}

#[inline(always)]
fn leaky(score: f32) -> f32 {
    if score > 0.0 { score } else { SLOPE * score }
}
