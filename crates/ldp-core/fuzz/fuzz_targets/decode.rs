//! Any bytes: a decoder refuses them, or returns a report that its mechanism accepts and that encodes back to them.
#![no_main]

use std::sync::LazyLock;

use ldp_core::gaussian::{GridGaussian, Sensitivity};
use ldp_core::level::{LevelBudgets, LevelChannel};
use ldp_core::{
    Bounds, Delta, Epsilon, GradedListRandomizer, GridLaplace, Hybrid, MultiBitEncoder, OneBit, Piecewise, PrivUnit,
    PrivateLevelEncoder, RandomizedResponse, SampleSize, Sampled, SquareWave, Wire,
};
use libfuzzer_sys::fuzz_target;

fn check<M: Wire>(mechanism: &M, data: &[u8]) {
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

/// Built once: calibration takes a thousand times as long as decoding.
struct Mechanisms {
    unit: PrivUnit,
    gaussian: GridGaussian,
    private: PrivateLevelEncoder,
}

static MECHANISMS: LazyLock<Mechanisms> = LazyLock::new(|| {
    let epsilon = Epsilon::new(6.0).expect("constant");
    let delta = Delta::new(1e-6).expect("constant");
    let private = LevelBudgets::geometric(epsilon, 5).and_then(|budgets| {
        let channel = LevelChannel::square_wave(Epsilon::new(0.5)?, 5)?;
        PrivateLevelEncoder::new(budgets, channel, 30, Bounds::UNIT, SampleSize::Optimal)
    });
    Mechanisms {
        unit: PrivUnit::new(epsilon, 3).expect("constant"),
        gaussian: GridGaussian::new(epsilon, delta, 3, Bounds::UNIT, Sensitivity::WholeRow).expect("constant"),
        private: private.expect("constant"),
    }
});

fuzz_target!(|data: &[u8]| {
    let epsilon = Epsilon::new(6.0).expect("constant");
    check(&RandomizedResponse::new(epsilon, 7).expect("constant"), data);
    check(&OneBit::new(epsilon, Bounds::UNIT).expect("constant"), data);
    check(&Hybrid::new(epsilon, Bounds::UNIT).expect("constant"), data);
    check(&SquareWave::new(epsilon, Bounds::UNIT).expect("constant"), data);
    check(&GridLaplace::new(epsilon, Bounds::UNIT).expect("constant"), data);
    let three = SampleSize::Fixed(3);
    check(&MultiBitEncoder::new(epsilon, 100, Bounds::UNIT, three).expect("constant"), data);
    check(&Sampled::<Piecewise>::new(epsilon, 5, Bounds::UNIT, three).expect("constant"), data);
    check(&GradedListRandomizer::new(epsilon, 42, 5).expect("constant"), data);
    check(&LevelChannel::square_wave(epsilon, 5).expect("constant"), data);
    check(&MECHANISMS.unit, data);
    check(&MECHANISMS.gaussian, data);
    check(&MECHANISMS.private, data);
});
