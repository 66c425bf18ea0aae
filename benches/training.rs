//! Full-batch training on the CPU: twenty epochs (training step and evaluation each, dropout off) with their set-up, at
//! one thread and at two; throughput counts epochs.
//!
//! `cargo bench -p benches --bench training`. Real graphs are timed where their folder is found (`GRAPH_DATA_DIR`, else
//! `../shared/data`); a made-up graph of Cora's size always is. The peers' numbers are in `docs/performance.md`.

use std::time::Duration;

use chacha20::ChaCha12Rng;
use chacha20::rand_core::SeedableRng;
use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use gnn_models::{DeviceChoice, Features, ModelConfig, ModelKind, TrainConfig, TrainData, train};
use graph_datasets::{BlockModel, Dataset, Split, load};
use graph_denoise::FeatureMatrix;

const SEED: u64 = 17;
const EPOCHS: usize = 20;

fn datasets() -> Vec<Dataset> {
    let like_cora = BlockModel {
        nodes: 2708,
        classes: 7,
        mean_degree: 3.9,
        dimensions: 1433,
        feature_density: 0.0127,
        ..BlockModel::default()
    };
    let made_up = like_cora.generate(&mut ChaCha12Rng::seed_from_u64(SEED)).expect("valid parameters");
    let path = benches::data_folders();
    let real = ["cora", "pubmed", "facebook"]
        .into_iter()
        .filter_map(|name| load(name, &path).inspect_err(|absent| eprintln!("not timed, {name}: {absent}")).ok());
    std::iter::once(made_up).chain(real).collect()
}

fn dense(dataset: &Dataset) -> Features {
    let sparse = dataset.features().expect("these graphs have features");
    let mut matrix = FeatureMatrix::zeros(sparse.rows(), sparse.columns());
    for (row, out) in matrix.as_mut_slice().chunks_exact_mut(sparse.columns()).enumerate() {
        let (columns, values) = sparse.row(row);
        for (&column, &value) in columns.iter().zip(values) {
            out[column as usize] = value;
        }
    }
    matrix.into()
}

fn training(criterion: &mut Criterion) {
    for dataset in datasets() {
        let mut rng = ChaCha12Rng::seed_from_u64(SEED);
        let split = Split::random(dataset.nodes(), 0.25, 0.25, &mut rng).expect("shares below 1");
        let sparse = Features::from(dataset.features().expect("these graphs have features").clone());
        for (form, features) in [("sparse", sparse), ("dense", dense(&dataset))] {
            let data = TrainData {
                graph: dataset.graph(),
                features: &features,
                labels: dataset.labels(),
                selection_labels: None,
                classes: dataset.classes(),
                train: &split.train,
                validation: &split.validation,
            };
            let mut group = criterion.benchmark_group(format!("training/{}/{form}", dataset.name()));
            group.throughput(Throughput::Elements(EPOCHS as u64));
            group.sampling_mode(SamplingMode::Flat).sample_size(10).measurement_time(Duration::from_secs(3));
            let config = TrainConfig { epochs: EPOCHS, ..TrainConfig::default() };
            for kind in [ModelKind::Gcn, ModelKind::Sage, ModelKind::Gat] {
                for hidden in [16, 64] {
                    let model = ModelConfig { hidden, dropout: 0.0, ..ModelConfig::new(kind) };
                    for threads in [1, 2] {
                        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
                        let id = BenchmarkId::new(format!("{kind:?}-{hidden}"), format!("threads-{threads}"));
                        group.bench_function(id, |b| {
                            b.iter(|| pool.install(|| train(&data, &model, &config, DeviceChoice::Cpu, SEED)));
                        });
                    }
                }
            }
            group.finish();
        }
    }
}

criterion_group!(benches, training);
criterion_main!(benches);
