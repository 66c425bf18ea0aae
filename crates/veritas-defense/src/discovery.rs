//! Many tests at once: whom to reject so that the stated error rate holds.

/// How many of the smallest p-values Benjamini and Hochberg's rule rejects among `tests` tests at `level`, of which
/// `already` were rejected before.
///
/// `sorted` holds the smallest p-values that are left, ascending; those left out must be above `level`.
/// With nobody guilty, the chance of a first rejection is at most `level` (Simes' inequality).
pub(crate) fn rejections(sorted: &[f64], already: usize, tests: usize, level: f64) -> usize {
    let bound = |rank: usize| level * (already + rank + 1) as f64 / tests as f64;
    (0..sorted.len()).rev().find(|&rank| sorted[rank] <= bound(rank)).map_or(0, |rank| rank + 1)
}

/// Indices that Benjamini and Hochberg's rule rejects at false discovery rate `level`, ascending.
pub fn benjamini_hochberg(p_values: &[f64], level: f64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..p_values.len()).filter(|&i| p_values[i] <= level).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]).then(a.cmp(&b)));
    let sorted: Vec<f64> = order.iter().map(|&i| p_values[i]).collect();
    order.truncate(rejections(&sorted, 0, p_values.len(), level));
    order.sort_unstable();
    order
}
