//! The product of a wide sparse matrix with more rows of a dense one than a cache holds.
//!
//! Row by row such a product gathers from all over the dense matrix. Column by column of the sparse one it reads the
//! dense matrix once, in order, and adds to a small result, of which each thread has some columns to itself. The sums
//! are the same in the same order, so which way is taken cannot be seen in the result.

use super::host::{RowWork, dispatch};
use graph_denoise::kernel;
use rayon::prelude::*;
use std::ops::Range;

/// Bytes of the dense matrix up to which gathering is cheap.
const NEAR: usize = 1 << 20;

/// Columns of the result that a thread has to itself. With fewer, reading the entries once for each costs too much.
const COLUMNS: usize = 64;

/// Bytes of those columns that stay near.
const SLICE: usize = 1 << 19;

/// A CSR matrix.
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

/// A · x, where `x` has `width` columns and both orientations of A are at hand.
pub(super) fn product(a: Csr<'_>, transposed: Csr<'_>, x: &[f32], width: usize) -> Vec<f32> {
    let far = size_of_val(x) > NEAR && a.rows() < transposed.rows() && a.indices.len() > transposed.rows();
    let near = a.rows() * COLUMNS * size_of::<f32>() <= SLICE;
    if far && near && width.is_multiple_of(COLUMNS) && width / COLUMNS >= rayon::current_num_threads() {
        return by_columns(transposed, a.rows(), x, width);
    }
    let mut out = vec![0f32; a.rows() * width];
    kernel::spmm(a.indptr, a.indices, a.values, x, width, &mut out);
    out
}

fn by_columns(transposed: Csr<'_>, rows: usize, x: &[f32], width: usize) -> Vec<f32> {
    struct Work<'a> {
        transposed: Csr<'a>,
        x: &'a [f32],
        width: usize,
    }
    impl RowWork for Work<'_> {
        /// `columns` of all rows.
        #[inline(always)]
        fn run(&self, columns: Range<usize>, out: &mut [f32]) {
            let Csr { indptr, indices, values } = self.transposed;
            let (out, _) = out.as_chunks_mut::<COLUMNS>();
            for (row, x) in self.x.chunks_exact(self.width).enumerate() {
                let x: &[f32; COLUMNS] = x[columns.start..].first_chunk().expect("whole slices");
                let range = indptr[row] as usize..indptr[row + 1] as usize;
                for (&index, &value) in indices[range.clone()].iter().zip(&values[range]) {
                    let out = &mut out[index as usize];
                    for k in 0..COLUMNS {
                        out[k] += value * x[k];
                    }
                }
            }
        }
    }
    let work = Work { transposed, x, width };
    let slices: Vec<Vec<f32>> = (0..width / COLUMNS)
        .into_par_iter()
        .map(|number| {
            let mut out = vec![0f32; rows * COLUMNS];
            dispatch(&work, number * COLUMNS..(number + 1) * COLUMNS, &mut out);
            out
        })
        .collect();
    let mut out = vec![0f32; rows * width];
    for (row, out) in out.chunks_exact_mut(width).enumerate() {
        for (out, slice) in out.chunks_exact_mut(COLUMNS).zip(&slices) {
            out.copy_from_slice(&slice[row * COLUMNS..][..COLUMNS]);
        }
    }
    out
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
    fn column_by_column_gives_the_bytes_of_row_by_row() {
        let (nodes, dimensions) = (6000, 40);
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
        let (forward, backward) = (arrays(&matrix), arrays(&transpose));
        for width in [64, 256, 192, 48] {
            let x: Vec<f32> = (0..nodes * width).map(|_| random() - 0.5).collect();
            let mut right = vec![0f32; dimensions as usize * width];
            kernel::spmm(&backward.0, &backward.1, &backward.2, &x, width, &mut right);
            let a = Csr { indptr: &backward.0, indices: &backward.1, values: &backward.2 };
            let transposed = Csr { indptr: &forward.0, indices: &forward.1, values: &forward.2 };
            for threads in [1, 2, 3] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
                assert!(
                    right == pool.install(|| product(a, transposed, &x, width)),
                    "{width} columns, {threads} threads"
                );
            }
        }
    }
}
