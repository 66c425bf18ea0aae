//! Trains each kind of model on the CPU and on a GPU device, holds the outputs against each other and times both.
//!
//! `cargo run --release -p gnn-models --features cuda --example gpu_check -- cuda`, or with `wgpu` in both places.
//! Ends with status 1 when an output differs by more than the tolerance.

use chacha20::{ChaCha12Rng, rand_core::SeedableRng};
use gnn_models::{
    DeviceChoice, EpochSelection, Features, ModelConfig, ModelKind, TrainConfig, TrainData, Trained, train,
};
use graph_datasets::{BlockModel, Split};
use std::{process::ExitCode, time::Instant};

/// Largest difference of two logits, relative to the largest logit: sums run in another order on the GPU, and 30 steps
/// of training carry the differences on.
const TOLERANCE: f32 = 1e-2;
const EPOCHS: usize = 30;

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let device: DeviceChoice = std::env::args().nth(1).unwrap_or_else(|| "cuda".to_owned()).parse()?;
    let device = device.resolve()?;
    let mut rng = ChaCha12Rng::seed_from_u64(1);
    let dataset = BlockModel { nodes: 3000, ..BlockModel::default() }.generate(&mut rng)?;
    let split = Split::random(dataset.nodes(), 0.25, 0.25, &mut rng)?;
    let features = Features::from(dataset.features().ok_or("the generator makes features")?.clone());
    let data = TrainData {
        graph: dataset.graph(),
        features: &features,
        labels: dataset.labels(),
        selection_labels: None,
        classes: dataset.classes(),
        train: &split.train,
        validation: &split.validation,
    };
    let config = TrainConfig { epochs: EPOCHS, selection: EpochSelection::Last, ..TrainConfig::default() };
    println!("{} nodes, {} edges, {EPOCHS} epochs, cpu against {device}", dataset.nodes(), dataset.edges());
    let mut good = true;
    for kind in [ModelKind::Gcn, ModelKind::Sage, ModelKind::Gat, ModelKind::Mlp] {
        let model = ModelConfig { dropout: 0.0, ..ModelConfig::new(kind) };
        let run = |device| -> Result<(Trained, f64), gnn_models::Error> {
            // The first run compiles the kernels.
            train(&data, &model, &TrainConfig { epochs: 2, ..config.clone() }, device, 3)?;
            let start = Instant::now();
            let trained = train(&data, &model, &config, device, 3)?;
            Ok((trained, start.elapsed().as_secs_f64() * 1e3 / EPOCHS as f64))
        };
        let (cpu, cpu_time) = run(DeviceChoice::Cpu)?;
        let (gpu, gpu_time) = run(device)?;
        let (cpu, gpu) = (cpu.logits().as_slice(), gpu.logits().as_slice());
        let largest = cpu.iter().fold(1f32, |largest, logit| largest.max(logit.abs()));
        let difference = cpu.iter().zip(gpu).fold(0f32, |most, (a, b)| most.max((a - b).abs())) / largest;
        let verdict = if difference <= TOLERANCE { "ok" } else { "TOO FAR APART" };
        good &= difference <= TOLERANCE;
        println!(
            "{kind:?}: difference {difference:.1e} {verdict}; ms an epoch: cpu {cpu_time:.2}, {device} {gpu_time:.2}"
        );
    }
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
