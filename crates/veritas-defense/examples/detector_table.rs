//! Each detector against each attacker on one graph: what docs/veritas.md shows.
//!
//! `cargo run --release -p veritas-defense --example detector_table -- cora 3,5,7,9 0.01 10 naive,mirror 12 oracle:0.1`
//! with: data set (or `random:NODES:EDGES`), ε_a of an entry, share of fakes, seeds, attackers (or `all`), victims of a
//! fake, trust model (`oracle:ERROR`, `common`, `uniform`). Prints one Markdown row an ε, a share and an attacker:
//! for each detector the share of fakes caught and of honest users removed, in percent over all seeds.

#[path = "../tests/integration/scenario.rs"]
#[allow(dead_code, clippy::unwrap_used)]
mod scenario;

use graph_denoise::CsrGraph;
use veritas_defense::as_printed::{Neighbourhood, imbalance_as_printed, midpoint_as_printed, midpoint_corrected};
use veritas_defense::{
    Behaviour, Defence, DefenceOptions, Detection, EdgeAccount, EndorsementLaw, EndorsementLists, Error, MutualPairs,
    Population, Tallies, TrustModel, benjamini_hochberg, conformity, defend, imbalance, suspicion,
};

const LEVELS: usize = 5;
const DETECTORS: [&str; 9] = [
    "φ printed γ",
    "φ corrected γ",
    "φ both sides",
    "S_v z/BH",
    "conformity",
    "pair ratio",
    "peer-only",
    "peer-only seq.",
    "defend",
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, epsilons, shares, seeds, attackers, victims, trust] = arguments.as_slice() else {
        return Err("seven arguments: data set, ε list, share list, seeds, attackers, victims, trust model".into());
    };
    let graph = graph(name)?;
    let attackers = if attackers == "all" { scenario::ATTACKERS.join(",") } else { attackers.clone() };
    let trust = match trust.split_once(':') {
        Some(("oracle", error)) => TrustModel::oracle_of_five(error.parse()?),
        _ if trust == "common" => TrustModel::CommonNeighbours,
        _ if trust == "uniform" => TrustModel::Uniform,
        _ => return Err(format!("no trust model is called {trust}").into()),
    };
    println!("| graph | ε_a | fakes | attacker | {} | edges lost | noise edges | fake edges |", DETECTORS.join(" | "));
    println!("|{}", "---|".repeat(DETECTORS.len() + 7));
    for epsilon in epsilons.split(',') {
        let law = scenario::law(epsilon.parse()?, LEVELS);
        for share in shares.split(',') {
            let fakes = (share.parse::<f64>()? * graph.nodes() as f64).round().max(1.0) as usize;
            for attacker in attackers.split(',') {
                let attack = scenario::attacker(attacker, fakes, victims.parse()?);
                let mut found = [Detection::default(); DETECTORS.len()];
                let mut edges = EdgeAccount::default();
                for seed in 0..seeds.parse()? {
                    let world = scenario::attacked(&graph, &law, &attack, &trust, seed)?;
                    let (removed, defence) = detect(&world.lists, &law)?;
                    for (total, removed) in found.iter_mut().zip(removed) {
                        total.add(&Detection::of(&removed, &world.fake));
                    }
                    let account = EdgeAccount::of(&defence.graph, &world.graph, &world.fake);
                    edges.honest += account.honest;
                    edges.honest_lost += account.honest_lost;
                    edges.noise_kept += account.noise_kept;
                    edges.fake_kept += account.fake_kept;
                }
                let cell = |d: &Detection| format!("{:.1}/{:.2}", 100.0 * d.recall(), 100.0 * d.honest_loss());
                let cells: Vec<String> = found.iter().map(cell).collect();
                let percent = |part: usize| 100.0 * part as f64 / edges.honest as f64;
                println!(
                    "| {name} | {epsilon} | {share} | {attacker} | {} | {:.1} | {:.1} | {:.2} |",
                    cells.join(" | "),
                    percent(edges.honest_lost),
                    percent(edges.noise_kept),
                    percent(edges.fake_kept)
                );
            }
        }
    }
    Ok(())
}

/// What each detector removes, in the order of `DETECTORS`, and the whole defence.
fn detect(lists: &EndorsementLists, law: &EndorsementLaw) -> Result<(Vec<Vec<u32>>, Defence), Error> {
    let level = 0.01;
    let (tallies, pairs) = (Tallies::of(lists), MutualPairs::of(lists));
    let nobody = vec![false; lists.nodes()];
    let population = Population::estimate(&pairs, law, &nobody);
    let above = |over, gamma| {
        let phi = imbalance_as_printed(&tallies, &pairs, over);
        (0..phi.len() as u32).filter(|&v| phi[v as usize] > gamma).collect::<Vec<u32>>()
    };
    let rejected = |p: Vec<f64>| benjamini_hochberg(&p, level).into_iter().map(|v| v as u32).collect::<Vec<u32>>();
    let suspected = |behaviour: Behaviour| {
        let found = suspicion(&pairs, &population, law, &[behaviour], 0.1, &nobody);
        rejected(found.iter().map(|s| s.map_or(1.0, |s| s.p_value)).collect())
    };
    let options = DefenceOptions { memory_limit: 16 << 30, ..DefenceOptions::new(*law) };
    let peer_only = DefenceOptions { conformity: false, behaviours: vec![Behaviour::PeersDoubt], ..options.clone() };
    let removed = |defence: &Defence| defence.removals.iter().map(|r| r.node).collect::<Vec<u32>>();
    let (sequential, whole) = (defend(lists, &peer_only)?, defend(lists, &options)?);
    let found = vec![
        above(Neighbourhood::EitherSide, midpoint_as_printed(law)),
        above(Neighbourhood::EitherSide, midpoint_corrected(law)),
        above(Neighbourhood::BothSides, midpoint_corrected(law)),
        rejected(imbalance(&tallies, &pairs, &population, law, &nobody).iter().map(|i| i.p_value).collect()),
        rejected(conformity(&tallies, law).iter().map(|c| c.p_value).collect()),
        suspected(Behaviour::Lavish),
        suspected(Behaviour::PeersDoubt),
        removed(&sequential),
        removed(&whole),
    ];
    Ok((found, whole))
}

fn graph(name: &str) -> Result<CsrGraph, Box<dyn std::error::Error>> {
    if let Some(sizes) = name.strip_prefix("random:") {
        let (nodes, edges) = sizes.split_once(':').ok_or("random:NODES:EDGES")?;
        return Ok(scenario::random_graph(nodes.parse()?, edges.parse()?, 1));
    }
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let variable = std::env::var_os(graph_datasets::DATA_DIR_VARIABLE);
    let search = graph_datasets::SearchPath::standard(None, variable.as_deref(), &root);
    Ok(graph_datasets::load(name, &search)?.graph().clone())
}
