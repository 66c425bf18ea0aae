//! Graph attention on plain slices, for the CPU. Every number written has one writer, and every sum one order.

mod backward;
mod gather;
mod softmax;

use super::host::{RowWork, in_row_blocks};
use pulp::Simd;
use std::ops::Range;

pub(in crate::ops) use backward::{Saved, row_sums, score_gradients, vector_gradients};
pub(in crate::ops) use gather::{ByScores, gather};
pub(in crate::ops) use softmax::weights;

/// The lists of one orientation.
#[derive(Clone, Copy)]
pub(super) struct Lists<'a> {
    pub(super) indptr: &'a [i32],
    pub(super) indices: &'a [i32],
}

impl<'a> Lists<'a> {
    #[inline(always)]
    fn range(self, row: usize) -> Range<usize> {
        self.indptr[row] as usize..self.indptr[row + 1] as usize
    }

    /// At least 1.
    fn mean_length(self) -> usize {
        self.indices.len().div_ceil(self.indptr.len()).max(1)
    }
}

/// Number of heads and width of one.
#[derive(Clone, Copy)]
pub(super) struct Heads {
    pub(super) heads: usize,
    pub(super) width: usize,
}

impl Heads {
    #[inline(always)]
    fn total(self) -> usize {
        self.heads * self.width
    }
}

/// ⟨source, x_i⟩ and ⟨target, x_i⟩ for each node and head.
pub(super) fn scores(x: &[f32], source: &[f32], target: &[f32], heads: Heads) -> (Vec<f32>, Vec<f32>) {
    struct Work<'a> {
        x: &'a [f32],
        source: &'a [f32],
        target: &'a [f32],
        heads: Heads,
    }
    impl RowWork for Work<'_> {
        /// Both scores of a node side by side: its row is read once.
        #[inline(always)]
        fn run<S: Simd>(&self, simd: S, rows: Range<usize>, out: &mut [f32]) {
            let Heads { heads, width } = self.heads;
            let rows = self.x[rows.start * heads * width..].chunks_exact(heads * width);
            for (scores, row) in out.chunks_exact_mut(2 * heads).zip(rows) {
                let (by_source, by_target) = scores.split_at_mut(heads);
                let vectors = self.source.chunks_exact(width).zip(self.target.chunks_exact(width));
                let scores = by_source.iter_mut().zip(by_target);
                for ((row, (source, target)), (by_source, by_target)) in
                    row.chunks_exact(width).zip(vectors).zip(scores)
                {
                    *by_source = dot(simd, row, source);
                    *by_target = dot(simd, row, target);
                }
            }
        }
    }
    let nodes = x.len() / heads.total();
    let mut both = vec![0f32; 2 * nodes * heads.heads];
    in_row_blocks(&mut both, 2 * heads.heads, 2 * heads.total(), &Work { x, source, target, heads });
    let (mut by_source, mut by_target) = (Vec::with_capacity(both.len() / 2), Vec::with_capacity(both.len() / 2));
    for scores in both.chunks_exact(2 * heads.heads) {
        by_source.extend_from_slice(&scores[..heads.heads]);
        by_target.extend_from_slice(&scores[heads.heads..]);
    }
    (by_source, by_target)
}

/// The `N` numbers from `first` on.
#[inline(always)]
fn some<const N: usize>(numbers: &[f32], first: usize) -> &[f32; N] {
    numbers[first..].first_chunk().expect("a number for each head and column")
}

/// ⟨a, b⟩ in sixteen interleaved partial sums, of which halves are added until one is left: the same bytes however
/// long a vector is.
#[inline(always)]
fn dot<S: Simd>(simd: S, a: &[f32], b: &[f32]) -> f32 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<16>(), b.as_chunks::<16>());
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    if S::F32_LANES == 16 {
        let (a, b) = (S::as_simd_f32s(a.as_flattened()).0, S::as_simd_f32s(b.as_flattened()).0);
        let mut sums = simd.splat_f32s(0.0);
        for (&a, &b) in a.iter().zip(b) {
            sums = simd.add_f32s(sums, simd.mul_f32s(a, b));
        }
        return simd.reduce_sum_f32s(sums) + rest;
    }
    let mut sums = [0f32; 16];
    for (a, b) in a.iter().zip(b) {
        for k in 0..16 {
            sums[k] += a[k] * b[k];
        }
    }
    let eight: [f32; 8] = std::array::from_fn(|k| sums[k] + sums[k + 8]);
    let four: [f32; 4] = std::array::from_fn(|k| eight[k] + eight[k + 4]);
    (four[0] + four[2]) + (four[1] + four[3]) + rest
}

#[cfg(test)]
mod tests {
    use super::dot;
    use pulp::{Arch, Scalar, Simd, WithSimd};

    struct Dot<'a>(&'a [f32], &'a [f32]);

    impl WithSimd for Dot<'_> {
        type Output = f32;

        fn with_simd<S: Simd>(self, simd: S) -> f32 {
            dot(simd, self.0, self.1)
        }
    }

    #[test]
    fn products_have_the_same_bytes_with_vectors_of_any_length() {
        let numbers = |step| (0..200).map(|at| ((at * step + 7) % 103) as f32 / 51.3 - 1.0).collect::<Vec<_>>();
        let (a, b) = (numbers(31), numbers(17));
        for length in [0, 1, 15, 16, 17, 64, 100, 200] {
            let (a, b) = (&a[..length], &b[..length]);
            let found = Arch::new().dispatch(Dot(a, b));
            assert_eq!(found, Scalar::new().vectorize(Dot(a, b)), "{length} numbers");
            let exact: f64 = a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum();
            assert!((f64::from(found) - exact).abs() < 1e-5, "{found} for {exact}");
        }
    }
}
