//! What a constant becomes under a filter: one number a node, so that a dense offset is never written out.

use rayon::prelude::*;

use crate::propagate::Pattern;
use crate::{Error, Filter, Weights};

/// Rows that a task takes at least.
const ROWS_A_TASK: usize = 1 << 11;

/// `offset · Σₖ cₖ Wᵏ 1`, summed in f64.
///
/// # Errors
/// [`Error::NotFinite`] for an offset that is NaN or infinite.
pub(crate) fn constant_part(weights: &Weights<'_>, filter: &Filter, offset: f32) -> Result<Vec<f32>, Error> {
    if !offset.is_finite() {
        return Err(Error::NotFinite { what: "offset of sparse rows", row: 0, value: offset });
    }
    let nodes = weights.nodes();
    let mut current = vec![f64::from(offset); nodes];
    let mut total: Vec<f64> = current.iter().map(|value| f64::from(filter.coefficient(0)) * value).collect();
    let mut next = vec![0f64; nodes];
    for step in 0..filter.steps() {
        apply_hop(weights, step, &current, &mut next);
        std::mem::swap(&mut current, &mut next);
        let coefficient = f64::from(filter.coefficient(step + 1));
        for (total, value) in total.iter_mut().zip(&current) {
            *total += coefficient * value;
        }
    }
    Ok(total.into_iter().map(|value| value as f32).collect())
}

/// `to = W_hop · from` for one column in f64.
pub(crate) fn apply_hop(weights: &Weights<'_>, hop: usize, from: &[f64], to: &mut [f64]) {
    let Pattern { indptr, indices, values } = Pattern::of(weights);
    let scales = weights.scales(hop);
    to.par_iter_mut().with_min_len(ROWS_A_TASK).enumerate().for_each(|(row, to)| {
        let range = indptr[row]..indptr[row + 1];
        *to = range
            .map(|at| {
                let from_node = indices[at] as usize;
                let weight = match (values, scales) {
                    (Some(values), _) => f64::from(values[at]),
                    (None, Some(scales)) => f64::from(scales.left[row]) * f64::from(scales.right[from_node]),
                    (None, None) => 1.0,
                };
                weight * from[from_node]
            })
            .sum();
    });
}
