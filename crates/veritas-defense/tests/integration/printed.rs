//! Stage II as printed: the formulas, and that they do not detect.

use veritas_defense::as_printed::{
    Neighbourhood, ParametersAsPrinted, confidence_as_printed, imbalance_as_printed, midpoint_as_printed,
    midpoint_corrected, prune_as_printed, select_by_validation,
};
use veritas_defense::{Detection, EndorsementLists, Error, MutualPairs, Tallies, TrustModel, UserList};

use crate::scenario::{attacked, attacker, law, random_graph};

fn small() -> EndorsementLists {
    let list = |user, entries: &[(u32, u8)]| UserList { user, length: 4, entries: entries.to_vec() };
    // 0 and 1 agree on 4; 0 says 5 of 2 and hears 1; 3 says 2 of 0 and hears nothing.
    let users = [list(0, &[(1, 4), (2, 5)]), list(1, &[(0, 4)]), list(2, &[(0, 1)]), list(3, &[(0, 2)])];
    EndorsementLists::from_users(4, 5, users).unwrap()
}

#[test]
fn formulas() {
    let lists = small();
    let (tallies, pairs) = (Tallies::of(&lists), MutualPairs::of(&lists));
    // φ_0 = (4 + 5 − 4 − 1 − 2)/3; over both sides (0 + 4)/2.
    assert_eq!(imbalance_as_printed(&tallies, &pairs, Neighbourhood::EitherSide), vec![2.0 / 3.0, 0.0, -4.0, 2.0]);
    assert_eq!(imbalance_as_printed(&tallies, &pairs, Neighbourhood::BothSides), vec![2.0, 0.0, -4.0, 0.0]);
    assert_eq!(confidence_as_printed(4, 4, 5, 0.7), 0.8);
    assert!((confidence_as_printed(5, 1, 5, 0.5) - 0.2 * (-2.0_f64).exp()).abs() < 1e-15);
    assert_eq!(confidence_as_printed(5, 0, 5, 0.5), 0.0);
    let prune = |lambda, gamma| {
        prune_as_printed(&tallies, &pairs, 5, Neighbourhood::EitherSide, ParametersAsPrinted { lambda, gamma })
    };
    let pruned = prune(0.5, 1.0).unwrap();
    assert_eq!(pruned.removed, vec![3]);
    assert_eq!(pruned.edges, vec![(0, 1, 0.8), (0, 2, (0.2 * (-2.0_f64).exp()) as f32)]);
    assert_eq!(prune(0.5, 0.5).unwrap().edges, vec![]);
    assert!(matches!(prune(-1.0, 0.5), Err(Error::Range { .. })));
    assert!(matches!(prune(0.0, f64::NAN), Err(Error::Range { .. })));
}

#[test]
fn validation_picks_the_best_and_ignores_what_is_no_number() {
    let score = |p: ParametersAsPrinted| if p.lambda == 2.0 { f64::NAN } else { p.lambda - (p.gamma - 1.0).abs() };
    let best = select_by_validation(&[0.0, 1.0, 2.0], &[0.5, 1.0], score).unwrap();
    assert_eq!(best, ParametersAsPrinted { lambda: 1.0, gamma: 1.0 });
    assert_eq!(select_by_validation(&[], &[1.0], score), None);
}

/// papers.md 11.9: every one of the n² entries perturbed, φ over N̂ detects 0 % at ε = 5, and 0 % of mirrors anywhere.
#[test]
fn the_printed_score_does_not_detect() {
    let graph = random_graph(1500, 3000, 7);
    let law = law(5.0, 5);
    for name in ["naive", "naive-skip", "mirror"] {
        let world = attacked(&graph, &law, &attacker(name, 15, 12), &TrustModel::oracle_of_five(0.0), 1).unwrap();
        let (tallies, pairs) = (Tallies::of(&world.lists), MutualPairs::of(&world.lists));
        for gamma in [midpoint_as_printed(&law), midpoint_corrected(&law)] {
            let parameters = ParametersAsPrinted { lambda: 1.0, gamma };
            let pruned = prune_as_printed(&tallies, &pairs, 5, Neighbourhood::EitherSide, parameters).unwrap();
            let found = Detection::of(&pruned.removed, &world.fake);
            assert!(found.recall() < 0.05, "{name} {gamma}: {found:?}");
        }
        // Read over both sides it finds the naive ones, and no mirror.
        let parameters = ParametersAsPrinted { lambda: 1.0, gamma: midpoint_corrected(&law) };
        let pruned = prune_as_printed(&tallies, &pairs, 5, Neighbourhood::BothSides, parameters).unwrap();
        let recall = Detection::of(&pruned.removed, &world.fake).recall();
        assert!(if name == "mirror" { recall < 0.05 } else { recall > 0.9 }, "{name}: {recall}");
    }
}
