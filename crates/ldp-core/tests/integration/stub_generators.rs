//! Every mechanism answers every generator, and how many words it reads does not depend on the value.

use std::convert::Infallible;

use chacha20::ChaCha12Rng;
use chacha20::rand_core::{Rng, TryCryptoRng, TryRng};
use ldp_core::gaussian::{GridGaussian, Sensitivity};
use ldp_core::level::{LevelBudgets, LevelChannel};
use ldp_core::{
    Bounds, Delta, Epsilon, GradedList, GradedListRandomizer, GridLaplace, Hybrid, LeveledRow, MultiBitEncoder, OneBit,
    Piecewise, PrivUnit, PrivateLevelEncoder, RandomizedResponse, Randomizer, SampleSize, Sampled, ScalarMechanism,
    SquareWave,
};

use crate::statistics::rng;

/// Words from a function of their number; counts them.
struct Stub<F> {
    word: F,
    read: u64,
}

impl<F: FnMut(u64) -> u64> TryRng for Stub<F> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.try_next_u64().map(|w| w as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.read += 1;
        Ok((self.word)(self.read))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for chunk in bytes.chunks_mut(8) {
            let word = self.try_next_u64()?.to_le_bytes();
            chunk.copy_from_slice(&word[..chunk.len()]);
        }
        Ok(())
    }
}

impl<F: FnMut(u64) -> u64> TryCryptoRng for Stub<F> {}

const STUBS: [fn(u64) -> u64; 5] =
    [|_| 0, |_| u64::MAX, |n| if n % 2 == 0 { 0 } else { u64::MAX }, |n| n, |n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15)];

/// Total on stubs; with a real generator the same number of words for every value (`constant`), from equal streams.
fn check<M: Randomizer>(mechanism: &M, values: &[&M::Value], constant: bool, what: &str) {
    for word in STUBS {
        for value in values {
            let mut stub = Stub { word, read: 0 };
            let report = mechanism.randomize(value, &mut stub).unwrap();
            assert!(mechanism.accepts(&report), "{what}");
            assert!(stub.read < 1_000_000, "{what}: {} words", stub.read);
        }
    }
    for seed in 0..50 {
        let words = |value: &M::Value| {
            let mut real: ChaCha12Rng = rng(seed);
            let mut stub = Stub { word: |_| real.next_u64(), read: 0 };
            mechanism.randomize(value, &mut stub).unwrap();
            stub.read
        };
        let counts: Vec<u64> = values.iter().map(|v| words(v)).collect();
        assert!(!constant || counts.iter().all(|&c| c == counts[0]), "{what}: {counts:?} words");
    }
}

