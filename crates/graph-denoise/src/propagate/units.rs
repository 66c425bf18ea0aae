//! Sparse rows laid out for adding: entries side by side, four of them two loads of one cache line.

use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;

use super::lanes::Lanes;
use super::row_sums::{GROUP, note};
use crate::CsrMatrix;
use crate::kernel::{row_blocks, split_by};
use crate::pages::Pages;
use crate::weights::Scales;

/// Entries of a [`Narrow`] and a [`Wide`].
pub(super) const FOUR: usize = 4;

/// What changes no sum: `x + −0 = x` for every `x`, −0 too.
const NOTHING: f32 = -0.0;

/// Units that a thread makes at least.
const UNITS_A_TASK: usize = 1 << 12;

/// A value that is not −0: what may be added to a sum, and leaves a trace there.
#[inline(always)]
pub(super) fn term(value: f32) -> f32 {
    value + 0.0
}

/// Columns and terms of some entries of a row.
pub(super) trait Unit: Pod + Send + Sync {
    /// How many.
    const ENTRIES: usize;

    /// Sums that are kept at least, so that every column has one and need not be checked.
    const SUMS: usize;

    /// From at most [`Unit::ENTRIES`] entries, the values times `scale`; a [`Single`] may be made from none.
    ///
    /// # Panics
    /// When a column is too large for the type.
    fn new(columns: &[u32], values: &[f32], scale: f32) -> Self;

    /// Adds the terms, times `weight` where there is one.
    ///
    /// # Panics
    /// When there is no such sum.
    fn add(&self, weight: Option<f32>, sums: &mut [f32]);

    /// Notes the columns, a bit each.
    fn note(&self, noted: &mut [u64]);
}

/// One entry, or a nothing.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Single {
    column: u32,
    term: f32,
}

/// Four entries with columns of 16 bits.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Narrow {
    columns: [u16; FOUR],
    terms: [f32; FOUR],
}

/// Four entries with columns of 32 bits.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Wide {
    columns: [u32; FOUR],
    terms: [f32; FOUR],
}

impl Single {
    /// Whether it is an entry.
    #[inline(always)]
    fn is(&self) -> bool {
        self.term.to_bits() != NOTHING.to_bits()
    }
}

impl Unit for Single {
    const ENTRIES: usize = 1;
    const SUMS: usize = GROUP;

    fn new(columns: &[u32], values: &[f32], scale: f32) -> Self {
        match (columns, values) {
            ([column], [value]) => Self { column: *column, term: term(scale * value) },
            _ => Self { column: 0, term: NOTHING },
        }
    }

    #[inline(always)]
    fn add(&self, weight: Option<f32>, sums: &mut [f32]) {
        let weighted = |weight| if self.is() { term(weight * self.term) } else { NOTHING };
        sums[self.column as usize] += weight.map_or(self.term, weighted);
    }

    #[inline(always)]
    fn note(&self, noted: &mut [u64]) {
        note(noted, self.column as usize, self.is());
    }
}

impl Narrow {
    /// From one load.
    #[inline(always)]
    fn columns(&self) -> [usize; FOUR] {
        let all: u64 = bytemuck::cast(self.columns);
        [0, 16, 32, 48].map(|bit| (all >> bit) as usize & 0xffff)
    }
}

impl Unit for Narrow {
    const ENTRIES: usize = FOUR;
    const SUMS: usize = 1 << 16;

    fn new(columns: &[u32], values: &[f32], scale: f32) -> Self {
        let Wide { columns, terms } = Wide::new(columns, values, scale);
        Self { columns: columns.map(|column| u16::try_from(column).expect("no more than 65,536 columns")), terms }
    }

    #[inline(always)]
    fn add(&self, weight: Option<f32>, sums: &mut [f32]) {
        let sums: &mut [f32; Self::SUMS] = sums.first_chunk_mut().expect("a sum for every number");
        for (column, term) in self.columns().into_iter().zip(weighted(self.terms, weight)) {
            sums[column] += term;
        }
    }

    #[inline(always)]
    fn note(&self, noted: &mut [u64]) {
        let noted: &mut [u64; Self::SUMS / GROUP] = noted.first_chunk_mut().expect("a bit for every number");
        for column in self.columns() {
            note(noted, column, true);
        }
    }
}

impl Unit for Wide {
    const ENTRIES: usize = FOUR;
    const SUMS: usize = 0;

    /// Fills up with nothings for columns that there are: those leave no trace of their own.
    #[inline(always)]
    fn new(columns: &[u32], values: &[f32], scale: f32) -> Self {
        let (columns, values) = match (columns.first_chunk(), values.first_chunk()) {
            (Some(columns), Some(values)) => (*columns, values.map(|value| term(scale * value))),
            _ => (
                std::array::from_fn(|at| columns[at % columns.len()]),
                std::array::from_fn(|at| values.get(at).map_or(NOTHING, |value| term(scale * value))),
            ),
        };
        Self { columns, terms: values }
    }

