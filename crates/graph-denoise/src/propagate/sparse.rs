//! Hops over sparse rows: while few values are stored, only those are touched.

use std::ops::Range;

use rayon::prelude::*;

use super::Pattern;
use crate::CsrMatrix;
use crate::kernel::{row_blocks, split_rows};
use crate::weights::Scales;

/// Products a task takes at least, so that tasks are worth their start.
const PRODUCTS_A_TASK: usize = 1 << 15;

/// One hop over sparse rows. Each number is the same sum in the same order as in a dense hop, without its zero terms.
pub(super) struct SparseHop<'a> {
    pattern: Pattern<'a>,
    scales: Option<&'a Scales>,
    entries: &'a CsrMatrix,
    /// Products before each row.
    products: Vec<usize>,
}

impl<'a> SparseHop<'a> {
    pub(super) fn new(pattern: Pattern<'a>, scales: Option<&'a Scales>, entries: &'a CsrMatrix) -> Self {
        let mut products = Vec::with_capacity(pattern.indptr.len());
        let mut total = 0;
        products.push(0);
        for bounds in pattern.indptr.windows(2) {
            let of_row = |&node: &u32| entries.row(node as usize).0.len();
            total += pattern.indices[bounds[0]..bounds[1]].iter().map(of_row).sum::<usize>();
            products.push(total);
        }
        Self { pattern, scales, entries, products }
    }

    /// Multiplications that the hop takes; also an upper bound of the entries that come out.
    pub(super) fn products(&self) -> usize {
        self.products[self.products.len() - 1]
    }

    /// The result as sparse rows. A sum that happens to be zero stays an entry.
    pub(super) fn to_sparse(&self) -> CsrMatrix {
        let columns = self.entries.columns();
        let parts: Vec<Part> = self.blocks().into_par_iter().map(|rows| self.sparse_rows(rows)).collect();
        let mut indptr = Vec::with_capacity(self.products.len());
        indptr.push(0);
        let mut total = 0;
        for length in parts.iter().flat_map(|part| &part.lengths) {
            total += length;
            indptr.push(total);
        }
        if let [_] = parts.as_slice() {
            let Part { indices, values, .. } = parts.into_iter().next().unwrap_or_default();
            return CsrMatrix::trusted(columns, indptr, indices, values);
        }
        let (mut indices, mut values) = (vec![0u32; total], vec![0f32; total]);
        let mut targets = Vec::with_capacity(parts.len());
        let (mut rest_indices, mut rest_values) = (indices.as_mut_slice(), values.as_mut_slice());
        for part in &parts {
            let (to_indices, after) = rest_indices.split_at_mut(part.indices.len());
            rest_indices = after;
            let (to_values, after) = rest_values.split_at_mut(part.values.len());
            rest_values = after;
            targets.push((part, to_indices, to_values));
        }
        targets.into_par_iter().for_each(|(part, indices, values)| {
            indices.copy_from_slice(&part.indices);
            values.copy_from_slice(&part.values);
        });
        CsrMatrix::trusted(columns, indptr, indices, values)
    }

    /// The result, plus a constant a row where there is one, to dense rows of any content.
    pub(super) fn to_dense(&self, constant: &[f32], out: &mut [f32]) {
        let columns = self.entries.columns();
        split_rows(&self.blocks(), columns, out).into_par_iter().for_each(|(rows, out)| {
            for (row, out) in rows.zip(out.chunks_exact_mut(columns)) {
                out.fill(0.0);
                self.add_row(row, |column, value| out[column] += value);
                let left = self.scales.map_or(1.0, |scales| scales.left[row]);
                let constant = constant.get(row).copied().unwrap_or(0.0);
                if constant != 0.0 {
                    out.iter_mut().for_each(|value| *value = *value * left + constant);
                } else if self.scales.is_some() {
                    out.iter_mut().for_each(|value| *value *= left);
                }
            }
        });
    }

    fn blocks(&self) -> Vec<Range<usize>> {
        let threads = rayon::current_num_threads();
        let blocks = if threads == 1 { 1 } else { (self.products() / PRODUCTS_A_TASK).clamp(1, threads * 8) };
        row_blocks(&self.products, blocks)
    }

    fn sparse_rows(&self, rows: Range<usize>) -> Part {
        let columns = self.entries.columns();
        let mut sums = vec![0f32; columns.next_multiple_of(64)];
        let mut touched = vec![0u64; columns.div_ceil(64)];
        let mut part = Part::default();
        for row in rows {
            self.add_row(row, |column, value| {
                sums[column] += value;
                touched[column / 64] |= 1 << (column % 64);
            });
            let left = self.scales.map_or(1.0, |scales| scales.left[row]);
            let before = part.indices.len();
            for ((word, touched), sums) in touched.iter_mut().enumerate().zip(sums.chunks_exact_mut(64)) {
                let mut bits = std::mem::take(touched);
                while bits != 0 {
                    let at = bits.trailing_zeros() as usize;
                    bits &= bits - 1;
                    part.indices.push((word * 64 + at) as u32);
                    part.values.push(std::mem::take(&mut sums[at]) * left);
                }
            }
            part.lengths.push(part.indices.len() - before);
        }
        part
    }

    #[inline(always)]
    fn add_row(&self, row: usize, mut add: impl FnMut(usize, f32)) {
        let Pattern { indptr, indices, values } = self.pattern;
        for at in indptr[row]..indptr[row + 1] {
            let node = indices[at] as usize;
            let weight = match (values, self.scales) {
                (Some(values), _) => values[at],
                (None, Some(scales)) => scales.right[node],
                (None, None) => 1.0,
            };
            let (columns, entries) = self.entries.row(node);
            for (&column, &entry) in columns.iter().zip(entries) {
                add(column as usize, weight * entry);
            }
        }
    }
}

#[derive(Default)]
struct Part {
    lengths: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f32>,
}
