//! The wire: one length for every value, every report survives it, and nothing else is let in.

use ldp_core::gaussian::{GridGaussian, Sensitivity};
use ldp_core::level::{LevelBudgets, LevelChannel};
use ldp_core::{
    Bounds, Delta, Epsilon, GradedList, GradedListRandomizer, GridLaplace, Hybrid, LeveledRow, MultiBitEncoder, OneBit,
    Piecewise, PrivUnit, PrivateLevelEncoder, RandomizedResponse, SampleSize, Sampled, SquareWave, Wire,
};
use proptest::prelude::*;

use crate::statistics::rng;

fn epsilon(nats: f64) -> Epsilon {
    Epsilon::new(nats).unwrap()
}

/// Reports of all `values` encode to the same length and come back; every single-bit change of the header and every
/// other length is refused; a change of the payload gives a report that the mechanism accepts or is refused.
fn assert_wire<M: Wire>(mechanism: &M, values: &[&M::Value])
where
    M::Report: PartialEq + std::fmt::Debug,
{
    let mut rng = rng(81);
    for &value in values {
        for _ in 0..20 {
            let report = mechanism.randomize(value, &mut rng).unwrap();
            let bytes = mechanism.encode(&report);
            assert_eq!(bytes.len(), mechanism.encoded_len());
            assert_eq!(mechanism.decode(&bytes).as_ref(), Ok(&report));
            for bit in 0..bytes.len().min(200) * 8 {
                let mut changed = bytes.clone();
                changed[bit / 8] ^= 1 << (bit % 8);
                match mechanism.decode(&changed) {
                    Ok(other) => assert!(bit >= 80 && mechanism.accepts(&other) && other != report),
                    Err(error) => assert!(!error.to_string().is_empty()),
                }
            }
            for length in [0, 1, 9, bytes.len() - 1] {
                assert!(mechanism.decode(&bytes[..length]).is_err());
            }
            assert!(mechanism.decode(&[&bytes[..], &[0]].concat()).is_err());
        }
    }
}

fn private_level() -> PrivateLevelEncoder {
    let budgets = LevelBudgets::geometric(epsilon(1.0), 5).unwrap();
    let channel = LevelChannel::square_wave(epsilon(0.5), 5).unwrap();
    PrivateLevelEncoder::new(budgets, channel, 30, Bounds::UNIT, SampleSize::Optimal).unwrap()
}

#[test]
fn all_mechanisms() {
    let scalars = [&0.0, &1.0, &0.3];
    assert_wire(&RandomizedResponse::new(epsilon(1.0), 7).unwrap(), &[&0, &6]);
    assert_wire(&RandomizedResponse::new(epsilon(1.0), 8).unwrap(), &[&0, &7]);
    assert_wire(&OneBit::new(epsilon(1.0), Bounds::UNIT).unwrap(), &scalars);
    assert_wire(&Piecewise::new(epsilon(1.0), Bounds::UNIT).unwrap(), &scalars);
    assert_wire(&SquareWave::new(epsilon(1.0), Bounds::UNIT).unwrap(), &scalars);
    assert_wire(&Hybrid::new(epsilon(1.0), Bounds::UNIT).unwrap(), &scalars);
    assert_wire(&Hybrid::new(epsilon(0.5), Bounds::UNIT).unwrap(), &scalars);
    assert_wire(&GridLaplace::new(epsilon(1.0), Bounds::UNIT).unwrap(), &scalars);
    let (delta, whole) = (Delta::new(1e-6).unwrap(), Sensitivity::WholeRow);
    let rows: [&[f64]; 2] = [&[0.0, 1.0, 0.5], &[1.0; 3]];
    assert_wire(&GridGaussian::new(epsilon(1.0), delta, 3, Bounds::UNIT, whole).unwrap(), &rows);
    assert_wire(&Sampled::<Piecewise>::new(epsilon(6.0), 3, Bounds::UNIT, SampleSize::Fixed(2)).unwrap(), &rows);
    let single: [&[f32]; 2] = [&[0.0; 100], &[1.0; 100]];
    for m in [1, 3, 100] {
        let rule = SampleSize::Fixed(m);
        assert_wire(&MultiBitEncoder::new(epsilon(6.0), 100, Bounds::UNIT, rule).unwrap(), &single);
    }
    let lists = [GradedList::default(), GradedList::new(vec![0, 41], vec![5, 1]).unwrap()];
    assert_wire(&GradedListRandomizer::new(epsilon(5.0), 42, 5).unwrap(), &lists.each_ref());
    assert_wire(&LevelChannel::square_wave(epsilon(1.0), 5).unwrap(), &[&0, &4]);
    let values = [0, 4].map(|level| LeveledRow { level, row: vec![0.5; 30] });
    assert_wire(&private_level(), &values.each_ref());
    assert_wire(&PrivUnit::new(epsilon(1.0), 3).unwrap(), &rows);
}

