//! Numbers in memory: large ones in huge pages, copies made when somebody writes.
//!
//! A result of hundreds of megabytes is written once. With pages of 4 KiB most of that time goes into page faults, and
//! a row of a wide matrix that is read later costs a page walk a visit; a page of 2 MiB costs one of each for 512 small
//! ones.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use bytemuck::Pod;
use memmap2::MmapMut;

/// Bytes from which on pages of their own are asked for: a huge page is then cleared in less time than 256 small ones are
/// brought in.
const LARGE: usize = 1 << 20;

/// Linux places a number of whole huge pages where they fit, and anything else wherever there is room.
const HUGE_PAGE: usize = 2 << 20;

/// A fixed number of values; from 1 MiB on in pages of their own, huge ones where the system has them. A clone shares
/// them until one of the two is written to.
#[derive(Debug, Clone)]
pub(crate) struct Pages<T> {
    memory: Arc<Memory<T>>,
    length: usize,
}

#[derive(Debug)]
enum Memory<T> {
    Heap(Vec<T>),
    Own(MmapMut),
}

impl<T: Pod> Memory<T> {
    /// `unit`: what the bytes of pages of their own are rounded up to.
    fn zeros(length: usize, unit: usize) -> Self {
        let bytes = length.saturating_mul(size_of::<T>());
        let own = if bytes < LARGE { None } else { bytes.checked_next_multiple_of(unit).and_then(own_pages) };
        own.map_or_else(|| Self::Heap(vec![T::zeroed(); length]), Self::Own)
    }

    fn values(&self) -> &[T] {
        match self {
            Self::Heap(values) => values,
            Self::Own(pages) => bytemuck::cast_slice(&pages[..whole::<T>(pages.len())]),
        }
    }

    fn values_mut(&mut self) -> &mut [T] {
        match self {
            Self::Heap(values) => values,
            Self::Own(pages) => {
                let bytes = whole::<T>(pages.len());
                bytemuck::cast_slice_mut(&mut pages[..bytes])
            }
        }
    }
}

impl<T: Pod> Clone for Memory<T> {
    fn clone(&self) -> Self {
        let mut copy = Self::zeros(self.values().len(), 1);
        copy.values_mut().copy_from_slice(self.values());
        copy
    }
}

impl<T: Pod> Pages<T> {
    /// `length` zeros. The system's pages are zero before anybody writes to them, so nothing is written here.
    pub(crate) fn zeros(length: usize) -> Self {
        Self { memory: Arc::new(Memory::zeros(length, 1)), length }
    }

    /// `length` zeros in whole huge pages: one page fault for 512, and up to 2 MiB more.
    pub(crate) fn zeros_in_huge(length: usize) -> Self {
        Self { memory: Arc::new(Memory::zeros(length, HUGE_PAGE)), length }
    }

    /// `length` values of any content: in this memory where it is large enough and nobody shares it, else in new (see
    /// [`Pages::zeros_in_huge`]).
    pub(crate) fn reused(mut self, length: usize) -> Self {
        match Arc::get_mut(&mut self.memory) {
            Some(memory) if memory.values().len() >= length => Self { length, ..self },
            _ => Self::zeros_in_huge(length),
        }
    }

    /// Keeps the first `length` values. The memory behind them stays reserved; what was never written was never taken.
    ///
    /// # Panics
    /// When there are fewer.
    pub(crate) fn truncate(&mut self, length: usize) {
        assert!(length <= self.length, "{length} of {} values", self.length);
        self.length = length;
    }

    /// Without a copy where they came from a vector and nobody shares them.
    pub(crate) fn into_vec(self) -> Vec<T> {
        match Arc::try_unwrap(self.memory) {
            Ok(Memory::Heap(mut values)) => {
                values.truncate(self.length);
                values
            }
            Ok(pages) => pages.values()[..self.length].to_vec(),
            Err(shared) => shared.values()[..self.length].to_vec(),
        }
    }
}

/// Bytes of the values that fit into `bytes`.
fn whole<T>(bytes: usize) -> usize {
    bytes - bytes % size_of::<T>()
}

/// Anonymous pages; `None` where the system gives none.
fn own_pages(bytes: usize) -> Option<MmapMut> {
    let pages = MmapMut::map_anon(bytes).ok()?;
    // Only a wish: without huge pages the numbers are the same.
    #[cfg(target_os = "linux")]
    let _ = pages.advise(memmap2::Advice::HugePage);
    Some(pages)
}

impl<T: Pod> Deref for Pages<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.memory.values()[..self.length]
    }
}

impl<T: Pod> DerefMut for Pages<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut Arc::make_mut(&mut self.memory).values_mut()[..self.length]
    }
}

impl<T> From<Vec<T>> for Pages<T> {
    fn from(values: Vec<T>) -> Self {
        Self { length: values.len(), memory: Arc::new(Memory::Heap(values)) }
    }
}

impl<T> Default for Pages<T> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<T: Pod + PartialEq> PartialEq for Pages<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values that fill their pages to the last byte, and values of which one would stand on two of them.
    fn all_can_be_written<T: Pod + PartialEq + std::fmt::Debug>(length: usize, value: T) {
        for mut pages in [Pages::zeros(length), Pages::zeros_in_huge(length)] {
            pages.fill(value);
            assert_eq!((pages.len(), pages[0], pages[length - 1]), (length, value, value));
            let more = pages.reused(length + LARGE);
            assert_eq!((more.len(), more[length + LARGE - 1]), (length + LARGE, T::zeroed()));
        }
    }

    #[test]
    fn every_value_has_its_place() {
        for bytes in [LARGE - 4, LARGE, HUGE_PAGE, HUGE_PAGE + 4, 2 * HUGE_PAGE] {
            all_can_be_written(bytes / 4, 7u32);
            all_can_be_written(bytes / 24, [7u64; 3]);
        }
    }
}
