//! The whole of Stage II: which users and which edges stay, why each one went, and at what error rate.
//!
//! Conformity first (whoever did not run the mechanism cannot be judged by its law), then in rounds: the population is
//! estimated from those left; suspicion removes users one at a time, each time the one whose claims are worst among
//! those that Benjamini and Hochberg's rule rejects, and takes its ratings out of its neighbours' accounts, for a
//! fake's low grade also slanders its victim; then imbalance. Last, the edge filter.

use graph_denoise::{CsrGraph, CsrMatrix, EdgeKind};

use crate::confidence::{confidence, cutoff};
use crate::conformity::{Conformity, conformity};
use crate::defence::{
    Defence, DefenceOptions, DroppedEdge, EdgeReason, FamilyLevels, Reason, Removal, Stage, Statement,
};
use crate::discovery::{benjamini_hochberg, rejections};
use crate::imbalance::{Imbalance, imbalance};
use crate::suspicion::{ClaimCells, Suspicion, SuspicionTests};
use crate::{Behaviour, EndorsementLists, Error, MemoryEstimate, MutualPairs, Population, Tallies};

/// Odds that a node is a fake before anything is known of it, for the weights in the population.
const PRIOR_ODDS: f64 = 0.02;

/// How often the weights are computed anew.
const REWEIGHTINGS: usize = 12;

/// Runs every enabled test, prunes, and filters the edges.
///
/// Users without any claim stay unless their own list fails the conformity test. The result does not depend on the
/// number of threads.
///
/// # Errors
/// [`Error::LevelsDiffer`] when lists and mechanism have different κ, [`Error::Range`] for a rate outside its range,
/// [`Error::Memory`] when the work would not fit in `options.memory_limit`.
pub fn defend(lists: &EndorsementLists, options: &DefenceOptions) -> Result<Defence, Error> {
    defend_observed(lists, options, |_| {})
}

/// As [`defend`]; calls `finished` at the end of each stage, so that a caller with a clock can time the stages.
///
/// # Errors
/// As [`defend`].
pub fn defend_observed(
    lists: &EndorsementLists,
    options: &DefenceOptions,
    mut finished: impl FnMut(Stage),
) -> Result<Defence, Error> {
    check(lists, options)?;
    let signals = Signals::of(lists);
    finished(Stage::Signals);
    run(&signals, options, finished)
}

/// As [`defend`], on signals that are at hand: for several defences of the same lists.
///
/// # Errors
/// As [`defend`].
pub fn defend_signals(signals: &Signals<'_>, options: &DefenceOptions) -> Result<Defence, Error> {
    check(signals.lists, options)?;
    run(signals, options, |_| {})
}

fn run(signals: &Signals<'_>, options: &DefenceOptions, mut finished: impl FnMut(Stage)) -> Result<Defence, Error> {
    let mut work = Work {
        lists: signals.lists,
        options,
        tallies: &signals.tallies,
        pairs: &signals.pairs,
        removed: vec![false; signals.lists.nodes()],
        removals: Vec::new(),
        levels: options.family_levels(),
    };
    if options.conformity {
        work.remove_unconforming();
    }
    finished(Stage::Conformity);
    work.remove_in_rounds();
    finished(Stage::Suspicion);
    let defence = work.filter_edges()?;
    finished(Stage::Edges);
    Ok(defence)
}

/// What the lists say, counted once: per-node tallies and the mutual pairs.
#[derive(Debug, Clone)]
pub struct Signals<'a> {
    lists: &'a EndorsementLists,
    /// Grades given and received by node.
    pub tallies: Tallies,
    /// Pairs in which both sides report a grade.
    pub pairs: MutualPairs,
}

impl<'a> Signals<'a> {
    /// Reads every list once for each of the two.
    pub fn of(lists: &'a EndorsementLists) -> Self {
        Self { lists, tallies: Tallies::of(lists), pairs: MutualPairs::of(lists) }
    }

    /// The lists that they were read from.
    pub fn lists(&self) -> &'a EndorsementLists {
        self.lists
    }
}

fn check(lists: &EndorsementLists, options: &DefenceOptions) -> Result<(), Error> {
    let law = &options.law;
    if lists.levels() != law.levels() {
        return Err(Error::LevelsDiffer { expected: law.levels(), found: lists.levels() });
    }
    Error::in_range("the false-alarm rate", options.false_alarm, f64::MIN_POSITIVE, 0.5)?;
    Error::in_range("the graders' error rate", options.grading_error, 0.0, 0.9)?;
    options.edge_rule.check()?;
    // The lists are here already; only what comes on top can still be refused. Half of the entries bounds the edges.
    let noise = (lists.nodes() as f64).powi(2) * law.noise_rate();
    let edges = ((lists.entries() as f64 - noise).max(0.0) / 2.0) as usize;
    let estimate = MemoryEstimate::new(lists.nodes(), edges, law);
    let needed = lists.bytes() + estimate.pairs + estimate.nodes;
    if needed > options.memory_limit {
        let (nodes, density) = (lists.nodes(), law.noise_rate());
        return Err(Error::Memory { nodes, epsilon: law.epsilon(), density, needed, limit: options.memory_limit });
    }
    Ok(())
}

