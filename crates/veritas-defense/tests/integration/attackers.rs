//! The attackers do what they say, inside what the protocol lets through.

use graph_denoise::CsrMatrix;
use veritas_defense::attack::{
    Attack, Collusion, FakeFeatures, FakeProfile, FeatureProtocol, Grading, Knowledge, StealthProbability, Targets,
};
use veritas_defense::{TrustModel, World};

use crate::scenario::{ATTACKERS, attacker, law, random_graph, rng};

#[test]
fn fakes_join_with_their_victims() {
    let (law, graph) = (law(5.0, 5), random_graph(200, 400, 1));
    let knowledge = Knowledge { graph: Some(&graph), ..Knowledge::of_protocol(200, &law, 4.0) };
    for name in ATTACKERS {
        let attack = attacker(name, 6, 7);
        let injection = attack.plan(&knowledge, &mut rng(3, 0)).unwrap();
        assert_eq!((injection.nodes(), injection.fakes()), (206, 6));
        assert_eq!(injection.is_fake().iter().filter(|&&f| f).count(), 6);
        assert_eq!(injection.bypasses().iter().any(|&b| b), name.ends_with("skip"), "{name}");
        let joined = injection.graph(&graph).unwrap();
        for (fake, victims) in (200_u32..).zip(injection.victims()) {
            assert_eq!(victims.len(), 7, "{name}");
            assert!(victims.windows(2).all(|w| w[0] < w[1]) && victims.iter().all(|&v| v < 200));
            assert!(victims.iter().all(|v| joined.neighbours(fake as usize).binary_search(v).is_ok()));
        }
        // Honest edges are as they were.
        assert!((0..200_u32).all(|u| {
            let honest: Vec<u32> = joined.neighbours(u as usize).iter().copied().filter(|&v| v < 200).collect();
            honest == graph.neighbours(u as usize)
        }));
        let world = World { graph: &joined, fake: &injection.is_fake(), profiles: None };
        let honest = TrustModel::oracle_of_five(0.0).grades(world, 5, &mut rng(1, 0)).unwrap();
        let grades = injection.join(honest).unwrap();
        for (fake, victims) in (200_usize..).zip(injection.victims()) {
            for &victim in victims {
                let said = grades.lists().grade(fake, victim);
                match attack.grading {
                    Grading::Highest => assert_eq!(said, 5),
                    Grading::Mirrored | Grading::Lowest => assert_eq!(said, 1),
                    Grading::Silent => assert_eq!(said, 0),
                    Grading::Random => assert!((1..=5).contains(&said)),
                }
                assert_eq!(grades.lists().grade(victim as usize, fake as u32), 1, "an oracle without error");
            }
            for &fellow in joined.neighbours(fake).iter().filter(|&&v| v >= 200) {
                assert_eq!(grades.lists().grade(fake, fellow), 5);
            }
        }
    }
}

#[test]
fn the_stealth_probability_is_clipped_and_said() {
    // Cora: negative above 1.95 victims a fake.
    let cora = |victims: usize| StealthProbability::new(3.898, 27, 27 * victims);
    assert!(!cora(1).clipped() && (cora(1).wanted - 1.898 / 26.0).abs() < 1e-12);
    assert!(cora(2).clipped() && cora(2).wanted < 0.0 && cora(2).used == 0.0);
    assert_eq!(StealthProbability::new(50.0, 3, 3).used, 1.0);
    assert_eq!(StealthProbability::new(4.0, 1, 5), StealthProbability { wanted: 0.0, used: 0.0 });
    // What is planned has the links that the probability says: 60 fakes with 2 victims in a graph of mean degree 20.
    let law = law(5.0, 5);
    let attack = Attack { targets: Targets::Matching, collusion: Collusion::Stealth, ..Attack::naive(60, 2) };
    let injection = attack.plan(&Knowledge::of_protocol(1000, &law, 20.0), &mut rng(1, 0)).unwrap();
    let probability = injection.stealth().unwrap();
    assert!(!probability.clipped());
    let joined = injection.graph(&random_graph(1000, 10_000, 1)).unwrap();
    let links = (1000..1060).flat_map(|f| joined.neighbours(f)).filter(|&&v| v >= 1000).count() as f64 / 2.0;
    // Binomial(1770, .271): 4.9 deviations are 92.
    assert!((links - 1770.0 * probability.used).abs() < 92.0, "{links}");
    // The matching: no victim twice.
    let mut victims: Vec<u32> = injection.victims().concat();
    victims.sort_unstable();
    assert!(victims.windows(2).all(|w| w[0] < w[1]) && victims.len() == 120);
}

