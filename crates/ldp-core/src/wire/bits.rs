//! Fields of any number of bits, least significant first.

use alloc::vec::Vec;

use crate::Error;

/// Packs numbers bit by bit.
#[derive(Debug)]
pub struct BitWriter {
    bytes: Vec<u8>,
    free: u32,
}

impl BitWriter {
    pub(super) fn after(bytes: Vec<u8>) -> Self {
        Self { bytes, free: 0 }
    }

    /// Appends the lowest `count` ≤ 64 bits of `value`.
    pub fn put(&mut self, value: u64, count: u32) {
        for bit in 0..count {
            if self.free == 0 {
                self.bytes.push(0);
                self.free = 8;
            }
            if let Some(last) = self.bytes.last_mut() {
                *last |= ((value >> bit & 1) as u8) << (8 - self.free);
            }
            self.free -= 1;
        }
    }

    pub(super) fn finish(mut self, length: usize) -> Vec<u8> {
        self.bytes.resize(length.max(self.bytes.len()), 0);
        self.bytes
    }
}

/// Unpacks what [`BitWriter`] packed.
#[derive(Debug)]
pub struct BitReader<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl<'a> BitReader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, position: 0 }
    }

    /// The next `count` ≤ 64 bits.
    ///
    /// # Errors
    /// [`Error::Report`] when there are fewer.
    pub fn take(&mut self, count: u32) -> Result<u64, Error> {
        let mut value = 0;
        for bit in 0..count {
            let byte = self.bytes.get(self.position / 8).ok_or(Error::Report { what: "too short" })?;
            value |= u64::from(byte >> (self.position % 8) & 1) << bit;
            self.position += 1;
        }
        Ok(value)
    }

    pub(super) fn rest_is_zero(&mut self) -> bool {
        let left = self.bytes.len() * 8 - self.position;
        (0..left).all(|_| self.take(1) == Ok(0))
    }
}

/// Bits that hold the numbers 0 … `largest`.
pub(super) fn width(largest: u64) -> u32 {
    u64::BITS - largest.leading_zeros()
}
