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

#[test]
fn drawn_neighbours_are_the_same_at_any_number_of_threads() {
    let planted = planted(3000, 3, 8);
    let model = ModelConfig { neighbours: Some(2), hidden: 64, ..ModelConfig::new(ModelKind::Sage) };
    let config = TrainConfig { epochs: 8, ..TrainConfig::default() };
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| train(&planted.data(), &model, &config, DeviceChoice::Cpu, 5).unwrap())
    };
    let drawn = run(1);
    assert_eq!(drawn, run(2));
    let all = ModelConfig { neighbours: None, ..model.clone() };
    let all = train(&planted.data(), &all, &config, DeviceChoice::Cpu, 5).unwrap();
    assert_ne!(drawn.logits(), all.logits());
    assert!(planted.test_accuracy(&drawn.predictions()) > 0.8);
    // Drawing more than there are is taking all.
    let most = ModelConfig { neighbours: Some(3000), ..model.clone() };
    let most = train(&planted.data(), &most, &config, DeviceChoice::Cpu, 5).unwrap();
    assert_eq!(most.logits(), all.logits());
}

#[test]
fn attention_dropout_is_the_same_at_any_number_of_threads() {
    let planted = planted(3000, 3, 8);
    let config = TrainConfig { epochs: 8, ..TrainConfig::default() };
    let run = |attention_dropout, threads| {
        let model = ModelConfig { attention_dropout, ..ModelConfig::new(ModelKind::Gat) };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| train(&planted.data(), &model, &config, DeviceChoice::Cpu, 5).unwrap())
    };
    let dropped = run(0.4, 1);
    assert_eq!(dropped, run(0.4, 2));
    assert_ne!(dropped.logits(), run(0.0, 1).logits());
    // A model that is applied drops nothing.
    let applied = dropped.model().predict(&planted.graph, &planted.features, DeviceChoice::Cpu).unwrap();
    assert_eq!(&applied, dropped.logits());
}

#[test]
#[ignore = "slow: 500 epochs of three kinds at one thread and at two"]
fn five_hundred_epochs_with_dropout_give_the_same_bytes() {
    let planted = planted(3000, 3, 8);
    let config = TrainConfig { epochs: 500, ..TrainConfig::default() };
    for kind in [ModelKind::Gcn, ModelKind::Sage, ModelKind::Gat] {
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| train(&planted.data(), &ModelConfig::new(kind), &config, DeviceChoice::Cpu, 5).unwrap())
        };
        assert_eq!(run(1), run(2), "{kind:?}");
    }
}

/// Resident memory after 5,000 epochs against that after 500: at most 4 MiB more.
#[cfg(target_os = "linux")]
#[test]
#[ignore = "slow: 5,000 epochs; run alone, for it measures the process"]
fn memory_does_not_grow() {
    let resident = || {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap()
    };
    let planted = planted(600, 3, 8);
    let config = TrainConfig { epochs: 5000, ..TrainConfig::default() };
    let mut early = 0;
    let each = |epoch: &gnn_models::Epoch| {
        if epoch.epoch == 500 {
            early = resident();
        }
        std::ops::ControlFlow::Continue(())
    };
    let model = ModelConfig::new(ModelKind::Gat);
    gnn_models::train_with(&planted.data(), &model, &config, DeviceChoice::Cpu, 1, each).unwrap();
    let late = resident();
    eprintln!("KiB resident: {early} after 500 epochs, {late} after 5,000");
    assert!(late < early + 4096, "{early} KiB, then {late} KiB");
}
