//! A planned attack: what joins the graph and what the fakes say.

use graph_denoise::{CsrGraph, EdgeKind};
use rand::{Rng, RngExt};

use super::targets::distinct;
use super::{Attack, FakeProfile, Knowledge, StealthProbability};
use crate::{Error, TrueGrades};

/// What a fake says of its victims.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Grading {
    /// κ.
    Highest,
    /// What it expects the victim to say of a stranger, drawn from [`Knowledge::stranger_grades`].
    Mirrored,
    /// 1.
    Lowest,
    /// Any grade, at random.
    Random,
    /// Nothing: the victim's list is left unanswered, which makes the victim look unbalanced.
    Silent,
}

/// Fakes that are ready to join; their ids follow those of the honest users.
#[derive(Debug, Clone, PartialEq)]
pub struct Injection {
    pub(super) honest: usize,
    pub(super) links: Vec<Vec<u32>>,
    pub(super) fellows: Vec<(u32, u32)>,
    pub(super) rows: Vec<Vec<(u32, u8)>>,
    pub(super) features: Vec<FakeProfile>,
    pub(super) stealth: Option<StealthProbability>,
    pub(super) randomizes: bool,
}

impl Injection {
    /// Honest users and fakes.
    pub fn nodes(&self) -> usize {
        self.honest + self.links.len()
    }

    /// Number of fakes.
    pub fn fakes(&self) -> usize {
        self.links.len()
    }

    /// Victims of each fake, ascending.
    pub fn victims(&self) -> &[Vec<u32>] {
        &self.links
    }

    /// Whether each node is a fake.
    pub fn is_fake(&self) -> Vec<bool> {
        (0..self.nodes()).map(|node| node >= self.honest).collect()
    }

    /// Whether each node sends its list past the randomizer.
    pub fn bypasses(&self) -> Vec<bool> {
        (0..self.nodes()).map(|node| node >= self.honest && !self.randomizes).collect()
    }

    /// The features of each fake; empty when none are reported.
    pub fn features(&self) -> &[FakeProfile] {
        &self.features
    }

    /// The stealth probability, where links among fakes follow one.
    pub fn stealth(&self) -> Option<StealthProbability> {
        self.stealth
    }

    /// The social graph after the fakes have joined: victims accept the link.
    ///
    /// # Errors
    /// [`Error::Size`] when `graph` is not that of the honest users, [`Error::Graph`].
    pub fn graph(&self, graph: &CsrGraph) -> Result<CsrGraph, Error> {
        if graph.nodes() != self.honest {
            return Err(Error::Size { what: "honest users", expected: self.honest, found: graph.nodes() });
        }
        let id = |fake: usize| (self.honest + fake) as u32;
        let to_victims = self.links.iter().enumerate().flat_map(|(fake, own)| own.iter().map(move |&v| (v, id(fake))));
        let among = self.fellows.iter().map(|&(a, b)| (id(a as usize), id(b as usize)));
        let edges: Vec<(u32, u32)> = graph.iter_edges().chain(to_victims).chain(among).collect();
        Ok(CsrGraph::from_edges(self.nodes(), &edges, EdgeKind::Undirected)?)
    }

    /// Puts the fakes' lists beside what honest users truly think.
    ///
    /// # Errors
    /// [`Error::Size`] when `honest` is not for this many nodes, and those of a list.
    pub fn join(&self, honest: TrueGrades) -> Result<TrueGrades, Error> {
        let found = honest.lists().nodes();
        if found != self.nodes() {
            return Err(Error::Size { what: "users, fakes included", expected: self.nodes(), found });
        }
        honest.with_rows(self.honest, &self.rows)
    }
}

/// The lists of the fakes before any randomizer, ascending.
pub(super) fn rows<R: Rng + ?Sized>(
    attack: &Attack,
    links: &[Vec<u32>],
    fellows: &[(u32, u32)],
    knowledge: &Knowledge<'_>,
    rng: &mut R,
) -> Vec<Vec<(u32, u8)>> {
    let top = knowledge.law.levels();
    let mut rows: Vec<Vec<(u32, u8)>> = Vec::with_capacity(links.len());
    for victims in links {
        let mut row: Vec<(u32, u8)> =
            victims.iter().filter_map(|&v| Some((v, say(attack.grading, knowledge, rng)?))).collect();
        let others = knowledge.honest - victims.len();
        for place in distinct(attack.slandered.min(others), others, rng) {
            // The place-th user that is no victim.
            let user = victims.iter().fold(place, |user, &victim| user + u32::from(victim <= user));
            row.push((user, 1));
        }
        rows.push(row);
    }
    for &(one, other) in fellows {
        let id = |fake: u32| knowledge.honest as u32 + fake;
        rows[one as usize].push((id(other), top));
        rows[other as usize].push((id(one), top));
    }
    rows.iter_mut().for_each(|row| row.sort_unstable());
    rows
}

fn say<R: Rng + ?Sized>(grading: Grading, knowledge: &Knowledge<'_>, rng: &mut R) -> Option<u8> {
    let top = knowledge.law.levels();
    Some(match (grading, knowledge.stranger_grades) {
        (Grading::Silent, _) => return None,
        (Grading::Highest, _) => top,
        (Grading::Lowest, _) | (Grading::Mirrored, None) => 1,
        (Grading::Random, _) => rng.random_range(1..=top),
        (Grading::Mirrored, Some(shares)) => {
            let mut left: f64 = rng.random();
            let at = shares.iter().position(|&share| {
                left -= share;
                left < 0.0
            });
            at.map_or(1, |at| (at as u8 + 1).min(top))
        }
    })
}
