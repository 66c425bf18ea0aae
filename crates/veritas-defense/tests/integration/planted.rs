//! Planted fakes are found, and their victims are not taken for them.

use veritas_defense::{
    Behaviour, DefenceOptions, Detection, EdgeReason, EndorsementLists, Reason, TrustModel, defend, defend_observed,
};

use crate::scenario::{Scenario, attacked, attacker, law, random_graph};

fn planted(name: &str, epsilon: f64, seed: u64) -> Scenario {
    let graph = random_graph(1500, 3000, 7);
    attacked(&graph, &law(epsilon, 5), &attacker(name, 15, 12), &TrustModel::oracle_of_five(0.1), seed).unwrap()
}

fn removed(lists: &EndorsementLists, options: &DefenceOptions) -> Vec<u32> {
    defend(lists, options).unwrap().removals.iter().map(|r| r.node).collect()
}

/// What the issue expects at ε ≥ 5 and a share of 1 %: 99 % caught, 0.1 % of the honest lost. Three seeds each.
#[test]
fn fakes_are_caught_and_honest_users_stay() {
    for (name, epsilon) in
        [("naive", 5.0), ("mirror", 5.0), ("naive-skip", 5.0), ("mirror-skip", 5.0), ("clique", 5.0), ("mirror", 7.0)]
    {
        let mut total = Detection::default();
        for seed in 0..3 {
            let world = planted(name, epsilon, seed);
            total.add(&Detection::of(&removed(&world.lists, &DefenceOptions::new(law(epsilon, 5))), &world.fake));
        }
        assert_eq!((total.fakes, total.honest), (45, 4500));
        assert!(total.recall() >= 0.97, "{name}: {total:?}"); // one of 45 may slip through
        assert!(total.honest_loss() <= 0.001, "{name}: {total:?}");
    }
}

/// Where single claims barely suffice (4 % of fakes, 8 victims each, peers' grades only), catching half takes everything:
/// a population that fakes do not describe (without: 2 of 120), a rule that counts those already removed as rejected
/// (without: 12), and further rounds with a cleaner population (without: 29). Seeds 0 and 1; 68 were caught.
#[test]
fn a_marginal_attack_takes_all_there_is() {
    let (law, graph) = (law(5.0, 5), random_graph(1500, 3000, 7));
    let options =
        DefenceOptions { conformity: false, behaviours: vec![Behaviour::PeersDoubt], ..DefenceOptions::new(law) };
    let mut total = Detection::default();
    for seed in 0..2 {
        let trust = TrustModel::oracle_of_five(0.1);
        let world = attacked(&graph, &law, &attacker("mirror", 60, 8), &trust, seed).unwrap();
        total.add(&Detection::of(&removed(&world.lists, &options), &world.fake));
    }
    assert!(total.caught >= 50 && total.honest_removed <= 3, "{total:?}");
}

/// Shared victims look as bad as the fakes until the fakes are gone: the sequential test spares most of them, the
/// one-shot test none.
#[test]
fn slandered_users_are_spared() {
    let (mut sequential, mut once) = (Detection::default(), Detection::default());
    for seed in 0..3 {
        let world = planted("influence", 5.0, seed);
        let law = law(5.0, 5);
        sequential.add(&Detection::of(&removed(&world.lists, &DefenceOptions::new(law)), &world.fake));
        let pairs = veritas_defense::MutualPairs::of(&world.lists);
        let nobody = vec![false; world.fake.len()];
        let population = veritas_defense::Population::estimate(&pairs, &law, &nobody);
        let found = veritas_defense::suspicion(&pairs, &population, &law, &Behaviour::ALL, 0.1, &nobody);
        let p_values: Vec<f64> = found.iter().map(|s| s.map_or(1.0, |s| s.p_value)).collect();
        let rejected: Vec<u32> =
            veritas_defense::benjamini_hochberg(&p_values, 0.01).into_iter().map(|v| v as u32).collect();
        once.add(&Detection::of(&rejected, &world.fake));
    }
    assert!(sequential.recall() > 0.95, "{sequential:?}");
    assert!(
        once.honest_removed >= 24 && sequential.honest_removed * 4 <= once.honest_removed,
        "{once:?} {sequential:?}"
    );
}

/// Fakes that befriend twelve users and say nothing of them: φ and S_v hold it against the victims, the default does
/// not.
#[test]
fn silence_does_not_slander() {
    let world = planted("ghost", 9.0, 1);
    let options = DefenceOptions::new(law(9.0, 5));
    assert!(removed(&world.lists, &options).is_empty());
    let with = DefenceOptions { imbalance: true, ..options };
    let found = Detection::of(&removed(&world.lists, &with), &world.fake);
    assert!(found.honest_removed >= 3 && found.caught == 0, "{found:?}");
}

#[test]
fn every_removal_has_its_reason() {
    let world = planted("naive-skip", 5.0, 1);
    let defence = defend(&world.lists, &DefenceOptions::new(law(5.0, 5))).unwrap();
    let odd = defence.removals.iter().filter(|r| matches!(r.reason, Reason::Conformity(c) if c.p_value < 1e-3)).count();
    assert!(odd >= 14, "{odd}");
    let world = planted("naive", 5.0, 1);
    let defence = defend(&world.lists, &DefenceOptions::new(law(5.0, 5))).unwrap();
    for removal in &defence.removals {
        let Reason::Suspicion(s) = removal.reason else { panic!("{removal:?}") };
        assert!(s.p_value < 0.01 && s.claims > 5, "{s:?}");
    }
    // Every link to a removed fake went for that reason.
    let gone = |node: u32| defence.kept.binary_search(&node).is_err();
    for dropped in &defence.dropped {
        let ended = matches!(dropped.reason, EdgeReason::EndRemoved(_));
        assert_eq!(ended, gone(dropped.low) || gone(dropped.high));
    }
}

/// Two threads, one thread: the same defence, to the bit; and every stage is told once, in order.
#[test]
fn threads_change_nothing() {
    let world = planted("mirror", 5.0, 2);
    let options = DefenceOptions::new(law(5.0, 5));
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut stages = Vec::new();
        let defence = pool.install(|| defend_observed(&world.lists, &options, |stage| stages.push(stage))).unwrap();
        assert_eq!(stages.len(), 4);
        assert!(stages.windows(2).all(|w| w[0] < w[1]));
        assert!(defence.bytes.iter().map(|&(stage, _)| stage).eq(stages));
        assert!(defence.bytes.iter().all(|&(_, bytes)| bytes > 0) && defence.bytes[0].1 > world.lists.bytes());
        defence
    };
    assert_eq!(with(1), with(2));
}

/// Nobody is found where there is nothing to find by: no test in use.
#[test]
fn without_tests_nobody_goes() {
    let world = planted("naive-skip", 5.0, 1);
    let options =
        DefenceOptions { conformity: false, imbalance: false, behaviours: vec![], ..DefenceOptions::new(law(5.0, 5)) };
    assert!(removed(&world.lists, &options).is_empty());
}
