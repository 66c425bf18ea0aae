//! Prints claimed, exact and audited ε of every mechanism, and of those broken on purpose.
//!
//! `cargo run -p ldp-core --release --example audit -- [TRIALS]` (default 1 000 000 an input, a few seconds).

use chacha20::ChaCha12Rng;
use chacha20::rand_core::SeedableRng;
use ldp_core::audit::broken::Fault;
use ldp_core::audit::{audit, audit_finite};
use ldp_core::level::{LevelBudgets, LevelChannel};
use ldp_core::private_level::as_printed::PrintedMechanism;
use ldp_core::{
    Bounds, Epsilon, Error, FiniteRandomizer, GradedList, GradedListRandomizer, GridLaplace, Hybrid, LeveledRow,
    MultiBitEncoder, OneBit, Piecewise, PrivUnit, PrivateLevelEncoder, RandomizedResponse, Randomizer, SampleSize,
    Sampled, SquareWave,
};

/// Confidence 99 %.
const ALPHA: f64 = 0.01;

fn rng() -> ChaCha12Rng {
    ChaCha12Rng::from_seed([2; 32])
}

fn line(name: &str, claimed: f64, exact: Option<f64>, audited: f64) {
    let exact = exact.map_or_else(|| "-".to_owned(), |e| format!("{e:.6}"));
    let verdict = if audited > claimed { "FLAGGED" } else { "" };
    println!("{name:<34} {claimed:>8.3} {exact:>10} {audited:>9.4}  {verdict}");
}

fn finite<M: FiniteRandomizer>(
    name: &str,
    mechanism: &M,
    one: &M::Value,
    other: &M::Value,
    trials: u64,
) -> Result<(), Error> {
    let result = audit_finite(mechanism, (one, other), trials, ALPHA, &mut rng())?;
    line(name, mechanism.epsilon().nats(), Some(mechanism.achieved_epsilon()), result.lower_bound);
    Ok(())
}

/// What a column of the best level channel is worth: the squared mean level that it speaks for.
fn worth(column: &[f64]) -> f64 {
    let weighted: f64 = (1..).zip(column).map(|(level, chance)| f64::from(level) * chance).sum();
    weighted * weighted / column.iter().sum::<f64>()
}

fn main() -> Result<(), Error> {
    let trials = std::env::args().nth(1).and_then(|t| t.parse().ok()).unwrap_or(1_000_000);
    println!("{:<34} {:>8} {:>10} {:>9}", "mechanism", "claimed", "exact", "audited ≥");
    let bounds = Bounds::SYMMETRIC;
    for nats in [0.5, 1.0, 4.0] {
        let epsilon = Epsilon::new(nats)?;
        finite("randomized response, k = 6", &RandomizedResponse::new(epsilon, 6)?, &0, &1, trials)?;
        finite("one-bit", &OneBit::new(epsilon, bounds)?, &1.0, &-1.0, trials)?;
        finite("piecewise", &Piecewise::new(epsilon, bounds)?, &1.0, &-1.0, trials)?;
        finite("square wave", &SquareWave::new(epsilon, bounds)?, &1.0, &-1.0, trials)?;
        finite("hybrid", &Hybrid::new(epsilon, bounds)?, &1.0, &-1.0, trials)?;
        let sampled = Sampled::<OneBit>::new(epsilon, 4, bounds, SampleSize::Optimal)?;
        finite("one-bit, m of 4", &sampled, &[1.0; 4], &[-1.0; 4], trials)?;
        let multi = MultiBitEncoder::new(epsilon, 4, bounds, SampleSize::Optimal)?;
        finite("multi-bit, d = 4", &multi, &[1.0; 4], &[-1.0; 4], trials)?;
        let friend = GradedList::new(vec![0], vec![5])?;
        finite(
            "graded list, one entry",
            &GradedListRandomizer::new(epsilon, 1, 5)?,
            &friend,
            &GradedList::default(),
            trials,
        )?;
        finite("level, square wave", &LevelChannel::square_wave(epsilon, 5)?, &0, &4, trials)?;
        finite("level, randomized response", &LevelChannel::randomized_response(epsilon, 5)?, &0, &4, trials)?;
        finite("level, best channel", &LevelChannel::optimal(epsilon, 5, worth)?, &4, &0, trials)?;
        finite("PrivUnit, d = 2", &PrivUnit::new(epsilon, 2)?, &[1.0, 0.0], &[-1.0, 0.0], trials)?;
        let budgets = LevelBudgets::new(vec![Epsilon::new(nats / 2.0)?, epsilon])?;
        let channel = LevelChannel::square_wave(Epsilon::new(nats / 4.0)?, 2)?;
        let joint = PrivateLevelEncoder::new(budgets, channel, 1, bounds, SampleSize::Optimal)?;
        // The lower level's likely bit is unlikely for the higher level; below the promise by construction.
        let rows = [(0, -1.0), (1, 1.0)].map(|(level, x)| LeveledRow { level, row: vec![x] });
        finite("level and features", &joint, &rows[0], &rows[1], trials)?;
        let laplace = GridLaplace::new(epsilon, Bounds::UNIT)?;
        let mut generator = rng();
        let result = audit(trials, ALPHA, 0.0, |second| {
            let value = if second { 0.0 } else { 1.0 };
            laplace.randomize(&value, &mut generator).is_ok_and(|r| r >= i64::from(laplace.cells()))
        });
        line("grid Laplace", nats, Some(laplace.achieved_epsilon()), result.lower_bound);
    }
    println!("\nbroken on purpose");
    for fault in Fault::ALL {
        let mut generator = rng();
        let result = audit(trials, ALPHA, 0.0, |second| fault.draw(second, &mut generator));
        line(&format!("{fault:?}"), fault.claim(), None, result.lower_bound);
    }
    let budgets = LevelBudgets::geometric(Epsilon::new(0.1)?, 5)?;
    let printed = PrintedMechanism::new(budgets, 10, 0.5)?;
    let mut generator = rng();
    let result = audit(trials.min(100_000), ALPHA, 0.0, |second| {
        let value = LeveledRow { level: if second { 4 } else { 0 }, row: vec![0.0; 10] };
        printed.randomize(&value, &mut generator).is_ok_and(|r| printed.recover_level(&r) == Some(0))
    });
    line("PPGNN as printed, its level", 0.8, None, result.lower_bound);
    Ok(())
}
