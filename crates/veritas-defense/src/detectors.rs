//! Nine detectors, all asked about the same lists: what `docs/veritas.md` compares.

use crate::as_printed::{Neighbourhood, imbalance_as_printed, midpoint_as_printed, midpoint_corrected};
use crate::{
    Behaviour, Defence, DefenceOptions, Error, Population, Signals, benjamini_hochberg, conformity, defend_signals,
    imbalance, suspicion,
};

/// A way to name fakes: Stage II as printed [VERITAS, Eq. 14], and what replaces it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Detector {
    /// φ over all whom either end's list names, against γ as printed.
    PrintedScore,
    /// The same φ, against γ of the corrected Proposition 2.
    CorrectedScore,
    /// φ over mutual pairs, against the corrected γ.
    MutualScore,
    /// z-score of S_v, with Benjamini and Hochberg's rule.
    Imbalance,
    /// Whether a user ran the mechanism.
    Conformity,
    /// Likelihood ratio of a user's pairs: it says κ of users who do not (see [`Behaviour::Lavish`]).
    PairRatio,
    /// What others say of a user, and nothing else.
    PeersDoubt,
    /// The same as [`defend`](crate::defend) runs it: who was removed counts no longer, and the population is estimated
    /// anew each round.
    SequentialPeersDoubt,
    /// All of [`defend`](crate::defend).
    Defend,
}

impl Detector {
    /// In the order of the tables.
    pub const ALL: [Self; 9] = [
        Self::PrintedScore,
        Self::CorrectedScore,
        Self::MutualScore,
        Self::Imbalance,
        Self::Conformity,
        Self::PairRatio,
        Self::PeersDoubt,
        Self::SequentialPeersDoubt,
        Self::Defend,
    ];

    /// For tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::PrintedScore => "φ, γ as printed",
            Self::CorrectedScore => "φ, γ corrected",
            Self::MutualScore => "φ over mutual pairs",
            Self::Imbalance => "imbalance",
            Self::Conformity => "conformity",
            Self::PairRatio => "pair ratio",
            Self::PeersDoubt => "peers doubt",
            Self::SequentialPeersDoubt => "peers doubt, sequential",
            Self::Defend => "defend",
        }
    }
}

/// Whom each detector would remove, as numbers of users, one list for each of [`Detector::ALL`]; and the whole defence.
///
/// The printed score has its thresholds; single tests have the rule of Benjamini and Hochberg at `options.false_alarm`,
/// each as if it were the only one; the sequential ones are what [`defend`](crate::defend) makes of them. Which tests
/// `options` turns on concerns [`Detector::Defend`] alone.
///
/// # Errors
/// What [`defend_signals`] refuses.
pub fn detect_all(signals: &Signals<'_>, options: &DefenceOptions) -> Result<([Vec<u32>; 9], Defence), Error> {
    let sequential = DefenceOptions {
        conformity: false,
        imbalance: false,
        behaviours: vec![Behaviour::PeersDoubt],
        ..options.clone()
    };
    let (sequential, whole) = (defend_signals(signals, &sequential)?, defend_signals(signals, options)?);
    let (law, tallies, pairs) = (&options.law, &signals.tallies, &signals.pairs);
    let nobody = vec![false; tallies.nodes()];
    let population = Population::estimate(pairs, law, &nobody);
    let above = |over, gamma| -> Vec<u32> {
        let phi = imbalance_as_printed(tallies, pairs, over);
        (0..phi.len() as u32).filter(|&node| phi[node as usize] > gamma).collect()
    };
    let rejected = |p_values: Vec<f64>| -> Vec<u32> {
        benjamini_hochberg(&p_values, options.false_alarm).into_iter().map(|node| node as u32).collect()
    };
    let suspected = |behaviour| {
        let found = suspicion(pairs, &population, law, &[behaviour], options.grading_error, &nobody);
        rejected(found.iter().map(|one| one.map_or(1.0, |one| one.p_value)).collect())
    };
    let removed = |defence: &Defence| defence.removals.iter().map(|removal| removal.node).collect();
    let found = Detector::ALL.map(|detector| match detector {
        Detector::PrintedScore => above(Neighbourhood::EitherSide, midpoint_as_printed(law)),
        Detector::CorrectedScore => above(Neighbourhood::EitherSide, midpoint_corrected(law)),
        Detector::MutualScore => above(Neighbourhood::BothSides, midpoint_corrected(law)),
        Detector::Imbalance => {
            rejected(imbalance(tallies, pairs, &population, law, &nobody).iter().map(|one| one.p_value).collect())
        }
        Detector::Conformity => rejected(conformity(tallies, law).iter().map(|one| one.p_value).collect()),
        Detector::PairRatio => suspected(Behaviour::Lavish),
        Detector::PeersDoubt => suspected(Behaviour::PeersDoubt),
        Detector::SequentialPeersDoubt => removed(&sequential),
        Detector::Defend => removed(&whole),
    });
    Ok((found, whole))
}
