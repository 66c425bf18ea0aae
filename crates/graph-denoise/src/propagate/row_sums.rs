//! The sums of one row over all columns, and taking them out in ascending order of the columns.
//!
//! Dense, because an addition then is a load, an add and a store; a row's sums fit the nearest caches.

use std::mem;

use bytemuck::{Pod, Zeroable};

use super::lanes::{Lanes, ones};
use super::units::Unit;

/// A sum that nothing was added to. `−0 + x = x` for every `x`, and a sum of terms of which none is −0 is never −0 itself:
/// so the sums tell by themselves which columns were added to.
pub(super) const UNTOUCHED: f32 = -0.0;

/// Columns that are listed together.
pub(super) const GROUP: usize = 64;

/// How the columns that a row's terms were added to are found again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Search {
    /// See [`RowOfSums::note`].
    Noted,
    /// By looking at every column.
    All,
}

/// Sums of a group of columns, in cache lines of their own.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
pub(super) struct Group(pub(super) [f32; GROUP]);

impl Group {
    pub(super) const UNTOUCHED: Self = Self([UNTOUCHED; GROUP]);
}

/// The sums of one row. Between two rows all are untouched and nothing is noted.
pub(super) struct RowSums {
    sums: Vec<Group>,
    groups: usize,
    /// A bit a column, a number a group.
    noted: Vec<[u64; GROUP]>,
}

impl RowSums {
    pub(super) fn new<U: Unit>(columns: usize) -> Self {
        let groups = columns.div_ceil(GROUP);
        let sums = groups.max(U::SUMS / GROUP);
        Self { sums: vec![Group::UNTOUCHED; sums], groups, noted: vec![[0; GROUP]; sums.div_ceil(GROUP)] }
    }

    /// The sums of one row by themselves: a loop over its neighbours keeps their places in registers.
    #[inline(always)]
    pub(super) fn row(&mut self) -> RowOfSums<'_> {
        RowOfSums { sums: bytemuck::cast_slice_mut(&mut self.sums), noted: self.noted.as_flattened_mut() }
    }

    /// Takes out all sums that were added to, times `scale`, in ascending order of their columns; their number. Up to
    /// [`SPARE`](super::lanes::SPARE) places behind the last one are overwritten.
    #[inline(always)]
    pub(super) fn list(
        &mut self,
        search: Search,
        lanes: impl Lanes,
        scale: f32,
        columns: &mut [u32],
        values: &mut [f32],
    ) -> usize {
        if search == Search::All {
            return lanes.list(&mut self.sums[..self.groups], scale, columns, values);
        }
        let mut total = 0;
        for (sums, (noted, first)) in self.sums.chunks_mut(GROUP).zip(self.noted.iter_mut().zip((0..).step_by(GROUP))) {
            for group in ones(lanes.not_zero(noted)) {
                for at in ones(mem::take(&mut noted[group])) {
                    columns[total] = ((first + group) * GROUP + at) as u32;
                    values[total] = scale * mem::replace(&mut sums[group].0[at], UNTOUCHED);
                    total += 1;
                }
            }
        }
        total
    }

    /// Takes out all sums to a dense row: `constant`, plus the sum times `scale` where there is one.
    #[inline(always)]
    pub(super) fn write_all(&mut self, scale: f32, constant: f32, out: &mut [f32]) {
        for (out, sum) in out.iter_mut().zip(bytemuck::cast_slice_mut(&mut self.sums)) {
            let sum = mem::replace(sum, UNTOUCHED);
            let value = if constant == 0.0 { scale * sum } else { scale * sum + constant };
            *out = if sum.to_bits() == UNTOUCHED.to_bits() { constant } else { value };
        }
    }
}

/// See [`RowSums::row`].
pub(super) struct RowOfSums<'s> {
    sums: &'s mut [f32],
    noted: &'s mut [u64],
}

impl RowOfSums<'_> {
    /// Adds terms, times `weight` where there is one.
    #[inline(always)]
    pub(super) fn add<U: Unit>(&mut self, units: &[U], weight: Option<f32>) {
        for unit in units {
            unit.add(weight, self.sums);
        }
    }

    /// Notes columns for [`Search::Noted`].
    #[inline(always)]
    pub(super) fn note<U: Unit>(&mut self, units: &[U]) {
        for unit in units {
            unit.note(self.noted);
        }
    }
}

/// Sets the bit of a column if it `is` one.
#[inline(always)]
pub(super) fn note(noted: &mut [u64], column: usize, is: bool) {
    noted[column / GROUP] |= u64::from(is) << (column % GROUP);
}

