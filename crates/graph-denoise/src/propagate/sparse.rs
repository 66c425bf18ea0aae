//! Hops over sparse rows: while few values are stored, only those are touched.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::Pattern;
use super::in_order::InOrder;
use super::lanes::{Lanes, SPARE, Task, with_lanes};
use super::row_sums::{RowSums, Search};
use super::units::{Fit, Narrow, Single, Unit, UnitRows, Units, Wide};
use crate::CsrMatrix;
use crate::kernel::{row_blocks, split_rows};
use crate::pages::Pages;
use crate::weights::Scales;

/// Products of a block of rows: enough to be worth a task, few enough that its entries stay in the second cache until
/// they are written to their place.
const PRODUCTS_A_BLOCK: usize = 1 << 14;

/// A row with fewer products than columns / this notes its columns instead of looking at all of them.
const COLUMNS_A_NOTE: usize = 30;

/// Rows that are fetched to the nearest cache before they are added.
const AHEAD: usize = 3;

/// Rows that a thread counts the products of at least.
const ROWS_A_COUNT: usize = 1 << 11;

/// One hop over sparse rows. Each number is the same sum in the same order as in a dense hop, without its zero terms.
pub(super) struct SparseHop<'a> {
    pattern: Pattern<'a>,
    scales: Option<&'a Scales>,
    entries: &'a CsrMatrix,
    fit: Fit,
    /// Products before each row.
    products: Pages<usize>,
}

impl<'a> SparseHop<'a> {
    pub(super) fn new(pattern: Pattern<'a>, scales: Option<&'a Scales>, entries: &'a CsrMatrix) -> Self {
        let fit = Fit::of(entries);
        // With an entry in each row no row has to be looked up.
        let each = fit == Fit::OneARow && entries.entries() == entries.rows();
        let products = if each { copy(pattern.indptr) } else { products(pattern, entries.indptr()) };
        Self { pattern, scales, entries, fit, products }
    }

    /// Multiplications that the hop takes.
    pub(super) fn products(&self) -> usize {
        self.products[self.products.len() - 1]
    }

    /// Bytes that a hop over these entries takes beside them and its result: units, and two numbers a row.
    pub(super) fn scratch(entries: &CsrMatrix) -> usize {
        Fit::of(entries).bytes(entries) + 2 * size_of_val(entries.indptr())
    }

    /// Bytes that its result takes at most, as sparse rows.
    pub(super) fn result(&self) -> usize {
        let entry = size_of::<u32>() + size_of::<f32>();
        self.products().saturating_mul(entry) + size_of_val(&self.products[..])
    }

    fn of_row(&self, row: usize) -> usize {
        self.products[row + 1] - self.products[row]
    }

    /// Entries that come out at most.
    fn most(&self, rows: Range<usize>) -> usize {
        rows.map(|row| self.of_row(row).min(self.entries.columns())).sum()
    }

    /// The result as sparse rows, in the memory of `spare` where that is large enough. A sum that happens to be zero stays
    /// an entry.
    pub(super) fn to_sparse(&self, spare: Option<CsrMatrix>) -> CsrMatrix {
        match self.fit {
            Fit::OneARow | Fit::Single => self.collect::<Single>(spare),
            Fit::Narrow => self.collect::<Narrow>(spare),
            Fit::Wide => self.collect::<Wide>(spare),
        }
    }

