//! Hops over sparse rows: while few values are stored, only those are touched.

use std::ops::Range;

use pulp::{Arch, NullaryFnOnce};
use rayon::prelude::*;

use super::Pattern;
use crate::CsrMatrix;
use crate::kernel::{row_blocks, split_rows};
use crate::pages::Pages;
use crate::weights::Scales;

/// Products a task takes at least, so that tasks are worth their start.
const PRODUCTS_A_TASK: usize = 1 << 15;

/// One hop over sparse rows. Each number is the same sum in the same order as in a dense hop, without its zero terms.
pub(super) struct SparseHop<'a> {
    pattern: Pattern<'a>,
    scales: Option<&'a Scales>,
    entries: &'a CsrMatrix,
    /// The arrays of `entries`.
    starts: &'a [usize],
    columns: &'a [u32],
    values: &'a [f32],
    /// Products before each row.
    products: Vec<usize>,
}

impl<'a> SparseHop<'a> {
    pub(super) fn new(pattern: Pattern<'a>, scales: Option<&'a Scales>, entries: &'a CsrMatrix) -> Self {
        let mut products = Vec::with_capacity(pattern.indptr.len());
        let mut total = 0;
        products.push(0);
        for bounds in pattern.indptr.windows(2) {
            let starts = entries.indptr();
            let of_row = |&node: &u32| starts[node as usize + 1] - starts[node as usize];
            total += pattern.indices[bounds[0]..bounds[1]].iter().map(of_row).sum::<usize>();
            products.push(total);
        }
        Self {
            pattern,
            scales,
            entries,
            starts: entries.indptr(),
            columns: entries.indices(),
            values: entries.values(),
            products,
        }
    }

    /// Multiplications that the hop takes; also an upper bound of the entries that come out.
    pub(super) fn products(&self) -> usize {
        self.products[self.products.len() - 1]
    }

    /// The result as sparse rows. A sum that happens to be zero stays an entry.
    pub(super) fn to_sparse(&self) -> CsrMatrix {
        let columns = self.entries.columns();
        let mut parts: Vec<Part> =
            self.blocks().into_par_iter().map(|rows| Arch::new().dispatch(Collect { hop: self, rows })).collect();
        let mut indptr = Vec::with_capacity(self.products.len());
        indptr.push(0);
        let mut total = 0;
        for length in parts.iter().flat_map(|part| &part.lengths) {
            total += length;
            indptr.push(total);
        }
        if let [Part { indices, values, .. }] = &mut parts[..] {
            let (indices, values) = (std::mem::take(indices), std::mem::take(values));
            return CsrMatrix::trusted(columns, indptr, indices, values);
        }
        let (mut indices, mut values) = (Pages::zeros(total), Pages::zeros(total));
        let mut targets = Vec::with_capacity(parts.len());
        let (mut rest_indices, mut rest_values) = (&mut indices[..], &mut values[..]);
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

    /// The result, plus a constant a row where there is one, to dense rows: of any content, or all zero (`zeroed`), so
    /// that only what is not zero has to be written.
    pub(super) fn to_dense(&self, constant: &[f32], zeroed: bool, out: &mut [f32]) {
        let columns = self.entries.columns();
        split_rows(&self.blocks(), columns, out)
            .into_par_iter()
            .for_each(|(rows, out)| Arch::new().dispatch(Scatter { hop: self, rows, constant, zeroed, out }));
    }

    fn blocks(&self) -> Vec<Range<usize>> {
        let threads = rayon::current_num_threads();
        let blocks = if threads == 1 { 1 } else { (self.products() / PRODUCTS_A_TASK).clamp(1, threads * 8) };
        row_blocks(&self.products, blocks)
    }

    fn left(&self, row: usize) -> f32 {
        self.scales.map_or(1.0, |scales| scales.left[row])
    }

    #[inline(always)]
    fn add_row(&self, row: usize, sums: &mut Sums) {
        let Pattern { indptr, indices, values } = self.pattern;
        for at in indptr[row]..indptr[row + 1] {
            let node = indices[at] as usize;
            let weight = match (values, self.scales) {
                (Some(values), _) => values[at],
                (None, Some(scales)) => scales.right[node],
                (None, None) => 1.0,
            };
            let range = self.starts[node]..self.starts[node + 1];
            for (&column, &entry) in self.columns[range.clone()].iter().zip(&self.values[range]) {
                sums.add(column as usize, weight * entry);
            }
        }
    }
}

/// Rows of a hop to sparse rows.
struct Collect<'h, 'a> {
    hop: &'h SparseHop<'a>,
    rows: Range<usize>,
}

impl NullaryFnOnce for Collect<'_, '_> {
    type Output = Part;