    #[inline(always)]
    fn add(&self, weight: Option<f32>, sums: &mut [f32]) {
        for (column, term) in self.columns.into_iter().zip(weighted(self.terms, weight)) {
            sums[column as usize] += term;
        }
    }

    #[inline(always)]
    fn note(&self, noted: &mut [u64]) {
        for column in self.columns {
            note(noted, column as usize, true);
        }
    }
}

/// A nothing times a weight may become +0, which changes no sum that something was added to before.
#[inline(always)]
fn weighted(terms: [f32; FOUR], weight: Option<f32>) -> [f32; FOUR] {
    weight.map_or(terms, |weight| terms.map(|value| term(weight * value)))
}

/// Which [`Unit`] fits some entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fit {
    /// A single a row: its place is its row, no start has to be looked up.
    OneARow,
    /// Singles where units of four would be less than half full.
    Single,
    Narrow,
    Wide,
}

impl Fit {
    pub(super) fn of(entries: &CsrMatrix) -> Self {
        let lengths = || entries.indptr().windows(2).map(|bounds| bounds[1] - bounds[0]);
        if lengths().all(|entries| entries <= 1) {
            Self::OneARow
        } else if lengths().map(|entries| entries.div_ceil(FOUR)).sum::<usize>() * FOUR > 2 * entries.entries() {
            Self::Single
        } else if entries.columns() <= Narrow::SUMS {
            Self::Narrow
        } else {
            Self::Wide
        }
    }

    /// What the units take.
    pub(super) fn bytes(self, entries: &CsrMatrix) -> usize {
        let fours = || entries.indptr().windows(2).map(|bounds| (bounds[1] - bounds[0]).div_ceil(FOUR)).sum::<usize>();
        match self {
            Self::OneARow => entries.rows() * size_of::<Single>(),
            Self::Single => entries.entries() * size_of::<Single>(),
            Self::Narrow => fours() * size_of::<Narrow>(),
            Self::Wide => fours() * size_of::<Wide>(),
        }
    }
}

/// Sparse rows in units.
pub(super) struct Units<U> {
    /// Units before each row; empty where each has one.
    starts: Pages<usize>,
    all: Pages<U>,
}

impl<U: Unit> Units<U> {
    /// The entries, times the right scale of their row where there is one. `one_a_row`: see [`Fit::OneARow`].
    pub(super) fn new(entries: &CsrMatrix, scales: Option<&Scales>, one_a_row: bool) -> Self {
        let (rows, indptr) = (entries.rows(), entries.indptr());
        let units_of = |row: usize| if one_a_row { 1 } else { (indptr[row + 1] - indptr[row]).div_ceil(U::ENTRIES) };
        let mut starts = Pages::zeros(if one_a_row { 0 } else { rows + 1 });
        let mut total = if one_a_row { rows } else { 0 };
        for (row, before) in starts.iter_mut().enumerate() {
            *before = total;
            total += if row < rows { units_of(row) } else { 0 };
        }
        let mut all = Pages::zeros_in_huge(total);
        let blocks = row_blocks(indptr, (total / UNITS_A_TASK).max(1));
        let parts = split_by(&blocks, |rows| rows.clone().map(units_of).sum(), &mut all);
        parts.into_par_iter().for_each(|(rows, units)| {
            let mut units = units.iter_mut();
            for row in rows {
                let scale = scales.map_or(1.0, |scales| scales.right[row]);
                let (mut columns, mut values) = entries.row(row);
                for unit in units.by_ref().take(units_of(row)) {
                    let entries = columns.len().min(U::ENTRIES);
                    *unit = U::new(&columns[..entries], &values[..entries], scale);
                    (columns, values) = (&columns[entries..], &values[entries..]);
                }
            }
        });
        Self { starts, all }
    }

    pub(super) fn rows(&self) -> UnitRows<'_, U> {
        UnitRows { starts: &self.starts, all: &self.all }
    }
}

/// The rows of [`Units`], their places in registers.
pub(super) struct UnitRows<'u, U> {
    starts: &'u [usize],
    all: &'u [U],
}

impl<U> Clone for UnitRows<'_, U> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<U> Copy for UnitRows<'_, U> {}

impl<'u, U: Unit> UnitRows<'u, U> {
    #[inline(always)]
    pub(super) fn row(self, row: usize) -> &'u [U] {
        if self.starts.is_empty() {
            std::slice::from_ref(&self.all[row])
        } else {
            &self.all[self.starts[row]..self.starts[row + 1]]
        }
    }

    /// Fetches where a row starts to the nearest cache.
    #[inline(always)]
    pub(super) fn fetch_start(self, row: usize, lanes: impl Lanes) {
        if !self.starts.is_empty() {
            lanes.prefetch(&self.starts[row..]);
        }
    }

    /// Fetches the front of a row to the nearest cache.
    #[inline(always)]
    pub(super) fn fetch(self, row: usize, lanes: impl Lanes) {
        if !self.starts.is_empty() {
            lanes.prefetch(&self.all[self.starts[row]..]);
        }
    }
}
