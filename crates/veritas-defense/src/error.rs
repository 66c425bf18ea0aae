//! The crate's one error: every refusal names the value and the bound it broke.

/// What can be wrong with reports, options, or an attack.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The number of grades κ is outside 1 … 255.
    #[error("the number of grades must be from 1 to 255, got {got}")]
    Levels {
        /// What was given.
        got: usize,
    },
    /// Two parts that must speak of the same κ do not.
    #[error("lists have grades up to {found}, the mechanism has {expected}")]
    LevelsDiffer {
        /// κ of the mechanism.
        expected: u8,
        /// κ of the lists.
        found: u8,
    },
    /// More nodes than a `u32` can name.
    #[error("{nodes} nodes, but node ids are 32 bits wide: at most {limit}")]
    TooManyNodes {
        /// Nodes asked for.
        nodes: usize,
        /// The largest number of nodes.
        limit: usize,
    },
    /// A report names a user who does not exist.
    #[error("a list is signed by user {user}, but there are only {nodes} users")]
    UnknownUser {
        /// The user named.
        user: u32,
        /// Number of users.
        nodes: usize,
    },
    /// Two reports carry the same user id.
    #[error("user {user} sent more than one list")]
    DuplicateUser {
        /// The user.
        user: u32,
    },
    /// A user sent no list.
    #[error("user {user} sent no list; an empty list must be sent, or the user left out of the graph")]
    MissingUser {
        /// The first such user.
        user: u32,
    },
    /// A list is not as long as there are users.
    #[error("the list of user {user} has length {found}, expected one entry a user: {expected}")]
    ListLength {
        /// The user.
        user: u32,
        /// Number of users.
        expected: usize,
        /// Length stated by the report.
        found: usize,
    },
    /// A grade outside 1 … κ among the stored (non-zero) entries.
    #[error("user {user} grades {about} with {grade}; stored grades are from 1 to {levels}")]
    Grade {
        /// The user who reports.
        user: u32,
        /// The node reported about.
        about: u32,
        /// The grade.
        grade: u8,
        /// κ.
        levels: u8,
    },
    /// An entry about a node that does not exist.
    #[error("user {user} grades node {about}, but there are only {nodes} nodes")]
    UnknownNode {
        /// The user who reports.
        user: u32,
        /// The node reported about.
        about: u32,
        /// Number of nodes.
        nodes: usize,
    },
    /// Two entries about the same node, or entries out of order where order was promised.
    #[error("user {user} has entry {about} twice or out of order")]
    EntryOrder {
        /// The user who reports.
        user: u32,
        /// The node reported about.
        about: u32,
    },
    /// A user grades itself.
    #[error("user {user} grades itself")]
    SelfEntry {
        /// The user.
        user: u32,
    },
    /// Two sizes that must agree do not.
    #[error("{what}: expected {expected}, found {found}")]
    Size {
        /// What was measured.
        what: &'static str,
        /// The size that would fit.
        expected: usize,
        /// The size found.
        found: usize,
    },
    /// A number outside its range.
    #[error("{what} must be from {min} to {max}, got {got}")]
    Range {
        /// Which number.
        what: &'static str,
        /// Smallest allowed.
        min: f64,
        /// Largest allowed.
        max: f64,
        /// What was given.
        got: f64,
    },
    /// The lists and what is computed from them would not fit.
    #[error(
        "{nodes} users at {epsilon} nats an entry need about {needed} bytes ({density:.4} of all n² entries are \
         non-zero), more than the limit of {limit}; a larger epsilon or fewer users make the lists sparser"
    )]
    Memory {
        /// Number of users.
        nodes: usize,
        /// ε of an entry, in nats.
        epsilon: f64,
        /// Expected share of non-zero entries.
        density: f64,
        /// Estimated bytes.
        needed: u64,
        /// Bytes allowed.
        limit: u64,
    },
    /// A trust model or an attack needs something it was not given.
    #[error("{who} needs {what}")]
    Needs {
        /// Who asks.
        who: &'static str,
        /// What is missing.
        what: &'static str,
    },
    /// The randomizer refused.
    #[error(transparent)]
    Randomizer(#[from] ldp_core::Error),
    /// The graph or matrix refused.
    #[error(transparent)]
    Graph(#[from] graph_denoise::Error),
}

impl Error {
    /// `got` when it lies in `min ..= max`, else the error that says so.
    pub(crate) fn in_range(what: &'static str, got: f64, min: f64, max: f64) -> Result<f64, Self> {
        if (min..=max).contains(&got) { Ok(got) } else { Err(Self::Range { what, min, max, got }) }
    }
}
