//! Level channels and PPGNN's mechanism: laws, certificate, rectifiers, and the printed form's leak.

use ldp_core::level::{LevelBudgets, LevelChannel};
use ldp_core::private_level::as_printed::PrintedMechanism;
use ldp_core::{
    Bounds, Epsilon, FiniteRandomizer, LevelRectifier, LeveledRow, MultiBitReport, PrivateLevelEncoder,
    PrivateLevelReport, Randomizer, SampleSize, SparseRows, Users,
};

use crate::golden::near;
use crate::privacy_ratio::assert_private;
use crate::statistics::{assert_law, assert_moments, rng, stream};

fn epsilon(nats: f64) -> Epsilon {
    Epsilon::new(nats).unwrap()
}

/// Mean posterior precision with one sampled dimension, uniform levels, budgets 0.5·2^τ.
fn worth(column: &[f64]) -> f64 {
    let n = column.len() as f64;
    let gain: f64 = (0..).zip(column).map(|(l, c)| c * (0.25 * 2_f64.powi(l)).tanh() / n).sum();
    gain * gain / (column.iter().sum::<f64>() / n)
}

fn channels(nats: f64, levels: u32) -> [LevelChannel; 3] {
    [
        LevelChannel::square_wave(epsilon(nats), levels).unwrap(),
        LevelChannel::randomized_response(epsilon(nats), levels).unwrap(),
        LevelChannel::optimal(epsilon(nats), levels, worth).unwrap(),
    ]
}

#[test]
fn channels_are_private_and_tight() {
    for nats in [0.01, 0.5, 1.0, 2.0, 20.0] {
        for levels in [2, 3, 5, 8] {
            for (kind, channel) in channels(nats, levels).iter().enumerate() {
                let reports: Vec<u32> = (0..channel.outputs()).collect();
                let values: Vec<u32> = (0..levels).collect();
                let values: Vec<&u32> = values.iter().collect();
                assert_private(channel, &values, &reports, &format!("channel {kind}, ε = {nats}, h = {levels}"));
            }
        }
    }
    // b = ⌊β(ε)·h⌋ for f = 5, and every ε down to the smallest.
    for (nats, reach) in [(1e-9, 2), (0.334, 2), (0.335, 1), (1.365, 1), (1.366, 0), (100.0, 0)] {
        assert_eq!(LevelChannel::square_wave(epsilon(nats), 5).unwrap().outputs(), 5 + 2 * reach);
    }
    assert!(LevelChannel::square_wave(epsilon(1.0), 1).is_err());
    assert!(LevelChannel::square_wave(epsilon(1.0), 65).is_err());
    assert!(LevelChannel::optimal(epsilon(1.0), 11, worth).is_err());
    assert!(LevelBudgets::new(vec![epsilon(1.0), epsilon(1.0)]).is_err());
}

/// papers.md 11.5: on {1 … f+2b} with the window |g − g'| ≤ b, five levels at ε = 1 have a first row of sum 0.8586, in
/// the closed form 1 − (b−g+1)(e^ε−1)/Z and from the shifted channel's cells that the printed one leaves out; shifted,
/// all rows sum to 1. Where b steps, for f = 2, 3, 4, 5, 8.
#[test]
fn extended_square_wave_rows() {
    let channel = LevelChannel::square_wave(epsilon(1.0), 5).unwrap();
    let weight = |level, output| channel.weight(level, output) as f64 / 2_f64.powi(64);
    // Printed row g over outputs 1 … 7: likely where |g − g'| ≤ 1. Its cells weigh what the shifted one's do.
    let (likely, other) = (weight(0, 0), weight(0, 6));
    let printed = |g: i32| (1..=7).map(|out| if (g - out).abs() <= 1 { likely } else { other }).sum::<f64>();
    let sums = [1, 2, 3, 4, 5].map(printed);
    assert!((sums[0] - 0.8586).abs() < 5e-5, "{sums:?}");
    let normaliser = 3.0 * 1_f64.exp() + 4.0;
    assert!((sums[0] - (1.0 - 1_f64.exp_m1() / normaliser)).abs() < 1e-12);
    sums[1..].iter().for_each(|sum| assert!((sum - 1.0).abs() < 1e-12));
    for level in 0..5 {
        let total: u128 = (0..channel.outputs()).map(|y| u128::from(channel.weight(level, y))).sum();
        assert_eq!(total, 1 << 64);
    }
    // Renormalising the first row instead raises the loss to 1.15.
    assert!((1.0 - sums[0].ln() - 1.15).abs() < 5e-3);
    let steps: [(u32, &[(f64, u32)]); 5] = [
        (2, &[(2e-9, 0)]),
        (3, &[(0.6074, 1)]),
        (4, &[(1.0357, 1)]),
        (5, &[(0.3346, 2), (1.3652, 1)]),
        (8, &[(0.4312, 3), (1.0357, 2), (2.0491, 1)]),
    ];
    for (levels, steps) in steps {
        for &(nats, reach) in steps {
            let at = |nats| (LevelChannel::square_wave(epsilon(nats), levels).unwrap().outputs() - levels) / 2;
            // The numbers have four digits.
            assert_eq!(at(nats * (1.0 - 2e-4)), reach, "f = {levels}, ε = {nats}");
            assert!(reach == 0 || at(nats * (1.0 + 2e-4)) == reach - 1, "f = {levels}, above ε = {nats}");
        }
    }
}

