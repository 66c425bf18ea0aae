//! What is refused, with the reason.

use veritas_defense::attack::{Attack, Collusion, FakeFeatures, Knowledge, Targets};
use veritas_defense::{
    BudgetStatement, DefenceOptions, EdgeRule, EndorsementLaw, EndorsementLists, Error, MemoryEstimate, MutualPairs,
    Stage, TrueGrades, TrustModel, UserList, World, defend, randomize_lists,
};

use crate::scenario::{attacked, attacker, law, random_graph, rng};

fn list(user: u32, length: usize, entries: &[(u32, u8)]) -> UserList {
    UserList { user, length, entries: entries.to_vec() }
}

fn three(second: UserList) -> Result<EndorsementLists, Error> {
    EndorsementLists::from_users(3, 5, [list(2, 3, &[(0, 1)]), second, list(0, 3, &[])])
}

#[test]
fn lists() {
    assert!(three(list(1, 3, &[(2, 5), (0, 1)])).is_ok());
    assert_eq!(three(list(1, 2, &[])), Err(Error::ListLength { user: 1, expected: 3, found: 2 }));
    assert_eq!(three(list(1, 3, &[(0, 6)])), Err(Error::Grade { user: 1, about: 0, grade: 6, levels: 5 }));
    assert_eq!(three(list(1, 3, &[(0, 0)])), Err(Error::Grade { user: 1, about: 0, grade: 0, levels: 5 }));
    assert_eq!(three(list(2, 3, &[])), Err(Error::DuplicateUser { user: 2 }));
    assert_eq!(three(list(1, 3, &[(1, 2)])), Err(Error::SelfEntry { user: 1 }));
    assert_eq!(three(list(1, 3, &[(0, 2), (0, 2)])), Err(Error::EntryOrder { user: 1, about: 0 }));
    assert_eq!(three(list(1, 3, &[(3, 2)])), Err(Error::UnknownNode { user: 1, about: 3, nodes: 3 }));
    assert_eq!(three(list(3, 3, &[])), Err(Error::UnknownUser { user: 3, nodes: 3 }));
    assert_eq!(EndorsementLists::from_users(2, 5, [list(1, 2, &[])]).unwrap_err(), Error::MissingUser { user: 0 });
    assert_eq!(
        three(list(1, 3, &[(0, 6)])).unwrap_err().to_string(),
        "user 1 grades 0 with 6; stored grades are from 1 to 5"
    );
}

#[test]
fn rows() {
    let new = EndorsementLists::new;
    assert!(matches!(new(0, vec![0], vec![], vec![]), Err(Error::Levels { got: 0 })));
    assert!(matches!(new(256, vec![0], vec![], vec![]), Err(Error::Levels { got: 256 })));
    assert!(matches!(new(5, vec![], vec![], vec![]), Err(Error::Size { .. })));
    assert!(matches!(new(5, vec![1, 1], vec![0], vec![1]), Err(Error::Size { .. })));
    assert!(matches!(new(5, vec![0, 1, 0], vec![], vec![]), Err(Error::Size { .. })));
    assert!(matches!(new(5, vec![0, 2, 1], vec![1], vec![1]), Err(Error::Size { .. })));
    assert!(matches!(new(5, vec![0, 1, 1], vec![1], vec![]), Err(Error::Size { .. })));
    assert!(new(5, vec![0], vec![], vec![]).is_ok());
}

#[test]
fn options() {
    let lists = EndorsementLists::new(5, vec![0, 1, 1], vec![1], vec![3]).unwrap();
    let good = DefenceOptions::new(law(5.0, 5));
    assert!(defend(&lists, &good).is_ok());
    let refused = |options: DefenceOptions| defend(&lists, &options).unwrap_err();
    assert_eq!(refused(DefenceOptions::new(law(5.0, 4))), Error::LevelsDiffer { expected: 4, found: 5 });
    for rate in [0.0, 0.6, -1.0, f64::NAN] {
        assert!(matches!(refused(DefenceOptions { false_alarm: rate, ..good.clone() }), Error::Range { .. }));
    }
    assert!(matches!(refused(DefenceOptions { grading_error: f64::NAN, ..good.clone() }), Error::Range { .. }));
    for rule in [EdgeRule::Posterior(1.5), EdgeRule::NoiseShare(f64::NAN)] {
        assert!(matches!(refused(DefenceOptions { edge_rule: rule, ..good.clone() }), Error::Range { .. }));
    }
    let Error::Memory { needed, limit, .. } = refused(DefenceOptions { memory_limit: 10, ..good.clone() }) else {
        panic!("memory")
    };
    assert!(needed > limit && limit == 10);
}

#[test]
fn memory_is_refused_before_anything_is_drawn() {
    // A hundred thousand users at ε = 1 would send 6.5 billion entries.
    let refused = MemoryEstimate::check(100_000, 1_000_000, &law(1.0, 5), 8 << 30).unwrap_err();
    let text = refused.to_string();
    assert!(text.contains("100000 users at 1 nats") && text.contains("a larger epsilon or fewer users"), "{text}");
    let few = TrueGrades::new(EndorsementLists::new(5, vec![0; 100_001], vec![], vec![]).unwrap());
    let draw = |bypass: &[bool]| randomize_lists(&few, &law(1.0, 5), bypass, 8 << 30, |user| rng(0, user.into()));
    assert!(matches!(draw(&vec![false; 100_000]), Err(Error::Memory { .. })));
    assert!(matches!(draw(&[false]), Err(Error::Size { .. })));
    assert!(MemoryEstimate::check(100_000, 1_000_000, &law(9.0, 5), 1 << 30).is_ok());
    assert!(MemoryEstimate::check(22_470, 170_823, &law(5.0, 5), 1 << 30).is_ok());
}

