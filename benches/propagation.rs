//! K-step propagation beside its plain single-threaded version, and the machine's bandwidth in the same run.
//!
//! `cargo bench -p benches --bench propagation`; on a machine that others use too, with `BENCH_CLOCK=cpu` in the
//! environment, which times the CPU seconds of all threads (Linux) instead of the wall. Real graphs where they are found (`GRAPH_DATA_DIR`, `data/cache`,
//! `../shared/data`), else a power-law graph of Facebook's size; the id says which. `docs/performance.md` has the
//! peers' numbers and says how they were taken.

use std::fs;
use std::hint::black_box;
use std::sync::LazyLock;
use std::time::Duration;

use chacha20::ChaCha12Rng;
use chacha20::rand_core::{Rng, SeedableRng};
use criterion::measurement::WallTime;
use criterion::{Bencher, BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use graph_denoise::{
    CsrGraph, CsrMatrix, EdgeKind, FeatureMatrix, Filter, Normalization, SelfLoops, Weights, propagate, propagate_into,
    propagate_sparse, propagate_sparse_into,
};
use rayon::{ThreadPool, ThreadPoolBuilder};

const SEED: [u8; 32] = [23; 32];
const THREADS: [usize; 2] = [1, 2];

struct Input {
    name: String,
    graph: CsrGraph,
    dimensions: usize,
}

/// The real graph, or a power-law graph of the same size.
fn input(name: &str, nodes: usize, edges: usize, dimensions: usize) -> Input {
    match graph_datasets::load(name, &benches::data_folders()) {
        Ok(dataset) => {
            Input { name: name.to_owned(), dimensions: dataset.dimensions(), graph: dataset.graph().clone() }
        }
        Err(error) => {
            eprintln!("{name}: a power-law graph instead, because: {error}");
            Input { name: format!("power-law-like-{name}"), dimensions, graph: power_law(nodes, edges) }
        }
    }
}

/// Ends drawn with density ∝ node^(−1/2): degrees fall off with exponent 3.
fn power_law(nodes: usize, edges: usize) -> CsrGraph {
    let mut rng = ChaCha12Rng::from_seed(SEED);
    let mut unit = || (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
    let mut end = || (unit().powi(2) * nodes as f64) as u32;
    let edges: Vec<(u32, u32)> = (0..edges).map(|_| (end(), end())).filter(|(u, v)| u != v).collect();
    CsrGraph::from_edges(nodes, &edges, EdgeKind::Undirected).expect("ends lie inside")
}

fn features(rows: usize, columns: usize) -> FeatureMatrix {
    let mut rng = ChaCha12Rng::from_seed(SEED);
    let mut matrix = FeatureMatrix::zeros(rows, columns);
    matrix.as_mut_slice().fill_with(|| (rng.next_u32() >> 8) as f32 / (1u32 << 24) as f32);
    matrix
}

/// Multi-bit reports with m = 1: one entry ±B a row.
fn reports(rows: usize, columns: usize) -> CsrMatrix {
    let mut rng = ChaCha12Rng::from_seed(SEED);
    let indices = (0..rows).map(|_| (rng.next_u64() % columns as u64) as u32).collect();
    let values = (0..rows).map(|_| if rng.next_u32() & 1 == 1 { 5000.0 } else { -5000.0 }).collect();
    CsrMatrix::new(columns, (0..=rows).collect(), indices, values).expect("well-formed")
}

fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started")
}

/// CPU time of all threads of this process, from the kernel's scheduler.
fn cpu_time() -> Option<Duration> {
    let mut nanoseconds = 0;
    for task in fs::read_dir("/proc/self/task").ok()? {
        let text = fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
        nanoseconds += text.split_whitespace().next()?.parse::<u64>().ok()?;
    }
    Some(Duration::from_nanos(nanoseconds))
}

/// Times `routine` by the clock that `BENCH_CLOCK` names.
fn time<O>(bencher: &mut Bencher<'_>, mut routine: impl FnMut() -> O) {
    if std::env::var_os("BENCH_CLOCK").is_some_and(|clock| clock == "cpu") {
        bencher.iter_custom(|iterations| {
            let start = cpu_time().expect("the kernel keeps scheduler statistics");
            for _ in 0..iterations {
                black_box(routine());
            }
            cpu_time().expect("the kernel keeps scheduler statistics") - start
        });
    } else {
        bencher.iter(routine);
    }
}

/// Few, long samples: an iteration takes up to seconds.
fn slow(group: &mut BenchmarkGroup<'_, WallTime>) {
    group.sample_size(10).warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_millis(500));
}

/// Hop by hop, row by row, entry by entry, all columns at once: what the optimised version is measured against.
fn plain(weights: &CsrMatrix, features: &FeatureMatrix, steps: usize) -> FeatureMatrix {
    let mut current = features.clone();
    let mut next = FeatureMatrix::zeros(features.rows(), features.columns());
    for _ in 0..steps {
        for (row, out) in next.as_mut_slice().chunks_exact_mut(features.columns()).enumerate() {
            out.fill(0.0);
            let (indices, values) = weights.row(row);
            for (&index, &value) in indices.iter().zip(values) {
                for (out, x) in out.iter_mut().zip(current.row(index as usize)) {
                    *out += value * x;
                }
            }
        }
        std::mem::swap(&mut current, &mut next);
    }
    current
}

