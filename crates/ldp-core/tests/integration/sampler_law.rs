//! Does the code draw the law that it states? Every value, every cell, χ² at α = 1e-6.

use ldp_core::{
    Bounds, Epsilon, FiniteRandomizer, MultiBitEncoder, MultiBitReport, RandomizedResponse, Randomizer, SampleSize,
};

use crate::statistics::{assert_law, rng};

/// Draws `draws` reports of one value and compares the counts with `probability`.
fn assert_draws<M: FiniteRandomizer>(
    mechanism: &M,
    value: &M::Value,
    cells: &[M::Report],
    draws: u64,
    seed: u8,
    what: &str,
) where
    M::Report: PartialEq,
{
    let mut rng = rng(seed);
    let mut counts = vec![0_u64; cells.len()];
    for _ in 0..draws {
        let report = mechanism.randomize(value, &mut rng).unwrap();
        assert!(mechanism.accepts(&report), "{what}: emitted what it does not accept");
        counts[cells.iter().position(|c| *c == report).expect("a report outside the law")] += 1;
    }
    let law: Vec<f64> = cells.iter().map(|c| mechanism.probability(value, c).unwrap()).collect();
    assert_law(&counts, &law, what);
}

/// Seed 11, 100 000 draws a value: sees Σ(Δp)²/p of about 3e-4 (k = 2) to 1e-3 (k = 64).
#[test]
fn randomized_response() {
    for categories in [2, 3, 7, 64] {
        let mechanism = RandomizedResponse::new(Epsilon::new(1.0).unwrap(), categories).unwrap();
        let cells: Vec<u32> = (0..categories).collect();
        for value in 0..categories {
            assert_draws(&mechanism, &value, &cells, 100_000, 11, &format!("k = {categories}, value {value}"));
        }
    }
}

/// Seed 12, 100 000 draws a row over all 12 (24) reports: sees Σ(Δp)²/p of about 6e-4.
#[test]
fn multi_bit() {
    for (m, d) in [(1, 3), (2, 3), (3, 3), (2, 4)] {
        let encoder = MultiBitEncoder::new(Epsilon::new(2.0).unwrap(), d, Bounds::UNIT, SampleSize::Fixed(m)).unwrap();
        let mut cells = Vec::new();
        for set in 0_u32..1 << d {
            let indices: Vec<u32> = (0..d as u32).filter(|j| set >> j & 1 == 1).collect();
            if indices.len() == m {
                for bits in 0_u32..1 << m {
                    let bits = (0..m).map(|j| bits >> j & 1 == 1).collect();
                    cells.push(MultiBitReport::new(indices.clone(), bits).unwrap());
                }
            }
        }
        for row in [[0.0, 1.0, 0.5, 0.25], [1.0, 1.0, 1.0, 1.0], [0.1, 0.9, 0.0, 0.33]] {
            assert_draws(&encoder, &row[..d], &cells, 100_000, 12, &format!("m = {m}, d = {d}, row {row:?}"));
        }
    }
}

/// Seed 13, 40 000 sets of 80 of 100 (the bitmap path) and of 5 of 100 (the scan path): every index equally often,
/// every pair of neighbouring indices too. Sees a share that is 4 % off.
#[test]
fn index_sets_are_uniform() {
    for m in [5_usize, 80] {
        let encoder =
            MultiBitEncoder::new(Epsilon::new(100.0).unwrap(), 100, Bounds::UNIT, SampleSize::Fixed(m)).unwrap();
        let mut rng = rng(13);
        let (mut single, mut pair) = (vec![0_u64; 100], 0_u64);
        let draws = 40_000_u32;
        for _ in 0..draws {
            let report = encoder.randomize(&[0.5; 100], &mut rng).unwrap();
            assert!(encoder.accepts(&report));
            report.indices().iter().for_each(|&i| single[i as usize] += 1);
            pair += u64::from(report.indices().contains(&41) && report.indices().contains(&42));
        }
        // Counts of one set are negatively correlated, so χ² with cells of m/d each is conservative.
        assert_law(&single, &[0.01; 100], &format!("m = {m}"));
        let p = (m * (m - 1)) as f64 / (100.0 * 99.0);
        let z = (pair as f64 - p * f64::from(draws)) / (f64::from(draws) * p * (1.0 - p)).sqrt();
        assert!(z.abs() < 4.9, "pairs: z = {z}");
    }
}

/// One coin a dimension, none forgotten, at lengths around word borders (seed 14): at tiny ε every dimension shows
/// both bits, and with ε = 60 a dimension the bits are the values.
#[test]
fn every_dimension_gets_its_coin() {
    for d in [1_usize, 7, 8, 9, 63, 64, 65, 1433] {
        let whole = |nats: f64| {
            MultiBitEncoder::new(Epsilon::new(nats).unwrap(), d, Bounds::UNIT, SampleSize::Fixed(d)).unwrap()
        };
        let row: Vec<f32> = (0..d).map(|j| f32::from(u8::from(j % 3 == 0))).collect();
        let mut rng = rng(14);
        let mut plus = vec![0; d];
        for _ in 0..64 {
            let report = whole(1e-4).randomize(&row, &mut rng).unwrap();
            report.entries().for_each(|(i, bit)| plus[i as usize] += u32::from(bit));
        }
        assert!(plus.iter().all(|&c| (2..=62).contains(&c)), "d = {d}: {plus:?}");
        let report = whole(60.0 * d as f64).randomize(&row, &mut rng).unwrap();
        assert!(report.entries().all(|(i, bit)| bit == (i % 3 == 0)), "d = {d}");
    }
}