#[test]
fn every_mechanism() {
    for nats in [0.01, 1.0, 6.0] {
        let epsilon = Epsilon::new(nats).unwrap();
        let bounds = Bounds::UNIT;
        let scalars = [&0.0, &1.0, &0.3, &0.999];
        check(&RandomizedResponse::new(epsilon, 7).unwrap(), &[&0, &3, &6], true, "randomized response");
        check(&OneBit::new(epsilon, bounds).unwrap(), &scalars, true, "one-bit");
        check(&Piecewise::new(epsilon, bounds).unwrap(), &scalars, true, "piecewise");
        check(&SquareWave::new(epsilon, bounds).unwrap(), &scalars, true, "square wave");
        check(&Hybrid::new(epsilon, bounds).unwrap(), &scalars, true, "hybrid");
        check(&GridLaplace::new(epsilon, bounds).unwrap(), &scalars, true, "grid Laplace");
        let (delta, whole) = (Delta::new(1e-6).unwrap(), Sensitivity::WholeRow);
        let rows: [&[f64]; 3] = [&[0.0; 3], &[1.0; 3], &[0.2, 0.5, 0.9]];
        check(&GridGaussian::new(epsilon, delta, 3, bounds, whole).unwrap(), &rows, true, "grid Gaussian");
        let sampled = Sampled::<Piecewise>::new(epsilon, 3, bounds, SampleSize::Optimal).unwrap();
        check(&sampled, &rows, true, "sampled");
        let single: [&[f32]; 3] = [&[0.0; 99], &[1.0; 99], &[0.5; 99]];
        for m in [1, 3, 70, 99] {
            let encoder = MultiBitEncoder::new(epsilon, 99, bounds, SampleSize::Fixed(m)).unwrap();
            check(&encoder, &single, true, "multi-bit");
        }
        let lists = [GradedList::default(), GradedList::new((0..42).collect(), vec![5; 42]).unwrap()];
        check(&GradedListRandomizer::new(epsilon, 42, 5).unwrap(), &lists.each_ref(), true, "graded list");
        check(
            &GradedListRandomizer::new(epsilon, 42, 1).unwrap(),
            &lists[..1].iter().collect::<Vec<_>>(),
            true,
            "κ = 1",
        );
        check(&LevelChannel::square_wave(epsilon, 5).unwrap(), &[&0, &4], true, "level");
        let budgets = LevelBudgets::geometric(Epsilon::new(nats * 2.0).unwrap(), 5).unwrap();
        let channel = LevelChannel::square_wave(epsilon, 5).unwrap();
        let private = PrivateLevelEncoder::new(budgets, channel, 9, bounds, SampleSize::Optimal).unwrap();
        let values = [0, 2, 4].map(|level| LeveledRow { level, row: vec![0.5; 9] });
        check(&private, &values.each_ref(), true, "level and features");
        // Rejection: the number of seeds tried has the same law for every row, not the same value.
        let unit = PrivUnit::new(epsilon, 3).unwrap();
        check(&unit, &[&[1.0, 0.0, 0.0], &[0.0, 0.0, 0.0]], false, "PrivUnit");
    }
}

/// Scalars read the same number of words whatever is drawn: the report's kind does not show in the work done. (Laplace
/// reads more with probability 10⁻⁶.)
#[test]
fn scalars_read_alike_whatever_is_drawn() {
    fn check<M: ScalarMechanism>(nats: f64) {
        let mechanism = M::build(Epsilon::new(nats).unwrap(), Bounds::UNIT).unwrap();
        let words = |seed| {
            let mut real: ChaCha12Rng = rng(seed);
            let mut stub = Stub { word: |_| real.next_u64(), read: 0 };
            mechanism.randomize(&0.3, &mut stub).unwrap();
            stub.read
        };
        let first = words(0);
        assert!((1..200).all(|seed| words(seed) == first));
    }
    for nats in [0.1, 1.0, 3.0] {
        check::<OneBit>(nats);
        check::<Piecewise>(nats);
        check::<SquareWave>(nats);
        check::<Hybrid>(nats);
        check::<GridLaplace>(nats);
    }
}

/// Noise is symmetric around −½ cell: with every magnitude at its smallest the sign bit alone chooses between the value's
/// grid point and the one below.
#[test]
fn smallest_noise_of_either_sign() {
    let first_word = |first: u64, others: u64| Stub { word: move |n| if n == 1 { first } else { others }, read: 0 };
    let (epsilon, delta) = (Epsilon::new(1.0).unwrap(), Delta::new(1e-6).unwrap());
    let laplace = GridLaplace::new(epsilon, Bounds::UNIT).unwrap();
    // The first word is the sign and the lowest digit; digits of zero bits are 0.
    for (word, point) in [(0, 0), (1, -1)] {
        assert_eq!(laplace.randomize(&0.0, &mut first_word(word, 0)).unwrap(), point);
        assert_eq!(laplace.randomize(&1.0, &mut first_word(word, 0)).unwrap(), i64::from(laplace.cells()) + point);
    }
    let gaussian = GridGaussian::new(epsilon, delta, 1, Bounds::UNIT, Sensitivity::WholeRow).unwrap();
    for (word, point) in [(u64::MAX, -1), (u64::MAX - 1, 0)] {
        assert_eq!(gaussian.randomize(&[0.0], &mut first_word(word, u64::MAX)).unwrap(), [point]);
    }
}
