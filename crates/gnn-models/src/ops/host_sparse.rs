//! The product of a sparse matrix with more rows of a dense one than a cache holds.
//!
//! Row by row such a product gathers from all over the dense matrix. Here all rows of the sparse one take what they need
//! of a block of the dense one, which lies in a near cache, before the next block is touched. The sums are the same in
//! the same order, so which way is taken cannot be seen in the result.

use super::host::{RowWork, dispatch};
use graph_denoise::kernel;
use pulp::Simd;
use rayon::prelude::*;
use std::ops::Range;

/// Bytes of the dense matrix up to which gathering is cheap.
const NEAR: usize = 1 << 20;

/// Bytes of a block of it.
const BLOCK: usize = 1 << 18;

/// Entries of a row in a block, in the mean, below which the blocks cost more than they save.
const ENTRIES: usize = 8;

/// A CSR matrix, its columns in order in each row.
#[derive(Clone, Copy)]
pub(super) struct Csr<'a> {
    pub(super) indptr: &'a [i32],
    pub(super) indices: &'a [i32],
    pub(super) values: &'a [f32],
}

impl Csr<'_> {
    fn rows(self) -> usize {
        self.indptr.len() - 1
    }
}

/// A · x, where `x` has `width` columns.
pub(super) fn product(a: Csr<'_>, x: &[f32], width: usize) -> Vec<f32> {
    let mut out = vec![0f32; a.rows() * width];
    let blocks = size_of_val(x).div_ceil(BLOCK);
    if size_of_val(x) > NEAR && a.indices.len() / ENTRIES > a.rows() * blocks {
        by_blocks(a, x, width, &mut out);
    } else {
        kernel::spmm(a.indptr, a.indices, a.values, x, width, &mut out);
    }
    out
}

/// Adds to `out`, which is zero. Each thread has rows of its own, about equally many entries.
fn by_blocks(a: Csr<'_>, x: &[f32], width: usize, out: &mut [f32]) {
    let work = Work { a, x, width, block: (BLOCK / (width * size_of::<f32>())).max(1) };
    let pieces = match rayon::current_num_threads() {
        1 => 1,
        threads => 4 * threads,
    };
    let mut parts = Vec::with_capacity(pieces);
    let (mut first, mut rest) = (0, out);
    for piece in 1..=pieces {
        let goal = (a.indices.len() / pieces * piece) as i32;
        let end = if piece == pieces { a.rows() } else { a.indptr[..a.rows()].partition_point(|&start| start < goal) };
        let (part, after) = std::mem::take(&mut rest).split_at_mut((end - first) * width);
        parts.push((first..end, part));
        (first, rest) = (end, after);
    }
    parts.into_par_iter().for_each(|(rows, part)| dispatch(&work, rows, part));
}

struct Work<'a> {
    a: Csr<'a>,
    x: &'a [f32],
    width: usize,
    /// Rows of x in a block.
    block: usize,
}

impl RowWork for Work<'_> {
    #[inline(always)]
    fn run<S: Simd>(&self, _: S, rows: Range<usize>, out: &mut [f32]) {
        // The usual widths, known to the compiler.
        match self.width {
            16 => self.whole_rows::<16>(rows, out),
            64 => self.whole_rows::<64>(rows, out),
            _ => self.parts(rows, out),
        }
    }
}

