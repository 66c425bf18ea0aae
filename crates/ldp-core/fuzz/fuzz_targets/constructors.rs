//! Any parameters: an error, or a mechanism that answers both ends of its domain with reports that it accepts.
#![no_main]

use chacha20::ChaCha12Rng;
use chacha20::rand_core::SeedableRng;
use ldp_core::level::LevelChannel;
use ldp_core::{
    Bounds, Epsilon, GradedListRandomizer, GridLaplace, Hybrid, MultiBitEncoder, OneBit, Piecewise,
    RandomizedResponse, SampleSize, ScalarMechanism, SquareWave,
};
use libfuzzer_sys::fuzz_target;

fn answer<M: ScalarMechanism>(epsilon: Epsilon, bounds: Bounds) {
    let mut rng = ChaCha12Rng::from_seed([0; 32]);
    if let Ok(mechanism) = M::build(epsilon, bounds) {
        for value in [bounds.lower(), bounds.upper()] {
            let report = mechanism.randomize(&value, &mut rng).expect("an end of the domain");
            assert!(mechanism.accepts(&report));
            assert!(!mechanism.rectify(&report).is_nan());
        }
    }
}

fuzz_target!(|input: (f64, f64, f64, u16, u16, u32, &str)| {
    let (nats, lower, upper, dimensions, sampled, categories, text) = input;
    let _ = text.parse::<Epsilon>();
    let Ok(epsilon) = Epsilon::new(nats) else { return };
    let bounds = Bounds::new(lower, upper).unwrap_or(Bounds::UNIT);
    answer::<OneBit>(epsilon, bounds);
    answer::<Piecewise>(epsilon, bounds);
    answer::<SquareWave>(epsilon, bounds);
    answer::<Hybrid>(epsilon, bounds);
    answer::<GridLaplace>(epsilon, bounds);
    let _ = RandomizedResponse::new(epsilon, categories);
    let _ = MultiBitEncoder::new(epsilon, dimensions.into(), bounds, SampleSize::Fixed(sampled.into()));
    let _ = GradedListRandomizer::new(epsilon, dimensions.into(), categories);
    let _ = LevelChannel::square_wave(epsilon, categories);
});
