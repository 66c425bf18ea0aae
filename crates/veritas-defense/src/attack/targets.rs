//! Whom fakes befriend: S_target of [VERITAS, Alg. 1].

use std::collections::BTreeSet;

use graph_denoise::CsrGraph;
use rand::{Rng, RngExt};

use super::Knowledge;
use crate::Error;

/// Strategy by which victims are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Targets {
    /// Each fake takes its own random victims.
    Random,
    /// All fakes take the same random victims. With low grades this is slander: it is the victims that are to go.
    Shared,
    /// Each fake takes victims with probability proportional to their degree. Needs the graph.
    ByDegree,
    /// All fakes take the most influential users: those with the largest Σ 1/deg over their neighbours, the weight
    /// that a user has in its neighbours' means. Needs the graph.
    ByInfluence,
    /// One fake a victim as long as there are victims left, fakes reused in turn (Devil's Hand, cyclic matching).
    Matching,
}

impl Targets {
    /// Victims of each fake, ascending, without repeats.
    pub(super) fn choose<R: Rng + ?Sized>(
        self,
        fakes: usize,
        victims: usize,
        knowledge: &Knowledge<'_>,
        rng: &mut R,
    ) -> Result<Vec<Vec<u32>>, Error> {
        let honest = knowledge.honest;
        let graph = || {
            let graph = knowledge
                .graph
                .ok_or(Error::Needs { who: "choosing victims by degree or influence", what: "the graph" })?;
            if graph.nodes() == honest {
                return Ok(graph);
            }
            Err(Error::Size {
                what: "nodes of the graph that the attacker sees",
                expected: honest,
                found: graph.nodes(),
            })
        };
        Ok(match self {
            Self::Random => (0..fakes).map(|_| distinct(victims, honest, rng)).collect(),
            Self::Shared => vec![distinct(victims, honest, rng); fakes],
            Self::ByDegree => {
                let graph = graph()?;
                (0..fakes).map(|_| by_degree(victims, graph, rng)).collect()
            }
            Self::ByInfluence => vec![most_influential(victims, graph()?); fakes],
            Self::Matching => matching(fakes, victims, honest, rng),
        })
    }
}

/// `count` different numbers below `bound`, ascending (Floyd's method).
pub(super) fn distinct<R: Rng + ?Sized>(count: usize, bound: usize, rng: &mut R) -> Vec<u32> {
    let mut chosen = BTreeSet::new();
    for last in bound - count..bound {
        let candidate = rng.random_range(0..=last as u32);
        if !chosen.insert(candidate) {
            chosen.insert(last as u32);
        }
    }
    chosen.into_iter().collect()
}

/// The end of a random list entry is a node with probability proportional to its degree. Where there are too few nodes
/// with any degree the rest is random.
fn by_degree<R: Rng + ?Sized>(count: usize, graph: &CsrGraph, rng: &mut R) -> Vec<u32> {
    let mut chosen = BTreeSet::new();
    let mut tries = 0;
    while chosen.len() < count && tries < 1000 * count && graph.entries() > 0 {
        chosen.insert(graph.indices()[rng.random_range(0..graph.entries())]);
        tries += 1;
    }
    while chosen.len() < count {
        chosen.insert(rng.random_range(0..graph.nodes() as u32));
    }
    chosen.into_iter().collect()
}

fn most_influential(count: usize, graph: &CsrGraph) -> Vec<u32> {
    let influence = |v: usize| graph.neighbours(v).iter().map(|&u| 1.0 / graph.degree(u as usize) as f64).sum::<f64>();
    let mut ranked: Vec<(f64, u32)> = (0..graph.nodes()).map(|v| (influence(v), v as u32)).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut chosen: Vec<u32> = ranked[..count].iter().map(|r| r.1).collect();
    chosen.sort_unstable();
    chosen
}

fn matching<R: Rng + ?Sized>(fakes: usize, victims: usize, honest: usize, rng: &mut R) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new(); fakes];
    // With more links than users, whole rounds over all users come first; a victim met twice by one fake counts once.
    for start in (0..fakes * victims).step_by(honest.max(1)) {
        let links = (fakes * victims - start).min(honest);
        let mut order = distinct(links, honest, rng);
        shuffle(&mut order, rng);
        for (at, victim) in order.into_iter().enumerate() {
            all[(start + at) % fakes].push(victim);
        }
    }
    for own in &mut all {
        own.sort_unstable();
        own.dedup();
    }
    all
}

fn shuffle<R: Rng + ?Sized>(items: &mut [u32], rng: &mut R) {
    for last in (1..items.len()).rev() {
        items.swap(last, rng.random_range(0..=last));
    }
}
