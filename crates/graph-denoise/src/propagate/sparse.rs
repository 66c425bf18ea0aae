//! Hops over sparse rows: while few values are stored, only those are touched.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use pulp::{Arch, NullaryFnOnce};
use rayon::prelude::*;

use super::Pattern;
use super::in_order::InOrder;
use super::row_sums::{Column, Lanes, Plain, RowSums, SPARE, Search, term};
use crate::CsrMatrix;
use crate::kernel::{row_blocks, split_rows};
use crate::pages::Pages;
use crate::weights::Scales;

/// Products of a block of rows: enough to be worth a task, few enough that its entries stay in the second cache until
/// they are written to their place.
const PRODUCTS_A_BLOCK: usize = 1 << 14;

/// A row with fewer products than columns / this notes its columns instead of looking at all of them.
const COLUMNS_A_NOTE: usize = 64;

/// A row with fewer products than columns / this, and more than those that are noted, marks its columns.
const COLUMNS_A_MARK: usize = 10;

/// Rows that are fetched to the nearest cache before they are added.
const AHEAD: usize = 3;

/// Rows that a thread counts the products of at least.
const ROWS_A_COUNT: usize = 1 << 11;

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
        let starts = entries.indptr();
        let of_row = |row: usize| {
            let neighbours = &pattern.indices[pattern.indptr[row]..pattern.indptr[row + 1]];
            neighbours.iter().map(|&node| starts[node as usize + 1] - starts[node as usize]).sum::<usize>()
        };
        let rows = pattern.indptr.len() - 1;
        let mut products: Vec<usize> = std::iter::once(0)
            .chain((0..rows).into_par_iter().with_min_len(ROWS_A_COUNT).map(of_row).collect::<Vec<_>>())
            .collect();
        for row in 0..rows {
            products[row + 1] += products[row];
        }
        Self { pattern, scales, entries, products }
    }

    /// Multiplications that the hop takes.
    pub(super) fn products(&self) -> usize {
        self.products[self.products.len() - 1]
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
        if self.entries.columns() <= u16::SUMS { self.collect::<u16>(spare) } else { self.collect::<u32>(spare) }
    }

    fn collect<C: Column>(&self, spare: Option<CsrMatrix>) -> CsrMatrix {
        let rows = self.products.len() - 1;
        let held = Held::<C>::new(self);
        let terms = held.terms();
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
            match Arch::new() {
                #[cfg(target_arch = "x86_64")]
                Arch::V4(lanes) => lanes.vectorize(Collect { hop: self, terms, blocks, next, order, lanes }),
                arch => arch.dispatch(Collect { hop: self, terms, blocks, next, order, lanes: Plain }),
            }
        });
        let entries = indptr[rows];
        columns.truncate(entries);
        values.truncate(entries);
        CsrMatrix::trusted(self.entries.columns(), indptr, columns, values)
    }

    /// The result, plus a constant a row where there is one, to dense rows: of any content, or all zero (`zeroed`), so
    /// that only what is not zero has to be written.
    pub(super) fn to_dense(&self, constant: &[f32], zeroed: bool, out: &mut [f32]) {
        if self.entries.columns() <= u16::SUMS {
            self.scatter::<u16>(constant, zeroed, out);
        } else {
            self.scatter::<u32>(constant, zeroed, out);
        }
    }

    fn scatter<C: Column>(&self, constant: &[f32], zeroed: bool, out: &mut [f32]) {
        let held = Held::<C>::new(self);
        let terms = held.terms();
        let mut parts = split_rows(&self.blocks(), self.entries.columns(), out);
        let threads = rayon::current_num_threads();
        let a_task = parts.len().div_ceil(threads * 8).max(1);
        parts.par_chunks_mut(a_task).for_each(|parts| match Arch::new() {
            #[cfg(target_arch = "x86_64")]
            Arch::V4(lanes) => lanes.vectorize(Scatter { hop: self, terms, parts, constant, zeroed, lanes }),
            arch => arch.dispatch(Scatter { hop: self, terms, parts, constant, zeroed, lanes: Plain }),
        });
    }

    fn blocks(&self) -> Vec<Range<usize>> {
        row_blocks(&self.products, (self.products() / PRODUCTS_A_BLOCK).max(1))
    }

    fn left(&self, row: usize) -> f32 {
        self.scales.map_or(1.0, |scales| scales.left[row])
    }

    /// Adds up a row; how its columns are found again.
    #[inline(always)]
    fn sum_row<C: Column>(&self, row: usize, terms: Terms<'_, C>, lanes: impl Lanes, sums: &mut RowSums) -> Search {
        let Pattern { indptr, indices, values } = self.pattern;
        let (products, width) = (self.of_row(row), self.entries.columns());
        let search = if products < width / COLUMNS_A_NOTE {
            Search::Noted
        } else if products < width / COLUMNS_A_MARK {
            Search::Marked
        } else {
            Search::All
        };
        let Terms { starts, columns: all_columns, terms: all_terms } = terms;
        let mut sums = sums.row();
        for at in indptr[row]..indptr[row + 1] {
            if let Some(&node) = indices.get(at + 2 * AHEAD) {
                lanes.prefetch(&starts[node as usize..]);
            }
            if let Some(&node) = indices.get(at + AHEAD) {
                let start = starts[node as usize];
                lanes.prefetch(&all_columns[start..]);
                lanes.prefetch(&all_terms[start..]);
            }
            let node = indices[at] as usize;
            let range = starts[node]..starts[node + 1];
            let (columns, terms) = (&all_columns[range.clone()], &all_terms[range]);
            match values {
                None => sums.add(columns, terms.iter().copied()),
                Some(values) => {
                    let weight = values[at];
                    sums.add(columns, terms.iter().map(|value| term(weight * value)));
                }
            }
            match search {
                Search::Noted => sums.note(columns),
                Search::Marked => sums.mark(columns),
                Search::All => {}
            }
        }
        search
    }
}

