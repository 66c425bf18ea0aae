//! The sums of one row over all columns, and taking them out in ascending order of the columns.
//!
//! Dense, because an addition then is a load, an add and a store; a row's sums fit the nearest caches.

use std::mem;

/// A sum that nothing was added to. `−0 + x = x` for every `x`, and a sum of terms of which none is −0 is never −0 itself:
/// so the sums tell by themselves which columns were added to.
const UNTOUCHED: f32 = -0.0;

/// Columns of a word of bits.
const GROUP: usize = 64;

/// Columns that [`Lanes::list`] takes at a time.
const LANES: usize = 16;

/// Marks that are looked at together.
const MARKS: usize = size_of::<u64>();

/// Half of [`LANES`].
#[cfg(target_arch = "x86_64")]
const HALF: usize = LANES / 2;

/// Room that listing a row needs behind its entries.
pub(super) const SPARE: usize = LANES;

/// A value that is not −0: what may be added to a sum.
#[inline(always)]
pub(super) fn term(value: f32) -> f32 {
    value + 0.0
}

/// Number of a column, in as few bytes as the number of columns permits.
pub(super) trait Column: bytemuck::Pod + Send + Sync {
    /// Sums that are kept at least, so that every number of this type has one and need not be checked.
    const SUMS: usize;

    /// # Panics
    /// When the type is too narrow.
    fn of(column: u32) -> Self;

    fn at(self) -> usize;

    /// # Panics
    /// When there is no such sum.
    fn add(sums: &mut [f32], columns: &[Self], terms: impl Iterator<Item = f32>);
}

impl Column for u16 {
    const SUMS: usize = 1 << 16;

    #[inline(always)]
    fn of(column: u32) -> Self {
        Self::try_from(column).expect("no more than 65,536 columns")
    }

    #[inline(always)]
    fn at(self) -> usize {
        usize::from(self)
    }

    #[inline(always)]
    fn add(sums: &mut [f32], columns: &[Self], terms: impl Iterator<Item = f32>) {
        let sums: &mut [f32; Self::SUMS] = sums.first_chunk_mut().expect("a sum for every number");
        for (column, term) in columns.iter().zip(terms) {
            sums[column.at()] += term;
        }
    }
}

impl Column for u32 {
    const SUMS: usize = 0;

    #[inline(always)]
    fn of(column: u32) -> Self {
        column
    }

    #[inline(always)]
    fn at(self) -> usize {
        self as usize
    }

    #[inline(always)]
    fn add(sums: &mut [f32], columns: &[Self], terms: impl Iterator<Item = f32>) {
        for (column, term) in columns.iter().zip(terms) {
            sums[column.at()] += term;
        }
    }
}

/// How the columns that a row's terms were added to are found again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Search {
    /// See [`RowOfSums::note`].
    Noted,
    /// See [`RowOfSums::mark`].
    Marked,
    /// By looking at every column.
    All,
}

/// The sums of one row. Between two rows all are untouched and nothing is noted or marked.
pub(super) struct RowSums {
    sums: Vec<f32>,
    groups: usize,
    /// A bit a column, for rows with few terms.
    noted: Vec<u64>,
    /// A bit a word of `noted`.
    words: Vec<u64>,
    /// A byte for each [`LANES`] columns, not 0 where one of them is marked.
    marked: Vec<u8>,
}

impl RowSums {
    pub(super) fn new<C: Column>(columns: usize) -> Self {
        let groups = columns.div_ceil(GROUP);
        Self {
            sums: vec![UNTOUCHED; (groups * GROUP).max(C::SUMS)],
            groups,
            noted: vec![0; groups],
            words: vec![0; groups.div_ceil(GROUP)],
            marked: vec![0; (groups * GROUP / LANES).next_multiple_of(MARKS)],
        }
    }

