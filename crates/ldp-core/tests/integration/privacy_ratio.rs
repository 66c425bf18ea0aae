//! Exact: over all values and all reports the largest log-ratio is the achieved ε, at most the claimed one, and close
//! to it.

use ldp_core::window::WindowKernel;
use ldp_core::{
    Bounds, Epsilon, FiniteRandomizer, GradedList, GradedListRandomizer, GridLaplace, Hybrid, HybridReport,
    LevelChannel, MultiBitEncoder, MultiBitReport, OneBit, Piecewise, PrivUnit, RandomizedResponse, Randomizer,
    SampleSize, Sampled, SampledReport, SquareWave,
};
use proptest::prelude::*;

const TOLERANCE: f64 = 1e-12;

/// Enumerates values × values × reports; checks that probabilities sum to one and ratios agree with them.
pub(crate) fn assert_private<M: FiniteRandomizer>(
    mechanism: &M,
    values: &[&M::Value],
    reports: &[M::Report],
    what: &str,
) {
    let claimed = mechanism.epsilon().nats();
    let mut largest = 0.0_f64;
    for &one in values {
        let sum: f64 = reports.iter().map(|r| mechanism.probability(one, r).unwrap()).sum();
        assert!((sum - 1.0).abs() < TOLERANCE, "{what}: probabilities sum to {sum}");
        for &other in values {
            for report in reports {
                let ratio = mechanism.log_ratio(one, other, report).unwrap();
                let (p, q) =
                    (mechanism.probability(one, report).unwrap(), mechanism.probability(other, report).unwrap());
                assert!(
                    ((p / q).ln() - ratio).abs() < 1e-9 + TOLERANCE * ratio.abs(),
                    "{what}: {ratio} is not ln {p}/{q}"
                );
                largest = largest.max(ratio);
            }
        }
    }
    let achieved = mechanism.achieved_epsilon();
    assert!(
        (largest - achieved).abs() <= TOLERANCE * achieved.max(1.0),
        "{what}: enumerated {largest}, stated {achieved}"
    );
    assert!(achieved <= claimed, "{what}: achieved {achieved} above claimed {claimed}");
    // The unlikely weight is rounded up by less than one of 2⁶⁴ / (e^ε + k).
    let rounding = (claimed.min(44.0) - 43.0).exp() * values.len() as f64;
    assert!(achieved >= claimed.min(44.0) * (1.0 - 1e-6) - rounding, "{what}: achieved {achieved} far below {claimed}");
}

#[test]
fn randomized_response() {
    for nats in [1e-9, 1e-3, 0.5, 1.0, 5.0, 20.0, 40.0, 60.0] {
        for categories in [2, 3, 7, 64] {
            let epsilon = Epsilon::new(nats).unwrap();
            let mechanism = RandomizedResponse::new(epsilon, categories).unwrap();
            let reports: Vec<u32> = (0..categories).collect();
            let values: Vec<&u32> = reports.iter().collect();
            assert_private(&mechanism, &values, &reports, &format!("k = {categories}, ε = {nats}"));
            for value in 0..categories {
                let sum: u128 = reports.iter().map(|&r| u128::from(mechanism.weight(value, r))).sum();
                assert_eq!(sum, ldp_core::weights::TOTAL);
            }
        }
    }
}

#[test]
fn multi_bit() {
    // All reports of 2 of 3 dimensions, over the corners, the middle and an irregular row.
    let mut reports = Vec::new();
    for pair in [[0, 1], [0, 2], [1, 2]] {
        for bits in [[false, false], [false, true], [true, false], [true, true]] {
            reports.push(MultiBitReport::new(pair.to_vec(), bits.to_vec()).unwrap());
        }
    }
    let mut rows: Vec<[f32; 3]> = (0..8).map(|c| [0, 1, 2].map(|j| if c >> j & 1 == 1 { 1.0 } else { -1.0 })).collect();
    rows.push([0.0; 3]);
    rows.push([0.3, -0.77, 0.999]);
    let values: Vec<&[f32]> = rows.iter().map(|r| &r[..]).collect();
    for nats in [2e-9, 0.01, 1.0, 4.0, 60.0] {
        let mechanism =
            MultiBitEncoder::new(Epsilon::new(nats).unwrap(), 3, Bounds::SYMMETRIC, SampleSize::Fixed(2)).unwrap();
        assert_private(&mechanism, &values, &reports, &format!("ε = {nats}"));
        assert!(reports.iter().all(|r| mechanism.accepts(r)));
    }
}

