//! Does the code draw the law that it states? Every value, every cell, χ² at α = 1e-6.

use ldp_core::{
    Bounds, Epsilon, FiniteRandomizer, GradedList, GradedListRandomizer, Hybrid, HybridReport, MultiBitEncoder,
    MultiBitReport, OneBit, Piecewise, PrivUnit, RandomizedResponse, Randomizer, SampleSize, SquareWave,
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

/// Seed 15, 200 000 draws a value: sees a heads probability that is 0.6 % off.
#[test]
fn one_bit() {
    let mechanism = OneBit::new(Epsilon::new(1.0).unwrap(), Bounds::new(-3.0, 5.0).unwrap()).unwrap();
    for value in [-3.0, 5.0, 1.0, 0.2] {
        assert_draws(&mechanism, &value, &[false, true], 200_000, 15, &format!("value {value}"));
    }
}

/// Seed 16, 400 000 draws a value in 128 bins of the grid, the law summed cell by cell: sees Σ(Δp)²/p of 2e-4.
#[test]
fn window_mechanisms() {
    fn check<M: FiniteRandomizer<Value = f64, Report = u32>>(mechanism: &M, cells: u32, value: f64) {
        let bin = |cell: u32| (u64::from(cell) * 128 / u64::from(cells)) as usize;
        let mut law = vec![0.0; 128];
        (0..cells).for_each(|cell| law[bin(cell)] += mechanism.probability(&value, &cell).unwrap());
        let mut counts = vec![0_u64; 128];
        let mut rng = rng(16);
        for _ in 0..400_000 {
            let report = mechanism.randomize(&value, &mut rng).unwrap();
            assert!(mechanism.accepts(&report));
            counts[bin(report)] += 1;
        }
        assert_law(&counts, &law, &format!("value {value}"));
    }
    for value in [-1.0, 1.0, 0.0, 0.337] {
        let piecewise = Piecewise::new(Epsilon::new(2.0).unwrap(), Bounds::SYMMETRIC).unwrap();
        check(&piecewise, piecewise.kernel().cells(), value);
        let wave = SquareWave::new(Epsilon::new(2.0).unwrap(), Bounds::SYMMETRIC).unwrap();
        check(&wave, wave.kernel().cells(), value);
    }
}

/// Seed 17, 100 000 draws: the branch and the bit.
#[test]
fn hybrid() {
    let mechanism = Hybrid::new(Epsilon::new(1.0).unwrap(), Bounds::SYMMETRIC).unwrap();
    let mut rng = rng(17);
    let mut counts = [0_u64; 3];
    for _ in 0..100_000 {
        match mechanism.randomize(&0.4, &mut rng).unwrap() {
            HybridReport::OneBit(bit) => counts[usize::from(bit)] += 1,
            HybridReport::Piecewise(_) => counts[2] += 1,
        }
    }
    let law = |bit| mechanism.probability(&0.4, &HybridReport::OneBit(bit)).unwrap();
    assert_law(&counts, &[law(false), law(true), mechanism.piecewise_share()], "hybrid");
}

/// Seed 18, 100 000 lists of three entries over all 27 reports, at ε where lies are common and where they are rare.
#[test]
fn graded_list() {
    let list = |code: usize| {
        let grades = [code % 3, code / 3 % 3, code / 9];
        let positions = (0..3).filter(|&j| grades[j as usize] != 0).collect();
        GradedList::new(positions, grades.into_iter().filter(|&g| g != 0).map(|g| g as u8).collect()).unwrap()
    };
    let lists: Vec<GradedList> = (0..27).map(list).collect();
    for nats in [0.1, 1.0, 2.0] {
        let mechanism = GradedListRandomizer::new(Epsilon::new(nats).unwrap(), 3, 2).unwrap();
        for truth in [0, 5, 13, 26] {
            assert_draws(&mechanism, &lists[truth], &lists, 100_000, 18, &format!("ε = {nats}, list {truth}"));
        }
    }
}

/// Seed 19: long lists, where gaps exceed the table: 9000 entries at ε = 9, κ = 5, 3000 users; every grade of true and
/// of absent entries against its probability, and the positions of the noise in ten bins.
#[test]
fn long_graded_lists() {
    let (length, users) = (9000_usize, 3000_usize);
    let mechanism = GradedListRandomizer::new(Epsilon::new(9.0).unwrap(), length, 5).unwrap();
    let truth = [(0_u32, 1_u8), (1, 5), (4095, 2), (4096, 3), (8999, 4)];
    let indptr: Vec<usize> = (0..=users).map(|u| u * truth.len()).collect();
    let positions: Vec<u32> = (0..users).flat_map(|_| truth.map(|t| t.0)).collect();
    let grades: Vec<u8> = (0..users).flat_map(|_| truth.map(|t| t.1)).collect();
    let stream = |user: u64| {
        let mut rng = rng(19);
        rng.set_stream(user);
        rng
    };
    let lists = mechanism.randomize_lists(&indptr, &positions, &grades, stream).unwrap();
    let mut kept = [0_u64; 2];
    let (mut bins, mut lies) = ([0_u64; 10], [0_u64; 5]);
    for ends in lists.indptr.windows(2) {
        let row = &lists.positions[ends[0]..ends[1]];
        assert!(row.is_sorted_by(|a, b| a < b) && row.iter().all(|&p| (p as usize) < length));
        let grade = |p: u32| row.binary_search(&p).map_or(0, |k| lists.grades[ends[0] + k]);
        truth.iter().for_each(|&(p, g)| kept[usize::from(grade(p) == g)] += 1);
        for (&p, &g) in row.iter().zip(&lists.grades[ends[0]..ends[1]]) {
            if !truth.iter().any(|t| t.0 == p) {
                bins[p as usize / 900] += 1;
                lies[usize::from(g) - 1] += 1;
            }
        }
    }
    let p = mechanism.entry().truth_probability();
    assert_law(&kept, &[1.0 - p, p], "true entries");
    let absent = ((length - truth.len()) * users) as f64;
    let noise: u64 = bins.iter().sum();
    assert_law(&[noise, absent as u64 - noise], &[1.0 - p, p], "absent entries");
    assert_law(&bins, &[0.1; 10], "positions of the noise");
    assert_law(&lies, &[0.2; 5], "grades of the noise");
}

/// Seed 20, the constant-work form: all 27 reports, and one word an entry whatever the list.
#[test]
fn graded_list_at_constant_work() {
    let mechanism = GradedListRandomizer::new(Epsilon::new(1.0).unwrap(), 3, 2).unwrap();
    let list = |grades: [u8; 3]| {
        let listed: Vec<(u32, u8)> = (0..).zip(grades).filter(|g| g.1 != 0).collect();
        GradedList::new(listed.iter().map(|g| g.0).collect(), listed.iter().map(|g| g.1).collect()).unwrap()
    };
    let all: Vec<GradedList> = (0..27).map(|c| list([c % 3, c / 3 % 3, c / 9])).collect();
    for truth in [[0, 0, 0], [2, 0, 1]] {
        let truth = list(truth);
        let mut generator = rng(20);
        let mut counts = vec![0_u64; 27];
        for _ in 0..100_000 {
            let report = mechanism.randomize_constant_work(&truth, &mut generator).unwrap();
            counts[all.iter().position(|l| *l == report).unwrap()] += 1;
        }
        assert_eq!(generator.get_word_pos(), 2 * 3 * 100_000);
        let law: Vec<f64> = all.iter().map(|l| mechanism.probability(&truth, l).unwrap()).collect();
        assert_law(&counts, &law, "constant work");
    }
    assert!(mechanism.randomize_constant_work(&GradedList::new(vec![3], vec![1]).unwrap(), &mut rng(20)).is_err());
}

/// PrivUnit in three dimensions, where a coordinate of a uniform unit vector is uniform on [-1, 1] (Archimedes): the
/// inner product with the row in 40 bins, the cap's end between two of them. Seed 21, 200 000 reports a row: sees
/// Σ(Δp)²/p of 6e-4.
#[test]
fn priv_unit() {
    for nats in [0.5, 1.0, 4.0_f64] {
        let mechanism = PrivUnit::new(Epsilon::new(nats).unwrap(), 3).unwrap();
        let cap = mechanism.cap();
        for row in [[0.0, 0.0, -7.0], [1.0, 2.0, 2.0]] {
            let norm = row.iter().map(|v: &f64| v * v).sum::<f64>().sqrt();
            let mut rng = rng(21);
            let mut counts = vec![0_u64; 40];
            for _ in 0..200_000 {
                let vector = mechanism.vector(mechanism.randomize(&row, &mut rng).unwrap());
                let product = vector.iter().zip(row).map(|(a, b)| a * b / norm).sum::<f64>();
                let bin = if product < cap {
                    ((product + 1.0) / (cap + 1.0) * 20.0) as usize
                } else {
                    20 + (((product - cap) / (1.0 - cap) * 20.0) as usize).min(19)
                };
                counts[bin] += 1;
            }
            let (share, less) = ((1.0 - cap) / 2.0, (-nats).exp());
            let total = share + (1.0 - share) * less;
            let law: Vec<f64> =
                (0..40).map(|bin| if bin < 20 { (1.0 - share) * less } else { share } / total / 20.0).collect();
            assert_law(&counts, &law, &format!("ε = {nats}, row {row:?}"));
        }
    }
}
