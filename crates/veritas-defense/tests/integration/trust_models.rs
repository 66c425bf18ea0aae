//! What honest users say: only of neighbours, and by the model's rule.

use graph_denoise::{CsrGraph, CsrMatrix, EdgeKind};
use veritas_defense::{TrueGrades, TrustModel, World};

use crate::scenario::{random_graph, rng};

fn grade(grades: &TrueGrades, user: usize, about: u32) -> u8 {
    grades.lists().grade(user, about)
}

#[test]
fn an_oracle_errs_as_often_as_it_says() {
    let graph = random_graph(1000, 20_000, 1);
    let fake: Vec<bool> = (0..1000).map(|v| v >= 900).collect();
    let world = World { graph: &graph, fake: &fake, profiles: None };
    let grades = TrustModel::oracle_of_five(0.1).grades(world, 5, &mut rng(1, 0)).unwrap();
    let (mut of_fakes, mut doubted, mut friends, mut ones, mut same) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for (u, v) in graph.iter_edges() {
        for (user, about) in [(u, v), (v, u)] {
            let said = grade(&grades, user as usize, about);
            match (fake[user as usize], fake[about as usize]) {
                (true, _) => assert_eq!(said, 0, "fakes' rows are left to the attacker"),
                (false, true) => {
                    of_fakes += 1.0;
                    doubted += f64::from(u8::from(said == 1));
                }
                (false, false) => {
                    friends += 1.0;
                    ones += f64::from(u8::from(said == 1));
                    same += f64::from(u8::from(said == grade(&grades, about as usize, user)));
                }
            }
        }
    }
    // 1 with probability .9 + .1·.01 of a fake, .1 + .9·.01 of a friend; 4.9 standard errors.
    let near =
        |share: f64, expected: f64, n: f64| (share - expected).abs() < 4.9 * (expected * (1.0 - expected) / n).sqrt();
    assert!(near(doubted / of_fakes, 0.901, of_fakes), "{}", doubted / of_fakes);
    assert!(near(ones / friends, 0.109, friends), "{}", ones / friends);
    // Neither errs, or both do, or the shared grade is 1 anyway; each edge is counted twice.
    let agree = 0.82 + 0.18 * 0.01;
    assert!(near(same / friends, agree, friends / 2.0), "{}", same / friends);
}

#[test]
fn common_neighbours_are_counted() {
    // A square with one diagonal, and a pendant.
    let graph =
        CsrGraph::from_edges(5, &[(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (3, 4)], EdgeKind::Undirected).unwrap();
    let world = World { graph: &graph, fake: &[false; 5], profiles: None };
    let model = TrustModel::CommonNeighbours;
    let grades = model.grades(world, 5, &mut rng(0, 0)).unwrap();
    assert_eq!((grade(&grades, 0, 2), grade(&grades, 2, 0)), (3, 3));
    assert_eq!((grade(&grades, 0, 1), grade(&grades, 3, 4), grade(&grades, 1, 3)), (2, 1, 0));
    assert_eq!(grade(&model.grades(world, 2, &mut rng(0, 0)).unwrap(), 0, 2), 2);
}

#[test]
fn similar_profiles_trust_each_other() {
    let graph = CsrGraph::from_edges(3, &[(0, 1), (1, 2), (0, 2)], EdgeKind::Undirected).unwrap();
    // Equal, orthogonal, and empty.
    let profiles = CsrMatrix::new(3, vec![0, 2, 4, 4], vec![0, 1, 0, 1], vec![1.0, 1.0, 2.0, 2.0]).unwrap();
    let world = World { graph: &graph, fake: &[false; 3], profiles: Some(&profiles) };
    let grades = TrustModel::FeatureSimilarity { full: 0.8 }.grades(world, 5, &mut rng(0, 0)).unwrap();
    assert_eq!((grade(&grades, 0, 1), grade(&grades, 1, 2), grade(&grades, 2, 0)), (5, 1, 1));
    assert_eq!(grade(&TrustModel::FeatureSimilarity { full: 1.0 }.grades(world, 5, &mut rng(0, 0)).unwrap(), 0, 1), 5);
}

#[test]
fn who_knows_nothing_grades_evenly() {
    let graph = random_graph(500, 10_000, 1);
    let world = World { graph: &graph, fake: &[false; 500], profiles: None };
    let grades = TrustModel::Uniform.grades(world, 4, &mut rng(1, 0)).unwrap();
    let mut counts = [0.0; 4];
    for user in 0..500 {
        for &said in grades.lists().row(user).1 {
            counts[usize::from(said) - 1] += 1.0;
        }
    }
    let total: f64 = counts.iter().sum();
    assert_eq!(total as usize, graph.entries());
    assert!(counts.iter().all(|c| (c / total - 0.25_f64).abs() < 4.9 * (0.1875 / total).sqrt()), "{counts:?}");
}