#[test]
fn targets_are_those_of_the_strategy() {
    let (law, graph) = (law(5.0, 5), random_graph(500, 1500, 2));
    let knowledge = Knowledge { graph: Some(&graph), ..Knowledge::of_protocol(500, &law, 6.0) };
    let victims = |targets| {
        Attack { targets, ..Attack::naive(40, 5) }.plan(&knowledge, &mut rng(1, 0)).unwrap().victims().to_vec()
    };
    let mean_degree = |all: &[Vec<u32>]| {
        all.iter().flatten().map(|&v| graph.degree(v as usize) as f64).sum::<f64>()
            / all.iter().flatten().count() as f64
    };
    let (random, by_degree) = (victims(Targets::Random), victims(Targets::ByDegree));
    // Size-biased: 6 + variance 6 over mean 6 = 7; a standard error is .17.
    assert!((mean_degree(&random) - 6.0).abs() < 0.85 && (mean_degree(&by_degree) - 7.0).abs() < 0.85);
    for shared in [victims(Targets::Shared), victims(Targets::ByInfluence)] {
        assert!(shared.windows(2).all(|w| w[0] == w[1]));
    }
    let influence =
        |v: u32| graph.neighbours(v as usize).iter().map(|&u| 1.0 / graph.degree(u as usize) as f64).sum::<f64>();
    let chosen = &victims(Targets::ByInfluence)[0];
    let least = chosen.iter().map(|&v| influence(v)).fold(f64::INFINITY, f64::min);
    assert!((0..500).filter(|v| !chosen.contains(v)).all(|v| influence(v) <= least));
}

#[test]
fn mirrored_grades_and_slander() {
    let law = law(5.0, 5);
    let shares = [0.5, 0.0, 0.0, 0.0, 0.5];
    let knowledge = Knowledge { stranger_grades: Some(&shares), ..Knowledge::of_protocol(500, &law, 4.0) };
    let attack =
        Attack { grading: Grading::Mirrored, slandered: 30, collusion: Collusion::Alone, ..Attack::naive(20, 20) };
    let injection = attack.plan(&knowledge, &mut rng(1, 0)).unwrap();
    let graph = injection.graph(&random_graph(500, 10, 1)).unwrap();
    let world = World { graph: &graph, fake: &injection.is_fake(), profiles: None };
    let grades = injection.join(TrustModel::Uniform.grades(world, 5, &mut rng(1, 1)).unwrap()).unwrap();
    let mut high = 0;
    for (fake, victims) in (500_usize..).zip(injection.victims()) {
        let (about, said) = grades.lists().row(fake);
        assert_eq!(about.len(), 50);
        for (v, &grade) in about.iter().zip(said) {
            let victim = victims.binary_search(v).is_ok();
            assert!(grade == 1 || (victim && grade == 5));
            high += u32::from(grade == 5);
        }
    }
    // Binomial(400, ½): 4.9 deviations are 49.
    assert!((151..=249).contains(&high), "{high}");
}

#[test]
fn feature_attacks_stay_in_the_wire_format() {
    let law = law(5.0, 5);
    let profiles = CsrMatrix::new(4, vec![0, 2, 3], vec![0, 2, 2], vec![1.0, 0.5, 1.5]).unwrap();
    let knowledge = Knowledge {
        features: Some(FeatureProtocol { dimensions: 100, reported: 7 }),
        profiles: Some(&profiles),
        ..Knowledge::of_protocol(2, &law, 1.0)
    };
    let plan = |features| Attack { features, ..Attack::naive(5, 2) }.plan(&knowledge, &mut rng(1, 0)).unwrap();
    let extreme = plan(FakeFeatures::Extreme);
    assert!(extreme.features().windows(2).all(|w| w[0] == w[1]) && extreme.features().len() == 5);
    let random = plan(FakeFeatures::Random);
    assert!(random.features().windows(2).any(|w| w[0] != w[1]));
    for profile in extreme.features().iter().chain(random.features()) {
        let FakeProfile::Report(report) = profile else { panic!("{profile:?}") };
        assert_eq!(report.len(), 7);
        assert!(report.windows(2).all(|w| w[0].0 < w[1].0) && report.iter().all(|&(index, _)| index < 100));
    }
    for profile in plan(FakeFeatures::VictimsMean).features() {
        assert_eq!(*profile, FakeProfile::Value(vec![(0, 0.5), (2, 1.0)]));
    }
}
