//! Nine detectors asked about the same lists.

use veritas_defense::{DefenceOptions, Detection, Detector, Signals, TrustModel, defend, detect_all};

use crate::scenario::{Scenario, attacked, attacker, law, random_graph};

fn planted(name: &str) -> Scenario {
    let graph = random_graph(1500, 3000, 7);
    attacked(&graph, &law(5.0, 5), &attacker(name, 15, 12), &TrustModel::oracle_of_five(0.1), 1).unwrap()
}

/// Caught by each detector, in the order of [`Detector::ALL`]: a list sent past the randomizer is seen by conformity, a
/// claim of κ by the pair ratio, a mirror by its peers alone, and by φ nobody.
#[test]
fn each_detector_sees_what_it_is_for() {
    use Detector::*;
    for (name, see, blind) in [
        ("naive-skip", vec![Conformity, PairRatio, PeersDoubt, SequentialPeersDoubt, Defend], vec![PrintedScore]),
        ("naive", vec![PairRatio, PeersDoubt, SequentialPeersDoubt, Defend], vec![PrintedScore, Conformity]),
        (
            "mirror",
            vec![PeersDoubt, SequentialPeersDoubt, Defend],
            vec![PrintedScore, CorrectedScore, Imbalance, Conformity, PairRatio],
        ),
    ] {
        let world = planted(name);
        let (removed, _) = detect_all(&Signals::of(&world.lists), &DefenceOptions::new(law(5.0, 5))).unwrap();
        for (detector, removed) in Detector::ALL.into_iter().zip(&removed) {
            let found = Detection::of(removed, &world.fake);
            let what = format!("{name}, {}: {found:?}", detector.name());
            assert!(!see.contains(&detector) || found.caught >= 11, "{what}");
            assert!(!blind.contains(&detector) || found.caught == 0, "{what}");
            assert!(detector == MutualScore || found.honest_removed <= 3, "{what}");
        }
    }
}

/// What is turned on or off concerns the whole defence alone, and that is `defend`'s.
#[test]
fn options_concern_the_whole_defence() {
    let world = planted("naive");
    let signals = Signals::of(&world.lists);
    let all = DefenceOptions::new(law(5.0, 5));
    let nothing = DefenceOptions { conformity: false, behaviours: Vec::new(), ..all.clone() };
    let (with, whole) = detect_all(&signals, &all).unwrap();
    let (without, idle) = detect_all(&signals, &nothing).unwrap();
    assert_eq!(with[..8], without[..8]);
    assert!(!with[8].is_empty() && without[8].is_empty());
    assert_eq!(whole.removals.len(), with[8].len());
    assert_eq!(idle.removals, defend(&world.lists, &nothing).unwrap().removals);
    assert_eq!(whole.removals, defend(&world.lists, &all).unwrap().removals);
}
