//! The crate's one error: every refusal names the value's role and the bound it broke, never a private value.

use alloc::format;
use alloc::string::String;

/// Why something was refused.
///
/// Variants about a user's own value carry the public bound only: an error message is an output too, and must not
/// say more than the report would.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// ε is not a number in the supported range.
    #[error("epsilon must be a number from 1e-9 to 4e6 nats, got {}", short(*got))]
    Epsilon {
        /// What was given.
        got: f64,
    },
    /// ε was given as text that is no plain decimal number in the supported range.
    #[error("epsilon must be a plain decimal number from 0.000000001 to 4000000")]
    EpsilonText,
    /// δ is not a number in the supported range.
    #[error("delta must be a number from 2^-63 to below 1/2, got {}", short(*got))]
    Delta {
        /// What was given.
        got: f64,
    },
    /// A budget cannot be cut into so many parts of at least a nano-nat each.
    #[error("a budget of {nano} nano-nats cannot be split into {parts} parts")]
    Split {
        /// The whole, in nano-nats.
        nano: u64,
        /// Number of parts asked for.
        parts: u64,
    },
    /// The range of a numeric attribute is empty, infinite or not a number.
    #[error("bounds must be finite with a finite width of at least 1e-280, got [{}, {}]", short(*lower), short(*upper))]
    Bounds {
        /// Lower end given.
        lower: f64,
        /// Upper end given.
        upper: f64,
    },
    /// A user's value lies outside the public range (or is not a number). The value itself is not printed.
    #[error("a value is outside [{}, {}] or not a number", short(*lower), short(*upper))]
    Value {
        /// Lower end of the public range.
        lower: f64,
        /// Upper end of the public range.
        upper: f64,
    },
    /// A user's category is not below the number of categories. The category itself is not printed.
    #[error("a category is not below {categories}")]
    Category {
        /// Number of categories.
        categories: u32,
    },
    /// A categorical domain needs at least two categories.
    #[error("a domain needs from 2 to 4294967295 categories, got {got}")]
    Domain {
        /// What was given.
        got: u64,
    },
    /// ε is so small beside the number of cells that 64-bit weights cannot tell truth from lie.
    #[error("epsilon {epsilon} is too small for {cells} output cells: their 64-bit weights would all be equal")]
    Resolution {
        /// ε in nats.
        epsilon: f64,
        /// Number of output cells.
        cells: u64,
    },
    /// The classical Gaussian calibration is proved for ε below 1 only.
    #[error("the classical gaussian calibration needs epsilon below 1, got {epsilon}; use the analytic one")]
    Classical {
        /// ε in nats.
        epsilon: f64,
    },
    /// A length differs from what the public parameters say.
    #[error("{what}: expected length {expected}, got {got}")]
    Length {
        /// What has the wrong length.
        what: &'static str,
        /// Length asked for.
        expected: usize,
        /// Length found.
        got: usize,
    },
    /// A count parameter is outside its range.
    #[error("{what} must be from {min} to {max}, got {got}")]
    Count {
        /// Which parameter.
        what: &'static str,
        /// Smallest allowed.
        min: u64,
        /// Largest allowed.
        max: u64,
        /// What was given.
        got: u64,
    },
    /// Sparse rows are not what compressed sparse rows must be.
    #[error("sparse rows: {what} at position {position}")]
    SparseRows {
        /// What is wrong.
        what: &'static str,
        /// Where: position in the named array.
        position: usize,
    },
    /// A charge above what is left. Nothing was changed.
    #[error("asked for {asked} {what}, {left} are left")]
    Overspend {
        /// Of what.
        what: &'static str,
        /// Asked for.
        asked: u64,
        /// Left.
        left: u64,
    },
    /// A permit for less than the mechanism spends.
    #[error("the permit grants {granted} nano-nats and its delta, the mechanism spends {needed} and its own")]
    Permit {
        /// What the mechanism spends, in nano-nats.
        needed: u64,
        /// What was granted.
        granted: u64,
    },
    /// The accountant's journal could not be opened or written.
    #[error("journal {path}: {what}")]
    Storage {
        /// The file.
        path: String,
        /// What went wrong.
        what: String,
    },
    /// A report that this randomizer cannot have emitted.
    #[error("not a report of this randomizer: {what}")]
    Report {
        /// What is wrong with it.
        what: &'static str,
    },
}

/// At most nine significant digits, and an exponent where zeros would be many: an error message is read by people.
fn short(value: f64) -> String {
    let rounded = format!("{value:.8e}").parse().unwrap_or(value);
    let size = libm::fabs(rounded);
    if size == 0.0 || !size.is_finite() || (1e-5..1e10).contains(&size) {
        format!("{rounded}")
    } else {
        format!("{rounded:e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_without_tails() {
        let bad = |got| Error::Epsilon { got }.to_string();
        let says = |got: &str| format!("epsilon must be a number from 1e-9 to 4e6 nats, got {got}");
        for (got, text) in [
            (-0.1 - 0.2, "-0.3"),
            (4_000_000.1, "4000000.1"),
            (5e-324, "5e-324"),
            (1e300, "1e300"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-inf"),
            (0.0, "0"),
        ] {
            assert_eq!(bad(got), says(text));
        }
    }
}
