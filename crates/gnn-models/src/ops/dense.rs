//! The first layer's products with dense features, which are read where they stand: no copy, no transpose.
//!
//! Both run over 16 columns of the narrow side at a time, held in registers. Every number is one sum in the order of
//! the wide side, with separate multiply and add, so results do not depend on threads or on the instruction set.

use super::host::{RowWork, in_chunks};
use graph_denoise::FeatureMatrix;
use std::ops::Range;

/// Columns of a panel.
const LANES: usize = 16;

/// Rows of X that share what is read of the other operand.
const ROWS: usize = 8;

/// Rows of X whose derivatives are added to a sum while it is in a register.
const DEPTH: usize = 8;

type Lanes = [f32; LANES];

/// X · W: `w` is dimensions × `width`, the result nodes × `width`.
pub(crate) fn product(x: &FeatureMatrix, w: &[f32], width: usize) -> Vec<f32> {
    struct Work<'a> {
        x: &'a FeatureMatrix,
        panels: Vec<Vec<Lanes>>,
        width: usize,
    }
    impl RowWork for Work<'_> {
        #[inline(always)]
        fn run(&self, rows: Range<usize>, out: &mut [f32]) {
            let columns = self.x.columns();
            let x = &self.x.as_slice()[rows.start * columns..rows.end * columns];
            for (x, out) in x.chunks(ROWS * columns).zip(out.chunks_mut(ROWS * self.width)) {
                for (number, panel) in self.panels.iter().enumerate() {
                    let first = number * LANES;
                    let lanes = LANES.min(self.width - first);
                    if x.len() == ROWS * columns {
                        let sums = rows_times_panel::<ROWS>(x, panel);
                        for (out, sum) in out.chunks_exact_mut(self.width).zip(&sums) {
                            out[first..first + lanes].copy_from_slice(&sum[..lanes]);
                        }
                    } else {
                        for (x, out) in x.chunks_exact(columns).zip(out.chunks_exact_mut(self.width)) {
                            let [sum] = rows_times_panel::<1>(x, panel);
                            out[first..first + lanes].copy_from_slice(&sum[..lanes]);
                        }
                    }
                }
            }
        }
    }
    let mut out = vec![0f32; x.rows() * width];
    if x.columns() > 0 {
        let work = Work { x, panels: panels(w, width), width };
        in_chunks(&mut out, width, 8 * ROWS, &work);
    }
    out
}

/// Xᵀ · G: `gradient` is nodes × `width`, the result dimensions × `width`.
pub(crate) fn transposed_product(x: &FeatureMatrix, gradient: &[f32], width: usize) -> Vec<f32> {
    struct Work<'a> {
        x: &'a FeatureMatrix,
        panels: Vec<Vec<Lanes>>,
        width: usize,
    }
    impl RowWork for Work<'_> {
        #[inline(always)]
        fn run(&self, dimensions: Range<usize>, out: &mut [f32]) {
            let columns = self.x.columns();
            let mut sums = vec![[0f32; LANES]; dimensions.len() * self.panels.len()];
            for (block, x) in self.x.as_slice().chunks(DEPTH * columns).enumerate() {
                for (panel, sums) in self.panels.iter().zip(sums.chunks_exact_mut(dimensions.len())) {
                    let gradients = &panel[block * DEPTH..];
                    if x.len() == DEPTH * columns {
                        add_outer_products::<DEPTH>(x, dimensions.clone(), gradients, sums);
                    } else {
                        for (x, gradient) in x.chunks_exact(columns).zip(gradients.chunks_exact(1)) {
                            add_outer_products::<1>(x, dimensions.clone(), gradient, sums);
                        }
                    }
                }
            }
            for (number, sums) in sums.chunks_exact(dimensions.len()).enumerate() {
                let first = number * LANES;
                let lanes = LANES.min(self.width - first);
                for (out, sum) in out.chunks_exact_mut(self.width).zip(sums) {
                    out[first..first + lanes].copy_from_slice(&sum[..lanes]);
                }
            }
        }
    }
    let mut out = vec![0f32; x.columns() * width];
    if x.rows() > 0 {
        // Few enough dimensions that their sums stay in the nearest cache.
        let at_once = (256 * LANES / width.max(LANES)).max(LANES);
        let work = Work { x, panels: panels(gradient, width), width };
        in_chunks(&mut out, width, at_once, &work);
    }
    out
}

