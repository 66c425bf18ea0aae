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
    Ok(total.into_iter().map(|value| value as f32 + 0.0).collect())
}

/// `to = W_hop · from` for one column in f64.
pub(crate) fn apply_hop(weights: &Weights<'_>, hop: usize, from: &[f64], to: &mut [f64]) {
    let Pattern { indptr, indices, values } = Pattern::of(weights);
    let scales = weights.scales(hop);
    let scaled: Vec<f64> = match (values, scales) {
        (None, Some(scales)) => from.iter().zip(&scales.right).map(|(from, &right)| f64::from(right) * from).collect(),
        _ => from.to_vec(),
    };
    to.par_iter_mut().with_min_len(ROWS_A_TASK).enumerate().for_each(|(row, to)| {
        let range = indptr[row]..indptr[row + 1];
        let of_node = |&node: &u32| scaled[node as usize];
        let neighbours = indices[range.clone()].iter().map(of_node);
        let sum: f64 = match values {
            Some(values) => values[range].iter().zip(neighbours).map(|(&value, from)| f64::from(value) * from).sum(),
            None => neighbours.sum(),
        };
        *to = scales.map_or(sum, |scales| f64::from(scales.left[row]) * sum);
    });
}
