//! Fetching rows of a wide matrix before they are copied.
//!
//! A panel visits each row for a few hundred bytes, and each row lies on another page: without this, one page walk and
//! one latency of the memory follow the other.

/// Rows that are fetched before the one that is copied.
pub(super) const AHEAD: usize = 8;

/// Bytes that one fetch brings.
#[cfg(target_arch = "x86_64")]
const LINE: usize = 64;

/// Asks for values to be brought to the nearest cache; nothing where that cannot be asked for.
#[inline(always)]
pub(super) fn prefetch<T>(values: &[T]) {
    #[cfg(target_arch = "x86_64")]
    if let Some(base) = pulp::x86::V1::try_new() {
        for line in values.chunks(LINE / size_of::<T>()) {
            base.sse._mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(line.as_ptr().cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = values;
}