    /// The sums of one row by themselves: a loop over its neighbours keeps their places in registers.
    #[inline(always)]
    pub(super) fn row(&mut self) -> RowOfSums<'_> {
        let Self { sums, noted, words, marked, .. } = self;
        RowOfSums { sums, noted, words, marked }
    }

    /// Takes out all sums that were added to, times `scale`, in ascending order of their columns; their number. Up to
    /// [`SPARE`] places behind the last one are overwritten.
    #[inline(always)]
    pub(super) fn list(
        &mut self,
        search: Search,
        lanes: impl Lanes,
        scale: f32,
        columns: &mut [u32],
        values: &mut [f32],
    ) -> usize {
        match search {
            Search::Noted => self.list_noted(scale, columns, values),
            Search::Marked => self.list_marked(lanes, scale, columns, values),
            Search::All => self.list_all(lanes, scale, columns, values),
        }
    }

    #[inline(always)]
    fn list_marked(&mut self, lanes: impl Lanes, scale: f32, columns: &mut [u32], values: &mut [f32]) -> usize {
        let (sums, _) = self.sums.as_chunks_mut();
        let (marked, _) = self.marked.as_chunks_mut::<MARKS>();
        let mut total = 0;
        for (at, marks) in marked.iter_mut().enumerate() {
            let mut marks = u64::from_le_bytes(mem::take(marks));
            while marks != 0 {
                let chunk = at * MARKS + marks.trailing_zeros() as usize / 8;
                marks &= marks - 1;
                total +=
                    lanes.list(chunk, &mut sums[chunk..=chunk], scale, &mut columns[total..], &mut values[total..]);
            }
        }
        total
    }

    #[inline(always)]
    fn list_noted(&mut self, scale: f32, columns: &mut [u32], values: &mut [f32]) -> usize {
        let mut total = 0;
        for (at, words) in self.words.iter_mut().enumerate() {
            for word in ones(mem::take(words)) {
                let word = at * GROUP + word;
                for bit in ones(mem::take(&mut self.noted[word])) {
                    let column = word * GROUP + bit;
                    columns[total] = column as u32;
                    values[total] = scale * mem::replace(&mut self.sums[column], UNTOUCHED);
                    total += 1;
                }
            }
        }
        total
    }

    #[inline(always)]
    fn list_all(&mut self, lanes: impl Lanes, scale: f32, columns: &mut [u32], values: &mut [f32]) -> usize {
        let (sums, _) = self.sums[..self.groups * GROUP].as_chunks_mut();
        lanes.list(0, sums, scale, columns, values)
    }

    /// Takes out all sums to a dense row: `constant`, plus the sum times `scale` where there is one.
    #[inline(always)]
    pub(super) fn write_all(&mut self, scale: f32, constant: f32, out: &mut [f32]) {
        for (out, sum) in out.iter_mut().zip(&mut self.sums) {
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
    words: &'s mut [u64],
    marked: &'s mut [u8],
}

impl RowOfSums<'_> {
    /// Adds terms, none of them −0 (see [`term`]).
    #[inline(always)]
    pub(super) fn add<C: Column>(&mut self, columns: &[C], terms: impl Iterator<Item = f32>) {
        C::add(self.sums, columns, terms);
    }

    /// Notes columns for [`Search::Noted`].
    #[inline(always)]
    pub(super) fn note<C: Column>(&mut self, columns: &[C]) {
        for column in columns {
            let word = column.at() / GROUP;
            self.noted[word] |= 1 << (column.at() % GROUP);
            self.words[word / GROUP] |= 1 << (word % GROUP);
        }
    }

    /// Marks columns for [`Search::Marked`]: one store a column, where noting takes two loads and two stores.
    #[inline(always)]
    pub(super) fn mark<C: Column>(&mut self, columns: &[C]) {
        for column in columns {
            self.marked[column.at() / LANES] = 1;
        }
    }
}

/// The places of the ones, ascending.
#[inline(always)]
fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = (bits != 0).then(|| bits.trailing_zeros() as usize);
        bits &= bits.wrapping_sub(1);
        place
    })
}

/// What an instruction set does for the sums of a row.
pub(super) trait Lanes: Copy + Send + Sync {
    /// Fetches the first values to the nearest cache.
    fn prefetch<T>(self, values: &[T]);

    /// See [`RowSums::list`]; the first sums are those of the columns from `first · LANES` on.
    fn list(
        self,
        first: usize,
        sums: &mut [[f32; LANES]],
        scale: f32,
        columns: &mut [u32],
        values: &mut [f32],
    ) -> usize;
}

/// Any instruction set.
#[derive(Clone, Copy)]
pub(super) struct Plain;

impl Lanes for Plain {
    #[inline(always)]
    fn prefetch<T>(self, _values: &[T]) {}

    #[inline(always)]
    fn list(
        self,
        first: usize,
        sums: &mut [[f32; LANES]],
        scale: f32,
        columns: &mut [u32],
        values: &mut [f32],
    ) -> usize {
        let mut total = 0;
        for (chunk, sums) in (first..).zip(sums) {
            let mut touched = 0;
            for (lane, sum) in sums.iter().enumerate() {
                touched |= u64::from(sum.to_bits() != UNTOUCHED.to_bits()) << lane;
            }
            for lane in ones(touched) {
                columns[total] = (chunk * LANES + lane) as u32;
                values[total] = scale * mem::replace(&mut sums[lane], UNTOUCHED);
                total += 1;
            }
        }
        total
    }
}

/// AVX-512: sixteen columns are compressed at a time, without a branch an entry.
#[cfg(target_arch = "x86_64")]
impl Lanes for pulp::x86::V4 {
    #[inline(always)]
    fn prefetch<T>(self, values: &[T]) {
        self.sse._mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(values.as_ptr().cast());
    }

