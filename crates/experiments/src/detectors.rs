//! Whom each detector would remove, all asked about the same lists: the table of `docs/veritas.md`.
//!
//! This is the experimenter's, who knows the fakes.

use serde::{Deserialize, Serialize};
use veritas_defense::as_printed::{Neighbourhood, imbalance_as_printed, midpoint_as_printed, midpoint_corrected};
use veritas_defense::{
    Behaviour, DefenceOptions, Detection, EndorsementLaw, EndorsementLists, Population, Signals, benjamini_hochberg,
    conformity, defend_signals, imbalance, suspicion,
};

use crate::Error;
use crate::roc::GRADING_ERROR;

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

/// What each detector finds. The printed score has its thresholds, single tests Benjamini and Hochberg's rule at
/// `false_alarm`, the sequential ones what `defend` makes of it.
///
/// # Errors
/// Those of the defence: too little memory.
pub(crate) fn counts(
    lists: &EndorsementLists,
    law: &EndorsementLaw,
    fake: &[bool],
    false_alarm: f64,
    memory_limit: u64,
) -> Result<Vec<DetectorCount>, Error> {
    let signals = Signals::of(lists);
    let (tallies, pairs) = (&signals.tallies, &signals.pairs);
    let nobody = vec![false; fake.len()];
    let population = Population::estimate(pairs, law, &nobody);
    let above = |over, gamma| -> Vec<u32> {
        let phi = imbalance_as_printed(tallies, pairs, over);
        (0..phi.len() as u32).filter(|&node| phi[node as usize] > gamma).collect()
    };
    let rejected = |p_values: Vec<f64>| -> Vec<u32> {
        benjamini_hochberg(&p_values, false_alarm).into_iter().map(|node| node as u32).collect()
    };
    let suspected = |behaviour| {
        let found = suspicion(pairs, &population, law, &[behaviour], GRADING_ERROR, &nobody);
        rejected(found.iter().map(|one| one.map_or(1.0, |one| one.p_value)).collect())
    };
    let whole = DefenceOptions { false_alarm, memory_limit, ..DefenceOptions::new(*law) };
    let peers_only = DefenceOptions { conformity: false, behaviours: vec![Behaviour::PeersDoubt], ..whole.clone() };
    let removed = |options: &DefenceOptions| -> Result<Vec<u32>, Error> {
        Ok(defend_signals(&signals, options)?.removals.iter().map(|removal| removal.node).collect())
    };
    let (either, both) = (Neighbourhood::EitherSide, Neighbourhood::BothSides);
    let z = imbalance(tallies, pairs, &population, law, &nobody);
    let own_list = conformity(tallies, law);
    let found = [
        ("φ, γ as printed", above(either, midpoint_as_printed(law))),
        ("φ, γ corrected", above(either, midpoint_corrected(law))),
        ("φ over mutual pairs", above(both, midpoint_corrected(law))),
        ("imbalance", rejected(z.iter().map(|one| one.p_value).collect())),
        ("conformity", rejected(own_list.iter().map(|one| one.p_value).collect())),
        ("pair ratio", suspected(Behaviour::Lavish)),
        ("peers doubt", suspected(Behaviour::PeersDoubt)),
        ("peers doubt, sequential", removed(&peers_only)?),
        ("defend", removed(&whole)?),
    ];
    let count = |(detector, removed): (&str, Vec<u32>)| {
        let Detection { caught, honest_removed, .. } = Detection::of(&removed, fake);
        DetectorCount { detector: detector.to_owned(), caught, honest_removed }
    };
    Ok(found.into_iter().map(count).collect())
}
