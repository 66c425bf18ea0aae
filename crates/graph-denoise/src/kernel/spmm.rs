//! One product of a CSR matrix with a dense one.

use std::ops::Range;

use pulp::{Arch, NullaryFnOnce};
use rayon::prelude::*;

use super::{row_blocks, split_rows};

/// Entry-column products below which a second thread costs more than it saves.
const SERIAL_BELOW: usize = 1 << 16;

/// An integer type that CSR arrays are stored in.
pub trait Index: Copy + Send + Sync {
    /// The position as `usize`. A negative number becomes one that no slice has.
    fn at(self) -> usize;
}

impl Index for u32 {
    fn at(self) -> usize {
        self as usize
    }
}

impl Index for i32 {
    fn at(self) -> usize {
        usize::try_from(self).unwrap_or(usize::MAX)
    }
}

impl Index for usize {
    fn at(self) -> usize {
        self
    }
}

/// `out = S · x`: `S` as CSR arrays, `x` and `out` dense and row-major with `width` columns each.
///
/// Every row of `out` is overwritten; a row without entries becomes zero. Runs on the current rayon pool.
///
/// # Shapes
/// `indptr`: one more than `S` has rows, from 0 to the number of entries. `x`: columns of `S` × `width`. `out`: rows
/// of `S` × `width`.
///
/// # Panics
/// When the lengths disagree or an index lies outside `x`.
///
/// # Complexity
/// Time O(entries · width), no memory beyond `out`.
pub fn spmm<P: Index, I: Index>(indptr: &[P], indices: &[I], values: &[f32], x: &[f32], width: usize, out: &mut [f32]) {
    assert!(!indptr.is_empty(), "row starts are missing");
    let rows = indptr.len() - 1;
    assert_eq!(out.len(), rows * width, "out must have rows × width values");
    assert_eq!(indices.len(), values.len(), "one value an index");
    assert_eq!(indptr[rows].at(), indices.len(), "row starts must end at the number of entries");
    if width == 0 {
        return;
    }
    assert_eq!(x.len() % width, 0, "x must have whole rows");
    let product = Product { indptr, indices, values, x, width };
    let threads = rayon::current_num_threads();
    if threads == 1 || indices.len().saturating_mul(width) < SERIAL_BELOW {
        Arch::new().dispatch(OnRows { product, rows: 0..rows, out });
        return;
    }
    let ranges = row_blocks(indptr, threads * 8);
    split_rows(&ranges, width, out)
        .into_par_iter()
        .for_each(|(rows, out)| Arch::new().dispatch(OnRows { product, rows, out }));
}

struct Product<'a, P, I> {
    indptr: &'a [P],
    indices: &'a [I],
    values: &'a [f32],
    x: &'a [f32],
    width: usize,
}

impl<P, I> Clone for Product<'_, P, I> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P, I> Copy for Product<'_, P, I> {}

struct OnRows<'a, P, I> {
    product: Product<'a, P, I>,
    rows: Range<usize>,
    out: &'a mut [f32],
}

impl<P: Index, I: Index> NullaryFnOnce for OnRows<'_, P, I> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { product, rows, out } = self;
        let Product { indptr, indices, values, x, width } = product;
        // The usual widths as whole rows: one check of a bound for all columns of an entry.
        match width {
            1 => return whole_rows::<1, P, I>(product, rows, out),
            2 => return whole_rows::<2, P, I>(product, rows, out),
            3 => return whole_rows::<3, P, I>(product, rows, out),
            4 => return whole_rows::<4, P, I>(product, rows, out),
            5 => return whole_rows::<5, P, I>(product, rows, out),
            6 => return whole_rows::<6, P, I>(product, rows, out),
            7 => return whole_rows::<7, P, I>(product, rows, out),
            16 => return whole_rows::<16, P, I>(product, rows, out),
            64 => return whole_rows::<64, P, I>(product, rows, out),
            _ => {}
        }
        for (row, out) in rows.zip(out.chunks_exact_mut(width)) {
            let range = indptr[row].at()..indptr[row + 1].at();
            let (indices, values) = (&indices[range.clone()], &values[range]);
            let mut first = 0;
            let mut rest = out;
            loop {
                let step = match rest.len() {
                    64.. => tile::<64, I>(indices, values, x, width, first, rest),
                    32.. => tile::<32, I>(indices, values, x, width, first, rest),
                    16.. => tile::<16, I>(indices, values, x, width, first, rest),
                    8.. => tile::<8, I>(indices, values, x, width, first, rest),
                    4.. => tile::<4, I>(indices, values, x, width, first, rest),
                    1.. => tile::<1, I>(indices, values, x, width, first, rest),
                    0 => break,
                };
                first += step;
                rest = &mut rest[step..];
            }
        }
    }
}

/// The sums of `rows` where x has `W` columns.
#[inline(always)]
fn whole_rows<const W: usize, P: Index, I: Index>(product: Product<'_, P, I>, rows: Range<usize>, out: &mut [f32]) {
    let Product { indptr, indices, values, x, .. } = product;
    let (x, _) = x.as_chunks::<W>();
    let (out, _) = out.as_chunks_mut::<W>();
    for (row, out) in rows.zip(out) {
        let range = indptr[row].at()..indptr[row + 1].at();
        let mut sum = [0f32; W];
        for (&index, &value) in indices[range.clone()].iter().zip(&values[range]) {
            let row = &x[index.at()];
            for k in 0..W {
                sum[k] += value * row[k];
            }
        }
        *out = sum;
    }
}

/// One row's sum for columns `first..first + W`, held in registers; gives `W` back.
#[inline(always)]
fn tile<const W: usize, I: Index>(
    indices: &[I],
    values: &[f32],
    x: &[f32],
    width: usize,
    first: usize,
    out: &mut [f32],
) -> usize {
    let mut sum = [0f32; W];
    for (&index, &value) in indices.iter().zip(values) {
        let start = index.at().saturating_mul(width).saturating_add(first);
        let row: &[f32; W] = x[start..].first_chunk().expect("index lies inside x");
        for k in 0..W {
            sum[k] += value * row[k];
        }
    }
    out[..W].copy_from_slice(&sum);
    W
}
