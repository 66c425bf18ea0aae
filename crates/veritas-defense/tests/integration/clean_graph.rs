//! No harm when nobody cheats: the false-alarm rate over honest graphs is at most the one asked for.

use veritas_defense::{DefenceOptions, TrustModel, binomial_upper_tail, defend};

use crate::scenario::{attacked, attacker, law, random_graph};

/// Graphs of 500 honest users on which anybody at all is removed, at a requested rate of 5 %.
fn alarms(graphs: u64, epsilon: f64, error: f64) -> u64 {
    let law = law(epsilon, 5);
    let options = DefenceOptions { false_alarm: 0.05, imbalance: true, ..DefenceOptions::new(law) };
    let trust = TrustModel::oracle_of_five(error);
    let count = (0..graphs).filter(|&seed| {
        let graph = random_graph(500, 1000, seed);
        let world = attacked(&graph, &law, &attacker("naive", 0, 0), &trust, seed).unwrap();
        !defend(&world.lists, &options).unwrap().removals.is_empty()
    });
    count.count() as u64
}

/// Refuses a true rate above 5 % when this many alarms would come by chance with probability below 1e-6.
fn within(alarms: u64, graphs: u64) {
    assert!(binomial_upper_tail(graphs, 0.05, alarms) > 1e-6, "{alarms} alarms in {graphs} graphs");
}

/// 150 graphs, seeds 0 … 149, α = 1e-6; sees a true rate of 22 % nearly always.
#[test]
fn false_alarms_are_rare() {
    within(alarms(150, 5.0, 0.1), 150);
}

/// 10⁴ graphs at each setting, seeds 0 … 9999, α = 1e-6; sees a true rate of 6.6 % nearly always.
#[test]
#[ignore = "slow: ten thousand graphs, three times"]
fn false_alarms_over_ten_thousand_graphs() {
    for (epsilon, error) in [(5.0, 0.1), (7.0, 0.0), (3.0, 0.1)] {
        let count = alarms(10_000, epsilon, error);
        println!("ε = {epsilon}, oracle error {error}: {count} of 10000 honest graphs with any removal, 5 % requested");
        within(count, 10_000);
    }
}
