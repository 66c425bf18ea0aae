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
    fn zeros(length: usize) -> Self {
        let bytes = length.saturating_mul(size_of::<T>());
        let own = if bytes < LARGE { None } else { own_pages(bytes) };
        own.map_or_else(|| Self::Heap(vec![T::zeroed(); length]), Self::Own)
    }

    fn values(&self) -> &[T] {
        match self {
            Self::Heap(values) => values,
            Self::Own(pages) => bytemuck::cast_slice(pages),
        }
    }

    fn values_mut(&mut self) -> &mut [T] {
        match self {
            Self::Heap(values) => values,
            Self::Own(pages) => bytemuck::cast_slice_mut(pages),
        }
    }
}

impl<T: Pod> Clone for Memory<T> {
    fn clone(&self) -> Self {
        let mut copy = Self::zeros(self.values().len());
        copy.values_mut().copy_from_slice(self.values());
        copy
    }
}

impl<T: Pod> Pages<T> {
    /// `length` zeros. The system's pages are zero before anybody writes to them, so nothing is written here.
    pub(crate) fn zeros(length: usize) -> Self {
        Self { memory: Arc::new(Memory::zeros(length)), length }
    }

    /// `length` values of any content: in this memory where it is large enough and nobody shares it, else in new.
    pub(crate) fn reused(mut self, length: usize) -> Self {
        match Arc::get_mut(&mut self.memory) {
            Some(memory) if memory.values().len() >= length => Self { length, ..self },
            _ => Self::zeros(length),
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
