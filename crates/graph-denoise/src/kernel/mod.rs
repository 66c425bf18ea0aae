//! The sparse product, on plain slices, for every crate that needs one.
//!
//! Each output number is a sum over one CSR row, taken in the order of the row, by one thread, with separate multiply
//! and add (no fused operation). So the result is the same bytes at any number of threads, any width, any block of
//! columns and any instruction set; which of SSE2, AVX2 and AVX-512 runs is chosen at run time.

mod row_blocks;
mod spmm;

pub(crate) use row_blocks::{row_blocks, split_by, split_rows};
pub use spmm::{Index, spmm};
