//! What one training costs, alone in its process so that the peak of memory is its own:
//!
//! `cargo run --release -p gnn-models --example epoch_cost -- GRAPH gcn|sage|gat HIDDEN sparse|dense THREADS`
//!
//! Prints a line of JSON: the median, least and greatest time of an epoch (training step and evaluation) in seconds after
//! three to warm up, until two seconds have passed but at least three and at most fifty, and the process's peak memory.

use chacha20::{ChaCha12Rng, rand_core::SeedableRng};
use gnn_models::{
    DeviceChoice, Epoch, Error, Features, Loss, ModelConfig, ModelKind, TrainConfig, TrainData, train_with,
};
use graph_datasets::{DATA_DIR_VARIABLE, SearchPath, Split, load};
use graph_denoise::{CsrMatrix, FeatureMatrix};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

const WARM_UP: usize = 3;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [graph, kind, hidden, form, threads] = &arguments[..] else {
        return Err("GRAPH gcn|sage|gat HIDDEN sparse|dense THREADS".into());
    };
    let kind = match kind.as_str() {
        "gcn" => ModelKind::Gcn,
        "sage" => ModelKind::Sage,
        "gat" => ModelKind::Gat,
        other => return Err(format!("no model {other}: gcn, sage or gat").into()),
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let dataset = load(graph, &SearchPath::standard(None, std::env::var_os(DATA_DIR_VARIABLE).as_deref(), &root))?;
    let sparse = dataset.features().ok_or("a graph without features")?;
    let features = match form.as_str() {
        "sparse" => Features::from(sparse.clone()),
        "dense" => Features::from(dense(sparse)),
        other => return Err(format!("no form {other}: sparse or dense").into()),
    };
    let split = Split::random(dataset.nodes(), 0.5, 0.25, &mut ChaCha12Rng::seed_from_u64(1))?;
    let data = TrainData {
        graph: dataset.graph(),
        features: &features,
        labels: dataset.labels(),
        selection_labels: None,
        classes: dataset.classes(),
        train: &split.train,
        validation: &split.validation,
    };
    let model = ModelConfig { hidden: hidden.parse()?, dropout: 0.0, ..ModelConfig::new(kind) };
    let config = TrainConfig { epochs: WARM_UP + 50, loss: Loss::CrossEntropy, ..TrainConfig::default() };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.parse()?).build()?;
    let (mut times, mut last) = (Vec::new(), Instant::now());
    let mut note = |epoch: &Epoch| {
        if epoch.epoch >= WARM_UP {
            times.push(last.elapsed().as_secs_f64());
        }
        last = Instant::now();
        let enough = times.len() >= 3 && times.iter().sum::<f64>() >= 2.0;
        if enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    match pool.install(|| train_with(&data, &model, &config, DeviceChoice::Cpu, 1, &mut note)) {
        Ok(_) | Err(Error::Interrupted { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    times.sort_by(f64::total_cmp);
    let [least, median, greatest] = [0, times.len() / 2, times.len() - 1].map(|at| times[at]);
    println!(
        "{{\"graph\": \"{graph}\", \"model\": \"{kind:?}\", \"hidden\": {hidden}, \"form\": \"{form}\", \
         \"threads\": {threads}, \"median_s\": {median:.6}, \"min_s\": {least:.6}, \"max_s\": {greatest:.6}, \
         \"epochs\": {}, \"peak_rss_mib\": {:.1}}}",
        times.len(),
        peak_memory()
    );
    Ok(())
}

fn dense(sparse: &CsrMatrix) -> FeatureMatrix {
    let mut matrix = FeatureMatrix::zeros(sparse.rows(), sparse.columns());
    for (row, out) in matrix.as_mut_slice().chunks_exact_mut(sparse.columns()).enumerate() {
        let (columns, values) = sparse.row(row);
        for (&column, &value) in columns.iter().zip(values) {
            out[column as usize] = value;
        }
    }
    matrix
}

/// High-water mark of this process in MiB; NaN where the system does not tell.
fn peak_memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<f64>().ok());
    kib.map_or(f64::NAN, |kib| kib / 1024.0)
}
