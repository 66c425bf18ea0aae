//! ε and δ: exact sums, what is refused, and the same through serde.

use ldp_core::{Delta, Epsilon, Error};
use proptest::prelude::*;

#[test]
fn text_of_the_float_is_what_counts() {
    for (value, nano) in
        [(0.1, 100_000_000), (0.3, 300_000_000), (1.0 / 11.0, 90_909_090), (1e-9, 1), (4e6, 4_000_000_000_000_000)]
    {
        assert_eq!(Epsilon::new(value).unwrap().nano(), nano, "{value}");
    }
    assert_eq!("0.5".parse::<Epsilon>().unwrap().nano(), 500_000_000);
    assert_eq!(Epsilon::from_nano(1_500_000_000).unwrap().to_string(), "1.5");
    assert_eq!(Epsilon::from_nano(1).unwrap().to_string(), "0.000000001");
}

#[test]
fn refuses_what_is_no_budget() {
    for bad in [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e-12, 9.9e-10, 4.000001e6, 1e300, 5e-324]
    {
        assert!(matches!(Epsilon::new(bad), Err(Error::Epsilon { .. })), "{bad}");
    }
    for bad in
        ["", ".", "1.", ".5", "-1", "+1", "1e3", "nan", "inf", " 1", "1 ", "0", "0.0000000001", "99999999999999999999"]
    {
        assert!(bad.parse::<Epsilon>().is_err(), "{bad:?}");
    }
    for bad in [0.0, -0.1, 0.5, 1.0, f64::NAN, 1e-20] {
        assert!(matches!(Delta::new(bad), Err(Error::Delta { .. })), "{bad}");
    }
    assert_eq!(Delta::new(2_f64.powi(-63)).unwrap().units(), 1);
    assert!(Delta::new(1e-5).unwrap().get() <= 1e-5);
    assert!(Epsilon::from_nano(0).is_err() && Epsilon::from_nano(4_000_000_000_000_001).is_err());
}

#[test]
fn a_split_loses_nothing() {
    let third = Epsilon::new(1.0).unwrap().split(3).unwrap();
    assert_eq!((third.part.nano(), third.remainder), (333_333_333, 1));
    assert!(matches!(Epsilon::from_nano(3).unwrap().split(4), Err(Error::Split { nano: 3, parts: 4 })));
    assert!(Epsilon::from_nano(3).unwrap().split(0).is_err());
}

proptest! {
    #[test]
    fn round_trips(nano in 1_u64..=4_000_000_000_000_000) {
        let epsilon = Epsilon::from_nano(nano).unwrap();
        prop_assert_eq!(Epsilon::new(epsilon.nats()).unwrap(), epsilon);
        prop_assert_eq!(epsilon.to_string().parse::<Epsilon>().unwrap(), epsilon);
    }

    #[test]
    fn any_float_is_taken_or_refused(bits in any::<u64>()) {
        let value = f64::from_bits(bits);
        match Epsilon::new(value) {
            // Cut, never rounded up: at most the value, and less than a nano-nat below (and rounding of the test).
            Ok(epsilon) => prop_assert!(epsilon.nats() <= value * (1.0 + 1e-15) && value - epsilon.nats() < 1.0001e-9),
            Err(_) => prop_assert!(!(1e-9..=4e6).contains(&value)),
        }
    }
}

#[cfg(feature = "serde")]
#[test]
fn serde_refuses_what_the_constructors_refuse() {
    use ldp_core::Bounds;
    for bad in ["0", "-1", "null", "\"1\"", "1e400", "1e-400", "true", "[]", "{}", "[1]", "1e-30", "5000000", ""] {
        assert!(serde_json::from_str::<Epsilon>(bad).is_err(), "{bad}");
        assert!(serde_json::from_str::<Delta>(bad).is_err(), "{bad}");
    }
    assert_eq!(serde_json::from_str::<Epsilon>("0.3").unwrap().nano(), 300_000_000);
    assert_eq!(serde_json::from_str::<Epsilon>("1").unwrap().nano(), 1_000_000_000);
    assert_eq!(serde_json::to_string(&Epsilon::new(0.1).unwrap()).unwrap(), "0.1");
    for bad in [
        "{}",
        r#"{"lower":0}"#,
        r#"{"lower":1,"upper":1}"#,
        r#"{"lower":0,"upper":1,"x":2}"#,
        r#"{"lower":0,"upper":1e400}"#,
    ] {
        assert!(serde_json::from_str::<Bounds>(bad).is_err(), "{bad}");
    }
    let unit: Bounds = serde_json::from_str(r#"{"lower":0,"upper":1}"#).unwrap();
    assert_eq!(unit, Bounds::UNIT);
}

/// Found by fuzzing: serde_json without `float_roundtrip` reads some doubles one unit in the last place off; a budget
/// comes back all the same.
#[cfg(feature = "serde")]
#[test]
fn serde_survives_a_parser_that_is_one_unit_off() {
    use serde::de::{Deserialize, IntoDeserializer, value::Error};
    let read = |nats: f64| Epsilon::deserialize(IntoDeserializer::<Error>::into_deserializer(nats));
    for nano in (0..3000).map(|k| 1 + k * k * k * 37_037) {
        let epsilon = Epsilon::from_nano(nano).unwrap();
        for nats in [epsilon.nats().next_down(), epsilon.nats(), epsilon.nats().next_up()] {
            assert_eq!(read(nats).unwrap(), epsilon);
        }
    }
    let read_delta = |value: f64| Delta::deserialize(IntoDeserializer::<Error>::into_deserializer(value));
    for value in [1e-10, 1e-6, 3.3e-5, 2.4e-4] {
        let delta = Delta::new(value).unwrap();
        for near in [delta.get().next_down(), delta.get(), delta.get().next_up()] {
            assert_eq!(read_delta(near).unwrap(), delta);
        }
    }
    assert!(read_delta(0.5).is_err() && read_delta(0.0).is_err() && read_delta(f64::NAN).is_err());
    // Further away it is cut as ever.
    assert_eq!(read(0.299_999_999_9).unwrap().nano(), 299_999_999);
    assert!(read(4.1e6).is_err() && read(1e-10).is_err() && read(-1.0).is_err() && read(f64::NAN).is_err());
}
