//! On real graphs, where the data is found: Cora as the acceptance has it.

use std::path::{Path, PathBuf};

use graph_datasets::{SearchPath, load};
use veritas_defense::{DefenceOptions, Detection, MutualPairs, TrustModel, defend};

use crate::scenario::{attacked, attacker, law};

/// Folder of the real data, or nothing, said on stderr; `GRAPH_DATA_REQUIRED=1` makes nothing a failure.
fn data() -> Option<PathBuf> {
    let named = std::env::var_os("GRAPH_DATA_DIR").map(PathBuf::from);
    let folder = named.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"));
    if folder.is_dir() {
        return Some(folder);
    }
    let required = std::env::var_os("GRAPH_DATA_REQUIRED").is_some_and(|value| value == "1");
    assert!(!required, "GRAPH_DATA_REQUIRED=1, but {} is no folder", folder.display());
    eprintln!("skipped: no real data, {} is no folder", folder.display());
    None
}

/// ε = 5, 1 % of fakes, graders wrong in one of ten, two seeds: ≥ 99 % caught, ≤ 0.1 % of the honest lost.
#[test]
fn cora_under_attack() {
    let Some(folder) = data() else { return };
    let cora = load("cora", &SearchPath::new(vec![folder])).unwrap();
    let law = law(5.0, 5);
    for name in ["naive", "mirror"] {
        let mut total = Detection::default();
        for seed in 0..2 {
            let world =
                attacked(cora.graph(), &law, &attacker(name, 27, 12), &TrustModel::oracle_of_five(0.1), seed).unwrap();
            let removed: Vec<u32> =
                defend(&world.lists, &DefenceOptions::new(law)).unwrap().removals.iter().map(|r| r.node).collect();
            total.add(&Detection::of(&removed, &world.fake));
        }
        assert!(total.recall() >= 0.99 && total.honest_loss() <= 0.001, "{name}: {total:?}");
    }
}

/// papers.md 11.9: 3,888 noise and 5,209 true pairs pass the gate on Cora at ε = 5. Exact expectations; Poisson within
/// 4.9 deviations (8 % of the noise).
#[test]
fn coras_gate() {
    let Some(folder) = data() else { return };
    let cora = load("cora", &SearchPath::new(vec![folder])).unwrap();
    let law = law(5.0, 5);
    let world = attacked(cora.graph(), &law, &attacker("naive", 0, 0), &TrustModel::Uniform, 1).unwrap();
    let pairs = MutualPairs::of(&world.lists);
    let noise =
        pairs.all().iter().filter(|p| cora.graph().neighbours(p.low as usize).binary_search(&p.high).is_err()).count();
    let expected = law.noise_pairs(2708, 5278);
    assert!((noise as f64 - expected).abs() < 4.9 * expected.sqrt(), "{noise} {expected}");
    let kept = (pairs.all().len() - noise) as f64;
    assert!((kept - law.surviving_edges(5278)).abs() < 4.9 * (5278.0 * 0.013_f64).sqrt(), "{kept}");
}
