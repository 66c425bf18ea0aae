//! What can be wrong with a training request, and what can go wrong while it runs.

/// What can be wrong with a training request, and what can go wrong while it runs.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
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
    /// A setting outside its range.
    #[error("{what} is {value}, but must be {bound}")]
    Setting {
        /// The setting.
        what: &'static str,
        /// What was given.
        value: f64,
        /// What is allowed.
        bound: &'static str,
    },
    /// A feature that is NaN or infinite.
    #[error("feature of node {node}, dimension {dimension}: {value} is not finite")]
    Feature {
        /// Row.
        node: usize,
        /// Column.
        dimension: usize,
        /// The value.
        value: f32,
    },
    /// A set of nodes that must not be empty is.
    #[error("the {set} set is empty")]
    EmptySet {
        /// `training` or `validation`.
        set: &'static str,
    },
    /// A set names a node that does not exist.
    #[error("the {set} set names node {node}, but there are {nodes} nodes")]
    NodeOutOfRange {
        /// `training` or `validation`.
        set: &'static str,
        /// The node.
        node: u32,
        /// Number of nodes.
        nodes: usize,
    },
    /// A set names a node twice.
    #[error("the {set} set names node {node} twice")]
    NodeTwice {
        /// `training` or `validation`.
        set: &'static str,
        /// The node.
        node: u32,
    },
    /// A label that is no class.
    #[error("node {node} has label {label}, but there are {classes} classes")]
    LabelOutOfRange {
        /// The node.
        node: u32,
        /// Its label.
        label: u32,
        /// Number of classes.
        classes: usize,
    },
    /// A class that no training node carries, where the request demands that each is seen.
    #[error("no training node carries class {class} of {classes}")]
    ClassUnseen {
        /// The class.
        class: usize,
        /// Number of classes.
        classes: usize,
    },
    /// The loss stopped being a number; nothing is returned, for an accuracy of such a run means nothing.
    #[error("training diverged: the loss of epoch {epoch} is {loss}; lower the learning rate or scale the features")]
    Diverged {
        /// The epoch, from 0.
        epoch: usize,
        /// The loss.
        loss: f64,
    },
    /// The caller asked to stop.
    #[error("stopped on request after epoch {epoch}")]
    Interrupted {
        /// The last finished epoch, from 0.
        epoch: usize,
    },
    /// The device was not compiled in or is not present.
    #[error("device {device} is not available: {reason}")]
    Device {
        /// The device asked for.
        device: String,
        /// Why it cannot be had.
        reason: String,
    },
    /// A computed number that is NaN or infinite.
    #[error("a {what} is not finite")]
    NotFinite {
        /// What was computed.
        what: &'static str,
    },
    /// A file that cannot be written, read or understood.
    #[error("{}: {reason}", path.display())]
    File {
        /// The file.
        path: std::path::PathBuf,
        /// What is wrong.
        reason: String,
    },
}
