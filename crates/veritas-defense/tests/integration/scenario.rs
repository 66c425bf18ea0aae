//! One attacked graph as the server sees it, for tests and for the table of detectors.

use chacha20::ChaCha12Rng;
use chacha20::rand_core::{Rng, SeedableRng};
use graph_denoise::{CsrGraph, CsrMatrix};
use ldp_core::{Epsilon, RandomizedResponse, Randomizer};
use veritas_defense::attack::{Attack, Collusion, FakeProfile, Grading, Injection, Knowledge, Targets};
use veritas_defense::{EndorsementLaw, EndorsementLists, Error, TrueGrades, TrustModel, World, randomize_lists};

/// Lists with the truth beside them.
pub(crate) struct Scenario {
    pub(crate) lists: EndorsementLists,
    pub(crate) fake: Vec<bool>,
    pub(crate) graph: CsrGraph,
}

pub(crate) fn law(epsilon: f64, levels: usize) -> EndorsementLaw {
    EndorsementLaw::new(Epsilon::new(epsilon).unwrap(), levels).unwrap()
}

pub(crate) fn rng(seed: u64, stream: u64) -> ChaCha12Rng {
    let mut rng = ChaCha12Rng::seed_from_u64(seed);
    rng.set_stream(stream);
    rng
}

/// The attackers of the table, by name.
pub(crate) fn attacker(name: &str, fakes: usize, victims: usize) -> Attack {
    let naive = Attack::naive(fakes, victims);
    match name {
        "naive" => naive,
        "naive-skip" => Attack { randomizes: false, ..naive },
        "mirror" => Attack { grading: Grading::Mirrored, ..naive },
        "mirror-skip" => Attack { grading: Grading::Mirrored, randomizes: false, ..naive },
        "random-grades" => Attack { grading: Grading::Random, ..naive },
        "clique" => Attack { grading: Grading::Mirrored, collusion: Collusion::Peers(12), ..naive },
        "slander" => {
            Attack { grading: Grading::Lowest, targets: Targets::Shared, collusion: Collusion::Alone, ..naive }
        }
        "influence" => Attack { grading: Grading::Mirrored, targets: Targets::ByInfluence, ..naive },
        "degree" => Attack { grading: Grading::Mirrored, targets: Targets::ByDegree, ..naive },
        "ghost" => Attack { grading: Grading::Silent, targets: Targets::Shared, collusion: Collusion::Alone, ..naive },
        "devils-hand" => Attack { targets: Targets::Matching, collusion: Collusion::Stealth, ..naive },
        other => panic!("no attacker is called {other}"),
    }
}

pub(crate) const ATTACKERS: [&str; 11] = [
    "naive",
    "naive-skip",
    "mirror",
    "mirror-skip",
    "random-grades",
    "clique",
    "slander",
    "influence",
    "degree",
    "devils-hand",
    "ghost",
];

/// Lets the fakes join, grades, and randomizes every one of the n² entries.
pub(crate) fn attacked(
    graph: &CsrGraph,
    law: &EndorsementLaw,
    attack: &Attack,
    trust: &TrustModel,
    seed: u64,
) -> Result<Scenario, Error> {
    attacked_in(graph, None, law, attack, trust, seed)
}

/// As [`attacked`], with the visible profiles of the honest users, which the attacker may copy from.
pub(crate) fn attacked_in(
    graph: &CsrGraph,
    profiles: Option<&CsrMatrix>,
    law: &EndorsementLaw,
    attack: &Attack,
    trust: &TrustModel,
    seed: u64,
) -> Result<Scenario, Error> {
    let mut knowledge =
        Knowledge::of_protocol(graph.nodes(), law, graph.entries() as f64 / graph.nodes().max(1) as f64);
    (knowledge.graph, knowledge.profiles) = (Some(graph), profiles);
    let injection = attack.plan(&knowledge, &mut rng(seed, u64::MAX))?;
    let (joined, fake) = (injection.graph(graph)?, injection.is_fake());
    let profiles = profiles.map(|profiles| with_fakes(profiles, &injection));
    let world = World { graph: &joined, fake: &fake, profiles: profiles.as_ref() };
    let honest = trust.grades(world, usize::from(law.levels()), &mut rng(seed, u64::MAX - 1))?;
    let grades = injection.join(honest)?;
    let lists = randomize_lists(&grades, law, &injection.bypasses(), 16 << 30, |user| rng(seed, u64::from(user)))?;
    Ok(Scenario { lists, fake, graph: joined })
}

/// The profiles that users see: those of the honest, then those that fakes show, empty where they show none.
fn with_fakes(profiles: &CsrMatrix, injection: &Injection) -> CsrMatrix {
    let (mut indptr, mut indices) = (profiles.indptr().to_vec(), profiles.indices().to_vec());
    let mut values = profiles.values().to_vec();
    for fake in 0..injection.fakes() {
        if let Some(FakeProfile::Value(row)) = injection.features().get(fake) {
            indices.extend(row.iter().map(|&(column, _)| column));
            values.extend(row.iter().map(|&(_, value)| value));
        }
        indptr.push(indices.len());
    }
    CsrMatrix::new(profiles.columns(), indptr, indices, values).unwrap()
}

/// The slow, obvious sampler, kept as the oracle of the sparse one: every entry of every list is drawn, zeros included.
pub(crate) fn randomized_entry_by_entry(
    grades: &TrueGrades,
    law: &EndorsementLaw,
    bypass: &[bool],
    seed: u64,
) -> EndorsementLists {
    let truth = grades.lists();
    let randomizer: &RandomizedResponse = law.randomizer();
    let (mut indptr, mut indices, mut reports) = (vec![0], Vec::new(), Vec::new());
    for (user, &skips) in bypass.iter().enumerate() {
        let mut rng = rng(seed, user as u64);
        let (columns, own) = truth.row(user);
        if skips {
            indices.extend_from_slice(columns);
            reports.extend_from_slice(own);
        } else {
            let mut next = 0;
            for about in 0..truth.nodes() as u32 {
                let grade = if columns.get(next) == Some(&about) {
                    next += 1;
                    own[next - 1]
                } else {
                    0
                };
                if about as usize == user {
                    continue;
                }
                let report = randomizer.randomize(&u32::from(grade), &mut rng).unwrap();
                if report > 0 {
                    indices.push(about);
                    reports.push(report as u8);
                }
            }
        }
        indptr.push(indices.len());
    }
    EndorsementLists::new(law.levels().into(), indptr, indices, reports).unwrap()
}

/// A random graph with about `edges` edges.
pub(crate) fn random_graph(nodes: usize, edges: usize, seed: u64) -> CsrGraph {
    let mut rng = rng(seed, 0);
    let mut node = || ((u128::from(rng.next_u64()) * nodes as u128) >> 64) as u32;
    let mut list = Vec::new();
    while list.len() < edges {
        let (u, v) = (node(), node());
        if u != v {
            list.push((u, v));
        }
    }
    CsrGraph::from_edges(nodes, &list, graph_denoise::EdgeKind::Undirected).unwrap()
}
