//! One hop over one tile of columns: the innermost loop of a propagation.

use std::ops::Range;

use pulp::{Arch, NullaryFnOnce};
use rayon::prelude::*;

use crate::Weights;
use crate::kernel::{row_blocks, split_rows};
use crate::weights::{Form, Scales};

/// Neighbour lists with or without a value an entry.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pattern<'a> {
    pub(crate) indptr: &'a [usize],
    pub(crate) indices: &'a [u32],
    pub(crate) values: Option<&'a [f32]>,
}

impl<'a> Pattern<'a> {
    pub(crate) fn of(weights: &'a Weights<'_>) -> Self {
        match &weights.form {
            Form::Scaled { graph, .. } => Self { indptr: graph.indptr(), indices: graph.indices(), values: None },
            Form::Matrix(matrix) => {
                Self { indptr: matrix.indptr(), indices: matrix.indices(), values: Some(matrix.values()) }
            }
        }
    }
}

/// A pattern with the scales of its hops, in the node order that the tiles have.
#[derive(Clone, Copy)]
pub(super) struct Operator<'a> {
    pub(super) pattern: Pattern<'a>,
    hops: &'a [Scales],
    first_hop: usize,
    /// Place of each node; none where it is the node's number.
    places: Option<&'a [u32]>,
}

impl<'a> Operator<'a> {
    pub(super) fn new(weights: &'a Weights<'_>, first_hop: usize) -> Self {
        match (&weights.layout, &weights.form) {
            (Some(layout), _) => Self {
                pattern: Pattern { indptr: &layout.indptr, indices: &layout.indices, values: layout.values.as_deref() },
                hops: &layout.hops,
                first_hop,
                places: Some(&layout.place),
            },
            (None, Form::Scaled { hops, .. }) => Self { pattern: Pattern::of(weights), hops, first_hop, places: None },
            (None, Form::Matrix(_)) => Self { pattern: Pattern::of(weights), hops: &[], first_hop, places: None },
        }
    }

    /// Scales of a step; none for a matrix.
    pub(super) fn scales(&self, step: usize) -> Option<&'a Scales> {
        self.hops.get((self.first_hop + step).min(self.hops.len().saturating_sub(1)))
    }

    /// Place of a node.
    pub(super) fn place(&self, node: usize) -> usize {
        self.places.map_or(node, |place| place[node] as usize)
    }
}

/// One hop: `target = next ⊙ (left ⊙ Σ source)`, and `total += coefficient · (left ⊙ Σ source)`.
pub(super) struct Hop<'a, const W: usize> {
    pub(super) pattern: Pattern<'a>,
    /// Scales of this hop; none for a matrix, whose values are complete.
    pub(super) scales: Option<&'a Scales>,
    /// Right scale of the hop after this one; none after the last.
    pub(super) next: Option<&'a [f32]>,
    pub(super) coefficient: f32,
    pub(super) source: &'a [[f32; W]],
    /// First row of `target` and `total`.
    pub(super) rows: Range<usize>,
    pub(super) target: &'a mut [[f32; W]],
    /// Empty when only the last power counts.
    pub(super) total: &'a mut [[f32; W]],
}

impl<const W: usize> Hop<'_, W> {
    /// All rows of the hop, by this thread.
    pub(super) fn run(self) {
        Arch::new().dispatch(self);
    }

    /// All rows of the hop, by all threads of the pool; each row by one of them, so the bytes are those of [`run`](Self::run).
    pub(super) fn run_parallel(self, blocks: usize) {
        let Self { pattern, scales, next, coefficient, source, rows: _, target, total } = self;
        let ranges = row_blocks(pattern.indptr, blocks);
        let targets = split_rows(&ranges, 1, target);
        let width = usize::from(!total.is_empty());
        let totals = split_rows(&ranges, width, total);
        targets.into_par_iter().zip(totals).for_each(|((rows, target), (_, total))| {
            Hop { pattern, scales, next, coefficient, source, rows, target, total }.run();
        });
    }
}

impl<const W: usize> NullaryFnOnce for Hop<'_, W> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self {
            pattern: Pattern { indptr, indices, values },
            scales,
            next,
            coefficient,
            source,
            rows,
            target,
            total,
        } = self;
        let mut totals = total.iter_mut();
        for (row, target) in rows.zip(target) {
            let range = indptr[row]..indptr[row + 1];
            let mut sum = match values {
                None => plain_sum(&indices[range], source),
                Some(values) => weighted_sum(&indices[range.clone()], &values[range], source),
            };
            if let Some(scales) = scales {
                let left = scales.left[row];
                scale(&mut sum, left);
            }
            if let Some(total) = totals.next() {
                for k in 0..W {
                    total[k] += coefficient * sum[k];
                }
            }
            if let Some(next) = next {
                let right = next[row];
                scale(&mut sum, right);
            }
            *target = sum;
        }
    }
}

#[inline(always)]
fn plain_sum<const W: usize>(indices: &[u32], source: &[[f32; W]]) -> [f32; W] {
    let mut sum = [0f32; W];
    for &index in indices {
        let neighbour = &source[index as usize];
        for k in 0..W {
            sum[k] += neighbour[k];
        }
    }
    sum
}

#[inline(always)]
fn weighted_sum<const W: usize>(indices: &[u32], values: &[f32], source: &[[f32; W]]) -> [f32; W] {
    let mut sum = [0f32; W];
    for (&index, &value) in indices.iter().zip(values) {
        let neighbour = &source[index as usize];
        for k in 0..W {
            sum[k] += value * neighbour[k];
        }
    }
    sum
}

#[inline(always)]
fn scale<const W: usize>(values: &mut [f32; W], by: f32) {
    for value in values {
        *value *= by;
    }
}
