//! Suspicion: is what others say of a node what honest peers would say, or what victims say of a fake?
//!
//! A node's *claims* are its mutual pairs. Each claim is a cell (i, j): what the node says, what its peer says. Under
//! the null a cell is noise (uniform) with the share that the [`Population`] has for that number of claims, or an
//! honest edge. Each [`Behaviour`] of a fake gives another cell law; the log-likelihood ratios of the cells, rounded to
//! integers, are summed over the claims, and the null law of the sum is an exact convolution. The zero cells of the
//! papers' pair ratio [papers.md 11.10, 2] are left out: they only tell the degree, which an honest hub has too.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::lattice::{LatticeLaw, UpperTails};
use crate::{EndorsementLaw, MutualPairs, Population};

/// Largest score of one cell, in lattice steps.
const STEPS: f64 = 24.0;

/// Share of a fake's claims that show its behaviour, where a clique may dilute them.
const DILUTED: f64 = 0.25;

/// How a fake may behave; one test each, and the smallest p-value counts as many times as there are tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Behaviour {
    /// Its peers grade it 1, whatever it says itself: the peer-only score. It cannot be gamed by what the fake says.
    PeersDoubt,
    /// As before, but only a quarter of its peers do; the rest (a colluding clique) praise it.
    SomePeersDoubt,
    /// In a quarter of its claims it says κ and its peer 1: the naive attack, which \[VERITAS\] looks for, however well a
    /// clique dilutes it.
    Lavish,
    /// In a quarter of its claims it says 1 and its peer 1: the attacker that mirrors, likewise.
    Mirroring,
}

impl Behaviour {
    /// All, in the order in which they are tested.
    pub const ALL: [Self; 4] = [Self::PeersDoubt, Self::SomePeersDoubt, Self::Lavish, Self::Mirroring];

    /// P(i, j | real claim of such a fake), row-major; `honest` is the honest law of the same.
    fn cells(self, law: &EndorsementLaw, honest: &[f64], error: f64) -> Vec<f64> {
        let levels = usize::from(law.levels());
        let (given, received) = margins(honest, levels);
        let kept = 1.0 - law.lie();
        let seen = |grade: u8, report: usize| law.probability(grade, report as u8 + 1) / kept;
        let doubt = |j: usize| (1.0 - error) * seen(1, j) + error * received[j];
        let cell = |at: usize| {
            let (i, j) = (at / levels, at % levels);
            let (share, fake) = match self {
                // Conditional on what the node says: the same factor in both laws.
                Self::PeersDoubt => (1.0, given[i] * doubt(j)),
                Self::SomePeersDoubt => (DILUTED, given[i] * doubt(j)),
                Self::Lavish => (DILUTED, seen(law.levels(), i) * doubt(j)),
                Self::Mirroring => (DILUTED, seen(1, i) * doubt(j)),
            };
            share * fake + (1.0 - share) * if self.ignores_own() { given[i] * received[j] } else { honest[at] }
        };
        (0..honest.len()).map(cell).collect()
    }

    /// Whether the score must not depend on what the node itself says.
    fn ignores_own(self) -> bool {
        matches!(self, Self::PeersDoubt | Self::SomePeersDoubt)
    }
}

fn margins(joint: &[f64], levels: usize) -> (Vec<f64>, Vec<f64>) {
    let rows = joint.chunks(levels).map(|row| row.iter().sum()).collect();
    let columns = (0..levels).map(|j| joint.iter().skip(j).step_by(levels).sum()).collect();
    (rows, columns)
}

/// The test of one behaviour for nodes with one number of claims.
#[derive(Debug, Clone)]
struct ClaimTest {
    scores: Vec<i32>,
    one: LatticeLaw,
    /// Where the upper half begins: below it the p-value is given as 1 and no convolution is made.
    floor: i64,
    tails: Option<UpperTails>,
}

impl ClaimTest {
    fn new(null: &[f64], fake: &[f64]) -> Option<(Self, f64)> {
        let ratio: Vec<f64> = null.iter().zip(fake).map(|(&n, &f)| libm::log(f / n)).collect();
        let largest = ratio.iter().fold(0.0_f64, |most, r| most.max(r.abs()));
        if largest < 1e-9 {
            return None; // The two laws are one (κ = 1): there is nothing to see.
        }
        let step = largest / STEPS;
        let scores: Vec<i32> = ratio.iter().map(|r| libm::round(r / step) as i32).collect();
        let points: Vec<(i64, f64)> = scores.iter().zip(null).map(|(&s, &n)| (i64::from(s), n)).collect();
        Some((Self { scores, one: LatticeLaw::new(&points), floor: 0, tails: None }, step))
    }

