//! What an instruction set does for the sums of a row.

use std::mem;

use pulp::{Arch, NullaryFnOnce};

use super::row_sums::{GROUP, Group, UNTOUCHED};

/// Entries that are written at a time.
const AT_ONCE: usize = 16;

/// Room that listing a row needs behind its entries.
pub(super) const SPARE: usize = AT_ONCE;

pub(super) trait Lanes: Copy + Send + Sync {
    /// Fetches the first values to the nearest cache.
    fn prefetch<T>(self, values: &[T]);

    /// A bit a number that is not 0.
    fn not_zero(self, numbers: &[u64; GROUP]) -> u64;

    /// Takes out the sums that were added to, times `scale`, in ascending order of their columns; their number. Up to
    /// [`SPARE`] places behind the last one are overwritten.
    fn list(self, sums: &mut [Group], scale: f32, columns: &mut [u32], values: &mut [f32]) -> usize;
}

/// What is done with whatever instruction set the machine has.
pub(super) trait Task {
    fn run(self, lanes: impl Lanes);
}

/// Does it, compiled for that instruction set.
pub(super) fn with_lanes(task: impl Task) {
    #[cfg(target_arch = "x86_64")]
    if let Some(lanes) = x86::Avx512::try_new() {
        return lanes.vectorize(Call { task, lanes });
    }
    Arch::new().dispatch(Call { task, lanes: Plain });
}

struct Call<T, L> {
    task: T,
    lanes: L,
}

impl<T: Task, L: Lanes> NullaryFnOnce for Call<T, L> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.task.run(self.lanes);
    }
}

/// Any instruction set.
#[derive(Clone, Copy)]
pub(super) struct Plain;

impl Lanes for Plain {
    #[inline(always)]
    fn prefetch<T>(self, _values: &[T]) {}

    #[inline(always)]
    fn not_zero(self, numbers: &[u64; GROUP]) -> u64 {
        bits(numbers, |&number| number != 0)
    }

    #[inline(always)]
    fn list(self, sums: &mut [Group], scale: f32, columns: &mut [u32], values: &mut [f32]) -> usize {
        let mut total = 0;
        for (group, Group(sums)) in sums.iter_mut().enumerate() {
            for at in ones(bits(sums, |sum| sum.to_bits() != UNTOUCHED.to_bits())) {
                columns[total] = (group * GROUP + at) as u32;
                values[total] = scale * mem::replace(&mut sums[at], UNTOUCHED);
                total += 1;
            }
        }
        total
    }
}

/// A bit for each of a group of values.
#[inline(always)]
fn bits<T>(values: &[T; GROUP], is: impl Fn(&T) -> bool) -> u64 {
    values.iter().enumerate().fold(0, |bits, (at, value)| bits | u64::from(is(value)) << at)
}

/// The places of the ones, ascending.
#[inline(always)]
pub(super) fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = (bits != 0).then(|| bits.trailing_zeros() as usize);
        bits &= bits.wrapping_sub(1);
        place
    })
}

#[cfg(target_arch = "x86_64")]
pub(super) mod x86 {
    use std::arch::x86_64::*;

    use fearless_simd::Level;
    use pulp::x86::V4;

    use super::*;

    /// AVX-512 with instructions for bytes: Intel's cores from Ice Lake, AMD's from Zen 4 on.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Avx512 {
        lanes: V4,
        bytes: fearless_simd::Avx512,
    }

    impl Avx512 {
        pub(in super::super) fn try_new() -> Option<Self> {
            Some(Self { lanes: V4::try_new()?, bytes: Level::new().as_avx512()? })
        }

        pub(super) fn vectorize(self, task: impl NullaryFnOnce<Output = ()>) {
            self.lanes.vectorize(task);
        }
    }

    impl Lanes for Avx512 {
        #[inline(always)]
        fn prefetch<T>(self, values: &[T]) {
            self.lanes.sse._mm_prefetch::<_MM_HINT_T0>(values.as_ptr().cast());
        }

        #[inline(always)]
        fn not_zero(self, numbers: &[u64; GROUP]) -> u64 {
            let avx = self.lanes.avx512f;
            let (eights, _) = numbers.as_chunks();
            eights.iter().enumerate().fold(0, |bits, (at, &eight): (_, &[u64; 8])| {
                let eight = bytemuck::cast(eight);
                bits | u64::from(avx._mm512_test_epi64_mask(eight, eight)) << (8 * at)
            })
        }

        #[inline(always)]
        fn list(self, sums: &mut [Group], scale: f32, columns: &mut [u32], values: &mut [f32]) -> usize {
            list(self.bytes, sums, scale, columns, values)
        }
    }

    fearless_simd::kernel!(
        /// The numbers of a group's columns are compressed in one step, without a branch an entry, and its values taken
        /// where the numbers say.
        fn list(token: Avx512, sums: &mut [Group], scale: f32, columns: &mut [u32], values: &mut [f32]) -> usize {
            let _ = token;
            let untouched = _mm512_set1_epi32(UNTOUCHED.to_bits().cast_signed());
            let places = bytemuck::cast(std::array::from_fn::<_, GROUP, _>(|place| place as u8));
            let scale = _mm512_set1_ps(scale);
            let mut total = 0;
            for (group, sums) in sums.iter_mut().enumerate() {
                let sums: [__m512; 4] = bytemuck::cast(mem::replace(sums, Group::UNTOUCHED));
                let mut touched = 0;
                for (at, sums) in sums.into_iter().enumerate() {
                    let of_four = _mm512_cmpneq_epi32_mask(_mm512_castps_si512(sums), untouched);
                    touched |= u64::from(of_four) << (16 * at);
                }
                let listed: [[u8; AT_ONCE]; 4] = bytemuck::cast(_mm512_maskz_compress_epi8(touched, places));
                let count = touched.count_ones() as usize;
                let base = _mm512_set1_epi32((group * GROUP) as i32);
                for (at, listed) in (total..total + count).step_by(AT_ONCE).zip(listed) {
                    let listed = _mm512_cvtepu8_epi32(bytemuck::cast(listed));
                    // A number's low five bits choose of two vectors, the sixth says of which two.
                    let low = _mm512_permutex2var_ps(sums[0], listed, sums[1]);
                    let high = _mm512_permutex2var_ps(sums[2], listed, sums[3]);
                    let is_high = _mm512_test_epi32_mask(listed, _mm512_set1_epi32(32));
                    let sum = _mm512_mask_blend_ps(is_high, low, high);
                    put(values, at, bytemuck::cast(_mm512_mul_ps(scale, sum)));
                    put(columns, at, bytemuck::cast(_mm512_add_epi32(base, listed)));
                }
                total += count;
            }
            total
        }
    );

    #[inline(always)]
    fn put<T>(places: &mut [T], at: usize, values: [T; AT_ONCE]) {
        *places[at..].first_chunk_mut().expect("room behind a row's entries") = values;
    }
}
