//! The first layer's products with dense features, which are read where they stand: no copy, no transpose.
//!
//! Matrix libraries pack both operands first, which costs more than it saves where one side is 16 columns wide and the
//! other is read once. Every number is one chain of fused multiply-adds in the order of the wide side, so results do not
//! depend on threads or on the instruction set; a processor that cannot fuse them is much slower.

mod tile;

use graph_denoise::FeatureMatrix;
use pulp::{Arch, WithSimd};
use rayon::prelude::*;
use std::borrow::Cow;
use tile::{Backward, Forward};

/// Both products work on rows that are multiples of this, filled up with zeros.
const LANES: usize = 16;

/// Nodes of a piece of work, a multiple of each tile's.
const NODES: usize = 96;

/// Features of a piece of work at most: whole pages, which a processor fetches ahead.
const FEATURES: usize = 768;

/// A multiple of the features of each tile.
const TILES: usize = 24;

/// X · W: `w` is dimensions × `width`, the result nodes × `width`.
pub(crate) fn product(x: &FeatureMatrix, w: &[f32], width: usize) -> Vec<f32> {
    let columns = x.columns();
    if columns == 0 {
        return vec![0f32; x.rows() * width];
    }
    let (w, padded) = padded(w, width);
    let mut out = vec![0f32; x.rows() * padded];
    in_pieces(&mut out, NODES * padded, |piece, out| {
        let first = piece * NODES * columns;
        let x = &x.as_slice()[first..first + out.len() / padded * columns];
        Forward { x, columns, w: &w, width: padded, out }
    });
    cut(out, padded, width)
}

/// Xᵀ · G: `gradient` is nodes × `width`, the result dimensions × `width`.
pub(crate) fn transposed_product(x: &FeatureMatrix, gradient: &[f32], width: usize) -> Vec<f32> {
    let columns = x.columns();
    if columns == 0 {
        return Vec::new();
    }
    let (gradient, padded) = padded(gradient, width);
    let mut out = vec![0f32; columns * padded];
    // As many pieces for each thread, of whole tiles.
    let pieces = columns.div_ceil(FEATURES).next_multiple_of(rayon::current_num_threads());
    let features = columns.div_ceil(pieces).next_multiple_of(TILES);
    in_pieces(&mut out, features * padded, |piece, out| {
        let first = piece * features;
        Backward { x: x.as_slice(), columns, first, gradient: &gradient, width: padded, out }
    });
    cut(out, padded, width)
}

/// Runs `work` on each piece of `out`, by its number.
fn in_pieces<'a, W: WithSimd>(out: &'a mut [f32], size: usize, work: impl Fn(usize, &'a mut [f32]) -> W + Sync) {
    let run = |(number, piece)| {
        Arch::new().dispatch(work(number, piece));
    };
    if out.len() <= size {
        return run((0, out));
    }
    out.par_chunks_mut(size).enumerate().for_each(run);
}

/// The rows of `matrix`, filled up with zeros to whole vectors, and how long they are then.
fn padded(matrix: &[f32], width: usize) -> (Cow<'_, [f32]>, usize) {
    let padded = width.next_multiple_of(LANES);
    if padded == width {
        return (Cow::Borrowed(matrix), width);
    }
    let mut rows = vec![0f32; matrix.len() / width * padded];
    for (padded, row) in rows.chunks_exact_mut(padded).zip(matrix.chunks_exact(width)) {
        padded[..width].copy_from_slice(row);
    }
    (Cow::Owned(rows), padded)
}

