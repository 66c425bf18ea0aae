//! What can be wrong with data that comes from outside.

use std::io;
use std::path::{Path, PathBuf};

/// Why a data set could not be found, read, checked, split or made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The system refused to read or write.
    #[error("{path}: {problem}", path = path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said. Part of the text and therefore no `source`, or a chain of causes would say it twice.
        problem: io::Error,
    },
    /// Something is wrong inside this file.
    #[error("{path}: {problem}", path = path.display())]
    In {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: Box<Error>,
    },
    /// No data set of this name is in the catalog.
    #[error("no data set is called {name:?}; known are {known}")]
    UnknownName {
        /// The name asked for.
        name: String,
        /// All names of the catalog.
        known: String,
    },
    /// A data set of the catalog is nowhere to be found.
    #[error(
        "{name}: {file} is missing; looked in {looked}. Get it with `cargo xtask fetch {name}`, or name the folder that holds {name}/{file} by --data or GRAPH_DATA_DIR"
    )]
    Missing {
        /// Name of the data set.
        name: String,
        /// The missing file, below the folder of the data set.
        file: String,
        /// The folders that were searched, in order.
        looked: String,
    },
    /// The built-in catalog does not parse.
    #[error("data/datasets.toml: {problem}")]
    Catalog {
        /// What the TOML reader or our own check said.
        problem: String,
    },
    /// Not a ZIP archive, or a torn one.
    #[error("not a whole npz archive: {problem}")]
    Archive {
        /// What the ZIP reader said.
        problem: String,
    },
    /// An array of the archive does not follow the format.
    #[error("array {key}: {problem}")]
    Array {
        /// Name of the array.
        key: String,
        /// What is wrong.
        problem: String,
    },
    /// An array has another element type than the format says.
    #[error("array {key}: dtype must be {expected}, found {found}")]
    Dtype {
        /// Name of the array.
        key: String,
        /// The type that the format asks for.
        expected: &'static str,
        /// The type found.
        found: String,
    },
    /// An array has another shape than the format says.
    #[error("array {key}: shape must be {expected}, found {found:?}")]
    Shape {
        /// Name of the array.
        key: String,
        /// The shape that would fit.
        expected: String,
        /// The shape found.
        found: Vec<u64>,
    },
    /// The array is not there.
    #[error("array {key} is missing")]
    NoArray {
        /// Name of the array.
        key: &'static str,
    },
    /// More data than we are ready to hold.
    #[error("{what}: {found} is above the limit of {limit}")]
    TooLarge {
        /// What was measured, with its unit.
        what: String,
        /// The size found.
        found: u64,
        /// The largest size accepted.
        limit: u64,
    },
    /// A checksum differs from the one in the catalog.
    #[error("{what}: sha256 must be {expected}, found {found}")]
    Checksum {
        /// What was hashed.
        what: String,
        /// The checksum of the catalog.
        expected: String,
        /// The checksum found.
        found: String,
    },
    /// A count differs from the one that is known.
    #[error("{what}: expected {expected}, found {found}")]
    Count {
        /// What was counted.
        what: String,
        /// The number known.
        expected: u64,
        /// The number found.
        found: u64,
    },
    /// An edge names a node that does not exist.
    #[error("edge {at} is ({from}, {to}), but nodes are 0..{nodes}")]
    EdgeOutOfRange {
        /// Position of the edge.
        at: usize,
        /// First end.
        from: i64,
        /// Second end.
        to: i64,
        /// Number of nodes.
        nodes: usize,
    },
    /// A self-loop stands among the edges.
    #[error("edge {at} is a self-loop of node {node}; self-loops have an array of their own")]
    SelfLoop {
        /// Position of the edge.
        at: usize,
        /// The node.
        node: u32,
    },
    /// An edge stands twice.
    #[error("edge {at} repeats ({from}, {to})")]
    DuplicateEdge {
        /// Position of the second one.
        at: usize,
        /// Smaller end.
        from: u32,
        /// Larger end.
        to: u32,
    },
    /// The edges are not in the order of the format.
    #[error("edge {at} is ({from}, {to}): edges must be written (smaller, larger) and ascend")]
    EdgeOrder {
        /// Position of the edge.
        at: usize,
        /// First end.
        from: u32,
        /// Second end.
        to: u32,
    },
    /// A list of nodes (self-loops, a split) has one that is out of range or out of order.
    #[error("{what}: entry {at} is {node}; nodes are 0..{nodes}, ascending, each once")]
    NodeList {
        /// Name of the list.
        what: String,
        /// Position.
        at: usize,
        /// The node found.
        node: i64,
        /// Number of nodes.
        nodes: usize,
    },
    /// A node is in two parts of a split.
    #[error("node {node} is in two parts of the split")]
    SplitOverlap {
        /// The node.
        node: u32,
    },
    /// Too few nodes for what was asked.
    #[error("{what} needs at least {at_least} nodes, found {nodes}")]
    TooFewNodes {
        /// What was asked for.
        what: &'static str,
        /// Number of nodes.
        nodes: usize,
        /// The smallest number that works.
        at_least: usize,
    },
    /// There is nothing to propagate over.
    #[error("the graph has no edges")]
    NoEdges,
    /// There is nothing to tell apart.
    #[error("{classes} classes; a classification needs at least 2")]
    TooFewClasses {
        /// Number of classes.
        classes: usize,
    },
    /// A label is not one of the classes.
    #[error("node {node} has label {label}, but classes are 0..{classes}")]
    LabelOutOfRange {
        /// The node.
        node: usize,
        /// Its label.
        label: i64,
        /// Number of classes.
        classes: usize,
    },
    /// No node has this label.
    #[error("class {class} of {classes} has no node")]
    EmptyClass {
        /// The class.
        class: usize,
        /// Number of classes.
        classes: usize,
    },
    /// A feature is NaN or infinite.
    #[error("feature {column} of node {node} is {value}")]
    NotFinite {
        /// The node.
        node: usize,
        /// The column.
        column: usize,
        /// The value.
        value: f32,
    },
    /// A feature lies outside the public range.
    #[error("feature {column} of node {node} is {value}, outside its public range [{low}, {high}]")]
    FeatureOutOfRange {
        /// The node.
        node: usize,
        /// The column.
        column: usize,
        /// The value.
        value: f32,
        /// Lower end of the range.
        low: f32,
        /// Upper end of the range.
        high: f32,
    },
    /// A public range that holds at most one value, or none.
    #[error(
        "column {column}: the range [{low}, {high}] is empty, a single value or not finite, nothing can be scaled by it"
    )]
    EmptyRange {
        /// The column.
        column: usize,
        /// Lower end.
        low: f32,
        /// Upper end.
        high: f32,
    },
    /// Every column is constant.
    #[error("all {columns} feature columns are constant")]
    AllConstant {
        /// Number of columns.
        columns: usize,
    },
    /// The data set comes without features.
    #[error("{name} has no features here; make some with the option for synthetic features, or fetch the real ones")]
    NoFeatures {
        /// Name of the data set.
        name: String,
    },
    /// The data set has no such view of its labels.
    #[error("{name} has no label view {view}")]
    NoLabelView {
        /// Name of the data set.
        name: String,
        /// The view asked for.
        view: String,
    },
    /// A parameter is outside its bounds.
    #[error("{what} must be {bound}, found {value}")]
    Parameter {
        /// Name of the parameter.
        what: &'static str,
        /// The bound, in words.
        bound: String,
        /// The value given.
        value: f64,
    },
    /// A text file that does not follow its format.
    #[error("{path}, line {line}: expected {expected}, found {found}", path = path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: u64,
        /// What should stand there.
        expected: String,
        /// What stands there.
        found: String,
    },
    /// A binary file that does not follow its format.
    #[error("{path}, byte {offset}: expected {expected}, found {found}", path = path.display())]
    Byte {
        /// The file.
        path: PathBuf,
        /// Position, from 0.
        offset: u64,
        /// What should stand there.
        expected: String,
        /// What stands there.
        found: String,
    },
    /// A graph or matrix could not be built.
    #[error(transparent)]
    Graph(#[from] graph_denoise::Error),
}

impl Error {
    /// Says in which file it happened, unless the error says so already.
    pub(crate) fn within(self, path: &Path) -> Self {
        match self {
            Self::Io { .. } | Self::In { .. } | Self::Line { .. } | Self::Byte { .. } | Self::Missing { .. } => self,
            other => Self::In { path: path.to_path_buf(), problem: Box::new(other) },
        }
    }

    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |problem| Self::Io { path: path.to_path_buf(), problem }
    }
}
