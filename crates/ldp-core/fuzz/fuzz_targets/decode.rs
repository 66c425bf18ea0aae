//! Any bytes: a decoder refuses them, or returns a report that its mechanism accepts and that encodes back to them.
#![no_main]

use ldp_core::gaussian::{GridGaussian, Sensitivity};
use ldp_core::level::{LevelBudgets, LevelChannel};
use ldp_core::{
    Bounds, Delta, Epsilon, GradedListRandomizer, GridLaplace, Hybrid, MultiBitEncoder, OneBit, Piecewise, PrivUnit,
    PrivateLevelEncoder, RandomizedResponse, SampleSize, Sampled, SquareWave, Wire,
};
use libfuzzer_sys::fuzz_target;

fn check<M: Wire>(mechanism: Result<M, ldp_core::Error>, data: &[u8]) {
    let mechanism = mechanism.expect("constant parameters");
    let mut bytes = data.to_vec();
    // With the header right the payload is what is tested.
    if data.first().is_some_and(|b| b % 2 == 0) {
        bytes.resize(mechanism.encoded_len(), 0);
        bytes[0] = ldp_core::wire::VERSION;
        bytes[1] = M::ID as u8;
        bytes[2..10].copy_from_slice(&mechanism.fingerprint().to_le_bytes());
    }
    if let Ok(report) = mechanism.decode(&bytes) {
        assert!(mechanism.accepts(&report));
        assert_eq!(mechanism.encode(&report), bytes);
    }
}

fuzz_target!(|data: &[u8]| {
    let epsilon = Epsilon::new(6.0).expect("constant");
    check(RandomizedResponse::new(epsilon, 7), data);
    check(OneBit::new(epsilon, Bounds::UNIT), data);
    check(Hybrid::new(epsilon, Bounds::UNIT), data);
    check(GridLaplace::new(epsilon, Bounds::UNIT), data);
    check(MultiBitEncoder::new(epsilon, 100, Bounds::UNIT, SampleSize::Fixed(3)), data);
    check(Sampled::<Piecewise>::new(epsilon, 5, Bounds::UNIT, SampleSize::Fixed(2)), data);
    check(GradedListRandomizer::new(epsilon, 42, 5), data);
    check(SquareWave::new(epsilon, Bounds::UNIT), data);
    check(PrivUnit::new(epsilon, 3), data);
    check(LevelChannel::square_wave(epsilon, 5), data);
    let delta = Delta::new(1e-6).expect("constant");
    check(GridGaussian::new(epsilon, delta, 3, Bounds::UNIT, Sensitivity::WholeRow), data);
    let private = LevelBudgets::geometric(epsilon, 5).and_then(|budgets| {
        let channel = LevelChannel::square_wave(Epsilon::new(0.5)?, 5)?;
        PrivateLevelEncoder::new(budgets, channel, 30, Bounds::UNIT, SampleSize::Optimal)
    });
    check(private, data);
});
