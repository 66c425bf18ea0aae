//! Numbers in memory, large ones in huge pages.
//!
//! A result of hundreds of megabytes is written once. With pages of 4 KiB most of that time goes into page faults, and
//! a row of a wide matrix that is read later costs a page walk a visit; a page of 2 MiB costs one of each for 512 small
//! ones.

use std::ops::{Deref, DerefMut};

use bytemuck::Pod;
use memmap2::MmapMut;

/// Bytes from which on pages of their own are asked for.
const LARGE: usize = 2 << 20;

/// A fixed number of values; from 2 MiB on in pages of their own, huge ones where the system has them.
#[derive(Debug)]
pub(crate) struct Pages<T> {
    memory: Memory<T>,
    length: usize,
}

#[derive(Debug)]
enum Memory<T> {
    Heap(Vec<T>),
    Own(MmapMut),
}

impl<T: Pod> Pages<T> {
    /// `length` zeros. The system's pages are zero before anybody writes to them, so nothing is written here.
    pub(crate) fn zeros(length: usize) -> Self {
        let bytes = length.saturating_mul(size_of::<T>());
        let memory = if bytes < LARGE { None } else { own_pages(bytes) };
        Self { memory: memory.map_or_else(|| Memory::Heap(vec![T::zeroed(); length]), Memory::Own), length }
    }

    /// Keeps the first `length` values. The memory behind them stays reserved; what was never written was never taken.
    ///
    /// # Panics
    /// When there are fewer.
    pub(crate) fn truncate(&mut self, length: usize) {
        assert!(length <= self.length, "{length} of {} values", self.length);
        self.length = length;
        if let Memory::Heap(values) = &mut self.memory {
            values.truncate(length);
        }
    }

    pub(crate) fn into_vec(self) -> Vec<T> {
        match self.memory {
            Memory::Heap(values) => values,
            Memory::Own(_) => self.to_vec(),
        }
    }
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
        match &self.memory {
            Memory::Heap(values) => values,
            Memory::Own(pages) => bytemuck::cast_slice(&pages[..self.length * size_of::<T>()]),
        }
    }
}

impl<T: Pod> DerefMut for Pages<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.memory {
            Memory::Heap(values) => values,
            Memory::Own(pages) => bytemuck::cast_slice_mut(&mut pages[..self.length * size_of::<T>()]),
        }
    }
}

impl<T> Default for Pages<T> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<T> From<Vec<T>> for Pages<T> {
    fn from(values: Vec<T>) -> Self {
        Self { length: values.len(), memory: Memory::Heap(values) }
    }
}

impl<T: Pod> Clone for Pages<T> {
    fn clone(&self) -> Self {
        match &self.memory {
            Memory::Heap(values) => values.clone().into(),
            Memory::Own(_) => {
                let mut copy = Self::zeros(self.length);
                copy.copy_from_slice(self);
                copy
            }
        }
    }
}

impl<T: Pod + PartialEq> PartialEq for Pages<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}