/// Seed 51, 100 000 draws a level.
#[test]
fn channels_draw_their_law() {
    for channel in channels(1.0, 5) {
        let mut rng = rng(51);
        for level in 0..5 {
            let mut counts = vec![0_u64; channel.outputs() as usize];
            for _ in 0..100_000 {
                counts[channel.randomize(&level, &mut rng).unwrap() as usize] += 1;
            }
            // The output that takes up rounding has probability 2⁻⁴⁰ and is left out.
            let law: Vec<f64> = (0..channel.outputs()).map(|y| channel.probability(&level, &y).unwrap()).collect();
            let (counts, law): (Vec<u64>, Vec<f64>) = counts.into_iter().zip(law).filter(|&(_, p)| p > 1e-9).unzip();
            assert_law(&counts, &law, &format!("level {level}"));
        }
    }
}

/// `vectors/private_level.py`: share of the gap between no and perfect level information that each channel closes.
#[test]
fn optimal_channel() {
    let t: Vec<f64> = (0..5).map(|l| (0.25 * 2_f64.powi(l)).tanh()).collect();
    let none = (t.iter().sum::<f64>() / 5.0).powi(2);
    let full = t.iter().map(|t| t * t).sum::<f64>() / 5.0;
    let share = |channel: &LevelChannel| {
        let column = |y| (0..5).map(|l| channel.probability(&l, &y).unwrap()).collect::<Vec<_>>();
        ((0..channel.outputs()).map(|y| worth(&column(y))).sum::<f64>() - none) / (full - none)
    };
    for (nats, best, response) in [
        (1.0, 0.179_342_160_350_942_5, 0.065_414_248_721_950_41),
        (2.0, 0.494_418_261_925_342_5, 0.314_700_866_430_233_26),
        (4.0, 0.865_438_737_969_062_6, 0.836_626_832_663_212),
    ] {
        near(share(&LevelChannel::optimal(epsilon(nats), 5, worth).unwrap()), best, 1e-6);
        near(share(&LevelChannel::randomized_response(epsilon(nats), 5).unwrap()), response, 1e-6);
    }
    near(share(&LevelChannel::square_wave(epsilon(1.0), 5).unwrap()), 0.123_821_018_353_486_16, 1e-6);
}

/// Seed 52, 400 000 users; EM finds the shares of the levels within 0.02 at ε_L = 3.
#[test]
fn population() {
    let shares = [0.4, 0.3, 0.1, 0.1, 0.1];
    for channel in channels(3.0, 5) {
        let mut rng = rng(52);
        let mut counts = vec![0_u64; channel.outputs() as usize];
        for user in 0..400_000 {
            let level = [0, 0, 0, 0, 1, 1, 1, 2, 3, 4][user % 10];
            counts[channel.randomize(&level, &mut rng).unwrap() as usize] += 1;
        }
        let found = channel.estimate_population(&counts).unwrap();
        // The optimal channel has fewer outputs than levels: there only the total is fixed.
        assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        if channel.outputs() >= 5 {
            assert!(found.iter().zip(shares).all(|(f, s)| (f - s).abs() < 0.02), "{found:?}");
        }
    }
}

fn encoder(base: f64, level: f64, dimensions: usize) -> PrivateLevelEncoder {
    let budgets = LevelBudgets::geometric(epsilon(base), 5).unwrap();
    let channel = LevelChannel::square_wave(epsilon(level), 5).unwrap();
    PrivateLevelEncoder::new(budgets, channel, dimensions, Bounds::SYMMETRIC, SampleSize::Optimal).unwrap()
}