    #[inline(always)]
    fn list(
        self,
        first: usize,
        sums: &mut [[f32; LANES]],
        scale: f32,
        columns: &mut [u32],
        values: &mut [f32],
    ) -> usize {
        let (avx, dq) = (self.avx512f, self.avx512dq);
        let untouched = avx._mm512_set1_epi32(UNTOUCHED.to_bits().cast_signed());
        let scale = avx._mm512_set1_ps(scale);
        let step = avx._mm512_set1_epi32(LANES as i32);
        let numbers = avx._mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        let mut numbers = avx._mm512_add_epi32(numbers, avx._mm512_set1_epi32((first * LANES) as i32));
        let mut total = 0;
        for sums in sums {
            let [low, high]: [[f32; HALF]; 2] = bytemuck::cast(mem::replace(sums, [UNTOUCHED; LANES]));
            let low = avx._mm512_castps256_ps512(bytemuck::cast(low));
            let found = dq._mm512_insertf32x8::<1>(low, bytemuck::cast(high));
            let touched = avx._mm512_cmpneq_epi32_mask(avx._mm512_castps_si512(found), untouched);
            let listed_values = avx._mm512_maskz_compress_ps(touched, avx._mm512_mul_ps(scale, found));
            let listed_columns = avx._mm512_maskz_compress_epi32(touched, numbers);
            put(columns, total, bytemuck::cast(avx._mm512_castsi512_si256(listed_columns)));
            put(values, total, bytemuck::cast(avx._mm512_castps512_ps256(listed_values)));
            let count = touched.count_ones() as usize;
            // Few columns of sixteen are touched in most rows, and half a store costs half as much.
            if count > HALF {
                put(columns, total + HALF, bytemuck::cast(dq._mm512_extracti32x8_epi32::<1>(listed_columns)));
                put(values, total + HALF, bytemuck::cast(dq._mm512_extractf32x8_ps::<1>(listed_values)));
            }
            total += count;
            numbers = avx._mm512_add_epi32(numbers, step);
        }
        total
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn put<T>(places: &mut [T], at: usize, values: [T; HALF]) {
    *places[at..].first_chunk_mut().expect("room behind a row's entries") = values;
}

#[cfg(test)]
mod tests {
    use super::*;

    type Way = fn(&mut RowSums, Search, &mut [u32], &mut [f32]) -> usize;

    /// Sums with every `every`-th column touched, some of them by zeros.
    fn filled(search: Search, columns: usize, every: usize) -> (RowSums, Vec<(u32, f32)>) {
        let mut sums = RowSums::new::<u32>(columns);
        let mut expected = Vec::new();
        for column in (every / 2..columns).step_by(every) {
            let value = if column % 3 == 0 { 0.0 } else { column as f32 - 40.0 };
            let mut row = sums.row();
            row.add(&[column as u32], std::iter::once(value));
            match search {
                Search::Noted => row.note(&[column as u32]),
                Search::Marked => row.mark(&[column as u32]),
                Search::All => {}
            }
            expected.push((column as u32, 0.5 * value));
        }
        (sums, expected)
    }

    /// Lists the same sums in each way that the machine has, twice: the second time nothing may be left.
    #[test]
    fn every_way_lists_the_same() {
        for columns in [1, 15, 16, 17, 63, 64, 65, 500, 5000] {
            for every in [1, 2, 3, 7, 40, 10_000] {
                let mut ways: Vec<Way> = vec![|sums, search, c, v| sums.list(search, Plain, 0.5, c, v)];
                #[cfg(target_arch = "x86_64")]
                if pulp::x86::V4::try_new().is_some() {
                    ways.push(|sums, search, c, v| {
                        sums.list(search, pulp::x86::V4::try_new().expect("checked"), 0.5, c, v)
                    });
                }
                for (at, way) in ways.iter().enumerate() {
                    for search in [Search::Noted, Search::Marked, Search::All] {
                        let what = format!("way {at}, {search:?}, {columns} columns, every {every}");
                        let (mut sums, expected) = filled(search, columns, every);
                        let (mut numbers, mut values) = (vec![9; columns + SPARE], vec![9.0; columns + SPARE]);
                        let found = way(&mut sums, search, &mut numbers, &mut values);
                        let listed: Vec<_> =
                            numbers[..found].iter().copied().zip(values[..found].iter().copied()).collect();
                        assert_eq!(listed, expected, "{what}");
                        assert!(sums.sums.iter().all(|sum| sum.to_bits() == UNTOUCHED.to_bits()), "{what}");
                        assert_eq!(way(&mut sums, search, &mut numbers, &mut values), 0, "{what}, again");
                        assert!(sums.marked.iter().all(|&mark| mark == 0), "{what}");
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

    #[test]
    fn a_negative_zero_is_no_term() {
        assert_eq!(term(-0.0).to_bits(), 0f32.to_bits());
        assert_eq!(term(-1e-40).to_bits(), (-1e-40f32).to_bits());
        let mut sums = RowSums::new::<u16>(3);
        sums.row().add(&[1u16, 1, 2], [term(-0.0), term(-0.0), term(0.0)].into_iter());
        let (mut columns, mut values) = ([0; 3 + SPARE], [1.0; 3 + SPARE]);
        assert_eq!(sums.list(Search::All, Plain, 1.0, &mut columns, &mut values), 2);
        assert_eq!((columns[0], columns[1]), (1, 2));
    }
}