#[test]
fn other_parameters_are_refused() {
    let bytes = |m: &RandomizedResponse| m.encode(&0);
    let one = RandomizedResponse::new(epsilon(1.0), 7).unwrap();
    assert!(RandomizedResponse::new(epsilon(1.5), 7).unwrap().decode(&bytes(&one)).is_err());
    assert!(RandomizedResponse::new(epsilon(1.0), 8).unwrap().decode(&bytes(&one)).is_err());
    let bit = OneBit::new(epsilon(1.0), Bounds::UNIT).unwrap();
    assert!(OneBit::new(epsilon(1.0), Bounds::SYMMETRIC).unwrap().decode(&bit.encode(&true)).is_err());
    // The same noise over a range that was moved.
    let gaussian = |lower| {
        let (delta, bounds) = (Delta::new(1e-6).unwrap(), Bounds::new(lower, lower + 1.0).unwrap());
        GridGaussian::new(epsilon(1.0), delta, 2, bounds, Sensitivity::WholeRow).unwrap()
    };
    assert!(gaussian(1.0).decode(&gaussian(0.0).encode(&vec![0, 0])).is_err());
    // Points that the noise cannot reach.
    let laplace = GridLaplace::new(epsilon(1.0), Bounds::UNIT).unwrap();
    let mut bytes = laplace.encode(&0);
    bytes[10..].copy_from_slice(&i64::MAX.to_le_bytes());
    assert!(laplace.decode(&bytes).is_err());
}

/// Pinned: the format may only change with its version.
#[test]
fn format_is_pinned() {
    let mechanism = MultiBitEncoder::new(epsilon(6.0), 9, Bounds::UNIT, SampleSize::Fixed(2)).unwrap();
    let report = ldp_core::MultiBitReport::new(vec![3, 8], vec![true, false]).unwrap();
    assert_eq!(mechanism.encode(&report), PINNED);
}

const PINNED: &[u8] = &[1, 6, 159, 244, 19, 223, 7, 96, 52, 180, 19, 1];

