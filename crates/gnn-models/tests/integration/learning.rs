//! Models learn what can be learnt, and the graph helps where it carries the signal.

use crate::graphs::{dense, planted};
use gnn_models::{
    DecayScope, DeviceChoice, EpochSelection, LabelNoise, Loss, ModelConfig, ModelKind, Schedule, TrainConfig, train,
};

const KINDS: [ModelKind; 5] =
    [ModelKind::Gcn, ModelKind::Sage, ModelKind::Gat, ModelKind::Mlp, ModelKind::LogisticRegression];

/// Two groups of 200: chance is 0.5, the worst seen over kinds is 0.90.
#[test]
fn every_model_beats_chance() {
    let planted = planted(400, 2, 1);
    for kind in KINDS {
        let config = TrainConfig { epochs: 100, ..TrainConfig::default() };
        let trained = train(&planted.data(), &ModelConfig::new(kind), &config, DeviceChoice::Cpu, 3).unwrap();
        let accuracy = planted.test_accuracy(&trained.predictions());
        assert!(accuracy > 0.8, "{kind:?}: {accuracy}");
    }
}

#[test]
fn without_dropout_and_decay_ten_nodes_are_learnt_by_heart() {
    let mut planted = planted(40, 4, 2);
    planted.train.truncate(10);
    for kind in KINDS {
        let model = ModelConfig { dropout: 0.0, ..ModelConfig::new(kind) };
        let config = TrainConfig {
            epochs: 300,
            weight_decay: 0.0,
            selection: EpochSelection::Last,
            allow_unseen_classes: true,
            ..TrainConfig::default()
        };
        let trained = train(&planted.data(), &model, &config, DeviceChoice::Cpu, 3).unwrap();
        let predictions = trained.predictions();
        for &node in &planted.train {
            assert_eq!(predictions[node as usize], planted.labels[node as usize], "{kind:?}, node {node}");
        }
        assert!(trained.history().last().unwrap().train_loss < 0.1, "{kind:?}");
    }
}

#[test]
fn sparse_and_dense_features_give_the_same_run() {
    let mut planted = planted(200, 3, 4);
    let config = TrainConfig { epochs: 20, ..TrainConfig::default() };
    for kind in KINDS {
        let model = ModelConfig::new(kind);
        let sparse = train(&planted.data(), &model, &config, DeviceChoice::Cpu, 5).unwrap();
        let full_features = dense(&planted.features);
        let features = std::mem::replace(&mut planted.features, full_features);
        let full = train(&planted.data(), &model, &config, DeviceChoice::Cpu, 5).unwrap();
        planted.features = features;
        for (a, b) in sparse.history().iter().zip(full.history()) {
            assert!((a.train_loss - b.train_loss).abs() < 1e-4, "{kind:?}: {a:?} {b:?}");
        }
    }
}

/// Labels of 4 classes kept with probability 0.4.
#[test]
fn drop_beats_cross_entropy_on_noisy_labels() {
    let mut planted = planted(800, 4, 6);
    let truth = planted.labels.clone();
    let noise = LabelNoise { keep: 0.4, flip: 0.2 };
    let mut numbers = crate::graphs::Numbers::new(9);
    for label in &mut planted.labels {
        let draw = numbers.below(100);
        if draw >= 40 {
            *label = (*label + 1 + (draw % 3) as u32) % 4;
        }
    }
    let run = |loss| {
        let config = TrainConfig { epochs: 200, loss, selection: EpochSelection::Last, ..TrainConfig::default() };
        let trained =
            train(&planted.data(), &ModelConfig::new(ModelKind::Sage), &config, DeviceChoice::Cpu, 3).unwrap();
        let predictions = trained.predictions();
        let right = planted.test.iter().filter(|&&v| predictions[v as usize] == truth[v as usize]).count();
        right as f64 / planted.test.len() as f64
    };
    let plain = run(Loss::CrossEntropy);
    let drop = run(Loss::Drop { noise: Some(noise), steps: 4 });
    eprintln!("Drop {drop}, cross-entropy {plain}");
    assert!(drop > plain + 0.1, "Drop {drop}, cross-entropy {plain}");
}

/// Options of training that must each change the run, and none of which may break it.
#[test]
fn options_of_training_take_effect() {
    let planted = planted(300, 3, 4);
    let base = TrainConfig { epochs: 30, weight_decay: 0.05, ..TrainConfig::default() };
    let run =
        |config: &TrainConfig| train(&planted.data(), &ModelConfig::default(), config, DeviceChoice::Cpu, 5).unwrap();
    let plain = run(&base);
    let others = [
        TrainConfig { decay: DecayScope::Weights, ..base.clone() },
        TrainConfig { decay: DecayScope::FirstLayer, ..base.clone() },
        TrainConfig { clip: Some(0.01), ..base.clone() },
        TrainConfig { schedule: Schedule::Cosine, ..base.clone() },
        TrainConfig { schedule: Schedule::Step { every: 5, factor: 0.5 }, ..base.clone() },
        TrainConfig { schedule: Schedule::Warmup { warmup: 10 }, ..base.clone() },
    ];
    let mut seen = vec![plain.history().last().unwrap().train_loss];
    for config in &others {
        let loss = run(config).history().last().unwrap().train_loss;
        assert!(!seen.contains(&loss), "{config:?} changes nothing");
        seen.push(loss);
    }
    // A bound that no gradient reaches changes nothing.
    assert_eq!(run(&TrainConfig { clip: Some(1e9), ..base.clone() }), plain);
}

#[test]
fn training_stops_when_nothing_better_comes() {
    let planted = planted(300, 3, 4);
    let config = TrainConfig { epochs: 2000, patience: Some(10), ..TrainConfig::default() };
    let trained = train(&planted.data(), &ModelConfig::default(), &config, DeviceChoice::Cpu, 5).unwrap();
    assert_eq!(trained.history().len(), trained.kept_epoch() + 11);
}
