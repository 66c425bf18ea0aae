//! Time by stage of lists and defence, for the time and memory claims of docs/performance.md.
//!
//! `cargo run --release -p veritas-defense --example defence_cost -- GRAPH EPSILON REPEATS [LIMIT]`; GRAPH is a data set or
//! `random:NODES:EDGES`, with 1 % of naive fakes; LIMIT is the memory that may be used, in MiB (default 8192). Medians
//! over the repeats, each with other lists. Memory is the caller's to measure (`/usr/bin/time -v`): the estimate, made
//! before anything is drawn, is printed beside.

#[path = "../tests/integration/scenario.rs"]
#[allow(dead_code, clippy::unwrap_used)]
mod scenario;

use std::time::Instant;

use graph_denoise::CsrGraph;
use veritas_defense::attack::Knowledge;
use veritas_defense::{DefenceOptions, Detection, MemoryEstimate, TrustModel, World, defend_observed, randomize_lists};

const STAGES: [&str; 6] = ["lists", "signals", "conformity", "suspicion", "edges", "all"];

fn main() -> std::process::ExitCode {
    match run() {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            std::process::ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (name, epsilon, repeats, limit) = match arguments.as_slice() {
        [name, epsilon, repeats] => (name, epsilon, repeats, 8192),
        [name, epsilon, repeats, limit] => (name, epsilon, repeats, limit.parse::<u64>()?),
        _ => return Err("three or four arguments: graph, ε, repeats, MiB".into()),
    };
    let (graph, limit) = (graph(name)?, limit << 20);
    let (nodes, edges) = (graph.nodes(), graph.edges());
    let law = scenario::law(epsilon.parse()?, 5);
    let fakes = (nodes / 100).max(1);
    let estimate = MemoryEstimate::check(nodes + fakes, edges + 15 * fakes, &law, limit)?;
    println!("estimated {} MiB", estimate.total() >> 20);

    let knowledge = Knowledge::of_protocol(nodes, &law, 2.0 * edges as f64 / nodes as f64);
    let attack = scenario::attacker("naive", fakes, 12).plan(&knowledge, &mut scenario::rng(1, u64::MAX))?;
    let (joined, fake) = (attack.graph(&graph)?, attack.is_fake());
    let world = World { graph: &joined, fake: &fake, profiles: None };
    let honest = TrustModel::oracle_of_five(0.1).grades(world, 5, &mut scenario::rng(1, u64::MAX - 1))?;
    let grades = attack.join(honest)?;

    let mut seconds: [Vec<f64>; 6] = Default::default();
    for seed in 0..repeats.parse()? {
        let start = Instant::now();
        let lists = randomize_lists(&grades, &law, &attack.bypasses(), limit, |u| scenario::rng(seed, u64::from(u)))?;
        let mut times = vec![start.elapsed().as_secs_f64()];
        let mut last = Instant::now();
        let options = DefenceOptions { memory_limit: limit, ..DefenceOptions::new(law) };
        let defence = defend_observed(&lists, &options, |_| {
            times.push(last.elapsed().as_secs_f64());
            last = Instant::now();
        })?;
        times.push(start.elapsed().as_secs_f64());
        seconds.iter_mut().zip(times).for_each(|(all, time)| all.push(time));
        let removed: Vec<u32> = defence.removals.iter().map(|r| r.node).collect();
        let found = Detection::of(&removed, &fake);
        println!(
            "{} entries, {} MiB of lists, {} of {} fakes and {} honest users removed, {} edges kept",
            lists.entries(),
            lists.bytes() >> 20,
            found.caught,
            found.fakes,
            found.honest_removed,
            defence.graph.edges()
        );
    }
    for (stage, times) in STAGES.iter().zip(&mut seconds) {
        times.sort_by(f64::total_cmp);
        println!("{stage:10} {:8.3} s", times[times.len() / 2]);
    }
    Ok(())
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