struct Work<'a> {
    lists: &'a EndorsementLists,
    options: &'a DefenceOptions,
    tallies: &'a Tallies,
    pairs: &'a MutualPairs,
    removed: Vec<bool>,
    removals: Vec<Removal>,
    levels: FamilyLevels,
}

impl Work<'_> {
    fn remove(&mut self, node: usize, reason: Reason) {
        self.removed[node] = true;
        self.removals.push(Removal { node: node as u32, reason });
    }

    fn remove_unconforming(&mut self) {
        let found: Vec<Conformity> = conformity(self.tallies, &self.options.law);
        let p_values: Vec<f64> = found.iter().map(|c| c.p_value).collect();
        for node in benjamini_hochberg(&p_values, self.levels.conformity) {
            self.remove(node, Reason::Conformity(found[node]));
        }
    }

    /// The population of those not removed, without letting fakes describe it: a node counts with the probability
    /// that it is honest given the population so far, and its pairs with the product of both ends'.
    fn population(&self) -> Population {
        let options = self.options;
        let mut population = Population::estimate(self.pairs, &options.law, &self.removed);
        if options.behaviours.is_empty() {
            return population;
        }
        let cells = ClaimCells::of_pairs(self.pairs, options.law.levels(), &self.removed);
        let mut weights: Vec<f64> = vec![1.0; self.removed.len()];
        for _ in 0..REWEIGHTINGS {
            let tests = SuspicionTests::new(&options.law, &population, &options.behaviours, options.grading_error);
            let evidence = tests.largest_evidence(&cells);
            let weigh = |(&evidence, &out): (&f64, &bool)| {
                if out { 0.0 } else { 1.0 / (1.0 + PRIOR_ODDS * libm::exp(evidence.min(700.0))) }
            };
            let next: Vec<f64> = evidence.iter().zip(&self.removed).map(weigh).collect();
            let change = next.iter().zip(&weights).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            weights = next;
            population.reweigh(self.pairs, &options.law, &weights);
            if change < 0.01 {
                break;
            }
        }
        population
    }

    fn remove_in_rounds(&mut self) {
        for _ in 0..self.options.rounds {
            let before = self.removals.len();
            let population = self.population();
            if !self.options.behaviours.is_empty() {
                self.remove_suspicious(&population);
            }
            if self.options.imbalance {
                self.remove_imbalanced(&population);
            }
            if self.removals.len() == before {
                break;
            }
        }
    }

    /// One round of the sequential test.
    fn remove_suspicious(&mut self, population: &Population) {
        let (options, level) = (self.options, self.levels.suspicion);
        let mut cells = ClaimCells::of_pairs(self.pairs, options.law.levels(), &self.removed);
        let mut tests = SuspicionTests::new(&options.law, population, &options.behaviours, options.grading_error);
        let mut found: Vec<Option<Suspicion>> = tests.all(&cells);
        loop {
            let suspect = |node: usize| found[node].filter(|s| s.p_value <= level && !self.removed[node]);
            let mut suspects: Vec<(usize, Suspicion)> =
                (0..found.len()).filter_map(|node| suspect(node).map(|s| (node, s))).collect();
            suspects.sort_by(|a, b| a.1.p_value.total_cmp(&b.1.p_value).then(a.0.cmp(&b.0)));
            let sorted: Vec<f64> = suspects.iter().map(|(_, s)| s.p_value).collect();
            // Those removed before are discoveries too: without them the last fakes would face a sterner rule than
            // the first.
            let before = self.removals.iter().filter(|r| matches!(r.reason, Reason::Suspicion(_))).count();
            suspects.truncate(rejections(&sorted, before, self.lists.nodes(), level));
            let Some((node, suspicion)) = self.worst(&suspects, &tests) else { break };
            self.remove(node, Reason::Suspicion(suspicion));
            for (other, says, told) in self.pairs.of_node(node) {
                if !self.removed[other as usize] {
                    cells.remove(other, told, says);
                    found[other as usize] = tests.node(cells.of(other as usize));
                }
            }
        }
    }

    /// Whom to remove first: the suspect against whom those speak most who are no suspects themselves.
    ///
    /// Fakes that all befriend the same few users make these look as bad as themselves, and each such victim has more
    /// doubters than any of the fakes. But the victims have friends beside, and the fakes only each other.
    fn worst(&self, suspects: &[(usize, Suspicion)], tests: &SuspicionTests<'_>) -> Option<(usize, Suspicion)> {
        let mut suspected = vec![false; self.removed.len()];
        for &(node, _) in suspects {
            suspected[node] = true;
        }
        // Where the peer-only test is in use it decides: it counts a friend's praise in full.
        let peers_only = self.options.behaviours.contains(&Behaviour::PeersDoubt);
        let evidence = |&(node, suspicion): &(usize, Suspicion)| {
            let behaviour = if peers_only { Behaviour::PeersDoubt } else { suspicion.behaviour };
            let unsuspected = |other: u32| !self.removed[other as usize] && !suspected[other as usize];
            let claims = self.pairs.of_node(node).filter(|&(other, ..)| unsuspected(other)).map(|(_, s, t)| (s, t));
            (tests.evidence(behaviour, suspicion.claims, claims), node, suspicion)
        };
        // Equal evidence: the smaller p-value, for they come sorted by it.
        let all = suspects.iter().rev().map(evidence);
        all.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, node, suspicion)| (node, suspicion))
    }

    fn remove_imbalanced(&mut self, population: &Population) {
        let tallies = if self.removals.is_empty() { None } else { Some(Tallies::without(self.lists, &self.removed)) };
        let tallies = tallies.as_ref().unwrap_or(self.tallies);
        let found: Vec<Imbalance> = imbalance(tallies, self.pairs, population, &self.options.law, &self.removed);
        let p_values: Vec<f64> = found.iter().map(|i| i.p_value).collect();
        for node in benjamini_hochberg(&p_values, self.levels.imbalance) {
            self.remove(node, Reason::Imbalance(found[node]));
        }
    }

    fn filter_edges(self) -> Result<Defence, Error> {
        // Everybody who is left counts in full: this is about edges, and a doubtful user's edges are edges.
        let population = Population::estimate(self.pairs, &self.options.law, &self.removed);
        let posteriors = confidence(self.pairs, &population, &self.options.law, &self.removed);
        let (least, noise_share) = cutoff(&posteriors, self.options.edge_rule);
        let nodes = self.lists.nodes();
        let (mut edges, mut weights, mut dropped) = (Vec::new(), Vec::new(), Vec::new());
        for (pair, &posterior) in self.pairs.all().iter().zip(&posteriors) {
            if posterior >= least {
                edges.push((pair.low, pair.high));
                weights.push(posterior);
                continue;
            }
            let ends = [pair.low, pair.high];
            let gone = ends.into_iter().find(|&end| self.removed[end as usize]);
            let reason = gone.map_or(EdgeReason::Doubtful { posterior }, EdgeReason::EndRemoved);
            dropped.push(DroppedEdge { low: pair.low, high: pair.high, reason });
        }
        let levels = usize::from(self.lists.levels());
        let judged = levels * levels * size_of::<u32>() + size_of::<Option<Suspicion>>();
        let of_nodes = |used: bool, each: usize| if used { (nodes * each) as u64 } else { 0 };
        let bytes = vec![
            (Stage::Signals, self.lists.bytes() + self.tallies.bytes() + self.pairs.bytes()),
            (Stage::Conformity, of_nodes(self.options.conformity, size_of::<Conformity>())),
            (Stage::Suspicion, of_nodes(!self.options.behaviours.is_empty(), judged)),
            (Stage::Edges, ((edges.len() + dropped.len()) * 24) as u64),
        ];
        Ok(Defence {
            kept: (0..nodes as u32).filter(|&node| !self.removed[node as usize]).collect(),
            graph: CsrGraph::from_edges(nodes, &edges, EdgeKind::Undirected)?,
            weights: symmetric_matrix(nodes, &edges, &weights)?,
            removals: self.removals,
            dropped,
            statement: Statement {
                false_alarm: self.options.false_alarm,
                families: self.levels,
                edge_cutoff: least,
                expected_noise_share: noise_share,
                estimated_edges: population.edges(),
            },
            bytes,
        })
    }
}

/// Both directions of each edge; `edges` ascend, so each row's columns do.
fn symmetric_matrix(nodes: usize, edges: &[(u32, u32)], weights: &[f32]) -> Result<CsrMatrix, Error> {
    let mut indptr = vec![0_usize; nodes + 1];
    for &(low, high) in edges {
        indptr[low as usize + 1] += 1;
        indptr[high as usize + 1] += 1;
    }
    for node in 0..nodes {
        indptr[node + 1] += indptr[node];
    }
    let mut next = indptr.clone();
    let (mut indices, mut values) = (vec![0_u32; 2 * edges.len()], vec![0_f32; 2 * edges.len()]);
    for (&(low, high), &weight) in edges.iter().zip(weights) {
        for (row, column) in [(low, high), (high, low)] {
            let at = next[row as usize];
            (indices[at], values[at]) = (column, weight);
            next[row as usize] += 1;
        }
    }
    Ok(CsrMatrix::new(nodes, indptr, indices, values)?)
}
