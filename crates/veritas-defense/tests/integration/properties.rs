//! Properties on generated lists: whatever arrives, the defence answers, and answers the same.

use proptest::prelude::*;
use veritas_defense::as_printed::{Neighbourhood, imbalance_as_printed};
use veritas_defense::{DefenceOptions, EdgeReason, EndorsementLists, MutualPairs, Tallies, UserList, defend};

use crate::scenario::law;

/// Any lists of up to 40 users: nothing about them needs to come from a mechanism.
fn any_lists(levels: u8) -> impl Strategy<Value = Vec<UserList>> {
    (0_usize..40).prop_flat_map(move |nodes| {
        let row = prop::collection::btree_map(0..nodes.max(1) as u32, 1..=levels, 0..nodes.max(1));
        prop::collection::vec(row, nodes).prop_map(move |rows| {
            let list = |(user, row): (u32, std::collections::BTreeMap<u32, u8>)| UserList {
                user,
                length: nodes,
                entries: row.into_iter().filter(|&(about, _)| about != user).collect(),
            };
            (0..).zip(rows).map(list).collect()
        })
    })
}

fn collect(levels: u8, users: Vec<UserList>) -> EndorsementLists {
    EndorsementLists::from_users(users.len(), levels.into(), users).unwrap()
}

fn holds(lists: &EndorsementLists, epsilon: f64) {
    let levels = lists.levels();
    let options = DefenceOptions::new(law(epsilon, levels.into()));
    let defence = defend(lists, &options).unwrap();
    let nodes = lists.nodes();
    assert_eq!(defence.kept.len() + defence.removals.len(), nodes);
    assert_eq!(defence.graph.edges() + defence.dropped.len(), MutualPairs::of(lists).all().len());
    assert_eq!(defence.weights.entries(), defence.graph.entries());
    assert_eq!(defence.weights.indices(), defence.graph.indices());
    assert!(defence.weights.values().iter().all(|w| (0.0..=1.0).contains(w)));
    for removal in &defence.removals {
        assert_eq!(defence.graph.degree(removal.node as usize), 0);
        assert!(defence.kept.binary_search(&removal.node).is_err());
    }
    for dropped in &defence.dropped {
        if let EdgeReason::EndRemoved(end) = dropped.reason {
            assert!(end == dropped.low || end == dropped.high);
            assert!(defence.kept.binary_search(&end).is_err());
        }
    }
    let statement = defence.statement;
    assert!((0.0..=1.0).contains(&statement.expected_noise_share) && statement.estimated_edges.is_finite());
    let parts = statement.families.conformity + statement.families.imbalance + statement.families.suspicion;
    assert!((parts - statement.false_alarm).abs() < 1e-12);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, rng_seed: prop::test_runner::RngSeed::Fixed(6), ..ProptestConfig::default() })]

    #[test]
    fn any_lists_any_budget(users in any_lists(5), epsilon in prop::sample::select(vec![1e-9, 0.1, 1.0, 5.0, 40.0, 4e6])) {
        holds(&collect(5, users), epsilon);
    }

    #[test]
    fn one_grade(users in any_lists(1), epsilon in prop::sample::select(vec![1e-9, 1.0, 5.0, 100.0])) {
        holds(&collect(1, users), epsilon);
    }

    #[test]
    fn the_order_of_reports_does_not_matter(users in any_lists(5), shift in 0_usize..40) {
        let mut other = users.clone();
        let nodes = other.len();
        if nodes > 0 {
            other.rotate_left(shift % nodes);
            other.iter_mut().for_each(|list| list.entries.reverse());
        }
        prop_assert_eq!(collect(5, users), collect(5, other));
    }

    #[test]
    fn pairs_and_tallies_are_those_of_the_full_matrix(users in any_lists(5)) {
        let lists = collect(5, users);
        let (pairs, tallies) = (MutualPairs::of(&lists), Tallies::of(&lists));
        let nodes = lists.nodes();
        let mut expected = Vec::new();
        for u in 0..nodes {
            let mut sum = 0_i64;
            for v in (0..nodes).filter(|&v| v != u) {
                let (there, back) = (lists.grade(u, v as u32), lists.grade(v, u as u32));
                sum += i64::from(there) - i64::from(back);
                if u < v && there > 0 && back > 0 {
                    expected.push((u as u32, v as u32, there, back));
                }
            }
            prop_assert_eq!(tallies.imbalance(u), sum);
        }
        let got: Vec<_> = pairs.all().iter().map(|p| (p.low, p.high, p.low_says, p.high_says)).collect();
        prop_assert_eq!(&got, &expected);
        for v in 0..nodes as u32 {
            let own: Vec<_> = expected.iter().filter_map(|&(low, high, l, h)| match v {
                v if v == low => Some((high, l, h)),
                v if v == high => Some((low, h, l)),
                _ => None,
            }).collect();
            prop_assert_eq!(pairs.of_node(v as usize).collect::<Vec<_>>(), own);
        }
        let phi = imbalance_as_printed(&tallies, &pairs, Neighbourhood::EitherSide);
        prop_assert!(phi.iter().all(|phi| phi.is_finite()));
    }
}

#[test]
fn many_users_span_several_blocks() {
    // 2500 users: the walk over rows is cut in three; a ring plus one chord a user.
    let nodes = 2500_u32;
    let users = (0..nodes).map(|user| {
        let mut entries: Vec<(u32, u8)> =
            [1, nodes - 1, 700].into_iter().map(|step| ((user + step) % nodes, (user % 5 + 1) as u8)).collect();
        entries.sort_unstable();
        UserList { user, length: nodes as usize, entries }
    });
    let pairs = MutualPairs::of(&EndorsementLists::from_users(nodes as usize, 5, users).unwrap());
    // The chord of 700 is returned by nobody: 2·700 is no multiple of 2500.
    assert_eq!(pairs.all().len(), nodes as usize);
    assert!((0..nodes as usize).all(|v| pairs.count(v) == 2));
    assert!(pairs.all().windows(2).all(|w| (w[0].low, w[0].high) < (w[1].low, w[1].high)));
}

/// At an ε where the randomizer makes no noise: a node that nobody mentions and that mentions nobody stays, so does one
/// that is mentioned and says nothing, and one that is left without an answer.
#[test]
fn a_node_that_nobody_mentions_stays() {
    let list = |user, entries: &[(u32, u8)]| UserList { user, length: 4, entries: entries.to_vec() };
    let users = [list(0, &[(1, 5), (3, 2)]), list(1, &[(0, 5)]), list(2, &[]), list(3, &[])];
    let defence = defend(&collect(5, users.to_vec()), &DefenceOptions::new(law(20.0, 5))).unwrap();
    assert_eq!(defence.kept, vec![0, 1, 2, 3]);
    assert!(defence.removals.is_empty());
}

#[test]
fn no_users_and_one_user() {
    for nodes in [0, 1] {
        let lists = EndorsementLists::new(5, vec![0; nodes + 1], vec![], vec![]).unwrap();
        let defence = defend(&lists, &DefenceOptions::new(law(5.0, 5))).unwrap();
        assert_eq!(defence.kept.len(), nodes);
        assert_eq!(defence.graph.nodes(), nodes);
    }
}