    fn collect<U: Unit>(&self, spare: Option<CsrMatrix>) -> CsrMatrix {
        let rows = self.products.len() - 1;
        let units = Units::<U>::new(self.entries, self.scales, self.fit == Fit::OneARow);
        let units = units.rows();
        let (mut indptr, columns, values) = spare.map(CsrMatrix::into_arrays).unwrap_or_default();
        indptr.clear();
        indptr.resize(rows + 1, 0);
        let blocks = self.blocks();
        let entries_of: Vec<usize> = blocks.iter().map(|rows| self.most(rows.clone())).collect();
        let most = entries_of.iter().sum::<usize>() + SPARE;
        let (mut columns, mut values) = (columns.reused(most), values.reused(most));
        let of_block = (
            blocks.iter().map(ExactSizeIterator::len).max().unwrap_or(0),
            entries_of.iter().max().map_or(0, |entries| entries + SPARE),
        );
        let order = InOrder::new(&mut indptr[1..], &mut columns, &mut values, of_block);
        let next = AtomicUsize::new(0);
        // Blocks are begun in order, so that few of them wait for one before them.
        (0..rayon::current_num_threads().min(blocks.len())).into_par_iter().with_max_len(1).for_each(|_| {
            let (blocks, next, order) = (&blocks[..], &next, &order);
            with_lanes(Collect { hop: self, units, blocks, next, order });
        });
        let entries = indptr[rows];
        columns.truncate(entries);
        values.truncate(entries);
        CsrMatrix::trusted(self.entries.columns(), indptr, columns, values)
    }

    /// The result, plus a constant a row where there is one, to dense rows: of any content, or all zero (`zeroed`), so
    /// that only what is not zero has to be written.
    pub(super) fn to_dense(&self, constant: &[f32], zeroed: bool, out: &mut [f32]) {
        match self.fit {
            Fit::OneARow | Fit::Single => self.scatter::<Single>(constant, zeroed, out),
            Fit::Narrow => self.scatter::<Narrow>(constant, zeroed, out),
            Fit::Wide => self.scatter::<Wide>(constant, zeroed, out),
        }
    }

    fn scatter<U: Unit>(&self, constant: &[f32], zeroed: bool, out: &mut [f32]) {
        let units = Units::<U>::new(self.entries, self.scales, self.fit == Fit::OneARow);
        let units = units.rows();
        let mut parts = split_rows(&self.blocks(), self.entries.columns(), out);
        let threads = rayon::current_num_threads();
        let a_task = parts.len().div_ceil(threads * 8).max(1);
        parts
            .par_chunks_mut(a_task)
            .for_each(|parts| with_lanes(Scatter { hop: self, units, parts, constant, zeroed }));
    }

    fn blocks(&self) -> Vec<Range<usize>> {
        row_blocks(&self.products, (self.products() / PRODUCTS_A_BLOCK).max(1))
    }

    fn left(&self, row: usize) -> f32 {
        self.scales.map_or(1.0, |scales| scales.left[row])
    }

    /// Adds up a row; how its columns are found again.
    #[inline(always)]
    fn sum_row<U: Unit>(&self, row: usize, units: UnitRows<'_, U>, lanes: impl Lanes, sums: &mut RowSums) -> Search {
        let Pattern { indptr, indices, values } = self.pattern;
        let few = self.of_row(row) < self.entries.columns() / COLUMNS_A_NOTE;
        let mut sums = sums.row();
        for at in indptr[row]..indptr[row + 1] {
            if let Some(&node) = indices.get(at + 2 * AHEAD) {
                units.fetch_start(node as usize, lanes);
            }
            if let Some(&node) = indices.get(at + AHEAD) {
                units.fetch(node as usize, lanes);
            }
            let units = units.row(indices[at] as usize);
            sums.add(units, values.map(|values| values[at]));
            if few {
                sums.note(units);
            }
        }
        if few { Search::Noted } else { Search::All }
    }
}

fn copy(numbers: &[usize]) -> Pages<usize> {
    let mut pages = Pages::zeros(numbers.len());
    pages.copy_from_slice(numbers);
    pages
}

/// The products before each row, of rows that start at `starts`.
fn products(pattern: Pattern<'_>, starts: &[usize]) -> Pages<usize> {
    let of_row = |row: usize| {
        let neighbours = &pattern.indices[pattern.indptr[row]..pattern.indptr[row + 1]];
        neighbours.iter().map(|&node| starts[node as usize + 1] - starts[node as usize]).sum()
    };
    let rows = pattern.indptr.len() - 1;
    let mut products = Pages::zeros(rows + 1);
    products[1..].par_iter_mut().with_min_len(ROWS_A_COUNT).enumerate().for_each(|(row, to)| *to = of_row(row));
    let all: &mut [usize] = &mut products;
    for row in 0..rows {
        all[row + 1] += all[row];
    }
    products
}

