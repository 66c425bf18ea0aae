//! The auditor: its limits against known ones, tight mechanisms near their claim, broken ones flagged.

use ldp_core::audit::broken::Fault;
use ldp_core::audit::{AuditResult, Hits, audit, audit_finite, epsilon_lower_bound, lower_limit, upper_limit};
use ldp_core::level::{LevelBudgets, LevelChannel};
use ldp_core::private_level::as_printed::PrintedMechanism;
use ldp_core::{
    Bounds, Epsilon, FiniteRandomizer, GradedList, GradedListRandomizer, GridLaplace, Hybrid, LeveledRow,
    MultiBitEncoder, OneBit, Piecewise, PrivUnit, PrivateLevelEncoder, RandomizedResponse, Randomizer, SampleSize,
    Sampled, SquareWave,
};

use crate::golden::near;
use crate::statistics::rng;

const ALPHA: f64 = 0.01;
const TRIALS: u64 = 1_000_000;

/// `vectors/clopper_pearson.py`, from scipy's beta quantiles.
#[test]
fn clopper_pearson() {
    for (hits, trials, alpha, low, high) in CLOPPER_PEARSON {
        let hits = Hits { hits, trials };
        let (got_low, got_high) = (lower_limit(hits, alpha), upper_limit(hits, alpha));
        near(got_low, low, 1e-6);
        near(got_high, high, 1e-6);
        assert!(got_low <= low && got_high >= high, "rounded outward: {got_low} {low} {got_high} {high}");
    }
    let none = Hits { hits: 0, trials: 100 };
    assert_eq!((lower_limit(none, 0.01), upper_limit(Hits { hits: 100, trials: 100 }, 0.01)), (0.0, 1.0));
    // 1 − 0.01^(1/100).
    near(upper_limit(none, 0.01), 0.045_007_413_978_564_6, 1e-8);
    assert_eq!(epsilon_lower_bound(none, none, 0.0, 0.01), 0.0);
    assert_eq!(epsilon_lower_bound(Hits { hits: 5, trials: 100 }, none, 0.5, 0.01), 0.0);
}

const CLOPPER_PEARSON: [(u64, u64, f64, f64, f64); 6] = [
    (3, 10, 0.05, 0.087_264_433_914_150_33, 0.606_624_216_105_412_3),
    (1, 1000, 0.005, 5.012_529_260_777_506e-6, 0.007_406_286_938_352_937),
    (500, 1000, 0.005, 0.458_852_553_307_045, 0.541_147_446_692_955_1),
    (999, 1000, 0.005, 0.992_593_713_061_647, 0.999_994_987_470_739_2),
    (3, 1_000_000, 0.005, 3.378_636_695_156_396e-7, 1.097_743_370_909_837_1e-5),
    (731_000, 1_000_000, 0.005, 0.729_856_176_794_254_9, 0.732_141_624_321_446_1),
];

fn assert_tight(result: AuditResult, claimed: f64, what: &str) {
    let bound = result.lower_bound;
    assert!(bound <= claimed, "{what}: audited {bound} above claimed {claimed}");
    assert!(bound >= 0.9 * claimed, "{what}: audited {bound} below 0.9 of {claimed}");
}

