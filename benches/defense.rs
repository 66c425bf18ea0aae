//! Lists, mutual pairs and the whole defence, by size and ε; one thread first. Throughput in list entries a second.

use chacha20::ChaCha12Rng;
use chacha20::rand_core::{Rng, SeedableRng};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use graph_denoise::{CsrGraph, EdgeKind};
use ldp_core::Epsilon;
use veritas_defense::attack::{Attack, Knowledge};
use veritas_defense::{
    DefenceOptions, EndorsementLaw, EndorsementLists, MutualPairs, TrueGrades, TrustModel, World, defend,
    randomize_lists,
};

const SEED: u64 = 6;

fn rng(stream: u64) -> ChaCha12Rng {
    let mut rng = ChaCha12Rng::seed_from_u64(SEED);
    rng.set_stream(stream);
    rng
}

fn random_graph(nodes: usize, edges: usize) -> CsrGraph {
    let mut rng = rng(0);
    let mut node = || ((u128::from(rng.next_u64()) * nodes as u128) >> 64) as u32;
    let list: Vec<(u32, u32)> = (0..edges).map(|_| (node(), node())).filter(|(u, v)| u != v).collect();
    CsrGraph::from_edges(nodes, &list, EdgeKind::Undirected).expect("ids are below the number of nodes")
}

/// True grades of a random graph in which one user in a hundred is a naive fake.
fn grades(nodes: usize, edges: usize, law: &EndorsementLaw) -> TrueGrades {
    let graph = random_graph(nodes, edges);
    let knowledge = Knowledge::of_protocol(nodes, law, 2.0 * edges as f64 / nodes as f64);
    let attack = Attack::naive(nodes / 100, 12).plan(&knowledge, &mut rng(1)).expect("a fitting attack");
    let (joined, fake) = (attack.graph(&graph).expect("the same users"), attack.is_fake());
    let world = World { graph: &joined, fake: &fake, profiles: None };
    let honest = TrustModel::oracle_of_five(0.1).grades(world, 5, &mut rng(2)).expect("a fitting world");
    attack.join(honest).expect("the same users")
}

fn lists(grades: &TrueGrades, law: &EndorsementLaw) -> EndorsementLists {
    let bypass = vec![false; grades.lists().nodes()];
    randomize_lists(grades, law, &bypass, 4 << 30, |user| rng(3 + u64::from(user))).expect("fits in memory")
}

fn defense(criterion: &mut Criterion) {
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    let pools = [("1 thread", pool(1)), ("2 threads", pool(2))];
    for (nodes, edges, epsilon) in
        [(2708, 5278, 5.0), (7624, 27_806, 5.0), (22_470, 170_823, 5.0), (22_470, 170_823, 9.0)]
    {
        let law = EndorsementLaw::new(Epsilon::new(epsilon).expect("a budget"), 5).expect("a law");
        let grades = grades(nodes, edges, &law);
        let drawn = lists(&grades, &law);
        let options = DefenceOptions::new(law);
        let mut group = criterion.benchmark_group(format!("defense/n={nodes}/m={edges}/eps={epsilon}"));
        group.sample_size(10).throughput(Throughput::Elements(drawn.entries() as u64));
        for (threads, pool) in &pools {
            let run = |work: &(dyn Fn() + Sync)| pool.install(work);
            group.bench_function(BenchmarkId::new("lists", threads), |b| {
                b.iter(|| run(&|| drop(lists(&grades, &law))));
            });
            group.bench_function(BenchmarkId::new("mutual pairs", threads), |b| {
                b.iter(|| run(&|| drop(MutualPairs::of(&drawn))));
            });
            group.bench_function(BenchmarkId::new("defend", threads), |b| {
                b.iter(|| run(&|| drop(defend(&drawn, &options))));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, defense);
criterion_main!(benches);