/// What a hop adds up: the entries of its source, times the right scale where there is one.
struct Terms<'a, C> {
    starts: &'a [usize],
    columns: &'a [C],
    terms: &'a [f32],
}

impl<C> Clone for Terms<'_, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C> Copy for Terms<'_, C> {}

/// What holds [`Terms`].
struct Held<'a, C> {
    starts: &'a [usize],
    columns: Pages<C>,
    terms: Pages<f32>,
}

impl<'a, C: Column> Held<'a, C> {
    fn terms(&self) -> Terms<'_, C> {
        Terms { starts: self.starts, columns: &self.columns, terms: &self.terms }
    }

    fn new(hop: &SparseHop<'a>) -> Self {
        let (starts, values) = (hop.entries.indptr(), hop.entries.values());
        let narrow = || {
            let mut columns = Pages::zeros(values.len());
            for (to, &column) in columns.iter_mut().zip(hop.entries.indices()) {
                *to = C::of(column);
            }
            columns
        };
        let scaled = || {
            let mut terms = Pages::zeros(values.len());
            let all: &mut [f32] = &mut terms;
            for (node, bounds) in starts.windows(2).enumerate() {
                let right = hop.scales.map_or(1.0, |scales| scales.right[node]);
                let range = bounds[0]..bounds[1];
                for (to, value) in all[range.clone()].iter_mut().zip(&values[range]) {
                    *to = term(right * value);
                }
            }
            terms
        };
        let (columns, terms) = rayon::join(narrow, scaled);
        Self { starts, columns, terms }
    }
}

/// Blocks of rows to sparse rows, until none is left.
struct Collect<'h, 'a, 'o, C, L> {
    hop: &'h SparseHop<'a>,
    terms: Terms<'h, C>,
    blocks: &'h [Range<usize>],
    /// First block that nobody has begun.
    next: &'h AtomicUsize,
    order: &'h InOrder<'o>,
    lanes: L,
}

impl<C: Column, L: Lanes> NullaryFnOnce for Collect<'_, '_, '_, C, L> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { hop, terms, blocks, next, order, lanes } = self;
        let mut sums = RowSums::new::<C>(hop.entries.columns());
        loop {
            let block = next.fetch_add(1, Ordering::Relaxed);
            let Some(rows) = blocks.get(block) else { return };
            let mut block = order.begin(block, rows.len());
            let room = block.room();
            let mut total = 0;
            for (row, end) in rows.clone().zip(room.ends) {
                let search = hop.sum_row(row, terms, lanes, &mut sums);
                let (columns, values) = (&mut room.columns[total..], &mut room.values[total..]);
                total += sums.list(search, lanes, hop.left(row), columns, values);
                *end = room.before + total;
            }
            order.finish(block);
        }
    }
}

/// Blocks of rows to dense rows.
struct Scatter<'h, 'a, 'o, C, L> {
    hop: &'h SparseHop<'a>,
    terms: Terms<'h, C>,
    parts: &'h mut [(Range<usize>, &'o mut [f32])],
    constant: &'h [f32],
    zeroed: bool,
    lanes: L,
}

impl<C: Column, L: Lanes> NullaryFnOnce for Scatter<'_, '_, '_, C, L> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { hop, terms, parts, constant, zeroed, lanes } = self;
        let width = hop.entries.columns();
        let mut sums = RowSums::new::<C>(width);
        let (mut columns, mut values) = (vec![0; width + SPARE], vec![0.0; width + SPARE]);
        for (rows, out) in parts {
            for (row, out) in rows.clone().zip(out.chunks_exact_mut(width)) {
                let search = hop.sum_row(row, terms, lanes, &mut sums);
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