/// Seeds 91 …, a million trials an input, 99 % confidence: bound ≤ ε and ≥ 0.9 ε at ε = 0.5, 1, 4.
#[test]
fn tight_mechanisms() {
    fn check<M: FiniteRandomizer>(mechanism: &M, one: &M::Value, other: &M::Value, what: &str) {
        let result = audit_finite(mechanism, (one, other), TRIALS, ALPHA, &mut rng(91)).unwrap();
        assert_tight(result, mechanism.epsilon().nats(), what);
    }
    for nats in [0.5, 1.0, 4.0] {
        let epsilon = Epsilon::new(nats).unwrap();
        let bounds = Bounds::SYMMETRIC;
        check(&RandomizedResponse::new(epsilon, 6).unwrap(), &0, &1, "randomized response");
        check(&OneBit::new(epsilon, bounds).unwrap(), &1.0, &-1.0, "one-bit");
        check(&Piecewise::new(epsilon, bounds).unwrap(), &1.0, &-1.0, "piecewise");
        check(&SquareWave::new(epsilon, bounds).unwrap(), &1.0, &-1.0, "square wave");
        check(&Hybrid::new(epsilon, bounds).unwrap(), &1.0, &-1.0, "hybrid");
        let sampled = Sampled::<OneBit>::new(epsilon, 4, bounds, SampleSize::Optimal).unwrap();
        check(&sampled, &[1.0; 4], &[-1.0; 4], "sampled one-bit");
        let multi = MultiBitEncoder::new(epsilon, 4, bounds, SampleSize::Optimal).unwrap();
        check(&multi, &[1.0; 4], &[-1.0; 4], "multi-bit");
        check(&LevelChannel::square_wave(epsilon, 5).unwrap(), &0, &4, "level, square wave");
        check(&LevelChannel::randomized_response(epsilon, 5).unwrap(), &0, &4, "level, randomized response");
        // Two-valued columns: the level that an output's likely set holds and one that it does not.
        let worth = |column: &[f64]| {
            let weighted: f64 = (1..).zip(column).map(|(l, c)| f64::from(l) * c).sum();
            weighted * weighted / column.iter().sum::<f64>()
        };
        check(&LevelChannel::optimal(epsilon, 5, worth).unwrap(), &4, &0, "level, best channel");
        let unit = PrivUnit::new(epsilon, 2).unwrap();
        check(&unit, &[1.0, 0.0], &[-1.0, 0.0], "PrivUnit");
        let lists = GradedListRandomizer::new(epsilon, 1, 5).unwrap();
        let friend = GradedList::new(vec![0], vec![5]).unwrap();
        check(&lists, &friend, &GradedList::default(), "graded list");
        // Laplace: the whole half line above the upper end has ratio e^ε.
        let laplace = GridLaplace::new(epsilon, Bounds::UNIT).unwrap();
        let mut rng = rng(92);
        let result = audit(TRIALS, ALPHA, 0.0, |second| {
            let value = if second { 0.0 } else { 1.0 };
            laplace.randomize(&value, &mut rng).unwrap() >= i64::from(laplace.cells())
        });
        assert_tight(result, nats, "grid Laplace");
    }
}

/// Level and features together: the certificate's worst pair of levels, with features that differ; what is exact there
/// is below the promise (ε_L + the largest ε₂), and the audit comes to 0.9 of the exact (seed 95).
#[test]
fn level_and_features() {
    for nats in [0.5, 1.0, 4.0] {
        let budgets = [nats / 2.0, nats].map(|n| Epsilon::new(n).unwrap());
        let channel = LevelChannel::square_wave(Epsilon::new(nats / 4.0).unwrap(), 2).unwrap();
        let budgets = LevelBudgets::new(budgets.to_vec()).unwrap();
        let joint = PrivateLevelEncoder::new(budgets, channel, 1, Bounds::SYMMETRIC, SampleSize::Optimal).unwrap();
        let certificate = joint.certificate();
        let worst = (0..4).max_by(|&a, &b| certificate.joint()[a].total_cmp(&certificate.joint()[b])).unwrap();
        let row = |level: usize, x| LeveledRow { level: level as u32, row: vec![x] };
        let (one, other) = (row(worst / 2, -1.0), row(worst % 2, 1.0));
        let result = audit_finite(&joint, (&one, &other), TRIALS, ALPHA, &mut rng(95)).unwrap();
        assert_tight(result, joint.achieved_epsilon(), "level and features");
        assert!(joint.achieved_epsilon() <= nats);
    }
}

/// Seed 93, 200 000 trials.
#[test]
fn broken_mechanisms_are_flagged() {
    for fault in Fault::ALL {
        let mut rng = rng(93);
        let result = audit(200_000, ALPHA, 0.0, |second| fault.draw(second, &mut rng));
        assert!(result.lower_bound > fault.claim(), "{fault:?}: {} of {}", result.lower_bound, fault.claim());
    }
}

/// PPGNN's level leak: claimed at most γε, found above 9 nats (seed 94).
#[test]
fn printed_level_leak_is_flagged() {
    let budgets = LevelBudgets::geometric(Epsilon::new(0.1).unwrap(), 5).unwrap();
    let printed = PrintedMechanism::new(budgets, 10, 0.5).unwrap();
    let mut rng = rng(94);
    let result = audit(100_000, ALPHA, 0.0, |second| {
        let value = LeveledRow { level: if second { 4 } else { 0 }, row: vec![0.0; 10] };
        printed.recover_level(&printed.randomize(&value, &mut rng).unwrap()) == Some(0)
    });
    assert!(result.lower_bound > 9.0, "{result:?}");
}