#[cfg(test)]
mod tests {
    use super::super::lanes::{Plain, SPARE};
    use super::super::units::{Narrow, Single, Wide};
    use super::*;

    type Way = fn(&mut RowSums, Search, &mut [u32], &mut [f32]) -> usize;

    /// Sums with every `every`-th column touched, some of them by zeros.
    fn filled(search: Search, columns: usize, every: usize) -> (RowSums, Vec<(u32, f32)>) {
        let mut sums = RowSums::new::<Single>(columns);
        let mut expected = Vec::new();
        for column in (every / 2..columns).step_by(every) {
            let value = if column % 3 == 0 { 0.0 } else { column as f32 - 40.0 };
            let unit = [Single::new(&[column as u32], &[value], 1.0)];
            sums.row().add(&unit, None);
            if search == Search::Noted {
                sums.row().note(&unit);
            }
            expected.push((column as u32, 0.5 * value));
        }
        (sums, expected)
    }

    fn untouched(sums: &RowSums) -> bool {
        sums.sums.iter().flat_map(|Group(sums)| sums).all(|sum| sum.to_bits() == UNTOUCHED.to_bits())
            && sums.noted.as_flattened().iter().all(|&noted| noted == 0)
    }

    /// Lists the same sums in each way that the machine has, twice: the second time nothing may be left.
    #[test]
    fn every_way_lists_the_same() {
        for columns in [1, 15, 16, 17, 63, 64, 65, 500, 5000] {
            for every in [1, 2, 3, 7, 40, 10_000] {
                let mut ways: Vec<Way> = vec![|sums, search, c, v| sums.list(search, Plain, 0.5, c, v)];
                #[cfg(target_arch = "x86_64")]
                {
                    use super::super::lanes::x86::Avx512;
                    if Avx512::try_new().is_some() {
                        ways.push(|sums, search, c, v| {
                            sums.list(search, Avx512::try_new().expect("checked"), 0.5, c, v)
                        });
                    }
                }
                for (at, way) in ways.iter().enumerate() {
                    for search in [Search::Noted, Search::All] {
                        let what = format!("way {at}, {search:?}, {columns} columns, every {every}");
                        let (mut sums, expected) = filled(search, columns, every);
                        let (mut numbers, mut values) = (vec![9; columns + SPARE], vec![9.0; columns + SPARE]);
                        let found = way(&mut sums, search, &mut numbers, &mut values);
                        let listed: Vec<_> =
                            numbers[..found].iter().copied().zip(values[..found].iter().copied()).collect();
                        assert_eq!(listed, expected, "{what}");
                        assert!(untouched(&sums), "{what}");
                        assert_eq!(way(&mut sums, search, &mut numbers, &mut values), 0, "{what}, again");
                    }
                }
                let (mut sums, expected) = filled(Search::All, columns, every);
                let mut row = vec![9.0; columns];
                sums.write_all(0.5, 7.0, &mut row);
                let mut dense = vec![7.0; columns];
                for (column, value) in expected {
                    dense[column as usize] += value;
                }
                assert_eq!(row, dense);
            }
        }
    }

    /// Zeros of both signs are entries; what fills a unit up is none, whatever the weight.
    fn only_entries_leave_a_trace<U: Unit>() {
        let (columns, values) = ([3, 64, 65, 4999], [-0.0, 2.0, 0.0, -1.5]);
        for entries in usize::from(U::ENTRIES > 1)..=U::ENTRIES {
            for weight in [None, Some(2.0), Some(-2.0), Some(0.0)] {
                for search in [Search::Noted, Search::All] {
                    let unit = [U::new(&columns[..entries], &values[..entries], 0.5)];
                    let mut sums = RowSums::new::<U>(5000);
                    sums.row().add(&unit, weight);
                    if search == Search::Noted {
                        sums.row().note(&unit);
                    }
                    let (mut numbers, mut sums_of) = ([9; 4 + SPARE], [9.0; 4 + SPARE]);
                    let found = sums.list(search, Plain, 1.0, &mut numbers, &mut sums_of);
                    assert_eq!(numbers[..found], columns[..entries], "{weight:?}, {search:?}");
                    let expected = values.map(|value| weight.unwrap_or(1.0) * (0.5 * value));
                    assert_eq!(sums_of[..found], expected[..entries], "{weight:?}, {search:?}");
                    assert!(untouched(&sums), "{entries} entries, {weight:?}, {search:?}");
                }
            }
        }
    }

    #[test]
    fn only_entries_of_a_unit_leave_a_trace() {
        only_entries_leave_a_trace::<Single>();
        only_entries_leave_a_trace::<Narrow>();
        only_entries_leave_a_trace::<Wide>();
    }
}
