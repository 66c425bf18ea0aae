//! One report, by mechanism: CPU time per value with ChaCha12, single-threaded throughout.
//!
//! `cargo bench -p benches --bench randomizers`. The peers' numbers are in `docs/performance.md`.

use std::hint::black_box;

use chacha20::ChaCha12Rng;
use chacha20::rand_core::{Rng, SeedableRng};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ldp_core::gaussian::{GridGaussian, Sensitivity};
use ldp_core::{
    Bounds, Delta, Epsilon, GradedListRandomizer, GridLaplace, MultiBitEncoder, OneBit, Piecewise, PrivUnit,
    RandomizedResponse, Randomizer, SampleSize, SparseRows, SquareWave, Users,
};

const SEED: [u8; 32] = [17; 32];
const VALUES: usize = 1 << 16;

fn epsilon(nats: f64) -> Epsilon {
    Epsilon::new(nats).expect("a constant")
}

fn stream(position: u128) -> ChaCha12Rng {
    let mut rng = ChaCha12Rng::from_seed(SEED);
    rng.set_word_pos(position);
    rng
}

/// The floor: words of the generator that all others are timed with.
fn words(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("words");
    group.throughput(Throughput::Elements(VALUES as u64));
    let mut rng = stream(0);
    group.bench_function("chacha12-u64", |b| b.iter(|| (0..VALUES).fold(0, |sum, _| sum ^ rng.next_u64())));
    let mut bytes = vec![0_u8; 512];
    group.bench_function("chacha12-fill-512-bytes", |b| {
        b.iter(|| (0..VALUES / 64).for_each(|_| rng.fill_bytes(black_box(&mut bytes))));
    });
    group.finish();
}

fn randomized_response(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("randomized-response");
    group.throughput(Throughput::Elements(VALUES as u64));
    for categories in [2, 6, 64] {
        let mechanism = RandomizedResponse::new(epsilon(1.0), categories).expect("valid");
        let values: Vec<u32> = (0..VALUES as u32).map(|v| v % categories).collect();
        let mut reports = vec![0; VALUES];
        let mut rng = stream(0);
        group.bench_function(BenchmarkId::new("k", categories), |b| {
            b.iter(|| mechanism.randomize_all(black_box(&values), &mut reports, &mut rng));
        });
    }
    group.finish();
}

/// Bounded numbers, values uniform on the range, ε = 1.
fn scalars(criterion: &mut Criterion) {
    let mut rng = stream(0);
    let values: Vec<f64> = (0..VALUES).map(|_| rng.next_u64() as f64 / 2_f64.powi(63) - 1.0).collect();
    let mut group = criterion.benchmark_group("scalar");
    group.throughput(Throughput::Elements(VALUES as u64));
    let (bounds, budget) = (Bounds::SYMMETRIC, epsilon(1.0));
    let (mut bits, mut cells, mut points) = (vec![false; VALUES], vec![0; VALUES], vec![0; VALUES]);
    let one_bit = OneBit::new(budget, bounds).expect("valid");
    group.bench_function("one-bit", |b| b.iter(|| one_bit.randomize_all(black_box(&values), &mut bits, &mut rng)));
    let piecewise = Piecewise::new(budget, bounds).expect("valid");
    group.bench_function("piecewise", |b| b.iter(|| piecewise.randomize_all(black_box(&values), &mut cells, &mut rng)));
    let wave = SquareWave::new(budget, bounds).expect("valid");
    group.bench_function("square-wave", |b| b.iter(|| wave.randomize_all(black_box(&values), &mut cells, &mut rng)));
    let laplace = GridLaplace::new(budget, bounds).expect("valid");
    group.bench_function("grid-laplace", |b| {
        b.iter(|| laplace.randomize_all(black_box(&values), &mut points, &mut rng))
    });
    group.finish();
}

