//! A model written to a file comes back as it was, and a bad file is refused.

use crate::graphs::planted;
use crate::pyg_vectors::folder;
use gnn_models::{DeviceChoice, Error, Model, ModelConfig, ModelKind, RowNormalization, TrainConfig, train};

#[test]
fn what_was_saved_is_loaded_and_predicts_the_same() {
    let planted = planted(80, 3, 1);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.safetensors");
    for kind in [ModelKind::Gcn, ModelKind::Sage, ModelKind::Gat, ModelKind::Mlp, ModelKind::LogisticRegression] {
        let config = ModelConfig {
            layers: 3,
            hops: 2,
            skip: true,
            normalization: RowNormalization::Layer,
            ..ModelConfig::new(kind)
        };
        let settings = TrainConfig { epochs: 8, ..TrainConfig::default() };
        let trained = train(&planted.data(), &config, &settings, DeviceChoice::Cpu, 2).unwrap();
        trained.model().save(&path).unwrap();
        let loaded = Model::load(&path).unwrap();
        assert_eq!(&loaded, trained.model());
        let logits = loaded.predict(&planted.graph, &planted.features, DeviceChoice::Cpu).unwrap();
        assert_eq!(&logits, trained.logits());
    }
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(left.len(), 1, "nothing but the model lies in the folder");
}

#[test]
fn bad_files_are_refused() {
    let folder_of_files = tempfile::tempdir().unwrap();
    let path = folder_of_files.path().join("bad.safetensors");
    let good = std::fs::read(folder().join("gcn.safetensors")).unwrap();
    let refused = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        match Model::load(&path).unwrap_err() {
            Error::File { reason, .. } => reason,
            other => other.to_string(),
        }
    };
    assert!(Model::load(&folder_of_files.path().join("absent")).is_err());
    for length in 0..good.len() {
        refused(&good[..length]);
    }
    let replaced = |from: &str, to: &str| {
        assert_eq!(from.len(), to.len());
        let at = good.windows(from.len()).position(|window| window == from.as_bytes()).unwrap();
        let mut bytes = good.clone();
        bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
        refused(&bytes)
    };
    assert!(replaced("layer0.weight", "layer0.wrong!").contains("layer0.weight"));
    assert!(replaced("gnn-models", "gnn-modelz").contains("metadata"));
    assert!(replaced("\\\"hidden\\\": 4", "\\\"hidden\\\": 0").contains("hidden width"));
    assert!(replaced("\\\"hidden\\\": 4", "\\\"hidden\\\": 9").contains("matrix of 5 × 9"));
    assert!(replaced("\\\"heads\\\": 2", "\\\"hands\\\": 2").contains("hands"));
    let mut bytes = good.clone();
    let last = bytes.len() - 4;
    bytes[last..].copy_from_slice(&f32::NAN.to_le_bytes());
    assert!(refused(&bytes).contains("not finite"));
}

#[test]
fn a_model_is_not_saved_where_it_cannot_be() {
    let model = Model::load(&folder().join("gcn.safetensors")).unwrap();
    let nowhere = std::path::Path::new("/proc/no/such/folder/model.safetensors");
    assert!(matches!(model.save(nowhere), Err(Error::File { .. })));
}