proptest! {
    /// What the fuzz target `decode` does, in the normal suite: no bytes make a decoder panic or accept what the
    /// mechanism cannot emit, and what is accepted encodes to the same bytes.
    #[test]
    fn any_bytes(tail in proptest::collection::vec(any::<u8>(), 0..64), keep in any::<bool>()) {
        fn check<M: Wire>(mechanism: &M, tail: &[u8], keep: bool) {
            let mut bytes = tail.to_vec();
            if keep {
                bytes.resize(mechanism.encoded_len(), 0);
                bytes[0] = 1;
                bytes[1] = M::ID as u8;
                bytes[2..10].copy_from_slice(&mechanism.fingerprint().to_le_bytes());
            }
            if let Ok(report) = mechanism.decode(&bytes) {
                assert!(mechanism.accepts(&report));
                assert_eq!(mechanism.encode(&report), bytes);
            }
        }
        check(&RandomizedResponse::new(epsilon(1.0), 7).unwrap(), &tail, keep);
        check(&Hybrid::new(epsilon(1.0), Bounds::UNIT).unwrap(), &tail, keep);
        check(&MultiBitEncoder::new(epsilon(6.0), 100, Bounds::UNIT, SampleSize::Fixed(3)).unwrap(), &tail, keep);
        check(&GradedListRandomizer::new(epsilon(5.0), 42, 5).unwrap(), &tail, keep);
        check(&private_level(), &tail, keep);
        check(&Sampled::<Piecewise>::new(epsilon(6.0), 3, Bounds::UNIT, SampleSize::Fixed(2)).unwrap(), &tail, keep);
    }

    /// What the fuzz target `constructors` does: any numbers give a mechanism or an error, and a mechanism answers.
    #[test]
    fn any_parameters(bits in any::<[u64; 3]>(), d in 0_usize..200, m in 0_usize..200, k in any::<u32>()) {
        let Ok(epsilon) = Epsilon::new(f64::from_bits(bits[0])).or(Epsilon::from_nano(bits[0] >> 12)) else {
            return Ok(());
        };
        let bounds = Bounds::new(f64::from_bits(bits[1]), f64::from_bits(bits[2])).unwrap_or(Bounds::UNIT);
        let mut rng = rng(82);
        if let Ok(mechanism) = RandomizedResponse::new(epsilon, k) {
            mechanism.decode(&mechanism.encode(&ldp_core::Randomizer::randomize(&mechanism, &0, &mut rng).unwrap())).unwrap();
        }
        for value in [bounds.lower(), bounds.upper()] {
            fn answer<M: ldp_core::ScalarMechanism>(epsilon: Epsilon, bounds: Bounds, value: f64, rng: &mut chacha20::ChaCha12Rng) {
                if let Ok(mechanism) = M::build(epsilon, bounds) {
                    let report = mechanism.randomize(&value, rng).unwrap();
                    assert!(mechanism.accepts(&report));
                    // Widths near the ends of the float range may overflow the estimate, but never to NaN.
                    assert!(!mechanism.rectify(&report).is_nan());
                }
            }
            answer::<OneBit>(epsilon, bounds, value, &mut rng);
            answer::<Piecewise>(epsilon, bounds, value, &mut rng);
            answer::<SquareWave>(epsilon, bounds, value, &mut rng);
            answer::<Hybrid>(epsilon, bounds, value, &mut rng);
            answer::<GridLaplace>(epsilon, bounds, value, &mut rng);
        }
        let _ = MultiBitEncoder::new(epsilon, d, bounds, SampleSize::Fixed(m));
        let _ = GradedListRandomizer::new(epsilon, d, k);
        let _ = LevelChannel::square_wave(epsilon, k);
    }
}

#[cfg(feature = "serde")]
#[test]
fn serde_checks_reports() {
    use ldp_core::MultiBitReport;
    let report = MultiBitReport::new(vec![3, 8], vec![true, false]).unwrap();
    let text = serde_json::to_string(&report).unwrap();
    assert_eq!(serde_json::from_str::<MultiBitReport>(&text).unwrap(), report);
    for bad in [
        r#"{"indices":[8,3],"bits":[true,false]}"#,
        r#"{"indices":[3,3],"bits":[true,false]}"#,
        r#"{"indices":[3],"bits":[true,false]}"#,
        r#"{"indices":[3],"bits":[true],"value":1.0}"#,
        r#"{"indices":[-1],"bits":[true]}"#,
        r#"{"indices":[4294967296],"bits":[true]}"#,
    ] {
        assert!(serde_json::from_str::<MultiBitReport>(bad).is_err(), "{bad}");
    }
    assert!(serde_json::from_str::<GradedList>(r#"{"positions":[1],"grades":[0]}"#).is_err());
    assert!(serde_json::from_str::<GradedList>(r#"{"positions":[1],"grades":[256]}"#).is_err());
}
