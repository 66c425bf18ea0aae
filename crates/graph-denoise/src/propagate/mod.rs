//! K-step propagation: a polynomial of the weights, applied to all columns.
//!
//! Columns are taken in blocks small enough that a block stays in cache through all K steps; so memory traffic does
//! not grow with K. Each number is one sum per hop in the order of the weights' row, whatever the block size, the
//! number of threads or the instruction set: the result is the same bytes.

mod buffer;
mod hop;
mod in_order;
mod lane;
mod lanes;
mod plan;
mod prefetch;
mod row_sums;
mod run;
mod sparse;
mod units;

use std::mem;
use std::ops::Range;

pub(crate) use hop::Pattern;

use crate::{CsrMatrix, Error, FeatureMatrix, Filter, Rows, Weights};
use run::{Job, Sink};

/// Applies `filter` to `rows` under `weights` and gives the dense result.
///
/// With [`Filter::power`] this is KProp [LPGNN, Sec. 4.2]; with [`Filter::mean_of_powers`], HOA [UPGNET, Alg. 1]; with
/// report weights, FlexProp [PPGNN, Alg. 4].
///
/// # Shapes
/// `rows`: nodes × dimensions. The result has the same shape and the unit of the input.
///
/// # Errors
/// [`Error::Shape`] when `rows` has not one row a node.
///
/// # Complexity
/// Time O(K · (nodes + entries) · dimensions). Memory: the result and at most 64 MiB, or some 12 bytes a node where that
/// is more.
///
/// # Example
/// ```
/// use graph_denoise::{CsrGraph, EdgeKind, FeatureMatrix, Filter, Normalization, SelfLoops, Weights, propagate};
///
/// let graph = CsrGraph::from_edges(3, &[(0, 1), (1, 2)], EdgeKind::Undirected)?;
/// let weights = Weights::normalized(&graph, Normalization::Row, SelfLoops::AsIs);
/// let features = FeatureMatrix::new(3, 1, vec![1.0, 0.0, 3.0])?;
/// assert_eq!(propagate(&weights, &features, &Filter::power(1))?.as_slice(), [0.0, 2.0, 0.0]);
/// # Ok::<(), graph_denoise::Error>(())
/// ```
///
/// [LPGNN]: https://arxiv.org/abs/2006.05535
/// [UPGNET]: https://openreview.net/forum?id=2aKHuXdr7Q
/// [PPGNN]: https://doi.org/10.1109/TKDE.2026.3710808
pub fn propagate<'r>(
    weights: &Weights<'_>,
    rows: impl Into<Rows<'r>>,
    filter: &Filter,
) -> Result<FeatureMatrix, Error> {
    let rows = rows.into();
    let job = Job::new(weights, rows, filter, 0)?;
    let mut out = FeatureMatrix::zeros(rows.rows(), rows.columns());
    job.run(Sink::Dense { out: out.as_mut_slice(), zeroed: true });
    Ok(out)
}

/// [`propagate`] into a matrix that the caller has, of any content.
///
/// # Errors
/// [`Error::Shape`] when `rows` has not one row a node or `out` has another shape; then `out` is untouched.
pub fn propagate_into<'r>(
    weights: &Weights<'_>,
    rows: impl Into<Rows<'r>>,
    filter: &Filter,
    out: &mut FeatureMatrix,
) -> Result<(), Error> {
    let job = Job::new(weights, rows.into(), filter, 0)?;
    if out.rows() != job.rows.rows() {
        return Err(Error::Shape { what: "rows of the output", expected: job.rows.rows(), found: out.rows() });
    }
    if out.columns() != job.rows.columns() {
        return Err(Error::Shape { what: "columns of the output", expected: job.rows.columns(), found: out.columns() });
    }
    job.run(Sink::Dense { out: out.as_mut_slice(), zeroed: false });
    Ok(())
}

