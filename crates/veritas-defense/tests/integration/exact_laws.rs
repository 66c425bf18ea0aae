//! The laws against golden numbers (`vectors/laws.py`) and against the numbers of the papers' notes (11.9 and 13).

use veritas_defense::{
    LatticeLaw, bernstein_tail, binomial_lower_tail, binomial_upper_tail, difference_law, family_wise_threshold,
};

use crate::scenario::law;

/// The integers that the randomizer executes differ from the formula by at most about 2⁻⁴⁸·max(1, ε).
const TOLERANCE: f64 = 1e-12;

fn close(got: f64, expected: f64, tolerance: f64) -> bool {
    (got - expected).abs() <= tolerance * expected.abs().max(1e-300)
}

#[test]
fn golden_numbers() {
    let mut rows = 0;
    for line in include_str!("vectors/laws.csv").lines() {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |at: usize| cells[at].parse::<f64>().unwrap();
        let whole = |at: usize| cells[at].parse::<u64>().unwrap();
        let expected = number(4);
        let (got, tolerance) = match cells[0] {
            "mean" => (law(number(1), whole(2) as usize).mean(whole(3) as u8), TOLERANCE),
            // A difference of two sums: relative to them, not to it.
            "variance" => (law(number(1), whole(2) as usize).variance(whole(3) as u8), 1e-10),
            "proposition" => (law(number(1), whole(2) as usize).imbalance_mean(whole(2) as u8, 1), 1e-9),
            "lower" => (binomial_lower_tail(whole(1), number(2), whole(3)), 1e-10),
            "upper" => (binomial_upper_tail(whole(1), number(2), whole(3)), 1e-10),
            "difference" => {
                let (epsilon, levels) = cells[1].split_once(':').unwrap();
                let one = difference_law(&law(epsilon.parse().unwrap(), levels.parse().unwrap()), 0, 0);
                (one.power(whole(2)).tails().at(whole(3) as i64), 1e-10)
            }
            other => panic!("{other}"),
        };
        // p − q is zero for κ = 1.
        assert!(close(got, expected, tolerance) || (got - expected).abs() < 1e-15, "{line}: got {got}");
        rows += 1;
    }
    assert_eq!(rows, 204);
}

/// papers.md 13: KRR with κ = 5.
#[test]
fn the_notes_test_vectors() {
    let table = [
        (1.0, 0.3522, 0.12956, 0.8905, 3.3490),
        (3.0, 0.8007, 0.03986, 3.0433, 1.8349),
        (5.0, 0.9674, 0.00652, 3.8436, 0.3489),
        (7.0, 0.9955, 0.00091, 3.9782, 0.0497),
        (9.0, 0.9994, 0.00012, 3.9970, 0.0068),
    ];
    for (epsilon, p, q, gap, variance) in table {
        let law = law(epsilon, 5);
        assert!((law.truth() - p).abs() < 6e-5, "{epsilon}");
        assert!((law.lie() - q).abs() < 6e-6, "{epsilon}");
        assert!((law.imbalance_mean(5, 1) - gap).abs() < 6e-5, "{epsilon}");
        assert!((law.variance(0) - variance).abs() < 6e-5, "{epsilon}");
    }
}

