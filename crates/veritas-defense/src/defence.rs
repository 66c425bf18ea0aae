//! What a defence is asked for and what it answers.

use graph_denoise::{CsrGraph, CsrMatrix};

use crate::{Behaviour, Conformity, EdgeRule, EndorsementLaw, Imbalance, Suspicion};

/// Every knob of [`defend`](crate::defend).
#[derive(Debug, Clone, PartialEq)]
pub struct DefenceOptions {
    /// The mechanism that honest users run.
    pub law: EndorsementLaw,
    /// With honest users only, the chance that anybody at all is removed; with fakes, the expected share of honest
    /// users among the removed. Split over the families of tests in use (see [`FamilyLevels`]).
    pub false_alarm: f64,
    /// Whether users who did not run the mechanism are looked for.
    pub conformity: bool,
    /// Whether the imbalance S_v is tested. Off by default: it needs grading that is exchangeable between the two ends
    /// of an edge, and fakes that befriend users and then stay silent turn it against their victims.
    pub imbalance: bool,
    /// Which behaviours of fakes suspicion looks for; empty turns it off.
    pub behaviours: Vec<Behaviour>,
    /// How often a victim is thought to take a fake for a friend. Sets the power of suspicion, never its error rate.
    pub grading_error: f64,
    /// Which edges stay.
    pub edge_rule: EdgeRule,
    /// How often the population is estimated anew after removals.
    pub rounds: usize,
    /// Bytes beyond which work is refused before it starts.
    pub memory_limit: u64,
}

impl DefenceOptions {
    /// All tests but imbalance, one false alarm in a hundred, graders wrong in one of ten, posterior one half, three
    /// rounds, 4 GiB.
    pub fn new(law: EndorsementLaw) -> Self {
        Self {
            law,
            false_alarm: 0.01,
            conformity: true,
            imbalance: false,
            behaviours: Behaviour::ALL.to_vec(),
            grading_error: 0.1,
            edge_rule: EdgeRule::Posterior(0.5),
            rounds: 3,
            memory_limit: 4 << 30,
        }
    }

    /// A tenth each for conformity and imbalance, what is left for suspicion; what is not in use gives its share up.
    pub(crate) fn family_levels(&self) -> FamilyLevels {
        let share = |used: bool, weight: f64| if used { weight } else { 0.0 };
        let conformity = share(self.conformity, 0.1);
        let imbalance = share(self.imbalance, 0.1);
        let suspicion = share(!self.behaviours.is_empty(), 0.8);
        let total = (conformity + imbalance + suspicion).max(f64::MIN_POSITIVE);
        let level = |weight: f64| self.false_alarm * weight / total;
        FamilyLevels { conformity: level(conformity), imbalance: level(imbalance), suspicion: level(suspicion) }
    }
}

/// The false-alarm rate of each family of tests; zero for one that is not in use. They sum to the rate asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FamilyLevels {
    /// Of conformity.
    pub conformity: f64,
    /// Of imbalance.
    pub imbalance: f64,
    /// Of suspicion.
    pub suspicion: f64,
}

/// Parts of the work, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Tallies and mutual pairs.
    Signals,
    /// Conformity of every list.
    Conformity,
    /// Suspicion and imbalance, in rounds.
    Suspicion,
    /// Posterior of every pair, and the kept graph.
    Edges,
}

/// Why a user was removed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reason {
    /// Its list is not one that the mechanism makes.
    Conformity(Conformity),
    /// It claims more than it is granted.
    Imbalance(Imbalance),
    /// Its peers say of it what victims say of fakes.
    Suspicion(Suspicion),
}

/// A removed user; a defence lists them in the order of removal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Removal {
    /// Who.
    pub node: u32,
    /// Why.
    pub reason: Reason,
}

/// Why a mutual pair is no edge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum EdgeReason {
    /// This end was removed.
    EndRemoved(u32),
    /// More likely noise than edge, or above the share of noise asked for.
    Doubtful {
        /// P(edge | reports).
        posterior: f32,
    },
}

/// A mutual pair that is no edge of the kept graph.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DroppedEdge {
    /// The smaller id.
    pub low: u32,
    /// The larger id.
    pub high: u32,
    /// Why it went.
    pub reason: EdgeReason,
}

/// The error rates that the defence was asked to keep and what it expects of its own result.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Statement {
    /// The false-alarm rate asked for, over all tests.
    pub false_alarm: f64,
    /// Its parts by family of tests.
    pub families: FamilyLevels,
    /// Smallest posterior among the kept edges; infinite when none is kept.
    pub edge_cutoff: f32,
    /// Expected share of noise among the kept edges.
    pub expected_noise_share: f64,
    /// Estimated number of true edges among those not removed.
    pub estimated_edges: f64,
}

/// What is left for learning, and the account of what is not.
#[derive(Debug, Clone, PartialEq)]
pub struct Defence {
    /// Users that stay, ascending.
    pub kept: Vec<u32>,
    /// Users that went, in the order of removal.
    pub removals: Vec<Removal>,
    /// Kept edges over all ids; removed users are isolated nodes in it.
    pub graph: CsrGraph,
    /// P(edge | reports) of the kept edges, symmetric, nodes × nodes.
    pub weights: CsrMatrix,
    /// Every mutual pair that is no kept edge, ascending.
    pub dropped: Vec<DroppedEdge>,
    /// Error rates.
    pub statement: Statement,
    /// Bytes held by what each stage made, in the order of the stages; those of the stages between are freed again.
    pub bytes: Vec<(Stage, u64)>,
}