/// papers.md 13 (four digits) and `vectors/private_level.py`.
#[test]
fn rectifier_biases() {
    let encoder = encoder(0.01, 0.005, 1433);
    let bias = |kind| encoder.rectifier(kind, &[0.2; 5]).unwrap().bias().to_vec();
    for (got, want) in bias(LevelRectifier::Reported).iter().zip([
        0.405_238_22,
        1.214_139_37,
        2.828_994_04,
        6.051_850_63,
        12.482_855_71,
    ]) {
        near(*got, want, 1e-7);
    }
    for (got, want) in bias(LevelRectifier::Posterior).iter().zip([
        0.087_827_02,
        0.263_476_41,
        0.614_725_94,
        1.316_784_18,
        2.717_186_44,
    ]) {
        near(*got, want, 1e-7);
    }
    assert!(bias(LevelRectifier::Unbiased).iter().all(|b| (b - 1.0).abs() < 1e-6));
    // Calibrated over the population: the mean bias of R1 is one.
    near(bias(LevelRectifier::Posterior).iter().sum::<f64>() / 5.0, 1.0, 1e-12);
    // Second moments: R0 is 45 times R1 at ε = .01 and 3.5 times at 1; R2 is 10⁷ times R1 at ε_L = .005.
    let moment = |e: &PrivateLevelEncoder, kind| e.rectifier(kind, &[0.2; 5]).unwrap().second_moment();
    let ratio = moment(&encoder, LevelRectifier::Reported) / moment(&encoder, LevelRectifier::Posterior);
    assert!((40.0..50.0).contains(&ratio), "{ratio}");
    assert!(moment(&encoder, LevelRectifier::Unbiased) / moment(&encoder, LevelRectifier::Posterior) > 1e6);
    // A small penalty gives the unbiased solution, a large one shrinks.
    let wide = self::encoder(4.0, 2.0, 50);
    let ridge = |penalty| wide.rectifier(LevelRectifier::Ridge { penalty }, &[0.2; 5]).unwrap();
    assert!(ridge(1e-9).bias().iter().all(|b| (b - 1.0).abs() < 1e-3));
    assert!(ridge(10.0).second_moment() < ridge(1e-9).second_moment());
    assert!(wide.rectifier(LevelRectifier::Posterior, &[0.2; 4]).is_err());
    assert!(wide.rectifier(LevelRectifier::Posterior, &[0.9; 5]).is_err());
    assert!(wide.rectifier(LevelRectifier::Ridge { penalty: 0.0 }, &[0.2; 5]).is_err());
}

/// papers.md 11.4: totals between levels 1 and 5.
#[test]
fn certificate() {
    for (base, level, known, joint) in [(0.01, 0.005, 0.083, 0.088), (0.1, 0.05, 1.074, 1.124)] {
        let certificate = encoder(base, level, 1433).certificate();
        assert!((certificate.level()[4] - known).abs() < 5e-4, "{:?}", certificate.level());
        assert!((certificate.joint()[4] - joint).abs() < 5e-4, "{:?}", certificate.joint());
        assert!(certificate.to_string().lines().count() == 19, "{certificate}");
    }
    let encoder = encoder(1.0, 0.5, 1433);
    let certificate = encoder.certificate();
    for (feature, budget) in certificate.features().iter().zip(encoder.feature_budgets()) {
        assert!(*feature <= budget.nats() && *feature > budget.nats() * (1.0 - 1e-6));
    }
    assert!(encoder.achieved_epsilon() <= encoder.epsilon().nats());
}