#[test]
fn one_bit() {
    let values = [-1.0, 1.0, 0.0, 0.3, -0.77];
    for nats in [1e-9, 0.01, 1.0, 4.0, 44.0] {
        let mechanism = OneBit::new(Epsilon::new(nats).unwrap(), Bounds::SYMMETRIC).unwrap();
        assert_private(&mechanism, &values.each_ref(), &[false, true], &format!("ε = {nats}"));
    }
}

/// All inputs and outputs of small kernels: the weights are exact, the window is where it should be.
#[test]
fn window_kernel() {
    for nats in [1e-6, 0.1, 1.0, 5.0, 40.0] {
        for (outside, width) in [(1, 1), (4, 3), (4, 5), (64, 61), (1000, 7)] {
            let kernel = WindowKernel::new(Epsilon::new(nats).unwrap(), outside, width).unwrap();
            let mut largest = vec![0_u64; kernel.cells() as usize];
            let mut smallest = vec![u64::MAX; kernel.cells() as usize];
            for input in 0..=outside {
                let weights: Vec<u64> = (0..kernel.cells()).map(|y| kernel.weight(input, y)).collect();
                assert_eq!(weights.iter().map(|&w| u128::from(w)).sum::<u128>(), ldp_core::weights::TOTAL);
                let low = *weights.iter().min().unwrap();
                let likely = weights.iter().filter(|&&w| w > low).count();
                assert_eq!(likely, width as usize, "ε = {nats}, N = {outside}, W = {width}");
                assert!(weights[input as usize] > low && weights[(input + width - 1) as usize] > low);
                for (y, w) in weights.into_iter().enumerate() {
                    largest[y] = largest[y].max(w);
                    smallest[y] = smallest[y].min(w);
                }
            }
            let ratio = |(&a, &b): (&u64, &u64)| ((a - b) as f64 / b as f64).ln_1p();
            let worst = largest.iter().zip(&smallest).map(ratio).fold(0.0, f64::max);
            assert!((worst - kernel.achieved_epsilon()).abs() <= 1e-12 * worst.max(1.0), "{worst}");
            assert!(worst <= nats && worst >= nats.min(40.0) * (1.0 - 1e-6) - 1e-6 - (nats - 43.0).exp() * 1e3);
            assert_eq!(kernel.weight(outside + 1, 0), 0);
            assert_eq!(kernel.weight(0, kernel.cells()), 0);
        }
    }
}

/// On the grid of 2²⁰ cells: every 4099th cell and the borders of the windows.
#[test]
fn piecewise_and_square_wave() {
    fn check<M: FiniteRandomizer<Value = f64, Report = u32>>(mechanism: &M, cells: u32) {
        let values = [-1.0, 1.0, 0.0, 0.3, -0.777_777, 0.999_999_9];
        let (achieved, claimed) = (mechanism.achieved_epsilon(), mechanism.epsilon().nats());
        assert!(achieved <= claimed && achieved >= claimed * (1.0 - 1e-6), "{achieved} of {claimed}");
        let mut worst = 0.0_f64;
        for report in (0..cells).step_by(4099).chain([1, cells - 1]) {
            for one in &values {
                for other in &values {
                    let ratio = mechanism.log_ratio(one, other, &report).unwrap();
                    let (p, q) = (mechanism.probability(one, &report), mechanism.probability(other, &report));
                    assert!(((p.unwrap() / q.unwrap()).ln() - ratio).abs() < 1e-9);
                    worst = worst.max(ratio);
                }
            }
        }
        assert!(worst <= achieved + TOLERANCE && worst >= achieved - 1e-7, "{worst} of {achieved}");
    }
    for nats in [1e-6, 0.1, 1.0, 4.0] {
        let epsilon = Epsilon::new(nats).unwrap();
        let piecewise = Piecewise::new(epsilon, Bounds::SYMMETRIC).unwrap();
        check(&piecewise, piecewise.kernel().cells());
        let wave = SquareWave::new(epsilon, Bounds::SYMMETRIC).unwrap();
        check(&wave, wave.kernel().cells());
    }
}