/// Undoes [`padded`].
fn cut(mut rows: Vec<f32>, padded: usize, width: usize) -> Vec<f32> {
    if padded != width {
        for row in 0..rows.len() / padded {
            rows.copy_within(row * padded..row * padded + width, row * width);
        }
        rows.truncate(rows.len() / padded * width);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::tile::{Backward, Forward};
    use super::{product, transposed_product};
    use graph_denoise::FeatureMatrix;
    use pulp::{Scalar, Simd};

    fn numbers(count: usize, step: usize) -> Vec<f32> {
        (0..count).map(|at| ((at * step + 7) % 103) as f32 / 51.0 - 1.0).collect()
    }

    /// `found` is the sum of `terms` up to rounding, which a single missing term is not.
    fn assert_sum(found: f32, terms: impl Iterator<Item = (f32, f32)>, what: &str) {
        let terms = terms.map(|(a, b)| f64::from(a) * f64::from(b));
        let (sum, size) = terms.fold((0.0, 0.0), |(sum, size), term| (sum + term, size + term.abs()));
        let error = (f64::from(found) - sum).abs();
        assert!(error <= 1e-5 * size + 1e-7, "{what}: {found} for {sum}");
    }

    /// Against sums in f64, at sizes around the blocks', tiles' and vectors'.
    #[test]
    fn both_products_are_the_sums_that_define_them() {
        let small = [(1, 1, 1), (7, 5, 3), (8, 300, 16), (9, 17, 17), (40, 600, 33), (65, 31, 64), (13, 23, 48)];
        let large = [(97, 780, 20), (100, 1030, 16), (200, 523, 80), (31, 9, 100), (33, 1544, 256)];
        for (rows, columns, width) in small.into_iter().chain(large) {
            let x = FeatureMatrix::new(rows, columns, numbers(rows * columns, 31)).expect("finite");
            let (w, g) = (numbers(columns * width, 17), numbers(rows * width, 29));
            let (xw, xg) = (product(&x, &w, width), transposed_product(&x, &g, width));
            assert_eq!((xw.len(), xg.len()), (rows * width, columns * width));
            for column in 0..width {
                for row in 0..rows {
                    let terms = (0..columns).map(|k| (x.row(row)[k], w[k * width + column]));
                    assert_sum(xw[row * width + column], terms, &format!("X W, {rows} × {columns} × {width}"));
                }
                for k in 0..columns {
                    let terms = (0..rows).map(|row| (x.row(row)[k], g[row * width + column]));
                    assert_sum(xg[k * width + column], terms, &format!("Xᵀ G, {rows} × {columns} × {width}"));
                }
            }
        }
    }

    #[test]
    fn nothing_times_something_is_nothing() {
        let no_columns = FeatureMatrix::zeros(3, 0);
        assert_eq!(product(&no_columns, &[], 5), [0.0; 15]);
        assert!(transposed_product(&no_columns, &[1.0; 15], 5).is_empty());
        let no_rows = FeatureMatrix::zeros(0, 3);
        assert!(product(&no_rows, &[1.0; 15], 5).is_empty());
        assert_eq!(transposed_product(&no_rows, &[], 5), [0.0; 15]);
    }

    #[test]
    fn same_bytes_at_any_number_of_threads() {
        let x = FeatureMatrix::new(500, 1700, numbers(850_000, 31)).expect("finite");
        let (w, g) = (numbers(1700 * 20, 17), numbers(500 * 20, 29));
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started");
            pool.install(|| (product(&x, &w, 20), transposed_product(&x, &g, 20)))
        };
        assert!(run(1) == run(2) && run(1) == run(5));
    }

    /// Of one number, of AVX2 and of whatever the machine has.
    #[test]
    fn same_bytes_with_vectors_of_any_length() {
        let (rows, columns, width) = (50, 530, 112);
        let (x, w, g) = (numbers(rows * columns, 31), numbers(columns * width, 17), numbers(rows * width, 29));
        let matrix = FeatureMatrix::new(rows, columns, x.clone()).expect("finite");
        let right = (product(&matrix, &w, width), transposed_product(&matrix, &g, width));
        assert!(right == with(Scalar::new(), &x, &w, &g, width), "one number");
        #[cfg(target_arch = "x86_64")]
        if let Some(avx2) = pulp::x86::V3::try_new() {
            assert!(right == with(avx2, &x, &w, &g, width), "AVX2");
        }
    }

    fn with<S: Simd>(simd: S, x: &[f32], w: &[f32], gradient: &[f32], width: usize) -> (Vec<f32>, Vec<f32>) {
        let columns = w.len() / width;
        let (mut xw, mut xg) = (vec![0f32; gradient.len()], vec![0f32; w.len()]);
        simd.vectorize(Forward { x, columns, w, width, out: &mut xw });
        simd.vectorize(Backward { x, columns, first: 0, gradient, width, out: &mut xg });
        (xw, xg)
    }
}
