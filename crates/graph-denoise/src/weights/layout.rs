//! Node order for locality: neighbours get numbers close to each other, so that a gather finds them in a near cache.

use super::{Form, Scales, Weights};
use crate::propagate::Pattern;

/// The pattern in another node order. Each row keeps the order of its sum, so results keep their bytes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Layout {
    /// Place of each node.
    pub(crate) place: Vec<u32>,
    pub(crate) indptr: Vec<usize>,
    pub(crate) indices: Vec<u32>,
    pub(crate) values: Option<Vec<f32>>,
    pub(crate) hops: Vec<Scales>,
}

impl Weights<'_> {
    /// The same weights, laid out in reverse Cuthill–McKee order inside.
    ///
    /// Inputs, outputs and their bytes stay as they are; what changes is the time of a propagation (see
    /// `docs/performance.md` for how much) and the memory: a second copy of the pattern.
    ///
    /// # Complexity
    /// Time O(nodes + entries · log(max degree)).
    #[must_use]
    pub fn laid_out(mut self) -> Self {
        let Pattern { indptr, indices, values } = Pattern::of(&self);
        let hops: &[Scales] = match &self.form {
            Form::Scaled { hops, .. } => hops,
            Form::Matrix(_) => &[],
        };
        let order = reverse_cuthill_mckee(indptr, indices);
        let mut place = vec![0u32; order.len()];
        for (at, &node) in order.iter().enumerate() {
            place[node as usize] = at as u32;
        }
        let mut new_indptr = Vec::with_capacity(indptr.len());
        let mut new_indices = Vec::with_capacity(indices.len());
        let mut new_values = values.map(|values| Vec::with_capacity(values.len()));
        new_indptr.push(0);
        for &node in &order {
            let range = indptr[node as usize]..indptr[node as usize + 1];
            new_indices.extend(indices[range.clone()].iter().map(|&other| place[other as usize]));
            if let (Some(new_values), Some(values)) = (&mut new_values, values) {
                new_values.extend_from_slice(&values[range]);
            }
            new_indptr.push(new_indices.len());
        }
        let moved = |scale: &[f32]| order.iter().map(|&node| scale[node as usize]).collect();
        let hops = hops.iter().map(|hop| Scales { left: moved(&hop.left), right: moved(&hop.right) }).collect();
        let layout = Layout { place, indptr: new_indptr, indices: new_indices, values: new_values, hops };
        self.layout = Some(Box::new(layout));
        self
    }
}

/// Breadth-first from a node of low degree in each component, neighbours by ascending degree, all reversed.
fn reverse_cuthill_mckee(indptr: &[usize], indices: &[u32]) -> Vec<u32> {
    let nodes = indptr.len() - 1;
    let degree = |node: u32| indptr[node as usize + 1] - indptr[node as usize];
    let mut starts: Vec<u32> = (0..nodes as u32).collect();
    starts.sort_by_key(|&node| degree(node));
    let mut seen = vec![false; nodes];
    let mut order: Vec<u32> = Vec::with_capacity(nodes);
    for start in starts {
        if std::mem::replace(&mut seen[start as usize], true) {
            continue;
        }
        let mut next = order.len();
        order.push(start);
        while next < order.len() {
            let node = order[next] as usize;
            next += 1;
            let first = order.len();
            for &other in &indices[indptr[node]..indptr[node + 1]] {
                if !std::mem::replace(&mut seen[other as usize], true) {
                    order.push(other);
                }
            }
            order[first..].sort_by_key(|&other| degree(other));
        }
    }
    order.reverse();
    order
}