/// papers.md 11.9: the z of a fake with t victims, noise entries a node, noise edges through the gate.
#[test]
fn the_notes_consequences() {
    let five = law(5.0, 5);
    let z =
        |nodes: usize, victims: f64| victims * five.imbalance_mean(5, 1) / five.imbalance_variance(nodes, &[]).sqrt();
    for (nodes, victims, expected) in [
        (2708, 4.0, 0.35),
        (2708, 12.0, 1.06),
        (2708, 40.0, 3.54),
        (7624, 4.0, 0.21),
        (7624, 12.0, 0.63),
        (7624, 40.0, 2.11),
    ] {
        assert!((z(nodes, victims) - expected).abs() < 0.006, "{nodes} {victims}: {}", z(nodes, victims));
    }
    // "173 noise entries per node on Cora (488 LastFM)": zero on both true sides, non-zero on either.
    let either = |nodes: f64| (nodes - 1.0) * (1.0 - five.truth().powi(2));
    assert!((either(2708.0) - 173.0).abs() < 1.0 && (either(7624.0) - 488.0).abs() < 1.0);
    // The notes print ρ²n²/2; ours leaves out the diagonal and the edges, under 0.25 % here.
    for (epsilon, nodes, edges, expected) in
        [(5.0, 2708, 5278, 3888.0), (3.0, 2708, 5278, 145_403.0), (5.0, 7624, 27_806, 30_837.0)]
    {
        let got = law(epsilon, 5).noise_pairs(nodes, edges);
        assert!(close(got, expected, 2.5e-3), "{epsilon} {nodes}: {got}");
    }
    assert!(close(law(1.0, 5).noise_pairs(2708, 5278), 1.54e6, 5e-3));
    assert!((five.surviving_edges(5278) - 5209.0).abs() < 1.0 && (five.surviving_edges(27_806) - 27_445.0).abs() < 1.0);
    // A fake that skips the randomizer: t(κ − E[r|1]) − (n−1−t)qκ(κ+1)/2 is negative.
    let skipping = 12.0 * (5.0 - five.mean(1)) - (2707.0 - 12.0) * five.mean(0);
    // In units of an honest user's deviation; its own is smaller by √2, for only what it receives is random.
    let deviation = five.imbalance_variance(2708, &[]).sqrt();
    assert!((skipping / deviation + 5.0).abs() < 0.05, "{}", skipping / deviation);
    // Proposition 2 as printed at ε = 1: −1.18 where .89 is right.
    let printed = 2.0 * veritas_defense::as_printed::midpoint_as_printed(&law(1.0, 5));
    assert!((printed + 1.18).abs() < 0.005);
    assert!((2.0 * veritas_defense::as_printed::midpoint_as_printed(&five) - 3.739).abs() < 0.001);
    assert!((2.0 * veritas_defense::as_printed::midpoint_corrected(&five) - 3.844).abs() < 0.001);
}

#[test]
fn closed_form_thresholds() {
    // Φ⁻¹(1 − .05/2708) = 4.1250 (bisection on mpmath's ncdf).
    let gamma = family_wise_threshold(100.0, 2708, 0.05, 10);
    assert!((gamma - 4.1250).abs() < 1e-3, "{gamma}");
    assert_eq!(family_wise_threshold(100.0, 2708, 0.05, 0), f64::INFINITY);
    // Bernstein's bound holds for the exact law.
    let law = law(5.0, 5);
    let sum = difference_law(&law, 0, 0).power(2707);
    let (variance, tails) = (law.imbalance_variance(2708, &[]), sum.tails());
    assert!(close(sum.variance(), variance, 1e-9), "{} {variance}", sum.variance());
    for s in [50, 100, 150, 200, 300] {
        assert!(tails.at(s) <= bernstein_tail(s as f64, variance, 5), "{s}");
    }
    assert_eq!(bernstein_tail(0.0, variance, 5), 1.0);
}

#[test]
fn lattice_laws_are_laws() {
    let die = LatticeLaw::new(&[
        (1, 1.0 / 6.0),
        (2, 1.0 / 6.0),
        (3, 1.0 / 6.0),
        (4, 1.0 / 6.0),
        (5, 1.0 / 6.0),
        (6, 1.0 / 6.0),
    ]);
    let two = die.power(2);
    assert!((two.tails().at(12) - 1.0 / 36.0).abs() < 1e-15 && (two.tails().at(7) - 21.0 / 36.0).abs() < 1e-14);
    assert_eq!(two.tails().at(2), 1.0);
    assert!(two.tails().at(13) > 0.0 && two.tails().at(13) < 1e-20);
    assert_eq!(LatticeLaw::point(3).power(0), LatticeLaw::point(0));
    assert!((die.power(1000).mean() - 3500.0).abs() < 1e-8);
    assert!((die.power(1000).variance() - 1000.0 * 35.0 / 12.0).abs() < 1e-6);
    // Cutting far-out mass never makes a tail too small: against a law small enough to sum in full.
    let rare = LatticeLaw::new(&[(0, 1.0 - 1e-9), (1, 1e-9)]);
    let tail = rare.power(50).tails().at(3);
    let exact = 19_600.0 * 1e-27 * (1.0 - 47e-9); // C(50,3)·p³·(1−p)⁴⁷, and the next term is 1e-9 of it
    assert!(tail >= exact && tail < exact + 1e-20, "{tail} {exact}");
}
