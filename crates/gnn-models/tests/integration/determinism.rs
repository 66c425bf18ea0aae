//! The same seed gives the same bytes, whatever the number of threads.

use crate::graphs::planted;
use gnn_models::{DeviceChoice, ModelConfig, ModelKind, TrainConfig, Trained, train};

fn with_threads(threads: usize, kind: ModelKind, seed: u64) -> Trained {
    // Large enough that each product is cut into tasks: 3,000 × 64 outputs.
    let planted = planted(3000, 3, 8);
    let config = TrainConfig { epochs: 15, ..TrainConfig::default() };
    let model = ModelConfig { hidden: 64, ..ModelConfig::new(kind) };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| train(&planted.data(), &model, &config, DeviceChoice::Cpu, seed).unwrap())
}

#[test]
fn one_thread_and_two_give_the_same_bytes() {
    for kind in [ModelKind::Gcn, ModelKind::Sage, ModelKind::Gat, ModelKind::Mlp] {
        assert_eq!(with_threads(1, kind, 5), with_threads(2, kind, 5), "{kind:?}");
    }
}

#[test]
fn another_seed_gives_another_run() {
    let kind = ModelKind::Gcn;
    assert_ne!(with_threads(2, kind, 5).logits(), with_threads(2, kind, 6).logits());
}
