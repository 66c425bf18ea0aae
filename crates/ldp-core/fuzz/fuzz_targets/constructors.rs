//! Any parameters: an error, or a mechanism that answers both ends of its domain with reports that it accepts.
#![no_main]

use chacha20::ChaCha12Rng;
use chacha20::rand_core::SeedableRng;
use ldp_core::gaussian::{GridGaussian, Sensitivity};
use ldp_core::level::{LevelBudgets, LevelChannel};
use ldp_core::window::WindowKernel;
use ldp_core::{
    Bounds, Delta, Epsilon, FiniteRandomizer, GradedListRandomizer, GridLaplace, Hybrid, LeveledRow, MultiBitEncoder,
    OneBit, Piecewise, PrivUnit, PrivateLevelEncoder, RandomizedResponse, Randomizer, SampleSize, Sampled,
    ScalarMechanism, SquareWave, Tiers,
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
    let _ = LevelChannel::randomized_response(epsilon, categories);
    // Small enough to be built often.
    let few = usize::from(dimensions % 9);
    let rule = SampleSize::Fixed(usize::from(sampled % 9));
    let worth = |column: &[f64]| column.iter().map(|c| c * c).sum::<f64>() / column.iter().sum::<f64>();
    let _ = LevelChannel::optimal(epsilon, categories % 7, worth);
    let _ = WindowKernel::new(epsilon, categories, u32::from(sampled));
    let _ = Sampled::<Piecewise>::new(epsilon, few, bounds, SampleSize::Optimal);
    let mut rng = ChaCha12Rng::from_seed([0; 32]);
    // Its calibration integrates: a few of the inputs.
    if sampled % 64 == 1
        && let Ok(mechanism) = PrivUnit::new(epsilon, few)
    {
        let _ = mechanism.randomize(&vec![lower; few], &mut rng);
    }
    if let Ok(delta) = Delta::new(upper) {
        let sensitivity = if sampled % 2 == 0 { Sensitivity::WholeRow } else { Sensitivity::Sparse(few / 2) };
        if let Ok(mechanism) = GridGaussian::new(epsilon, delta, few, bounds, sensitivity) {
            let report = mechanism.randomize(&vec![bounds.lower(); few], &mut rng).expect("an end of the domain");
            assert!(mechanism.accepts(&report));
        }
    }
    let _ = Tiers::new(&[epsilon], |epsilon| RandomizedResponse::new(epsilon, categories));
    if let Ok(budgets) = LevelBudgets::geometric(epsilon, categories % 9) {
        let share = Epsilon::from_nano(epsilon.nano() / 2).and_then(|e| LevelChannel::square_wave(e, categories % 9));
        if let Ok(channel) = share {
            if let Ok(mechanism) = PrivateLevelEncoder::new(budgets, channel, few, bounds, rule) {
                let value = LeveledRow { level: 0, row: vec![bounds.lower() as f32; few] };
                if let Ok(report) = mechanism.randomize(&value, &mut rng) {
                    assert!(mechanism.accepts(&report));
                }
                assert!(mechanism.achieved_epsilon() <= mechanism.epsilon().nats());
            }
        }
    }
});
