//! Small parts of a result held in registers while products are added to them.
//!
//! Every number of a result is one chain of fused multiply-adds in the order of the side that is summed over, whatever
//! the tile that it falls into. No loop stands in a closure, which the compiler may keep apart as code for the oldest
//! processor: ten times as slow.

use pulp::{Simd, WithSimd};

/// How many features a row gives at once: one bounds check for all of them.
const STEP: usize = 8;

/// Features that are worked off for all rows of a chunk before the next: their weights stay in the second cache.
const DEPTH: usize = 512;

/// Nodes whose derivatives are added before the next: few enough that a processor foresees where each row of X goes on.
const NODES: usize = 16;

/// out += X · W for some rows. `width`, that of `w` and `out`, is a multiple of 16.
pub(super) struct Forward<'a> {
    pub(super) x: &'a [f32],
    pub(super) columns: usize,
    pub(super) w: &'a [f32],
    pub(super) width: usize,
    pub(super) out: &'a mut [f32],
}

impl WithSimd for Forward<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { x, columns, w, width, out } = self;
        for (block, w) in w.chunks(DEPTH * width).enumerate() {
            let mut sums = Sums { x, columns, first: block * DEPTH, other: w, width, column: 0 };
            while sums.column < width {
                let vectors = most_vectors::<S>().min((width - sums.column) / S::F32_LANES);
                match vectors {
                    1 => sums.rows::<S, 12, 1>(simd, out),
                    2 => sums.rows::<S, 6, 2>(simd, out),
                    3 => sums.rows::<S, 6, 3>(simd, out),
                    _ => sums.rows::<S, 6, 4>(simd, out),
                }
                sums.column += vectors * S::F32_LANES;
            }
        }
    }
}

/// out += Xᵀ · G for the features from `first` on, as many as `out` has rows. `width`, that of `gradient` and `out`, is
/// a multiple of 16.
pub(super) struct Backward<'a> {
    pub(super) x: &'a [f32],
    pub(super) columns: usize,
    pub(super) first: usize,
    pub(super) gradient: &'a [f32],
    pub(super) width: usize,
    pub(super) out: &'a mut [f32],
}

impl WithSimd for Backward<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { x, columns, first, gradient, width, out } = self;
        for (x, gradient) in x.chunks(NODES * columns).zip(gradient.chunks(NODES * width)) {
            let mut sums = Sums { x, columns, first, other: gradient, width, column: 0 };
            while sums.column < width {
                let vectors = most_vectors::<S>().min((width - sums.column) / S::F32_LANES);
                match vectors {
                    1 => sums.features::<S, 8, 1>(simd, out),
                    2 => sums.features::<S, 6, 2>(simd, out),
                    3 => sums.features::<S, 6, 3>(simd, out),
                    _ => sums.features::<S, 6, 4>(simd, out),
                }
                sums.column += vectors * S::F32_LANES;
            }
        }
    }
}

/// Vectors side by side that leave registers for several rows.
#[inline(always)]
fn most_vectors<S: Simd>() -> usize {
    if S::REGISTER_COUNT < 32 { 2 } else { 4 }
}

/// Rows of X from feature `first` on, and the columns from `column` on of what they are multiplied by.
#[derive(Clone, Copy)]
struct Sums<'a> {
    x: &'a [f32],
    columns: usize,
    first: usize,
    other: &'a [f32],
    width: usize,
    column: usize,
}

