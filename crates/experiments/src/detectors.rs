//! Whom each detector would remove, all asked about the same lists: the table of `docs/veritas.md`.
//!
//! This is the experimenter's, who knows the fakes.

use serde::{Deserialize, Serialize};
use veritas_defense::{DefenceOptions, Detection, Detector, EndorsementLists, Signals, detect_all};

use crate::Error;

/// What one detector finds on one run's lists.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DetectorCount {
    /// The detector.
    pub detector: String,
    /// Fakes that it would remove.
    pub caught: usize,
    /// Honest users that it would remove.
    pub honest_removed: usize,
}

/// What each detector finds.
///
/// # Errors
/// Those of [`detect_all`].
pub(crate) fn counts(
    lists: &EndorsementLists,
    options: &DefenceOptions,
    fake: &[bool],
) -> Result<Vec<DetectorCount>, Error> {
    let (removed, _) = detect_all(&Signals::of(lists), options)?;
    let count = |(detector, removed): (Detector, Vec<u32>)| {
        let Detection { caught, honest_removed, .. } = Detection::of(&removed, fake);
        DetectorCount { detector: detector.name().to_owned(), caught, honest_removed }
    };
    Ok(Detector::ALL.into_iter().zip(removed).map(count).collect())
}
