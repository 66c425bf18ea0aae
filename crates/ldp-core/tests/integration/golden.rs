//! Numbers that other programs computed; each names its origin.

use ldp_core::{Bounds, Epsilon, MultiBitEncoder, RandomizedResponse, SampleSize};

pub(crate) fn near(got: f64, want: f64, relative: f64) {
    assert!((got - want).abs() <= relative * want.abs(), "{got} is not {want} (relative {relative})");
}

fn encoder(nats: f64, m: SampleSize) -> MultiBitEncoder {
    MultiBitEncoder::new(Epsilon::new(nats).unwrap(), 1433, Bounds::SYMMETRIC, m).unwrap()
}

/// `vectors/multi_bit.py`: (d/m)·coth(ε/2m) at d = 1433.
#[test]
fn multi_bit_scales() {
    for (nats, m, scale) in [(0.5, 1, 5850.922040550464), (2.0, 1, 1881.5795641205418), (6.0, 2, 791.583_033_071_969_8)]
    {
        near(encoder(nats, SampleSize::Fixed(m)).rectifier().scale(), scale, 1e-12);
    }
}

/// `vectors/multi_bit.py`: where the exact argmin steps from m to m + 1; and where the papers' floor rule does.
#[test]
fn multi_bit_sample_sizes() {
    for (m, switch) in (1..).zip([3.0571, 5.3199, 7.5328, 9.7297, 11.9195, 14.1054, 16.2890, 18.4712]) {
        assert_eq!(encoder(switch - 1e-4, SampleSize::Optimal).sampled(), m);
        assert_eq!(encoder(switch + 1e-4, SampleSize::Optimal).sampled(), m + 1);
        let floor = 2.18 * (m as f64 + 1.0);
        assert_eq!(encoder(floor - 1e-6, SampleSize::FloorRule).sampled(), m);
        assert_eq!(encoder(floor + 1e-6, SampleSize::FloorRule).sampled(), m + 1);
    }
    assert_eq!(encoder(0.01, SampleSize::Optimal).sampled(), 1);
    assert_eq!(encoder(1e6, SampleSize::Optimal).sampled(), 1433);
}

/// papers.md 13: k-ary randomized response with κ + 1 = 6 categories; p, q and κ(p − q) as printed (four digits).
#[test]
fn graded_list_probabilities() {
    let rows = [
        (1.0, 0.3522, 0.12956),
        (3.0, 0.8007, 0.03986),
        (5.0, 0.9674, 0.00652),
        (7.0, 0.9955, 0.00091),
        (9.0, 0.9994, 0.00012),
    ];
    for (nats, p, q) in rows {
        let mechanism = RandomizedResponse::new(Epsilon::new(nats).unwrap(), 6).unwrap();
        assert!((mechanism.truth_probability() - p).abs() < 5.1e-5 && (mechanism.lie_probability() - q).abs() < 5.1e-6);
        assert_eq!(mechanism.transition_matrix().to_dense().len(), 36);
    }
}
