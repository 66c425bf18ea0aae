//! KProp on labels.

use crate::{CsrMatrix, Error, FeatureMatrix, Filter, Weights, propagate};

/// Filters one-hot labels: nodes × classes, as [LPGNN, Sec. 4.3] does with randomized labels.
///
/// A node without a label contributes zeros. Turning the result into a distribution (softmax, or division by the row's
/// sum) is the caller's affair.
///
/// # Errors
/// [`Error::Shape`] unless there is one entry a node, [`Error::Label`].
///
/// [LPGNN]: https://arxiv.org/abs/2006.05535
pub fn propagate_labels(
    weights: &Weights<'_>,
    labels: &[Option<u32>],
    classes: usize,
    filter: &Filter,
) -> Result<FeatureMatrix, Error> {
    let mut indptr = Vec::with_capacity(labels.len() + 1);
    let mut indices = Vec::with_capacity(labels.len());
    indptr.push(0);
    for (node, label) in labels.iter().enumerate() {
        if let Some(label) = *label {
            if label as usize >= classes {
                return Err(Error::Label { node, label, classes });
            }
            indices.push(label);
        }
        indptr.push(indices.len());
    }
    let values = vec![1.0; indices.len()];
    propagate(weights, &CsrMatrix::trusted(classes, indptr, indices, values), filter)
}
