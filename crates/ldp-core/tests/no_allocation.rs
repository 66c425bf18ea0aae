//! Nothing is allocated for a value: counted by a global allocator, hence a test program of its own.

#![allow(clippy::unwrap_used, reason = "a test that unwraps an error has found what it looks for")]

use allocation_counter::measure;
use chacha20::ChaCha12Rng;
use chacha20::rand_core::SeedableRng;
use ldp_core::gaussian::{GridGaussian, Sensitivity};
use ldp_core::{
    Bounds, Delta, Epsilon, GradedListRandomizer, GridLaplace, Hybrid, LevelChannel, MultiBitEncoder, OneBit,
    Piecewise, PrivUnit, RandomizedResponse, Randomizer, SampleSize, Sampled, ScalarMechanism, SparseRows, SquareWave,
    Users,
};

fn rng() -> ChaCha12Rng {
    ChaCha12Rng::from_seed([101; 32])
}

fn epsilon(nats: f64) -> Epsilon {
    Epsilon::new(nats).unwrap()
}

/// Allocations of a thousand single reports.
fn singles<M: Randomizer>(mechanism: &M, value: &M::Value) -> u64 {
    let mut rng = rng();
    let counted = measure(|| (0..1000).for_each(|_| drop(mechanism.randomize(value, &mut rng).unwrap())));
    counted.count_total
}

#[test]
fn the_counter_counts() {
    assert_eq!(measure(|| drop(std::hint::black_box(vec![1_u8; 100]))).count_total, 1);
}

#[test]
fn scalars_one_by_one() {
    fn scalar<M: ScalarMechanism>() -> u64 {
        [0.01, 1.0, 8.0].map(|nats| singles(&M::build(epsilon(nats), Bounds::UNIT).unwrap(), &0.3)).iter().sum()
    }
    assert_eq!(scalar::<OneBit>(), 0);
    assert_eq!(scalar::<Piecewise>(), 0);
    assert_eq!(scalar::<SquareWave>(), 0);
    assert_eq!(scalar::<Hybrid>(), 0);
    assert_eq!(scalar::<GridLaplace>(), 0);
    assert_eq!(singles(&RandomizedResponse::new(epsilon(1.0), 6).unwrap(), &3), 0);
    assert_eq!(singles(&LevelChannel::square_wave(epsilon(1.0), 5).unwrap(), &3), 0);
}

#[test]
fn scalars_in_batches() {
    let (values, mut rng) = (vec![0.3; 5000], rng());
    let (mut bits, mut cells, mut points) = (vec![false; 5000], vec![0; 5000], vec![0; 5000]);
    let categories = vec![3; 5000];
    let response = RandomizedResponse::new(epsilon(1.0), 6).unwrap();
    let one_bit = OneBit::new(epsilon(1.0), Bounds::UNIT).unwrap();
    let piecewise = Piecewise::new(epsilon(1.0), Bounds::UNIT).unwrap();
    let wave = SquareWave::new(epsilon(1.0), Bounds::UNIT).unwrap();
    let laplace = GridLaplace::new(epsilon(1.0), Bounds::UNIT).unwrap();
    let counted = measure(|| {
        response.randomize_all(&categories, &mut cells, &mut rng).unwrap();
        one_bit.randomize_all(&values, &mut bits, &mut rng).unwrap();
        piecewise.randomize_all(&values, &mut cells, &mut rng).unwrap();
        wave.randomize_all(&values, &mut cells, &mut rng).unwrap();
        laplace.randomize_all(&values, &mut points, &mut rng).unwrap();
    });
    assert_eq!(counted.count_total, 0);
}

/// Reports of rows are vectors: so many allocations a report, however long the row is.
#[test]
fn rows_allocate_their_report_only() {
    for d in [70_usize, 7000] {
        for (m, most) in [(1, 2), (4, 2), (d, 2), (65, 3)] {
            let encoder = MultiBitEncoder::new(epsilon(100.0), d, Bounds::UNIT, SampleSize::Fixed(m)).unwrap();
            // Indices, bits, and for large sets a bitmap.
            assert_eq!(singles(&encoder, &vec![0.5; d]), 1000 * most, "d = {d}, m = {m}");
        }
        let sampled = Sampled::<Piecewise>::new(epsilon(9.0), d, Bounds::UNIT, SampleSize::Fixed(3)).unwrap();
        assert_eq!(singles(&sampled, &vec![0.5; d]), 2000);
        let (delta, whole) = (Delta::new(1e-6).unwrap(), Sensitivity::WholeRow);
        let gaussian = GridGaussian::new(epsilon(1.0), delta, d, Bounds::UNIT, whole).unwrap();
        assert_eq!(singles(&gaussian, &vec![0.5; d]), 1000);
    }
    // Two vectors a report, however many seeds are tried.
    assert_eq!(singles(&PrivUnit::new(epsilon(4.0), 6).unwrap(), &[0.5; 6]), 2000);
}

/// The bulk forms allocate for the call, not for the user.
#[test]
fn bulk_forms_allocate_by_the_call() {
    let stream = |position: u128| {
        let mut rng = rng();
        rng.set_word_pos(position);
        rng
    };
    for m in [1, 4, 9] {
        let encoder = MultiBitEncoder::new(epsilon(4.0), 99, Bounds::UNIT, SampleSize::Fixed(m)).unwrap();
        let counts = [10_usize, 10_000].map(|users| {
            let indptr = vec![0; users + 1];
            let rows = SparseRows::new(99, Bounds::UNIT, &indptr, &[], &[], 0.0).unwrap();
            measure(|| drop(encoder.encode_sparse_rows(&rows, Users::From(0), stream).unwrap())).count_total
        });
        assert_eq!(counts[0], counts[1], "m = {m}");
        assert!(counts[0] <= 5, "m = {m}: {counts:?}");
    }
    // The room for the noise is reserved at once; only the row ends grow, by doubling.
    let lists = GradedListRandomizer::new(epsilon(5.0), 500, 5).unwrap();
    let indptr = vec![0; 10_001];
    let counted = measure(|| drop(lists.randomize_lists(&indptr, &[], &[], |u| stream(u128::from(u) << 20)).unwrap()));
    assert!(counted.count_total <= 20, "{counted:?}");
}
