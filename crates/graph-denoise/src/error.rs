//! The crate's one error.

/// What can be wrong with a graph, a matrix or a request to propagate.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// More nodes than a `u32` can name.
    #[error("{nodes} nodes, but node ids are 32 bits wide: at most {limit}")]
    TooManyNodes {
        /// Nodes asked for.
        nodes: usize,
        /// The largest number of nodes.
        limit: usize,
    },
    /// An edge names a node that does not exist.
    #[error("edge ({from}, {to}) names a node outside 0..{nodes}")]
    EdgeOutOfRange {
        /// First end.
        from: u32,
        /// Second end.
        to: u32,
        /// Number of nodes.
        nodes: usize,
    },
    /// Two sizes that must agree do not.
    #[error("{what}: expected {expected}, found {found}")]
    Shape {
        /// What was measured.
        what: &'static str,
        /// The size that would fit.
        expected: usize,
        /// The size that was given.
        found: usize,
    },
    /// CSR row starts that are not an ascending sequence from 0 to the number of entries.
    #[error("row starts must ascend from 0 to {entries}: row {row} starts at {found}")]
    RowStarts {
        /// First row at which the order breaks.
        row: usize,
        /// Its start.
        found: usize,
        /// Number of entries.
        entries: usize,
    },
    /// Columns of a CSR row that are not strictly ascending or lie outside the matrix.
    #[error("row {row}: column {column} is repeated, out of order or outside 0..{columns}")]
    Column {
        /// The row.
        row: usize,
        /// The offending column.
        column: u32,
        /// Number of columns.
        columns: usize,
    },
    /// A value that is NaN or infinite.
    #[error("{what}, row {row}: {value} is not finite")]
    NotFinite {
        /// What holds the value.
        what: &'static str,
        /// Its row.
        row: usize,
        /// The value.
        value: f32,
    },
    /// A mean over no hop.
    #[error("0 steps, but the mean of the powers 1..=K needs at least 1")]
    NoSteps,
    /// A number that must lie between 0 and 1.
    #[error("{what} must lie in [0, 1], got {value}")]
    Fraction {
        /// What it is.
        what: &'static str,
        /// The value.
        value: f32,
    },
    /// A node weight or variance below zero.
    #[error("{what} of node {node} must be at least 0, got {value}")]
    Negative {
        /// What it is.
        what: &'static str,
        /// The node.
        node: usize,
        /// The value.
        value: f32,
    },
    /// A report without noise would get an infinite weight.
    #[error("node {node}: its variance and the signal variance are both 0, so its inverse has no end")]
    NoVariance {
        /// The node.
        node: usize,
    },
    /// A label that is no class.
    #[error("node {node}: label {label} is not one of {classes} classes")]
    Label {
        /// The node.
        node: usize,
        /// Its label.
        label: u32,
        /// Number of classes.
        classes: usize,
    },
    /// A range without width.
    #[error("the range of codes must have low < high, got {low} and {high}")]
    Range {
        /// Lower end.
        low: f32,
        /// Upper end.
        high: f32,
    },
}