/// The rows of `matrix`, cut into panels of 16 columns, filled up with zeros.
fn panels(matrix: &[f32], width: usize) -> Vec<Vec<Lanes>> {
    let panel = |first: usize| {
        let lanes = LANES.min(width - first);
        let row = |row: &[f32]| {
            let mut padded = [0f32; LANES];
            padded[..lanes].copy_from_slice(&row[first..first + lanes]);
            padded
        };
        matrix.chunks_exact(width).map(row).collect()
    };
    (0..width).step_by(LANES).map(panel).collect()
}

/// `N` rows of X times a panel.
#[inline(always)]
fn rows_times_panel<const N: usize>(x: &[f32], panel: &[Lanes]) -> [Lanes; N] {
    let columns = panel.len();
    let rows: [&[f32]; N] = std::array::from_fn(|row| &x[row * columns..][..columns]);
    let mut sums = [[0f32; LANES]; N];
    for (k, weights) in panel.iter().enumerate() {
        for row in 0..N {
            let value = rows[row][k];
            for lane in 0..LANES {
                sums[row][lane] += value * weights[lane];
            }
        }
    }
    sums
}

/// Adds `N` rows of X, transposed, times their gradients.
#[inline(always)]
fn add_outer_products<const N: usize>(x: &[f32], dimensions: Range<usize>, gradients: &[Lanes], sums: &mut [Lanes]) {
    let columns = x.len() / N;
    let rows: [&[f32]; N] = std::array::from_fn(|row| &x[row * columns..][dimensions.clone()]);
    let gradients: &[Lanes; N] = gradients.first_chunk().expect("one gradient a row");
    for (at, sums) in sums.iter_mut().enumerate().take(dimensions.len()) {
        let mut sum = *sums;
        for row in 0..N {
            let value = rows[row][at];
            for lane in 0..LANES {
                sum[lane] += value * gradients[row][lane];
            }
        }
        *sums = sum;
    }
}

#[cfg(test)]
mod tests {
    use super::{product, transposed_product};
    use graph_denoise::FeatureMatrix;

    fn numbers(count: usize, step: usize) -> Vec<f32> {
        (0..count).map(|at| ((at * step + 7) % 103) as f32 / 51.0 - 1.0).collect()
    }

    /// Against sums in f64, at sizes around the blocks' and panels'.
    #[test]
    fn both_products_are_the_sums_that_define_them() {
        for (rows, columns, width) in [(1, 1, 1), (7, 5, 3), (8, 300, 16), (9, 17, 17), (40, 600, 33), (65, 31, 64)] {
            let x = FeatureMatrix::new(rows, columns, numbers(rows * columns, 31)).expect("finite");
            let (w, g) = (numbers(columns * width, 17), numbers(rows * width, 29));
            let (xw, xg) = (product(&x, &w, width), transposed_product(&x, &g, width));
            for column in 0..width {
                for row in 0..rows {
                    let of = |k: usize| f64::from(x.row(row)[k]) * f64::from(w[k * width + column]);
                    let right: f64 = (0..columns).map(of).sum();
                    let found = f64::from(xw[row * width + column]);
                    assert!((found - right).abs() < 1e-4, "X W, {rows} × {columns} × {width}: {found} for {right}");
                }
                for k in 0..columns {
                    let of = |row: usize| f64::from(x.row(row)[k]) * f64::from(g[row * width + column]);
                    let right: f64 = (0..rows).map(of).sum();
                    let found = f64::from(xg[k * width + column]);
                    assert!((found - right).abs() < 1e-4, "Xᵀ G, {rows} × {columns} × {width}: {found} for {right}");
                }
            }
        }
    }

    #[test]
    fn same_bytes_at_any_number_of_threads() {
        let x = FeatureMatrix::new(500, 700, numbers(350_000, 31)).expect("finite");
        let (w, g) = (numbers(700 * 20, 17), numbers(500 * 20, 29));
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started");
            pool.install(|| (product(&x, &w, 20), transposed_product(&x, &g, 20)))
        };
        assert!(run(1) == run(2) && run(1) == run(5));
    }
}