    fn with_count(mut self, count: usize) -> Self {
        let n = count as f64;
        self.floor = libm::ceil(n * self.one.mean() + (n * self.one.variance()).sqrt()) as i64;
        self
    }

    fn score(&self, cells: &[u32]) -> i64 {
        self.scores.iter().zip(cells).map(|(&score, &count)| i64::from(score) * i64::from(count)).sum()
    }

    fn p_value(&mut self, count: usize, cells: &[u32]) -> f64 {
        let score = self.score(cells);
        if score < self.floor {
            return 1.0;
        }
        self.tails.get_or_insert_with(|| self.one.power(count as u64).tails()).at(score)
    }
}

/// What the claims of one node say.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Suspicion {
    /// p-value over all behaviours, already multiplied by their number.
    pub p_value: f64,
    /// The behaviour that fits best.
    pub behaviour: Behaviour,
    /// Number of claims.
    pub claims: usize,
    /// Sum of the log-likelihood ratios of the claims for that behaviour, in nats.
    pub evidence: f64,
}

/// Tests every node once, in parallel; `None` without claims, for the `excluded`, and where nothing can be seen (κ = 1).
///
/// This is the one-shot test. [`defend`](crate::defend) repeats it after each removal, because a fake's low grade also
/// slanders its victim.
///
/// # Panics
/// When `excluded` has not one entry a node.
pub fn suspicion(
    pairs: &MutualPairs,
    population: &Population,
    law: &EndorsementLaw,
    behaviours: &[Behaviour],
    grading_error: f64,
    excluded: &[bool],
) -> Vec<Option<Suspicion>> {
    assert_eq!(excluded.len(), pairs.nodes(), "one flag a node");
    let cells = ClaimCells::of_pairs(pairs, law.levels(), excluded);
    SuspicionTests::new(law, population, behaviours, grading_error).all(&cells)
}

/// The tests of the chosen behaviours for every number of claims that occurs.
#[derive(Debug, Clone)]
pub(crate) struct SuspicionTests<'a> {
    law: &'a EndorsementLaw,
    population: &'a Population,
    honest: Vec<f64>,
    behaviours: &'a [Behaviour],
    error: f64,
    by_count: BTreeMap<usize, CountTests>,
}

/// One test with the size of its lattice step in nats, by behaviour; none where the behaviour cannot be seen.
type CountTests = Vec<Option<(ClaimTest, f64)>>;

/// A node and what its claims say.
type Judged = (usize, Option<Suspicion>);

impl<'a> SuspicionTests<'a> {
    pub(crate) fn new(
        law: &'a EndorsementLaw,
        population: &'a Population,
        behaviours: &'a [Behaviour],
        error: f64,
    ) -> Self {
        let honest = population.reported_joint(law);
        Self { law, population, honest, behaviours, error, by_count: BTreeMap::new() }
    }

    fn tests_for(&self, count: usize) -> CountTests {
        let noise = self.population.noise_share(count);
        let uniform = 1.0 / self.honest.len() as f64;
        let levels = usize::from(self.law.levels());
        let mix = |edge: &[f64]| -> Vec<f64> { edge.iter().map(|e| noise * uniform + (1.0 - noise) * e).collect() };
        let null = mix(&self.honest);
        let test = |behaviour: &Behaviour| {
            let fake = mix(&behaviour.cells(self.law, &self.honest, self.error));
            let found = if behaviour.ignores_own() {
                let peer_only = |joint: &[f64]| -> Vec<f64> {
                    let column = margins(joint, levels).1;
                    (0..joint.len()).map(|at| column[at % levels]).collect()
                };
                ClaimTest::new(&peer_only(&null), &peer_only(&fake)).map(|(mut test, step)| {
                    let points: Vec<(i64, f64)> = test.scores.iter().zip(&null).map(|(&s, &n)| (s.into(), n)).collect();
                    test.one = LatticeLaw::new(&points);
                    (test, step)
                })
            } else {
                ClaimTest::new(&null, &fake)
            };
            found.map(|(test, step)| (test.with_count(count), step))
        };
        self.behaviours.iter().map(test).collect()
    }

    /// The suspicion of one node from its cell counts; `None` without claims or where nothing can be seen.
    pub(crate) fn node(&mut self, cells: &[u32]) -> Option<Suspicion> {
        let count = cells.iter().sum::<u32>() as usize;
        if !self.by_count.contains_key(&count) {
            let tests = self.tests_for(count);
            self.by_count.insert(count, tests);
        }
        judge(self.by_count.get_mut(&count)?, self.behaviours, count, cells)
    }