impl Sums<'_> {
    #[inline(always)]
    fn rows<S: Simd, const ROWS: usize, const VECTORS: usize>(self, simd: S, out: &mut [f32]) {
        let mut x = self.x.chunks_exact(ROWS * self.columns);
        let mut out = out.chunks_exact_mut(ROWS * self.width);
        for (x, out) in (&mut x).zip(&mut out) {
            self.row_tile::<S, ROWS, VECTORS>(simd, x, out);
        }
        let rest = out.into_remainder().chunks_exact_mut(self.width);
        for (x, out) in x.remainder().chunks_exact(self.columns).zip(rest) {
            self.row_tile::<S, 1, VECTORS>(simd, x, out);
        }
    }

    #[inline(always)]
    fn row_tile<S: Simd, const ROWS: usize, const VECTORS: usize>(self, simd: S, x: &[f32], out: &mut [f32]) {
        let depth = self.other.len() / self.width;
        let rows: [(&[[f32; STEP]], &[f32]); ROWS] =
            std::array::from_fn(|row| x[row * self.columns + self.first..][..depth].as_chunks());
        let mut sums = self.read::<S, ROWS, VECTORS>(simd, out);
        let mut weights = self.other.chunks_exact(STEP * self.width);
        for (step, weights) in (&mut weights).enumerate() {
            let x: [&[f32; STEP]; ROWS] = std::array::from_fn(|row| &rows[row].0[step]);
            for (k, weights) in (0..STEP).zip(weights.chunks_exact(self.width)) {
                self.add(simd, |row| x[row][k], weights, &mut sums);
            }
        }
        for (k, weights) in weights.remainder().chunks_exact(self.width).enumerate() {
            self.add(simd, |row| rows[row].1[k], weights, &mut sums);
        }
        self.write::<S, ROWS, VECTORS>(&sums, out);
    }

    #[inline(always)]
    fn features<S: Simd, const ROWS: usize, const VECTORS: usize>(self, simd: S, out: &mut [f32]) {
        let mut feature = self.first;
        let mut out = out.chunks_exact_mut(ROWS * self.width);
        for out in &mut out {
            self.feature_tile::<S, ROWS, VECTORS>(simd, feature, out);
            feature += ROWS;
        }
        for out in out.into_remainder().chunks_exact_mut(self.width) {
            self.feature_tile::<S, 1, VECTORS>(simd, feature, out);
            feature += 1;
        }
    }

    #[inline(always)]
    fn feature_tile<S: Simd, const ROWS: usize, const VECTORS: usize>(self, simd: S, feature: usize, out: &mut [f32]) {
        let mut sums = self.read::<S, ROWS, VECTORS>(simd, out);
        for (x, gradient) in self.x.chunks_exact(self.columns).zip(self.other.chunks_exact(self.width)) {
            let x: &[f32; ROWS] = x[feature..].first_chunk().expect("a whole tile of features");
            self.add(simd, |row| x[row], gradient, &mut sums);
        }
        self.write::<S, ROWS, VECTORS>(&sums, out);
    }

    /// Adds a number of each row times the vectors of `row`.
    #[inline(always)]
    fn add<S: Simd, const ROWS: usize, const VECTORS: usize>(
        self,
        simd: S,
        number: impl Fn(usize) -> f32,
        row: &[f32],
        sums: &mut [[S::f32s; VECTORS]; ROWS],
    ) {
        let vectors = vectors::<S, VECTORS>(&row[self.column..]);
        for (row, sums) in sums.iter_mut().enumerate() {
            let number = simd.splat_f32s(number(row));
            for (sum, &vector) in sums.iter_mut().zip(vectors) {
                *sum = simd.mul_add_f32s(number, vector, *sum);
            }
        }
    }

    #[inline(always)]
    fn read<S: Simd, const ROWS: usize, const VECTORS: usize>(
        self,
        simd: S,
        out: &[f32],
    ) -> [[S::f32s; VECTORS]; ROWS] {
        let mut sums = [[simd.splat_f32s(0.0); VECTORS]; ROWS];
        for (sums, row) in sums.iter_mut().zip(out.chunks_exact(self.width)) {
            *sums = *vectors::<S, VECTORS>(&row[self.column..]);
        }
        sums
    }

    #[inline(always)]
    fn write<S: Simd, const ROWS: usize, const VECTORS: usize>(
        self,
        sums: &[[S::f32s; VECTORS]; ROWS],
        out: &mut [f32],
    ) {
        for (sums, row) in sums.iter().zip(out.chunks_exact_mut(self.width)) {
            let (vectors, _) = S::as_mut_simd_f32s(&mut row[self.column..]);
            *vectors.first_chunk_mut().expect("the width is a multiple of 16") = *sums;
        }
    }
}

#[inline(always)]
fn vectors<S: Simd, const VECTORS: usize>(row: &[f32]) -> &[S::f32s; VECTORS] {
    S::as_simd_f32s(row).0.first_chunk().expect("the width is a multiple of 16")
}
