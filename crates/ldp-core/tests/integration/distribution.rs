//! Distributions from square-wave reports: the binned channel is the law, and EM finds what was put in.

use ldp_core::{Bounds, Channel, EmOptions, Epsilon, Randomizer, SquareWave};

use crate::statistics::rng;

/// The binned channel against the exact law of a value in the middle of a narrow bin.
#[test]
fn channel_is_the_binned_law() {
    let wave = SquareWave::new(Epsilon::new(1.0).unwrap(), Bounds::UNIT).unwrap();
    let channel = wave.channel(256, 8).unwrap();
    let kernel = wave.kernel();
    for input in [0_usize, 100, 255] {
        let middle = ((input as f64 + 0.5) / 256.0 * f64::from(kernel.largest_input())) as u32;
        let mut law = [0.0; 8];
        let counts = |cell: u32| wave.bin(&[cell], 8).unwrap().iter().position(|&c| c == 1).unwrap();
        (0..kernel.cells()).for_each(|y| law[counts(y)] += kernel.weight(middle, y) as f64 / 2_f64.powi(64));
        assert!(
            law.iter().zip(channel.row(input)).all(|(a, b)| (a - b).abs() < 1e-4),
            "{law:?} {:?}",
            channel.row(input)
        );
    }
    assert!(wave.channel(0, 8).is_err() && wave.channel(8, 1 << 17).is_err());
    assert!(wave.bin(&[kernel.cells()], 8).is_err());
}

/// Seed 75, 300 000 users with a two-humped distribution over 32 bins at ε = 2: Wasserstein distance of EM and EMS
/// below 0.025 of the range; the uniform guess has 0.09.
#[test]
fn em_finds_the_distribution() {
    let wave = SquareWave::new(Epsilon::new(2.0).unwrap(), Bounds::UNIT).unwrap();
    let mut truth: Vec<f64> = (0..32)
        .map(|k| (-(f64::from(k) - 5.0).powi(2) / 8.0).exp() + 0.5 * (-(f64::from(k) - 24.0).powi(2) / 18.0).exp())
        .collect();
    let total: f64 = truth.iter().sum();
    truth.iter_mut().for_each(|t| *t /= total);
    let users = 300_000_u32;
    let mut rng = rng(75);
    let (mut running, mut bin, mut reports) = (truth[0], 0, Vec::new());
    for user in 0..users {
        let share = (f64::from(user) + 0.5) / f64::from(users);
        while share > running && bin < 31 {
            bin += 1;
            running += truth[bin];
        }
        let value = (bin as f64 + f64::from(user % 97) / 97.0) / 32.0;
        reports.push(wave.randomize(&value, &mut rng).unwrap());
    }
    let counts = wave.bin(&reports, 64).unwrap();
    let channel = wave.channel(32, 64).unwrap();
    let distance = |found: &[f64]| {
        let (mut gap, mut sum) = (0.0_f64, 0.0);
        for (f, t) in found.iter().zip(&truth) {
            gap += f - t;
            sum += gap.abs() / 32.0;
        }
        sum
    };
    assert!(distance(&[1.0 / 32.0; 32]) > 0.086);
    for options in [EmOptions::EM, EmOptions::EMS] {
        let found = channel.estimate(&counts, options).unwrap();
        assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert!(distance(&found) < 0.025, "{options:?}: {}", distance(&found));
    }
}

#[test]
fn channels_are_checked() {
    assert!(Channel::new(2, vec![0.5, 0.5, 0.1, 0.9]).is_ok());
    for (outputs, cells) in
        [(0, vec![]), (2, vec![0.5, 0.5, 0.1]), (2, vec![0.5, 0.6]), (2, vec![-0.5, 1.5]), (1, vec![f64::NAN])]
    {
        assert!(Channel::new(outputs, cells.clone()).is_err(), "{outputs} {cells:?}");
    }
    let channel = Channel::new(2, vec![0.5, 0.5, 0.1, 0.9]).unwrap();
    assert!(channel.estimate(&[1], EmOptions::EM).is_err());
    assert!(channel.estimate(&[0, 0], EmOptions::EM).is_err());
}
