//! The linear program of the best level channel: a mixture of two-valued columns.

use alloc::vec;
use alloc::vec::Vec;

use crate::Epsilon;
use crate::weights::{TOTAL, TOTAL_F64, excess};

/// Share of 2⁶⁴ that is left for rounding.
const SLACK: f64 = 1.0 / (1_u64 << 40) as f64;

/// Columns of integer weights, one a level, rows summing to 2⁶⁴.
pub(super) fn best_columns(epsilon: Epsilon, levels: usize, worth: impl Fn(&[f64]) -> f64) -> Vec<Vec<u64>> {
    let low = libm::exp(-epsilon.nats());
    let pattern = |set: u32| -> Vec<f64> { (0..levels).map(|l| if set >> l & 1 == 1 { 1.0 } else { low }).collect() };
    let patterns: Vec<Vec<f64>> = (0..1_u32 << levels).map(pattern).collect();
    let worths: Vec<f64> = patterns.iter().map(|p| worth(p)).collect();
    let shares = simplex(&patterns, &worths, levels);
    let ratio = (1_u128 << 63) + excess(epsilon);
    let mut columns: Vec<Vec<u64>> = Vec::new();
    for (set, share) in shares.into_iter().filter(|&(_, share)| share > 1e-9) {
        let high = (share * (1.0 - SLACK) * TOTAL_F64) as u64;
        let less = (u128::from(high) << 63).div_ceil(ratio) as u64;
        columns.push((0..levels).map(|l| if set >> l & 1 == 1 { high } else { less }).collect());
    }
    let used = |l: usize| columns.iter().map(|c| u128::from(c[l])).sum::<u128>();
    let rest = (0..levels).map(|l| TOTAL.saturating_sub(used(l)) as u64).collect();
    columns.push(rest);
    columns
}

/// Maximises Σ worth·share over shares ≥ 0 with Σ share·pattern = 1 in every row; the shares of the final basis.
///
/// Starts from randomized response, the basis of the patterns with one likely level.
fn simplex(patterns: &[Vec<f64>], worths: &[f64], levels: usize) -> Vec<(usize, f64)> {
    let mut basis: Vec<usize> = (0..levels).map(|l| 1 << l).collect();
    let ones = vec![1.0; levels];
    // A vertex is never visited twice unless it is degenerate; the bound only stops cycling.
    for _ in 0..64 * patterns.len() {
        let by_column: Vec<Vec<f64>> = (0..levels).map(|r| basis.iter().map(|&k| patterns[k][r]).collect()).collect();
        let by_row: Vec<Vec<f64>> = basis.iter().map(|&k| patterns[k].clone()).collect();
        let prices = solve(by_row, basis.iter().map(|&k| worths[k]).collect());
        let gain = |k: usize| worths[k] - patterns[k].iter().zip(&prices).map(|(a, b)| a * b).sum::<f64>();
        // Pattern 0 is the last one scaled; it brings nothing new.
        let entering = (1..patterns.len()).max_by(|&a, &b| gain(a).total_cmp(&gain(b)));
        let shares = solve(by_column.clone(), ones.clone());
        let scale = worths.iter().fold(0.0_f64, |m, w| m.max(libm::fabs(*w)));
        match entering.filter(|&k| gain(k) > 1e-12 * scale) {
            None => return basis.into_iter().zip(shares).collect(),
            Some(entering) => {
                let direction = solve(by_column, patterns[entering].clone());
                let step = |i: usize| shares[i].max(0.0) / direction[i];
                let leaving =
                    (0..levels).filter(|&i| direction[i] > 1e-12).min_by(|&a, &b| step(a).total_cmp(&step(b)));
                match leaving {
                    Some(leaving) => basis[leaving] = entering,
                    None => return basis.into_iter().zip(shares).collect(),
                }
            }
        }
    }
    let by_column = (0..levels).map(|r| basis.iter().map(|&k| patterns[k][r]).collect()).collect();
    let shares = solve(by_column, ones);
    basis.into_iter().zip(shares).collect()
}

/// Solves a small dense system by elimination with partial pivoting.
pub(crate) fn solve(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let n = right.len();
    for column in 0..n {
        let size = |r: &usize| libm::fabs(matrix[*r][column]);
        let pivot = (column..n).max_by(|a, b| size(a).total_cmp(&size(b))).unwrap_or(column);
        matrix.swap(column, pivot);
        right.swap(column, pivot);
        let top = matrix[column].clone();
        for row in column + 1..n {
            let factor = matrix[row][column] / top[column];
            for (cell, above) in matrix[row][column..].iter_mut().zip(&top[column..]) {
                *cell -= factor * above;
            }
            right[row] -= factor * right[column];
        }
    }
    for column in (0..n).rev() {
        let known: f64 = (column + 1..n).map(|k| matrix[column][k] * right[k]).sum();
        right[column] = (right[column] - known) / matrix[column][column];
    }
    right
}