fn dense(criterion: &mut Criterion) {
    for (name, nodes, edges, dimensions, all_steps) in [
        ("pubmed", 19_717, 44_324, 500, &[2, 4, 8, 16][..]),
        ("facebook", 22_470, 170_823, 4714, &[2, 4, 8, 16]),
        ("wikipedia", 11_631, 170_773, 13_183, &[2, 8]),
    ] {
        let Input { name, graph, dimensions } = input(name, nodes, edges, dimensions);
        let weights = Weights::normalized(&graph, Normalization::Symmetric, SelfLoops::AsIs);
        let laid_out = weights.clone().laid_out();
        let x = LazyLock::new(|| features(graph.nodes(), dimensions));
        let mut out = None;
        let mut group = criterion.benchmark_group(format!("propagation/{name}-{}x{dimensions}", graph.nodes()));
        slow(&mut group);
        let products = |steps: usize| Throughput::Elements((steps * graph.entries() * dimensions) as u64);
        group.throughput(products(2));
        group.bench_function("plain/K=2/threads=1", |b| {
            let matrix = weights.to_matrix(0);
            time(b, || plain(&matrix, black_box(&x), 2));
        });
        for &steps in all_steps {
            group.throughput(products(steps));
            let filter = Filter::power(steps);
            for threads in THREADS {
                for (form, weights) in [("blocked", &weights), ("blocked-laid-out", &laid_out)] {
                    let id = BenchmarkId::from_parameter(format!("{form}/K={steps}/threads={threads}"));
                    group.bench_function(id, |b| {
                        let out = out.get_or_insert_with(|| features(graph.nodes(), dimensions));
                        pool(threads).install(|| time(b, || propagate_into(weights, black_box(&*x), &filter, out)));
                    });
                }
            }
        }
        group.finish();
    }
}

fn sparse(criterion: &mut Criterion) {
    let Input { name, graph, dimensions } = input("facebook", 22_470, 170_823, 4714);
    let weights = Weights::normalized(&graph, Normalization::Symmetric, SelfLoops::AsIs);
    let entries = reports(graph.nodes(), dimensions);
    let mut out = features(graph.nodes(), dimensions);
    let mut group = criterion.benchmark_group(format!("reports/{name}-{}x{dimensions}/m=1", graph.nodes()));
    slow(&mut group);
    for threads in THREADS {
        group.bench_function(format!("dense-result/K=2/threads={threads}"), |b| {
            let filter = Filter::power(2);
            pool(threads).install(|| time(b, || propagate_into(&weights, black_box(&entries), &filter, &mut out)));
        });
        group.bench_function(format!("new-dense-result/K=2/threads={threads}"), |b| {
            let filter = Filter::power(2);
            pool(threads).install(|| time(b, || propagate(&weights, black_box(&entries), &filter)));
        });
        group.bench_function(format!("new-sparse-result/K=2/threads={threads}"), |b| {
            pool(threads).install(|| time(b, || propagate_sparse(&weights, black_box(&entries), 0.5, 2)));
        });
        group.bench_function(format!("sparse-result/K=2/threads={threads}"), |b| {
            let mut out = propagate_sparse(&weights, &entries, 0.5, 2).expect("one row a node");
            pool(threads)
                .install(|| time(b, || propagate_sparse_into(&weights, black_box(&entries), 0.5, 2, &mut out)));
        });
    }
    group.finish();
}

fn large(criterion: &mut Criterion) {
    let (nodes, edges, dimensions) = (1_000_000, 10_000_000, 64);
    let graph = power_law(nodes, edges);
    let weights = Weights::normalized(&graph, Normalization::Symmetric, SelfLoops::AsIs);
    let x = LazyLock::new(|| features(nodes, dimensions));
    let mut out = None;
    let mut group = criterion.benchmark_group("propagation/power-law-1000000x64");
    slow(&mut group);
    group.throughput(Throughput::Elements(4 * graph.entries() as u64));
    for threads in THREADS {
        group.bench_function(format!("blocked/K=4/threads={threads}"), |b| {
            let filter = Filter::power(4);
            let out = out.get_or_insert_with(|| features(nodes, dimensions));
            pool(threads).install(|| time(b, || propagate_into(&weights, black_box(&*x), &filter, out)));
        });
    }
    group.finish();
}

/// `a = b + 3 c` in one thread, by the bytes of the three arrays: the limits that the others are held against.
fn triad(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("triad");
    for (level, bytes) in [("L1", 24 << 10), ("L2", 768 << 10), ("L3", 12 << 20), ("RAM", 768 << 20)] {
        let length = bytes / 12;
        let (mut a, b, c) = (vec![0f32; length], vec![1f32; length], vec![2f32; length]);
        group.throughput(Throughput::Bytes(bytes as u64));
        group.bench_function(level, |bench| {
            bench.iter(|| {
                for ((a, b), c) in a.iter_mut().zip(black_box(&b)).zip(black_box(&c)) {
                    *a = b + 3.0 * c;
                }
                black_box(&mut a);
            });
        });
    }
    group.finish();
}

criterion_group!(benches, triad, dense, sparse, large);
criterion_main!(benches);