/// What is held is within what was estimated beforehand, and the estimate is no more than eight times that.
#[test]
fn the_memory_estimate_covers_what_is_held() {
    for (nodes, edges, epsilon) in [(1500, 3000, 3.0), (1500, 30_000, 9.0), (3000, 6000, 5.0)] {
        let (law, graph) = (law(epsilon, 5), random_graph(nodes, edges, 1));
        let world = attacked(&graph, &law, &attacker("naive", 0, 0), &TrustModel::oracle_of_five(0.1), 1).unwrap();
        let estimate = MemoryEstimate::new(nodes, graph.edges(), &law);
        let defence = defend(&world.lists, &DefenceOptions::new(law)).unwrap();
        let held = |stage: Stage| defence.bytes.iter().find(|&&(at, _)| at == stage).unwrap().1;
        let pairs = MutualPairs::of(&world.lists).bytes() + held(Stage::Edges);
        assert!((world.lists.bytes()..=8 * world.lists.bytes()).contains(&estimate.lists), "{estimate:?}");
        assert!((pairs..=8 * pairs).contains(&estimate.pairs), "{estimate:?} for {pairs}");
        let nodes = held(Stage::Suspicion) + held(Stage::Conformity);
        assert!((nodes..=8 * nodes).contains(&estimate.nodes), "{estimate:?} for {nodes}");
    }
}

#[test]
fn laws_and_trust() {
    let epsilon = ldp_core::Epsilon::new(5.0).unwrap();
    assert!(matches!(EndorsementLaw::new(epsilon, 0), Err(Error::Levels { got: 0 })));
    assert!(matches!(EndorsementLaw::new(epsilon, 300), Err(Error::Levels { got: 300 })));
    let graph = random_graph(4, 3, 0);
    let world = World { graph: &graph, fake: &[false; 4], profiles: None };
    let grade = |trust: TrustModel, world| trust.grades(world, 5, &mut rng(0, 0));
    let bad = |friends: Vec<f64>, error| TrustModel::Oracle { friends, error };
    assert!(matches!(grade(bad(vec![1.0], 0.0), world), Err(Error::Size { .. })));
    assert!(matches!(grade(bad(vec![0.3; 5], 0.0), world), Err(Error::Range { .. })));
    assert!(matches!(grade(bad(vec![0.2; 5], 1.5), world), Err(Error::Range { .. })));
    assert!(matches!(grade(TrustModel::FeatureSimilarity { full: 0.5 }, world), Err(Error::Needs { .. })));
    let short = World { fake: &[false; 3], ..world };
    assert!(matches!(grade(TrustModel::Uniform, short), Err(Error::Size { .. })));
}

#[test]
fn attacks() {
    let law = law(5.0, 5);
    let knowledge = Knowledge::of_protocol(100, &law, 4.0);
    let plan = |attack: Attack| attack.plan(&knowledge, &mut rng(0, 0));
    let naive = Attack::naive(3, 5);
    assert!(plan(naive.clone()).is_ok());
    assert!(matches!(plan(Attack { victims: 101, ..naive.clone() }), Err(Error::Range { .. })));
    assert!(matches!(plan(Attack { slandered: 96, ..naive.clone() }), Err(Error::Range { .. })));
    // The black box knows the protocol and nothing else.
    for targets in [Targets::ByDegree, Targets::ByInfluence] {
        assert!(matches!(plan(Attack { targets, ..naive.clone() }), Err(Error::Needs { .. })));
    }
    for features in [FakeFeatures::Extreme, FakeFeatures::Random, FakeFeatures::VictimsMean] {
        assert!(matches!(plan(Attack { features, ..naive.clone() }), Err(Error::Needs { .. })));
    }
    let lost = Knowledge { mean_degree: f64::NAN, ..knowledge };
    let stealth = Attack { collusion: Collusion::Stealth, ..naive };
    assert!(matches!(stealth.plan(&lost, &mut rng(0, 0)), Err(Error::Range { .. })));
    let injection = plan(stealth).unwrap();
    assert!(matches!(injection.graph(&random_graph(99, 10, 0)), Err(Error::Size { .. })));
}

#[test]
fn the_budget_is_said_in_full() {
    let epsilon = |nats| ldp_core::Epsilon::new(nats).unwrap();
    let statement = BudgetStatement::new(2708, epsilon(5.0), Some(epsilon(0.1)), 0);
    assert_eq!((statement.entry, statement.edge, statement.user, statement.features), (5.0, 10.0, 13_535.0, 0.1));
    assert_eq!(BudgetStatement::new(10, epsilon(5.0), None, 3).edge, 25.0);
    assert!(statement.to_string().contains("10 for one undirected edge (2 entries)"), "{statement}");
}
