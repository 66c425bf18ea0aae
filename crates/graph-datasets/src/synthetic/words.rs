//! Sparse binary features with a topic for each class, like the words of a document.

use graph_denoise::CsrMatrix;
use rand::{Rng, RngExt};

use crate::Error;

/// Draws the words of every node.
///
/// Class c owns the columns j with j ≡ c (mod classes). A node has about `density · dimensions` distinct words (a
/// uniform number between half and one and a half times that, at least 1); each is drawn from the columns of its class
/// with probability `signal`, else from all columns. So `signal` = 0 says nothing about the class and 1 gives it away.
pub(crate) fn topic_words<R: Rng + ?Sized>(
    labels: &[u32],
    classes: usize,
    dimensions: usize,
    density: f64,
    signal: f64,
    rng: &mut R,
) -> Result<CsrMatrix, Error> {
    let mean = density * dimensions as f64;
    let fewest = ((mean * 0.5).round() as usize).clamp(1, dimensions);
    let most = ((mean * 1.5).round() as usize).clamp(fewest, dimensions);
    let mut indptr = Vec::with_capacity(labels.len() + 1);
    indptr.push(0);
    let mut indices: Vec<u32> = Vec::new();
    let mut taken = vec![usize::MAX; dimensions];
    for (node, &label) in labels.iter().enumerate() {
        let start = indices.len();
        let class = label as usize;
        let own = (dimensions - class).div_ceil(classes);
        let words = rng.random_range(fewest..=most);
        let mut own_left = own;
        while indices.len() - start < words {
            // A node that has all words of its topic takes the rest from everywhere.
            let column = if own_left > 0 && rng.random_bool(signal) {
                class + classes * rng.random_range(0..own)
            } else {
                rng.random_range(0..dimensions)
            };
            if taken[column] != node {
                taken[column] = node;
                own_left -= usize::from(column % classes == class);
                indices.push(column as u32);
            }
        }
        indices[start..].sort_unstable();
        indptr.push(indices.len());
    }
    let values = vec![1.0; indices.len()];
    Ok(CsrMatrix::new(dimensions, indptr, indices, values)?)
}
