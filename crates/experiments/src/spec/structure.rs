//! How the server comes to its graph, and who attacks.

use serde::{Deserialize, Serialize};
use veritas_defense::TrustModel;
use veritas_defense::attack::{Attack, Collusion, FakeFeatures, Grading, Targets};

use super::knob_in;
use crate::{Epsilon, Error};

/// How the server comes to its graph.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum StructureSpec {
    /// It knows the graph: LPGNN, PPGNN, UPGNET. Fakes that join are in it.
    Public,
    /// It gets graded neighbour lists, every entry through (κ+1)-ary randomized response [VERITAS, Alg. 2].
    Lists {
        /// Budget of one entry; an undirected edge stands in two lists and spends twice this, a user n times this.
        epsilon: Epsilon,
        /// κ, the highest grade.
        levels: u8,
        /// What honest users say of their neighbours.
        trust: TrustModel,
        /// What the server does about fakes and noise.
        defence: DefenceSpec,
    },
}

/// What the server does about fakes and noise in the lists.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum DefenceSpec {
    /// Nothing: every pair of which both sides report a grade is an edge.
    Undefended,
    /// Stage II as printed: users with φ > γ go, and every pair of positive confidence is an edge. It does not detect.
    AsPrinted {
        /// γ.
        gamma: Gamma,
    },
    /// Nothing, and the experimenter asks each detector whom it would remove. Here the attacker knows the graph, which
    /// some need; for the table of detectors.
    Detectors {
        /// Rate of false alarms that each detector with a test is given.
        false_alarm: f64,
    },
    /// Posterior edge filter alone, no user is removed.
    EdgesOnly,
    /// All tests and the posterior edge filter.
    Sound {
        /// With honest users only, the chance that anybody is removed.
        false_alarm: f64,
    },
}

/// γ of Stage II as printed. The paper gives no value.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Gamma {
    /// ½(2p−1)(κ−1), half of Proposition 2 as printed.
    Printed,
    /// ½(p−q)(κ−1), half of Proposition 2 corrected.
    Corrected,
    /// By clean validation accuracy, as the paper does: 1/16, 1/8, 1/4, ½ and 1 of the corrected midpoint, and ∞.
    Validation,
    /// This.
    Fixed {
        /// γ.
        value: f64,
    },
}

/// Fake users that join.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum AttackSpec {
    /// Nobody.
    None,
    /// Fakes [VERITAS, Alg. 1].
    Fakes {
        /// Fakes as a share of the honest users.
        rate: f64,
        /// Honest users that each fake befriends.
        victims: usize,
        /// Which.
        targets: Targets,
        /// Links among fakes.
        collusion: Collusion,
        /// What a fake says of its victims.
        grading: Grading,
        /// Whether fakes run the randomizer on their lists.
        randomizes: bool,
        /// Honest users that each fake grades 1 without being their neighbour.
        slandered: usize,
        /// What features they report; `victims-mean` lets the attacker read the victims' true features.
        features: FakeFeatures,
    },
}

impl AttackSpec {
    /// The attack on so many honest users; none without fakes.
    pub(crate) fn attack(&self, honest: usize) -> Option<Attack> {
        let Self::Fakes { rate, victims, targets, collusion, grading, randomizes, slandered, features } = *self else {
            return None;
        };
        let fakes = (rate * honest as f64).round().max(1.0) as usize;
        Some(Attack { fakes, victims, targets, collusion, grading, randomizes, slandered, features })
    }

    pub(super) fn check(&self) -> Result<(), Error> {
        let Self::Fakes { rate, .. } = self else { return Ok(()) };
        knob_in("attack.rate", *rate, 0.0..=1.0)
    }
}

impl StructureSpec {
    /// Budget of one list entry, where there are lists.
    pub fn epsilon(&self) -> Option<Epsilon> {
        match self {
            Self::Public => None,
            Self::Lists { epsilon, .. } => Some(*epsilon),
        }
    }

    pub(super) fn check(&self) -> Result<(), Error> {
        let Self::Lists { levels, trust, defence, .. } = self else { return Ok(()) };
        knob_in("structure.levels", f64::from(*levels), 1.0..=255.0)?;
        trust.check(usize::from(*levels))?;
        match defence {
            DefenceSpec::Sound { false_alarm } | DefenceSpec::Detectors { false_alarm } => {
                knob_in("structure.defence.false_alarm", *false_alarm, 1e-12..=0.5)
            }
            DefenceSpec::AsPrinted { gamma: Gamma::Fixed { value } } => {
                knob_in("structure.defence.gamma.value", *value, -255.0..=255.0)
            }
            _ => Ok(()),
        }
    }
}