    #[inline(always)]
    fn call(self) -> Part {
        let Self { hop, rows } = self;
        let mut sums = Sums::new(hop.entries.columns());
        let most = hop.products[rows.end] - hop.products[rows.start];
        let (mut indices, mut values) = (Pages::zeros(most), Pages::zeros(most));
        let (to_indices, to_values) = (&mut indices[..], &mut values[..]);
        let mut lengths = Vec::with_capacity(rows.len());
        let mut total = 0;
        for row in rows {
            hop.add_row(row, &mut sums);
            let left = hop.left(row);
            let (columns, sums) = sums.list();
            let places = total..total + columns.len();
            to_indices[places.clone()].copy_from_slice(columns);
            for (&column, value) in columns.iter().zip(&mut to_values[places]) {
                *value = left * take(sums, column);
            }
            lengths.push(columns.len());
            total += columns.len();
        }
        indices.truncate(total);
        values.truncate(total);
        Part { lengths, indices, values }
    }
}

/// Rows of a hop to dense rows.
struct Scatter<'h, 'a> {
    hop: &'h SparseHop<'a>,
    rows: Range<usize>,
    constant: &'h [f32],
    zeroed: bool,
    out: &'h mut [f32],
}

impl NullaryFnOnce for Scatter<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { hop, rows, constant, zeroed, out } = self;
        let width = hop.entries.columns();
        let mut sums = Sums::new(width);
        for (row, out) in rows.zip(out.chunks_exact_mut(width)) {
            hop.add_row(row, &mut sums);
            let left = hop.left(row);
            let constant = constant.get(row).copied().unwrap_or(0.0);
            if constant != 0.0 || !zeroed {
                out.fill(constant);
            }
            let (columns, sums) = sums.list();
            for &column in columns {
                let sum = left * take(sums, column);
                out[column as usize] = if constant == 0.0 { sum } else { sum + constant };
            }
        }
    }
}

struct Part {
    lengths: Vec<usize>,
    indices: Pages<u32>,
    values: Pages<f32>,
}

/// One row's sums and which of them were added to.
struct Sums {
    values: Vec<[f32; 64]>,
    touched: Vec<u64>,
    columns: Vec<u32>,
}

impl Sums {
    fn new(columns: usize) -> Self {
        let words = columns.div_ceil(64);
        Self { values: vec![[0.0; 64]; words], touched: vec![0; words], columns: vec![0; words * 64 + 8] }
    }

    #[inline(always)]
    fn add(&mut self, column: usize, value: f32) {
        self.values[column / 64][column % 64] += value;
        self.touched[column / 64] |= 1 << (column % 64);
    }

    /// The columns that were added to, ascending, and the sums to [`take`] them from; the next row starts anew.
    #[inline(always)]
    fn list(&mut self) -> (&[u32], &mut [[f32; 64]]) {
        let mut total = 0;
        for (word, touched) in self.touched.iter_mut().enumerate() {
            let mut bits = std::mem::take(touched);
            let count = bits.count_ones() as usize;
            let mut done = 0;
            // Always whole groups, so that the length of the loop can be foreseen; what is too much is overwritten.
            while done < count {
                let group: &mut [u32; 8] = self.columns[total + done..].first_chunk_mut().expect("8 spare places");
                for column in group {
                    *column = (word * 64) as u32 + bits.trailing_zeros();
                    bits &= bits.wrapping_sub(1);
                }
                done += 8;
            }
            total += count;
        }
        (&self.columns[..total], &mut self.values)
    }
}

#[inline(always)]
fn take(sums: &mut [[f32; 64]], column: u32) -> f32 {
    std::mem::take(&mut sums[column as usize / 64][column as usize % 64])
}
