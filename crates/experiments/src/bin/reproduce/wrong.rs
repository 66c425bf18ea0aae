//! What can be wrong with a request beyond what the library refuses, and the exit code of any error.

use std::path::PathBuf;

use experiments::Error;

/// What can be wrong with a request.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Wrong {
    /// An option that would change nothing.
    #[error("{option} would change nothing on {dataset}: it is for {reach}")]
    Unused { option: &'static str, dataset: String, reach: &'static str },
    /// Several plans where one is printed.
    #[error("--print-spec prints one plan and {plans} were asked for; name one suite")]
    Plans { plans: usize },
    /// No run fits in memory.
    #[error("the largest run needs about {needed:.0} MiB and --max-memory allows {allowed:.0}")]
    Memory { needed: f64, allowed: f64 },
    /// A condition of `trace` that is none.
    #[error("`{text}` is not AXIS=VALUE")]
    Condition { text: String },
    /// Nothing to trace.
    #[error("no record of {} is {what}", folder.display())]
    Untraced { folder: PathBuf, what: String },
    /// A record of that name is there already.
    #[error("{} exists; a record is not written over", path.display())]
    Recorded { path: PathBuf },
}

/// 130 for a run that was stopped, 2 for a wrong request, 1 for all else.
pub(crate) fn exit_code(error: &anyhow::Error) -> u8 {
    match error.downcast_ref::<Error>() {
        Some(Error::Stopped) => 130,
        Some(known) if known.is_the_callers() => 2,
        _ if error.is::<Wrong>() => 2,
        _ => 1,
    }
}