#[test]
fn hybrid() {
    for nats in [0.5, 1.0, 4.0] {
        let mechanism = Hybrid::new(Epsilon::new(nats).unwrap(), Bounds::SYMMETRIC).unwrap();
        let ratio = |report| mechanism.log_ratio(&1.0, &-1.0, &report).unwrap();
        assert!(ratio(HybridReport::OneBit(true)) <= nats && ratio(HybridReport::OneBit(true)) > nats - 1e-9);
        assert_eq!(mechanism.accepts(&HybridReport::Piecewise(0)), nats > 0.61);
        assert!(ratio(HybridReport::Piecewise(0)) >= -nats && ratio(HybridReport::Piecewise(0)) < -nats + 1e-9);
        assert!(mechanism.achieved_epsilon() <= nats);
    }
}

/// All reports of 2 of 3 dimensions through one-bit: the same law as multi-bit.
#[test]
fn sampled() {
    let epsilon = Epsilon::new(2.0).unwrap();
    let mechanism = Sampled::<OneBit>::new(epsilon, 3, Bounds::SYMMETRIC, SampleSize::Fixed(2)).unwrap();
    let encoder = MultiBitEncoder::new(epsilon, 3, Bounds::SYMMETRIC, SampleSize::Fixed(2)).unwrap();
    let mut reports = Vec::new();
    for pair in [[0, 1], [0, 2], [1, 2]] {
        for bits in [[false, false], [false, true], [true, false], [true, true]] {
            reports.push(SampledReport { indices: pair.to_vec(), reports: bits.to_vec() });
        }
    }
    let rows = [[1.0, -1.0, 0.5], [-1.0, 1.0, 0.25], [0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [-1.0, -1.0, -1.0]];
    let values: Vec<&[f64]> = rows.iter().map(|r| &r[..]).collect();
    assert_private(&mechanism, &values, &reports, "sampled one-bit");
    for row in rows {
        let single = row.map(|v| v as f32);
        for report in &reports {
            let bits = MultiBitReport::new(report.indices.clone(), report.reports.clone()).unwrap();
            let (one, other) =
                (mechanism.probability(&row, report).unwrap(), encoder.probability(&single, &bits).unwrap());
            assert!((one - other).abs() < 1e-15);
        }
    }
    // PPGNN's optimum for the piecewise mechanism, worst case: u* = 2.42.
    let optimum = |nats: f64| {
        let epsilon = Epsilon::new(nats).unwrap();
        Sampled::<Piecewise>::new(epsilon, 1433, Bounds::SYMMETRIC, SampleSize::Optimal).unwrap().sampled() as f64
    };
    for nats in [100.0, 200.0] {
        assert!((nats / optimum(nats) - 2.42).abs() < 0.05, "{}", nats / optimum(nats));
    }
}

/// Lists of three entries with grades 0 … 2, all 27 × 27 pairs of lists and reports; ε is for one entry.
#[test]
fn graded_list() {
    let list = |code: usize| {
        let grades = [code % 3, code / 3 % 3, code / 9];
        let positions = (0..3).filter(|&j| grades[j as usize] != 0).collect();
        GradedList::new(positions, grades.into_iter().filter(|&g| g != 0).map(|g| g as u8).collect()).unwrap()
    };
    let lists: Vec<GradedList> = (0..27).map(list).collect();
    for nats in [1e-6, 1.0, 5.0, 40.0] {
        let mechanism = GradedListRandomizer::new(Epsilon::new(nats).unwrap(), 3, 2).unwrap();
        for one in &lists {
            let sum: f64 = lists.iter().map(|r| mechanism.probability(one, r).unwrap()).sum();
            assert!((sum - 1.0).abs() < TOLERANCE);
            for other in &lists {
                let differ = (0..3).filter(|&j| one.grade(j) != other.grade(j)).count() as f64;
                let ratio = |report| mechanism.log_ratio(one, other, report).unwrap();
                let worst = lists.iter().map(ratio).fold(0.0, f64::max);
                assert!((worst - differ * mechanism.achieved_epsilon()).abs() < 1e-9);
            }
        }
        assert!(mechanism.achieved_epsilon() <= nats);
    }
}

proptest! {
    #[test]
    fn achieved_never_above_requested(exponent in -9.0_f64..6.0, categories in 2_u32..100_000, m in 1_usize..50) {
        let epsilon = Epsilon::new(10_f64.powf(exponent)).unwrap();
        if let Ok(mechanism) = RandomizedResponse::new(epsilon, categories) {
            prop_assert!(mechanism.achieved_epsilon() <= epsilon.nats());
        }
        if let Ok(mechanism) = MultiBitEncoder::new(epsilon, 50, Bounds::UNIT, SampleSize::Fixed(m)) {
            prop_assert!(mechanism.achieved_epsilon() <= epsilon.nats());
        }
        let bounds = Bounds::new(-3.0, 7.5).unwrap();
        prop_assert!(OneBit::new(epsilon, bounds).unwrap().achieved_epsilon() <= epsilon.nats());
        prop_assert!(Piecewise::new(epsilon, bounds).unwrap().achieved_epsilon() <= epsilon.nats());
        prop_assert!(SquareWave::new(epsilon, bounds).unwrap().achieved_epsilon() <= epsilon.nats());
        prop_assert!(Hybrid::new(epsilon, bounds).unwrap().achieved_epsilon() <= epsilon.nats());
        if let Ok(kernel) = WindowKernel::new(epsilon, categories, m as u32) {
            prop_assert!(kernel.achieved_epsilon() <= epsilon.nats());
        }
        if let Ok(mechanism) = GridLaplace::new(epsilon, bounds) {
            prop_assert!(mechanism.achieved_epsilon() <= epsilon.nats());
        }
        if let Ok(mechanism) = GradedListRandomizer::new(epsilon, 9, categories.min(255)) {
            prop_assert!(mechanism.achieved_epsilon() <= epsilon.nats());
        }
        if let Ok(mechanism) = Sampled::<Hybrid>::new(epsilon, 50, bounds, SampleSize::Fixed(m)) {
            prop_assert!(mechanism.achieved_epsilon() <= epsilon.nats());
        }
        let levels = 2 + categories % 7;
        let worth = |column: &[f64]| column.iter().map(|c| c * c).sum::<f64>() / column.iter().sum::<f64>();
        let channels = [
            LevelChannel::square_wave(epsilon, levels),
            LevelChannel::randomized_response(epsilon, levels),
            LevelChannel::optimal(epsilon, 2 + levels % 3, worth),
        ];
        for channel in channels.into_iter().flatten() {
            prop_assert!(channel.achieved_epsilon() <= epsilon.nats());
        }
        // The calibration integrates; a tenth of the cases is enough.
        if categories % 10 == 0 && let Ok(mechanism) = PrivUnit::new(epsilon, m + 1) {
            prop_assert!(mechanism.achieved_epsilon() <= epsilon.nats());
        }
    }
}