/// Lists of a graph of Facebook's size: 22 470 users with 15 neighbours each, κ = 5, ε = 5.
fn graded_list(criterion: &mut Criterion) {
    let (users, degree) = (22_470_usize, 15_usize);
    let mechanism = GradedListRandomizer::new(epsilon(5.0), users, 5).expect("valid");
    let mut rng = stream(0);
    let (mut indptr, mut positions) = (vec![0], Vec::<u32>::new());
    for _ in 0..users {
        let mut row: Vec<u32> = (0..degree).map(|_| (rng.next_u64() % users as u64) as u32).collect();
        row.sort_unstable();
        row.dedup();
        positions.extend(row);
        indptr.push(positions.len());
    }
    let grades = vec![5_u8; positions.len()];
    let mut group = criterion.benchmark_group("graded-list");
    group.sample_size(10);
    group.throughput(Throughput::Elements((users * users) as u64));
    group.bench_function("all-users/n=22470/epsilon=5/grades=5", |b| {
        b.iter(|| {
            mechanism.randomize_lists(black_box(&indptr), &positions, &grades, |user| {
                let mut rng = ChaCha12Rng::from_seed(SEED);
                rng.set_stream(user);
                rng
            })
        });
    });
    group.finish();
}

/// Rows like those of the Facebook page graph: 22 470 users, 4714 features, about 14 of them 1.
fn multi_bit(criterion: &mut Criterion) {
    let (users, dimensions, mut rng) = (22_470_usize, 4714_u64, stream(0));
    let (mut indptr, mut indices) = (vec![0], Vec::<u32>::new());
    for _ in 0..users {
        let mut row: Vec<u32> = (0..7 + rng.next_u64() % 15).map(|_| (rng.next_u64() % dimensions) as u32).collect();
        row.sort_unstable();
        row.dedup();
        indices.extend(row);
        indptr.push(indices.len());
    }
    let values = vec![1.0_f32; indices.len()];
    let dimensions = dimensions as usize;
    let check = || SparseRows::new(dimensions, Bounds::UNIT, &indptr, &indices, &values, 0.0).expect("valid");
    let rows = check();
    let mut group = criterion.benchmark_group("multi-bit");
    for sampled in [1, 4] {
        let encoder =
            MultiBitEncoder::new(epsilon(1.0), dimensions, Bounds::UNIT, SampleSize::Fixed(sampled)).expect("valid");
        group.throughput(Throughput::Elements((users * sampled) as u64));
        group.bench_function(BenchmarkId::new("facebook-encode/m", sampled), |b| {
            b.iter(|| encoder.encode_sparse_rows(black_box(&rows), Users::From(0), stream));
        });
    }
    group.throughput(Throughput::Elements(users as u64));
    let encoder = MultiBitEncoder::new(epsilon(1.0), dimensions, Bounds::UNIT, SampleSize::Optimal).expect("valid");
    group.bench_function("data-free-control/m/1", |b| {
        b.iter(|| encoder.draw_data_free_control(users, Users::From(0), stream));
    });
    group.bench_function("facebook-check-rows", |b| b.iter(|| black_box(check())));
    let encoder = MultiBitEncoder::new(epsilon(1433.0), 1433, Bounds::UNIT, SampleSize::Fixed(1433)).expect("valid");
    let row = vec![0.5_f32; 1433];
    group.throughput(Throughput::Elements(1433));
    group.bench_function("dense-row/m=d=1433", |b| {
        b.iter(|| encoder.randomize(black_box(&row[..]), &mut rng));
    });
    group.finish();
}

/// Whole rows of 1433 values in [-1, 1], ε = 1; Gaussian with δ = 1e-6.
fn rows(criterion: &mut Criterion) {
    let (dimensions, mut rng) = (1433_usize, stream(0));
    let row: Vec<f64> = (0..dimensions).map(|_| rng.next_u64() as f64 / 2_f64.powi(63) - 1.0).collect();
    let (budget, delta) = (epsilon(1.0), Delta::new(1e-6).expect("valid"));
    let mut group = criterion.benchmark_group("row");
    group.throughput(Throughput::Elements(dimensions as u64));
    let gaussian =
        GridGaussian::new(budget, delta, dimensions, Bounds::SYMMETRIC, Sensitivity::WholeRow).expect("valid");
    group.bench_function("grid-gaussian/d=1433", |b| b.iter(|| gaussian.randomize(black_box(&row), &mut rng)));
    let unit = PrivUnit::new(budget, dimensions).expect("valid");
    group.bench_function("priv-unit/d=1433", |b| b.iter(|| unit.randomize(black_box(&row), &mut rng)));
    group.finish();
}

criterion_group!(benches, words, randomized_response, scalars, rows, graded_list, multi_bit);
criterion_main!(benches);
