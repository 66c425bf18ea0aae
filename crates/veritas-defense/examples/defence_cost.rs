//! Time by stage of lists and defence on a random graph, for the time and memory claims of docs/veritas.md.
//!
//! `cargo run --release -p veritas-defense --example defence_cost -- NODES EDGES EPSILON`; 1 % of naive fakes.
//! Memory is the caller's to measure (`/usr/bin/time -v`): the estimate is printed beside.

#[path = "../tests/integration/scenario.rs"]
#[allow(dead_code, clippy::unwrap_used)]
mod scenario;

use std::time::Instant;

use veritas_defense::attack::Knowledge;
use veritas_defense::{DefenceOptions, Detection, MemoryEstimate, TrustModel, World, defend_observed, randomize_lists};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [nodes, edges, epsilon] = arguments.as_slice() else { return Err("three arguments: nodes, edges, ε".into()) };
    let (nodes, edges): (usize, usize) = (nodes.parse()?, edges.parse()?);
    let law = scenario::law(epsilon.parse()?, 5);
    let estimate = MemoryEstimate::check(nodes + nodes / 100, edges + nodes / 8, &law, 8 << 30)?;
    println!("estimated {} MiB", estimate.total() >> 20);

    let graph = scenario::random_graph(nodes, edges, 1);
    let knowledge = Knowledge::of_protocol(nodes, &law, 2.0 * edges as f64 / nodes as f64);
    let attack = scenario::attacker("naive", nodes / 100, 12).plan(&knowledge, &mut scenario::rng(1, u64::MAX))?;
    let (joined, fake) = (attack.graph(&graph)?, attack.is_fake());
    let world = World { graph: &joined, fake: &fake, profiles: None };
    let honest = TrustModel::oracle_of_five(0.1).grades(world, 5, &mut scenario::rng(1, u64::MAX - 1))?;
    let grades = attack.join(honest)?;

    let start = Instant::now();
    let lists = randomize_lists(&grades, &law, &attack.bypasses(), 8 << 30, |u| scenario::rng(1, u64::from(u)))?;
    println!(
        "lists      {:8.3} s  {} entries, {} MiB",
        start.elapsed().as_secs_f64(),
        lists.entries(),
        lists.bytes() >> 20
    );
    let mut last = Instant::now();
    let defence = defend_observed(&lists, &DefenceOptions::new(law), |stage| {
        println!("{:10} {:8.3} s", format!("{stage:?}"), last.elapsed().as_secs_f64());
        last = Instant::now();
    })?;
    println!("all        {:8.3} s", start.elapsed().as_secs_f64());
    let removed: Vec<u32> = defence.removals.iter().map(|r| r.node).collect();
    println!("{:?}, {} edges kept", Detection::of(&removed, &fake), defence.graph.edges());
    Ok(())
}