/// The certificate against enumeration: three levels, two dimensions, all reports, corners and middle.
#[test]
fn joint_law() {
    let budgets = LevelBudgets::geometric(epsilon(1.0), 3).unwrap();
    for channel in channels(0.5, 3) {
        let encoder =
            PrivateLevelEncoder::new(budgets.clone(), channel, 2, Bounds::SYMMETRIC, SampleSize::Optimal).unwrap();
        let mut reports = Vec::new();
        for level in 0..encoder.channel().outputs() {
            let sets = if encoder.sampled()[level as usize] == 1 { vec![vec![0], vec![1]] } else { vec![vec![0, 1]] };
            for set in sets {
                for bits in 0..1 << set.len() {
                    let bits = (0..set.len()).map(|j| bits >> j & 1 == 1).collect();
                    let features = MultiBitReport::new(set.clone(), bits).unwrap();
                    reports.push(PrivateLevelReport { level, features });
                }
            }
        }
        assert!(reports.iter().all(|r| encoder.accepts(r)));
        let rows = [[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [0.0, 0.3]];
        let value = |level, row: [f32; 2]| LeveledRow { level, row: row.to_vec() };
        let values: Vec<LeveledRow> = (0..3).flat_map(|l| rows.map(|r| value(l, r))).collect();
        let mut joint = 0.0_f64;
        for one in &values {
            let sum: f64 = reports.iter().map(|r| encoder.probability(one, r).unwrap()).sum();
            assert!((sum - 1.0).abs() < 1e-12);
            for other in &values {
                let ratios = reports.iter().map(|r| encoder.log_ratio(one, other, r).unwrap());
                let worst = ratios.fold(f64::NEG_INFINITY, f64::max);
                joint = joint.max(worst);
                let cell = (one.level * 3 + other.level) as usize;
                assert!(worst <= encoder.certificate().joint()[cell] + 1e-12);
                if one.row == other.row {
                    assert!(worst <= encoder.certificate().level()[cell] + 1e-12);
                }
                if one.level == other.level {
                    assert!(worst <= encoder.certificate().features()[one.level as usize] + 1e-12);
                }
            }
        }
        assert!((joint - encoder.achieved_epsilon()).abs() < 1e-9);
    }
}

/// Seed 53, 100 000 users a level: bias, variance and calibration of every rectifier as stated.
#[test]
fn rectified_values() {
    let encoder = encoder(2.0, 1.0, 3);
    let row = [-1.0, 0.25, 1.0];
    for kind in [
        LevelRectifier::Reported,
        LevelRectifier::Posterior,
        LevelRectifier::Unbiased,
        LevelRectifier::Ridge { penalty: 0.01 },
    ] {
        let rectifier = encoder.rectifier(kind, &[0.2; 5]).unwrap();
        let mut rng = rng(53);
        for level in [0, 2, 4] {
            let value = LeveledRow { level, row: row.to_vec() };
            let mut samples = vec![Vec::new(); 3];
            for _ in 0..100_000 {
                let report = encoder.randomize(&value, &mut rng).unwrap();
                let mut estimate = [0.0; 3];
                let scale = rectifier.scale(report.level);
                report.features.entries().for_each(|(i, bit)| estimate[i as usize] = if bit { scale } else { -scale });
                samples.iter_mut().zip(estimate).for_each(|(s, e)| s.push(e));
            }
            for (sample, x) in samples.iter().zip(row.map(f64::from)) {
                let mean = rectifier.bias()[level as usize] * x;
                assert_moments(
                    sample,
                    mean,
                    rectifier.variance(level, x),
                    &format!("{kind:?}, level {level}, x = {x}"),
                );
            }
        }
    }
}

#[test]
fn bulk_form_is_the_single_form() {
    let encoder = encoder(4.0, 1.0, 9);
    let indptr = [0, 2, 2, 3];
    let rows = SparseRows::new(9, Bounds::SYMMETRIC, &indptr, &[1, 7, 3], &[1.0, 0.5, 1.0], -1.0).unwrap();
    let levels = [0, 4, 2];
    let users = [9, 3, 70];
    for users in [Users::Listed(&users), Users::From(5)] {
        let reports = encoder.encode_sparse_rows(&levels, &rows, users, stream(54)).unwrap();
        let values = {
            let rectifier = encoder.rectifier(LevelRectifier::Posterior, &[0.2; 5]).unwrap();
            encoder.centred_values(&rectifier, &reports).unwrap()
        };
        assert_eq!(values.len(), reports.indices.len());
        for (row, &level) in levels.iter().enumerate() {
            let mut dense = vec![-1.0; 9];
            (0..9).for_each(|j| dense[j as usize] = rows.get(row, j).unwrap_or(-1.0));
            let user = match users {
                Users::Listed(list) => list[row],
                Users::From(first) => first + row as u64,
            };
            let mut rng = stream(54)(2 * encoder.words_per_report() as u128 * u128::from(user));
            let report = encoder.randomize(&LeveledRow { level, row: dense }, &mut rng).unwrap();
            let range = reports.indptr[row]..reports.indptr[row + 1];
            assert_eq!(report.level, reports.levels[row]);
            assert_eq!(report.features.indices(), &reports.indices[range.clone()]);
            assert!(range.zip(report.features.bits()).all(|(entry, &bit)| reports.bit(entry) == bit));
        }
    }
    assert!(encoder.encode_sparse_rows(&[0, 1], &rows, Users::From(0), stream(1)).is_err());
    assert!(encoder.encode_sparse_rows(&[0, 1, 5], &rows, Users::From(0), stream(1)).is_err());
}

/// One report of the printed mechanism gives the level away, always (seed 55).
#[test]
fn printed_mechanism_leaks_the_level() {
    for base in [0.01, 0.1, 1.0] {
        let budgets = LevelBudgets::geometric(epsilon(base), 5).unwrap();
        let printed = PrintedMechanism::new(budgets, 100, 0.5).unwrap();
        let mut rng = rng(55);
        for level in 0..5 {
            for _ in 0..100 {
                let value = LeveledRow { level, row: vec![0.5; 100] };
                let report = printed.randomize(&value, &mut rng).unwrap();
                assert_eq!(printed.recover_level(&report), Some(level));
            }
        }
    }
    // The output domains differ between levels: b = 2, 2, 2, 1, 1 at base ε = .1 and γ = ½.
    let budgets = LevelBudgets::geometric(epsilon(0.1), 5).unwrap();
    assert_eq!(PrintedMechanism::new(budgets, 100, 0.5).unwrap().domain_sizes(), [9, 9, 9, 7, 7]);
}