    /// The evidence in `some` of the claims of a node with `count` of them, as `behaviour` weighs it, in nats.
    pub(crate) fn evidence(&self, behaviour: Behaviour, count: usize, some: impl Iterator<Item = (u8, u8)>) -> f64 {
        let levels = usize::from(self.law.levels());
        let place = self.behaviours.iter().position(|&b| b == behaviour);
        let test = place.and_then(|place| self.by_count.get(&count)?[place].as_ref());
        test.map_or(0.0, |(test, step)| {
            let cell = |(says, told): (u8, u8)| (usize::from(says) - 1) * levels + usize::from(told) - 1;
            step * some.map(|claim| f64::from(test.scores[cell(claim)])).sum::<f64>()
        })
    }

    /// The largest log-likelihood ratio over all behaviours for each node, in nats; zero without claims.
    pub(crate) fn largest_evidence(&self, cells: &ClaimCells) -> Vec<f64> {
        let mut by_count: BTreeMap<usize, CountTests> = BTreeMap::new();
        let mut node = |node: usize| {
            let count = cells.count(node);
            let tests = by_count.entry(count).or_insert_with(|| self.tests_for(count));
            let each = tests.iter().flatten().map(|(test, step)| test.score(cells.of(node)) as f64 * step);
            if count == 0 { 0.0 } else { each.reduce(f64::max).unwrap_or(0.0) }
        };
        (0..cells.nodes()).map(&mut node).collect()
    }

    /// All nodes at once, in parallel over the numbers of claims; keeps the laws for later calls of `node`.
    pub(crate) fn all(&mut self, cells: &ClaimCells) -> Vec<Option<Suspicion>> {
        let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for node in 0..cells.nodes() {
            groups.entry(cells.count(node)).or_default().push(node);
        }
        let done: Vec<(usize, CountTests, Vec<Judged>)> = groups
            .into_par_iter()
            .map(|(count, nodes)| {
                let mut tests = self.tests_for(count);
                let found = nodes
                    .into_iter()
                    .map(|node| (node, judge(&mut tests, self.behaviours, count, cells.of(node))))
                    .collect();
                (count, tests, found)
            })
            .collect();
        let mut all = vec![None; cells.nodes()];
        for (count, tests, found) in done {
            self.by_count.insert(count, tests);
            for (node, suspicion) in found {
                all[node] = suspicion;
            }
        }
        all
    }
}

fn judge(tests: &mut CountTests, behaviours: &[Behaviour], count: usize, cells: &[u32]) -> Option<Suspicion> {
    if count == 0 {
        return None;
    }
    let number = tests.iter().flatten().count() as f64;
    let mut best: Option<Suspicion> = None;
    for (slot, &behaviour) in tests.iter_mut().zip(behaviours) {
        let Some((test, step)) = slot else { continue };
        let p_value = (number * test.p_value(count, cells)).min(1.0);
        if best.is_none_or(|b| p_value < b.p_value) {
            let evidence = test.score(cells) as f64 * *step;
            best = Some(Suspicion { p_value, behaviour, claims: count, evidence });
        }
    }
    best
}

/// How many claims of each cell (says, is told) every node has.
#[derive(Debug, Clone)]
pub(crate) struct ClaimCells {
    levels: usize,
    cells: Vec<u32>,
}

impl ClaimCells {
    /// Counts the pairs whose both ends are not `excluded`.
    pub(crate) fn of_pairs(pairs: &MutualPairs, levels: u8, excluded: &[bool]) -> Self {
        let levels = usize::from(levels);
        let mut all = Self { levels, cells: vec![0; pairs.nodes() * levels * levels] };
        for pair in pairs.all().iter().filter(|p| !excluded[p.low as usize] && !excluded[p.high as usize]) {
            all.change(pair.low, pair.low_says, pair.high_says, 1);
            all.change(pair.high, pair.high_says, pair.low_says, 1);
        }
        all
    }

    fn change(&mut self, node: u32, says: u8, told: u8, by: i32) {
        let at = (node as usize * self.levels + usize::from(says) - 1) * self.levels + usize::from(told) - 1;
        self.cells[at] = self.cells[at].wrapping_add_signed(by);
    }

    /// Takes one claim of `node` away.
    pub(crate) fn remove(&mut self, node: u32, says: u8, told: u8) {
        self.change(node, says, told, -1);
    }

    pub(crate) fn of(&self, node: usize) -> &[u32] {
        let size = self.levels * self.levels;
        &self.cells[node * size..(node + 1) * size]
    }

    pub(crate) fn count(&self, node: usize) -> usize {
        self.of(node).iter().sum::<u32>() as usize
    }

    pub(crate) fn nodes(&self) -> usize {
        self.cells.len() / (self.levels * self.levels)
    }
}