impl Work<'_> {
    #[inline(always)]
    fn whole_rows<const W: usize>(&self, rows: Range<usize>, out: &mut [f32]) {
        let Csr { indptr, indices, values } = self.a;
        let ((x, _), (out, _)) = (self.x.as_chunks::<W>(), out.as_chunks_mut::<W>());
        let mut next: Vec<usize> = indptr[rows.clone()].iter().map(|&start| start as usize).collect();
        for limit in (self.block..x.len() + self.block).step_by(self.block) {
            for ((row, next), out) in rows.clone().zip(&mut next).zip(&mut *out) {
                let left = *next..indptr[row + 1] as usize;
                let mut sums = *out;
                for (&index, &value) in indices[left.clone()].iter().zip(&values[left]) {
                    let index = index as usize;
                    if index >= limit {
                        break;
                    }
                    let x = &x[index];
                    for k in 0..W {
                        sums[k] += value * x[k];
                    }
                    *next += 1;
                }
                *out = sums;
            }
        }
    }

    #[inline(always)]
    fn parts(&self, rows: Range<usize>, out: &mut [f32]) {
        let Csr { indptr, indices, values } = self.a;
        let mut next: Vec<usize> = indptr[rows.clone()].iter().map(|&start| start as usize).collect();
        for limit in (self.block..self.x.len() / self.width + self.block).step_by(self.block) {
            for ((row, next), out) in rows.clone().zip(&mut next).zip(out.chunks_exact_mut(self.width)) {
                let left = *next..indptr[row + 1] as usize;
                // Step by step: a binary search would fetch places that nobody needs.
                let count = indices[left.clone()].iter().take_while(|&&index| (index as usize) < limit).count();
                let range = left.start..left.start + count;
                *next = range.end;
                let (indices, values) = (&indices[range.clone()], &values[range]);
                let mut first = 0;
                while first < self.width {
                    first += match self.width - first {
                        64.. => self.add::<64>(indices, values, first, out),
                        16.. => self.add::<16>(indices, values, first, out),
                        4.. => self.add::<4>(indices, values, first, out),
                        _ => self.add::<1>(indices, values, first, out),
                    };
                }
            }
        }
    }

    /// Adds `W` columns' products of some entries of a row; gives `W` back.
    #[inline(always)]
    fn add<const W: usize>(&self, indices: &[i32], values: &[f32], first: usize, out: &mut [f32]) -> usize {
        let out: &mut [f32; W] = out[first..].first_chunk_mut().expect("so many columns are left");
        let mut sums = *out;
        for (&index, &value) in indices.iter().zip(values) {
            let x: &[f32; W] = self.x[index as usize * self.width + first..].first_chunk().expect("a whole row");
            for k in 0..W {
                sums[k] += value * x[k];
            }
        }
        *out = sums;
        W
    }
}

#[cfg(test)]
mod tests {
    use super::{Csr, product};
    use graph_denoise::{CsrMatrix, kernel};

    fn arrays(matrix: &CsrMatrix) -> (Vec<i32>, Vec<i32>, Vec<f32>) {
        let indptr = matrix.indptr().iter().map(|&start| start as i32).collect();
        let indices = matrix.indices().iter().map(|&column| column as i32).collect();
        (indptr, indices, matrix.values().to_vec())
    }

    /// Widths and threads at which it is taken, and at which it is not.
    #[test]
    fn block_by_block_gives_the_bytes_of_row_by_row() {
        let (nodes, dimensions) = (17_000, 40);
        let mut next = 1u64;
        let mut random = || {
            next = next.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (next >> 40) as f32 / (1u64 << 24) as f32
        };
        let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for _ in 0..nodes {
            for column in 0..dimensions {
                if random() < 0.1 {
                    indices.push(column);
                    values.push(random() - 0.5);
                }
            }
            indptr.push(indices.len());
        }
        let matrix = CsrMatrix::new(dimensions as usize, indptr, indices, values).expect("a valid matrix");
        let transpose = matrix.transpose();
        let backward = arrays(&transpose);
        for width in [48, 64, 71, 256, 8, 16] {
            let x: Vec<f32> = (0..nodes * width).map(|_| random() - 0.5).collect();
            let mut right = vec![0f32; dimensions as usize * width];
            kernel::spmm(&backward.0, &backward.1, &backward.2, &x, width, &mut right);
            let a = Csr { indptr: &backward.0, indices: &backward.1, values: &backward.2 };
            for threads in [1, 2, 3] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
                assert!(right == pool.install(|| product(a, &x, width)), "{width} columns, {threads} threads");
            }
        }
    }
}
