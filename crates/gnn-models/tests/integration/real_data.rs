//! Accuracy on real graphs, clean features and labels; private ones are the experiments' affair. Slow: run with
//! `-- --ignored real_data`.

use chacha20::{ChaCha12Rng, rand_core::SeedableRng};
use gnn_models::{ClassReport, DeviceChoice, Features, ModelConfig, ModelKind, TrainConfig, TrainData, train};
use graph_datasets::{DATA_DIR_VARIABLE, Dataset, Scaling, SearchPath, Split, load};
use std::path::Path;

const SEEDS: u64 = 10;

/// The data set, or `None` with a word on stderr where there is none and none is demanded.
fn find(name: &str) -> Option<Dataset> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let variable = std::env::var_os(DATA_DIR_VARIABLE);
    match load(name, &SearchPath::standard(None, variable.as_deref(), &root)) {
        Ok(dataset) => Some(dataset.scaled(Scaling::PublicRange).unwrap()),
        Err(absent) if std::env::var_os("GRAPH_DATA_REQUIRED").is_none_or(|value| value != "1") => {
            eprintln!("skipped {name}: {absent}");
            None
        }
        Err(absent) => panic!("{absent}"),
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Mean test accuracy in per cent over fresh splits.
fn clean(dataset: &Dataset, kind: ModelKind, hidden: usize, weight_decay: f64) -> f64 {
    let features = Features::from(dataset.features().unwrap().clone());
    let accuracies: Vec<f64> = (0..SEEDS)
        .map(|seed| {
            let split = Split::random(dataset.nodes(), 0.25, 0.25, &mut ChaCha12Rng::seed_from_u64(seed)).unwrap();
            let data = TrainData {
                graph: dataset.graph(),
                features: &features,
                labels: dataset.labels(),
                selection_labels: None,
                classes: dataset.classes(),
                train: &split.train,
                validation: &split.validation,
            };
            let model = ModelConfig { hidden, ..ModelConfig::new(kind) };
            let config = TrainConfig { weight_decay, epochs: 200, patience: Some(50), ..TrainConfig::default() };
            let trained = train(&data, &model, &config, DeviceChoice::Cpu, seed).unwrap();
            100.0 * ClassReport::new(trained.logits(), dataset.labels(), &split.test).unwrap().accuracy
        })
        .collect();
    mean(&accuracies)
}

fn at_least(name: &str, hidden: usize, weight_decay: f64, bounds: &[(ModelKind, f64)]) {
    let Some(dataset) = find(name) else { return };
    let mlp = clean(&dataset, ModelKind::Mlp, hidden, weight_decay);
    for &(kind, bound) in bounds {
        let accuracy = clean(&dataset, kind, hidden, weight_decay);
        eprintln!("{name} {kind:?}: {accuracy:.2} %, MLP {mlp:.2} %");
        assert!(accuracy >= bound, "{name} {kind:?}: {accuracy} % for {bound} %");
    }
}

#[test]
#[ignore = "slow: 40 trainings"]
fn cora() {
    at_least("cora", 16, 0.01, &[(ModelKind::Gcn, 86.0), (ModelKind::Sage, 86.0), (ModelKind::Gat, 86.0)]);
}

#[test]
#[ignore = "slow: 40 trainings"]
fn citeseer() {
    at_least("citeseer", 16, 0.01, &[(ModelKind::Gcn, 73.0), (ModelKind::Sage, 73.0), (ModelKind::Gat, 73.0)]);
}

#[test]
#[ignore = "slow: 40 trainings on 19,717 nodes"]
fn pubmed() {
    at_least("pubmed", 16, 0.001, &[(ModelKind::Gcn, 86.0), (ModelKind::Sage, 86.0), (ModelKind::Gat, 86.0)]);
}

#[test]
#[ignore = "slow: 40 trainings on 22,470 nodes"]
fn facebook() {
    at_least("facebook", 64, 0.0001, &[(ModelKind::Gcn, 92.0), (ModelKind::Sage, 92.0), (ModelKind::Gat, 92.0)]);
}
