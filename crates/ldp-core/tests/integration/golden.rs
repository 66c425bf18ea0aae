//! Numbers that other programs computed; each names its origin.

use ldp_core::window_mechanism::half_width;
use ldp_core::{Bounds, Epsilon, GradedListRandomizer, MultiBitEncoder, RandomizedResponse, SampleSize, SquareWave};

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
    let variances = [
        (1.0, 3.3490, 0.8905),
        (3.0, 1.8349, 3.0433),
        (5.0, 0.3489, 3.8436),
        (7.0, 0.0497, 3.9782),
        (9.0, 0.0068, 3.9970),
    ];
    for (nats, variance, gap) in variances {
        let mechanism = GradedListRandomizer::new(Epsilon::new(nats).unwrap(), 9, 5).unwrap();
        assert!((mechanism.entry_variance(0) - variance).abs() < 5.1e-5);
        // (p − q)(κ − 1): how much more a grade of κ counts than a grade of 1.
        assert!((mechanism.entry_mean(5) - mechanism.entry_mean(1) - gap).abs() < 5.1e-5);
    }
}

/// `vectors/square_wave.py`: β(ε), its limits, and the contraction κ = 1 − (1 − e^{−ε})/ε of the square wave's mean.
#[test]
fn square_wave_width() {
    let rows = [
        (0.01, 0.496_677_751_9),
        (0.1, 0.467_752_337_7),
        (0.5, 0.358_155_424_6),
        (1.0, 0.256_082_937_5),
        (2.0, 0.129_337_066_8),
        (3.0, 0.063_715_220_6),
        (5.0, 0.014_067_302_4),
        (8.0, 0.001_177_731_2),
        (16.0, 8.440_154e-7),
    ];
    for (nats, width) in rows {
        assert!((half_width(nats) - width).abs() < 6e-11 + 1e-7 * width * f64::from(nats > 10.0), "β({nats})");
    }
    near(half_width(1e-9), 0.5, 1e-9);
    near(half_width(1e-7), 0.5 - 1e-7 / 3.0, 1e-12);
    near(half_width(0.01), half_width(0.010_000_001), 1e-8);
    assert!(half_width(800.0) >= 0.0 && half_width(800.0) < 1e-300);
    for (nats, contraction) in [(1.0, 0.367_879_441_2), (3.0, 0.683_262_356_1)] {
        // Window W of N + W cells at weights p, q: the mean moves by κ·(1 + 2b)-ths of the output range.
        let wave = SquareWave::new(Epsilon::new(nats).unwrap(), Bounds::SYMMETRIC).unwrap();
        let kernel = wave.kernel();
        let mean = |i: u32| -> f64 {
            (0..kernel.cells()).map(|y| f64::from(y) * (kernel.weight(i, y) as f64 / 2_f64.powi(64))).sum()
        };
        let moved = (mean(kernel.largest_input()) - mean(0)) / f64::from(kernel.largest_input());
        near(moved, contraction, 1e-5);
    }
}