/// [`propagate`], handed to `sink` a block of columns at a time, so that a result larger than memory can be written
/// as it is made.
///
/// `sink` gets the columns and their values, nodes × columns of the block, row-major; blocks come in order and cover
/// every column once.
///
/// # Errors
/// [`Error::Shape`] when `rows` has not one row a node; then `sink` is never called.
pub fn propagate_blocks<'r>(
    weights: &Weights<'_>,
    rows: impl Into<Rows<'r>>,
    filter: &Filter,
    mut sink: impl FnMut(Range<usize>, &[f32]),
) -> Result<(), Error> {
    Job::new(weights, rows.into(), filter, 0)?.run(Sink::Blocks(&mut sink));
    Ok(())
}

/// The channels `[X, W X, W² X, …, Wᴷ X]`, for models that learn to weigh the hops.
///
/// # Shapes
/// `rows`: nodes × dimensions; so is each of the `steps + 1` results.
///
/// # Errors
/// [`Error::Shape`] when `rows` has not one row a node.
///
/// # Complexity
/// Time O(K · (nodes + entries) · dimensions). Here memory traffic grows with K, as the result does.
pub fn propagate_channels<'r>(
    weights: &Weights<'_>,
    rows: impl Into<Rows<'r>>,
    steps: usize,
) -> Result<Vec<FeatureMatrix>, Error> {
    let mut channels = vec![propagate(weights, rows, &Filter::power(0))?];
    let hop = Filter::power(1);
    for step in 0..steps {
        let last = &channels[step];
        let mut next = FeatureMatrix::zeros(last.rows(), last.columns());
        Job::new(weights, Rows::Dense(last), &hop, step)?.run(Sink::Dense { out: next.as_mut_slice(), zeroed: true });
        channels.push(next);
    }
    Ok(channels)
}

/// Sparse rows that came out of a propagation: value = constant of the row + entry.
#[derive(Debug, Clone, PartialEq)]
pub struct SparseResult {
    /// Nodes × dimensions. A sum that happens to be zero is an entry.
    pub entries: CsrMatrix,
    /// One a node; empty where the input had offset 0.
    pub constant: Vec<f32>,
}

/// KProp of sparse reports with a sparse result: `steps` hops that touch stored values only.
///
/// For small `steps`: the entries are those of each node's `steps`-hop neighbourhood. Values have the same bytes as
/// those of [`propagate`].
///
/// # Errors
/// [`Error::Shape`] when `entries` has not one row a node, [`Error::NotFinite`] for the offset.
///
/// # Complexity
/// Time O(Σ over hops, edges (i, j) of the entries of row j); memory for the result and, up to three times, the hop
/// before it.
pub fn propagate_sparse(
    weights: &Weights<'_>,
    entries: &CsrMatrix,
    offset: f32,
    steps: usize,
) -> Result<SparseResult, Error> {
    let filter = Filter::power(steps);
    let job = Job::new(weights, Rows::Sparse { entries, offset }, &filter, 0)?;
    let (entries, constant) = job.run_sparse(entries, None);
    Ok(SparseResult { entries, constant })
}

/// [`propagate_sparse`] into the memory of a result that the caller has, of any shape and content.
///
/// Saves what the system takes to find and clear memory, where the old result was as large and shares its entries with no
/// clone; else new memory is taken. The result keeps the room that the number of products called for.
///
/// # Errors
/// As [`propagate_sparse`]; then `out` is untouched.
pub fn propagate_sparse_into(
    weights: &Weights<'_>,
    entries: &CsrMatrix,
    offset: f32,
    steps: usize,
    out: &mut SparseResult,
) -> Result<(), Error> {
    let filter = Filter::power(steps);
    let job = Job::new(weights, Rows::Sparse { entries, offset }, &filter, 0)?;
    let spare = mem::replace(&mut out.entries, CsrMatrix::trusted(0, vec![0], Vec::new(), Vec::new()));
    (out.entries, out.constant) = job.run_sparse(entries, Some(spare));
    Ok(())
}