/// Blocks of rows to sparse rows, until none is left.
struct Collect<'h, 'a, 'o, U> {
    hop: &'h SparseHop<'a>,
    units: UnitRows<'h, U>,
    blocks: &'h [Range<usize>],
    /// First block that nobody has begun.
    next: &'h AtomicUsize,
    order: &'h InOrder<'o>,
}

impl<U: Unit> Task for Collect<'_, '_, '_, U> {
    #[inline(always)]
    fn run(self, lanes: impl Lanes) {
        let Self { hop, units, blocks, next, order } = self;
        let mut sums = RowSums::new::<U>(hop.entries.columns());
        loop {
            let block = next.fetch_add(1, Ordering::Relaxed);
            let Some(rows) = blocks.get(block) else { return };
            let mut block = order.begin(block, rows.len());
            let room = block.room();
            let mut total = 0;
            for (row, end) in rows.clone().zip(room.ends) {
                let search = hop.sum_row(row, units, lanes, &mut sums);
                let (columns, values) = (&mut room.columns[total..], &mut room.values[total..]);
                total += sums.list(search, lanes, hop.left(row), columns, values);
                *end = room.before + total;
            }
            order.finish(block);
        }
    }
}

/// Blocks of rows to dense rows.
struct Scatter<'h, 'a, 'o, U> {
    hop: &'h SparseHop<'a>,
    units: UnitRows<'h, U>,
    parts: &'h mut [(Range<usize>, &'o mut [f32])],
    constant: &'h [f32],
    zeroed: bool,
}

impl<U: Unit> Task for Scatter<'_, '_, '_, U> {
    #[inline(always)]
    fn run(self, lanes: impl Lanes) {
        let Self { hop, units, parts, constant, zeroed } = self;
        let width = hop.entries.columns();
        let mut sums = RowSums::new::<U>(width);
        let (mut columns, mut values) = (vec![0; width + SPARE], vec![0.0; width + SPARE]);
        for (rows, out) in parts {
            for (row, out) in rows.clone().zip(out.chunks_exact_mut(width)) {
                let search = hop.sum_row(row, units, lanes, &mut sums);
                let left = hop.left(row);
                let constant = constant.get(row).copied().unwrap_or(0.0);
                let clear = zeroed && constant == 0.0;
                if search == Search::All && !clear {
                    sums.write_all(left, constant, out);
                    continue;
                }
                if !clear {
                    out.fill(constant);
                }
                let found = sums.list(search, lanes, left, &mut columns, &mut values);
                for (&column, &value) in columns[..found].iter().zip(&values) {
                    out[column as usize] = if constant == 0.0 { value } else { value + constant };
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CsrGraph, EdgeKind, Normalization, SelfLoops, Weights};

    /// A star of 100: products are counted where entries are, also where no row has more than one.
    #[test]
    fn rows_without_an_entry_cost_no_product() {
        let edges: Vec<(u32, u32)> = (1..100).map(|node| (0, node)).collect();
        let graph = CsrGraph::from_edges(100, &edges, EdgeKind::Undirected).expect("a star");
        let weights = Weights::normalized(&graph, Normalization::Symmetric, SelfLoops::AsIs);
        let products = |triplets: &[(u32, u32, f32)]| {
            let entries = CsrMatrix::from_triplets(100, 8, triplets).expect("well-formed");
            SparseHop::new(Pattern::of(&weights), weights.scales(0), &entries).products()
        };
        assert_eq!(products(&[]), 0);
        assert_eq!(products(&[(5, 1, 1.0)]), 1);
        assert_eq!(products(&[(0, 1, 1.0), (5, 1, 1.0)]), 100);
        assert_eq!(products(&[(0, 1, 1.0), (0, 3, 1.0)]), 198);
        assert_eq!(products(&(0..100).map(|row| (row, row % 8, 1.0)).collect::<Vec<_>>()), 198);
    }
}
