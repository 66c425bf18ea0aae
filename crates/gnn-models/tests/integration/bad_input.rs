//! Whatever cannot be trained on is refused with the value and the bound.

use crate::graphs::{Planted, dense, planted};
use gnn_models::{DeviceChoice, Error, Features, LabelNoise, Loss, ModelConfig, ModelKind, TrainConfig, train};
use graph_denoise::{CsrGraph, EdgeKind};
use std::ops::ControlFlow;

fn short() -> TrainConfig {
    TrainConfig { epochs: 5, ..TrainConfig::default() }
}

fn refusal(planted: &Planted) -> Error {
    train(&planted.data(), &ModelConfig::default(), &short(), DeviceChoice::Cpu, 1).unwrap_err()
}

#[test]
fn nodes_and_labels() {
    let good = || planted(60, 3, 1);
    let mut bad = good();
    bad.train.clear();
    assert_eq!(refusal(&bad), Error::EmptySet { set: "training" });
    let mut bad = good();
    bad.validation.clear();
    assert_eq!(refusal(&bad), Error::EmptySet { set: "validation" });
    let mut bad = good();
    bad.validation.push(60);
    assert_eq!(refusal(&bad), Error::NodeOutOfRange { set: "validation", node: 60, nodes: 60 });
    let mut bad = good();
    let twice = bad.train[0];
    bad.train.push(twice);
    assert_eq!(refusal(&bad), Error::NodeTwice { set: "training", node: twice });
    let mut bad = good();
    let node = bad.train[3];
    bad.labels[node as usize] = 3;
    assert_eq!(refusal(&bad), Error::LabelOutOfRange { node, label: 3, classes: 3 });
    let mut bad = good();
    bad.labels.pop();
    assert_eq!(refusal(&bad), Error::Shape { what: "labels, one a node", expected: 60, found: 59 });
    let mut bad = good();
    bad.graph = CsrGraph::from_edges(61, &[(0, 1)], EdgeKind::Undirected).unwrap();
    assert_eq!(refusal(&bad), Error::Shape { what: "feature rows, one a node", expected: 61, found: 60 });
}

#[test]
fn a_class_without_a_training_node() {
    let mut bad = planted(60, 3, 1);
    let labels = bad.labels.clone();
    bad.train.retain(|&node| labels[node as usize] != 2);
    assert_eq!(refusal(&bad), Error::ClassUnseen { class: 2, classes: 3 });
    let config = TrainConfig { allow_unseen_classes: true, ..short() };
    train(&bad.data(), &ModelConfig::default(), &config, DeviceChoice::Cpu, 1).unwrap();
}

#[test]
fn features_that_are_no_numbers() {
    let mut bad = planted(60, 3, 1);
    bad.features = dense(&bad.features);
    let Features::Dense(matrix) = &mut bad.features else { unreachable!() };
    matrix.as_mut_slice()[7 * 60 + 11] = f32::INFINITY;
    assert_eq!(refusal(&bad), Error::Feature { node: 7, dimension: 11, value: f32::INFINITY });
}

#[test]
fn settings() {
    let planted = planted(60, 3, 1);
    let setting =
        |model: ModelConfig, config: TrainConfig| match train(&planted.data(), &model, &config, DeviceChoice::Cpu, 1)
            .unwrap_err()
        {
            Error::Setting { what, .. } => what,
            other => panic!("{other}"),
        };
    let model = ModelConfig::default;
    assert_eq!(setting(ModelConfig { layers: 0, ..model() }, short()), "number of layers");
    assert_eq!(setting(ModelConfig { hidden: 0, ..model() }, short()), "hidden width");
    assert_eq!(setting(ModelConfig { dropout: 1.0, ..model() }, short()), "dropout");
    assert_eq!(setting(ModelConfig { dropout: f64::NAN, ..model() }, short()), "dropout");
    assert_eq!(setting(ModelConfig { attention_dropout: 1.0, ..model() }, short()), "attention dropout");
    for learning_rate in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(setting(model(), TrainConfig { learning_rate, ..short() }), "learning rate");
    }
    assert_eq!(setting(model(), TrainConfig { weight_decay: -0.1, ..short() }), "weight decay");
    assert_eq!(setting(model(), TrainConfig { epochs: 0, ..short() }), "number of epochs");
    assert_eq!(setting(model(), TrainConfig { patience: Some(0), ..short() }), "patience");
    let loss = Loss::ForwardCorrection { noise: LabelNoise { keep: 0.5, flip: 0.5 } };
    assert_eq!(setting(model(), TrainConfig { loss, ..short() }), "label noise p + (c − 1) q");
    for epsilon in [0.0, -1.0, f64::NAN] {
        assert!(LabelNoise::randomized_response(epsilon, 3).is_err());
    }
}

#[test]
fn a_run_that_diverges_says_so() {
    let planted = planted(60, 3, 1);
    let config = TrainConfig { learning_rate: 1e30, ..short() };
    let refusal = train(&planted.data(), &ModelConfig::default(), &config, DeviceChoice::Cpu, 1).map(|_| ());
    assert!(matches!(refusal, Err(Error::Diverged { epoch: 0 | 1, .. })), "{refusal:?}");
}

#[test]
fn a_graph_without_edges_is_trained_on() {
    let mut planted = planted(60, 3, 1);
    planted.graph = CsrGraph::from_edges(60, &[], EdgeKind::Undirected).unwrap();
    for kind in [ModelKind::Gcn, ModelKind::Sage, ModelKind::Gat] {
        let trained = train(&planted.data(), &ModelConfig::new(kind), &short(), DeviceChoice::Cpu, 1).unwrap();
        assert!(trained.logits().as_slice().iter().all(|logit| logit.is_finite()));
    }
}

#[test]
fn devices_by_name() {
    assert_eq!("cuda:2".parse(), Ok(DeviceChoice::Cuda(2)));
    for choice in [DeviceChoice::Auto, DeviceChoice::Cpu, DeviceChoice::Cuda(0), DeviceChoice::Wgpu] {
        assert_eq!(choice.to_string().parse(), Ok(choice));
    }
    assert!("gpu".parse::<DeviceChoice>().is_err());
    assert!("cuda:x".parse::<DeviceChoice>().is_err());
    assert!(matches!(DeviceChoice::Cuda(99).resolve(), Err(Error::Device { .. })));
}

#[test]
fn a_caller_can_stop_a_run() {
    let planted = planted(60, 3, 1);
    let stopped =
        gnn_models::train_with(&planted.data(), &ModelConfig::default(), &short(), DeviceChoice::Cpu, 1, |epoch| {
            if epoch.epoch == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
    assert_eq!(stopped.unwrap_err(), Error::Interrupted { epoch: 2 });
}
