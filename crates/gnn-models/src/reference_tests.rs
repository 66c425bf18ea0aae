//! Losses and gradients against a second implementation: dense, in f64, without any kernel of this crate, its
//! derivatives by central differences (step 1e-5, so exact to about 1e-9).

use crate::counter::{Counter, Purpose};
use crate::network::{self, Input, Mode, Network};
use crate::parameters::values;
use crate::training::Objective;
use crate::{
    Activation, DeviceChoice, Features, LabelNoise, Loss, ModelConfig, ModelKind, RowNormalization, TrainConfig,
    TrainData,
};
use burn::tensor::Tensor;
use graph_denoise::{CsrGraph, EdgeKind, FeatureMatrix};

const NODES: usize = 9;
const INPUTS: usize = 5;
const CLASSES: usize = 3;
const LABELS: [u32; NODES] = [0, 1, 2, 0, 1, 2, 0, 1, 2];
const TRAIN: [u32; 5] = [0, 1, 2, 3, 5];
const VALIDATION: [u32; 2] = [4, 6];

type Matrix = Vec<Vec<f64>>;

/// Node 8 is isolated, node 2 lists itself.
fn graph() -> CsrGraph {
    let edges = [(0, 1), (0, 2), (1, 2), (2, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 7), (1, 7)];
    CsrGraph::from_edges(NODES, &edges, EdgeKind::Undirected).expect("the edges are in range")
}

fn inputs() -> Matrix {
    let value = |at: usize| ((at * 7919 + 13) % 101) as f32 / 50.0 - 1.0;
    (0..NODES).map(|row| (0..INPUTS).map(|column| f64::from(value(row * INPUTS + column))).collect()).collect()
}

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    let columns = b[0].len();
    a.iter()
        .map(|row| (0..columns).map(|column| row.iter().zip(b).map(|(value, b)| value * b[column]).sum()).collect())
        .collect()
}

fn map2(a: &Matrix, b: &Matrix, f: impl Fn(f64, f64) -> f64) -> Matrix {
    a.iter().zip(b).map(|(a, b)| a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect()).collect()
}

fn weights(loops: bool, value: impl Fn(f64, f64) -> f64) -> Matrix {
    let graph = graph();
    let mut adjacency = vec![vec![0f64; NODES]; NODES];
    for (u, row) in adjacency.iter_mut().enumerate() {
        for &v in graph.neighbours(u) {
            row[v as usize] = 1.0;
        }
        if loops {
            row[u] = 1.0;
        }
    }
    let degrees: Vec<f64> = adjacency.iter().map(|row| row.iter().sum()).collect();
    let entry = |u: usize, v: usize| if adjacency[u][v] > 0.0 { value(degrees[u], degrees[v]) } else { 0.0 };
    (0..NODES).map(|u| (0..NODES).map(|v| entry(u, v)).collect()).collect()
}

fn symmetric(loops: bool) -> Matrix {
    weights(loops, |u, v| 1.0 / (u * v).sqrt())
}

/// `factor` is what an entry's weight is multiplied by, from its number in the lists and its head.
fn attention(x: &Matrix, source: &Matrix, target: &Matrix, factor: impl Fn(usize, usize) -> f64) -> Matrix {
    let (heads, width) = (source.len(), source[0].len());
    let lists = weights(true, |_, _| 1.0);
    let score = |vectors: &Matrix, node: usize, head: usize| -> f64 {
        (0..width).map(|at| vectors[head][at] * x[node][head * width + at]).sum()
    };
    let of = |i: usize| (0..NODES).filter(|&j| lists[i][j] > 0.0).collect::<Vec<_>>();
    let row = |i: usize| {
        let first: usize = (0..i).map(|row| of(row).len()).sum();
        (0..heads * width)
            .map(|column| {
                let head = column / width;
                let (mut sum, mut total) = (0.0, 0.0);
                for (at, j) in of(i).into_iter().enumerate() {
                    let raw = score(target, i, head) + score(source, j, head);
                    let weight = if raw > 0.0 { raw } else { 0.2 * raw }.exp();
                    sum += factor(first + at, head) * weight * x[j][column];
                    total += weight;
                }
                sum / total
            })
            .collect()
    };
    (0..NODES).map(row).collect()
}

/// Seed and epoch of the training pass that the tests compare.
const PASS: (u64, usize) = (7, 3);

/// The factors of attention dropout in that pass; none where nothing is dropped.
fn attention_factors(config: &ModelConfig, layer: usize) -> Vec<f32> {
    let entries = weights(true, |_, _| 1.0).iter().flatten().filter(|&&listed| listed > 0.0).count();
    let heads = if layer + 1 == config.depth() { 1 } else { config.heads };
    let stream = Counter::new(PASS.0, Purpose::AttentionDropout, PASS.1 as u64, layer as u64);
    if config.attention_dropout == 0.0 { Vec::new() } else { stream.mask(entries * heads, config.attention_dropout) }
}

fn activation(kind: Activation, x: f64) -> f64 {
    match kind {
        Activation::Identity => x,
        Activation::Relu => x.max(0.0),
        Activation::Elu => {
            if x > 0.0 {
                x
            } else {
                x.exp_m1()
            }
        }
        Activation::Selu => 1.050_700_987_355_480_5 * if x > 0.0 { x } else { 1.673_263_242_354_377_2 * x.exp_m1() },
    }
}

fn normalized(kind: RowNormalization, x: &Matrix) -> Matrix {
    x.iter()
        .map(|row| {
            let mean = if kind == RowNormalization::Layer { row.iter().sum::<f64>() / row.len() as f64 } else { 0.0 };
            let centred: Vec<f64> = row.iter().map(|value| value - mean).collect();
            let squared: f64 = centred.iter().map(|value| value * value).sum();
            let scale = match kind {
                RowNormalization::None => 1.0,
                RowNormalization::Layer => (squared / row.len() as f64 + 1e-5).sqrt(),
                RowNormalization::Unit => (squared + 1e-5).sqrt(),
            };
            centred.iter().map(|value| value / scale).collect()
        })
        .collect()
}

fn forward(config: &ModelConfig, parameters: &[Matrix]) -> Matrix {
    let mut parameters = parameters.iter();
    let mut next = || parameters.next().expect("a parameter for each place");
    let mut hidden = inputs();
    for layer in 0..config.depth() {
        let last = layer + 1 == config.depth();
        let mut term = || {
            let mut sum = product(&hidden, next());
            let mut reached = hidden.clone();
            for _ in 0..if layer == 0 { config.hops } else { 0 } {
                reached = product(&symmetric(false), &reached);
                sum = map2(&sum, &product(&reached, next()), |a, b| a + b);
            }
            sum
        };
        let first = term();
        let mut sums = match config.kind {
            ModelKind::Gcn => product(&symmetric(true), &first),
            ModelKind::Sage => {
                let own = term();
                map2(&product(&weights(false, |degree, _| 1.0 / degree), &first), &own, |a, b| a + b)
            }
            ModelKind::Gat => {
                let mask = attention_factors(config, layer);
                let heads = if last { 1 } else { config.heads };
                attention(&first, next(), next(), |entry, head| {
                    mask.get(entry * heads + head).map_or(1.0, |&m| m.into())
                })
            }
            ModelKind::Mlp | ModelKind::LogisticRegression => first,
        };
        if !last {
            sums = normalized(config.normalization, &sums);
            if config.normalization == RowNormalization::Layer {
                let gain = next();
                sums = sums.iter().map(|row| row.iter().zip(&gain[0]).map(|(a, b)| a * b).collect()).collect();
            }
        }
        let bias = &next()[0];
        let kind = if last { Activation::Identity } else { config.activation };
        let mut output: Matrix =
            sums.iter().map(|row| row.iter().zip(bias).map(|(a, b)| activation(kind, a + b)).collect()).collect();
        if config.skip && layer > 0 && !last {
            output = map2(&output, &hidden, |a, b| a + b);
        }
        if config.dropout > 0.0 && !last {
            let stream = Counter::new(PASS.0, Purpose::Dropout, PASS.1 as u64, layer as u64);
            let columns = output[0].len();
            let mask = stream.mask(NODES * columns, config.dropout);
            let mask = mask.chunks(columns).map(|row| row.iter().map(|&factor| f64::from(factor)).collect()).collect();
            output = map2(&output, &mask, |value, factor| value * factor);
        }
        hidden = output;
    }
    hidden
}

fn softmax(x: &Matrix) -> Matrix {
    x.iter()
        .map(|row| {
            let total: f64 = row.iter().map(|value| value.exp()).sum();
            row.iter().map(|value| value.exp() / total).collect()
        })
        .collect()
}

fn reference_loss(config: &ModelConfig, loss: &Loss, parameters: &[Matrix]) -> f64 {
    let mut probabilities = softmax(&forward(config, parameters));
    let one_hot = |label: u32| (0..CLASSES).map(|class| if class == label as usize { 1.0 } else { 0.0 }).collect();
    let mut targets: Matrix = LABELS.iter().map(|&label| one_hot(label)).collect();
    let correct = |x: &Matrix, noise: LabelNoise| -> Matrix {
        x.iter()
            .map(|row| {
                let entry = |to: usize| {
                    (0..CLASSES).map(|from| row[from] * if from == to { noise.keep } else { noise.flip }).sum()
                };
                (0..CLASSES).map(entry).collect()
            })
            .collect()
    };
    match *loss {
        Loss::CrossEntropy => {}
        Loss::ForwardCorrection { noise } => probabilities = correct(&probabilities, noise),
        Loss::Posterior { noise } => {
            let mut prior = [0f64; CLASSES];
            TRAIN.iter().for_each(|&node| prior[LABELS[node as usize] as usize] += 1.0 / TRAIN.len() as f64);
            let prior = prior.map(|share| ((share - noise.flip) / (noise.keep - noise.flip)).max(0.0));
            for (row, &label) in targets.iter_mut().zip(&LABELS) {
                for (class, target) in row.iter_mut().enumerate() {
                    *target = prior[class] * if class == label as usize { noise.keep } else { noise.flip };
                }
                let total: f64 = row.iter().sum();
                row.iter_mut().for_each(|target| *target /= total);
            }
        }
        Loss::Drop { noise, steps } => {
            if let Some(noise) = noise {
                probabilities = correct(&probabilities, noise);
            }
            let known = |node: u32| TRAIN.contains(&node) || VALIDATION.contains(&node);
            let mut votes: Matrix = (0..NODES as u32)
                .map(|node| if known(node) { one_hot(LABELS[node as usize]) } else { vec![0.0; CLASSES] })
                .collect();
            for _ in 0..steps {
                probabilities = product(&symmetric(false), &probabilities);
                votes = product(&symmetric(false), &votes);
            }
            if steps > 0 {
                probabilities = softmax(&probabilities);
                for (row, votes) in targets.iter_mut().zip(&votes) {
                    let best = (0..CLASSES).rev().max_by(|&a, &b| votes[a].total_cmp(&votes[b])).expect("a class");
                    *row = one_hot(best as u32);
                }
            }
        }
    }
    let of = |node: u32| -> f64 {
        let (target, probability) = (&targets[node as usize], &probabilities[node as usize]);
        -target.iter().zip(probability).map(|(t, p)| t * p.ln()).sum::<f64>()
    };
    TRAIN.iter().map(|&node| of(node)).sum::<f64>() / TRAIN.len() as f64
}

/// Compares loss (1e-5) and every derivative (1e-4 of the largest one) of one model and loss.
fn compare(config: &ModelConfig, loss: Loss, device: DeviceChoice) {
    let resolved = device.resolve().expect("the device is there");
    let device = resolved.open().expect("the device is there");
    let graph = graph();
    let flat: Vec<f32> = inputs().concat().iter().map(|&value| value as f32).collect();
    let features = Features::from(FeatureMatrix::new(NODES, INPUTS, flat).expect("shapes fit"));
    let data = TrainData {
        graph: &graph,
        features: &features,
        labels: &LABELS,
        selection_labels: None,
        classes: CLASSES,
        train: &TRAIN,
        validation: &VALIDATION,
    };
    let settings = TrainConfig { loss, ..TrainConfig::default() };
    let places = network::places(config, INPUTS, CLASSES);
    // Biases away from 0, so that a forgotten one shows.
    let drawn: Vec<Vec<f32>> = places
        .iter()
        .enumerate()
        .map(|(number, place)| {
            place.draw(4, number).iter().enumerate().map(|(k, v)| v + 0.05 * (k % 5) as f32).collect()
        })
        .collect();
    let weights: Vec<Tensor<2>> =
        places.iter().zip(&drawn).map(|(place, v)| place.tensor(v.clone(), &device)).collect();
    let network = Network::new(config, &graph, &device);
    let input = Input::new(&features, resolved, &device);
    let first = network.input_weights();
    let leaves = input.products(&weights[..first]).into_iter().chain(weights[first..].iter().cloned());
    let tracked: Vec<Tensor<2>> = leaves.map(|leaf| leaf.autodiff().require_grad()).collect();
    let mode = Mode::Train { seed: PASS.0, epoch: PASS.1 };
    let logits = network.forward(&tracked[..first], &tracked[first..], mode);
    let ours = Objective::new(&data, &settings, &device).loss(&settings, logits);
    let mut tape = ours.backward();
    let mut parameters: Vec<Matrix> = places
        .iter()
        .zip(&drawn)
        .map(|(place, v)| v.chunks(place.columns).map(|row| row.iter().map(|&v| f64::from(v)).collect()).collect())
        .collect();
    let theirs = reference_loss(config, &loss, &parameters);
    let ours = f64::from(values(ours.inner())[0]);
    let mut gradients: Vec<Tensor<2>> =
        tracked.iter().map(|leaf| leaf.grad_remove(&mut tape).expect("each parameter has a gradient")).collect();
    let by_products: Vec<_> = gradients.drain(..first).collect();
    gradients.splice(0..0, input.weight_gradients(&by_products));
    assert!((ours - theirs).abs() < 1e-5 * theirs.abs().max(1.0), "{config:?} {loss:?}: loss {ours} for {theirs}");

    for (number, place) in places.iter().enumerate() {
        let gradient = values(gradients[number].clone());
        let mut differences = Vec::new();
        for row in 0..place.rows {
            for column in 0..place.columns {
                let kept = parameters[number][row][column];
                let mut at = |value: f64| {
                    parameters[number][row][column] = value;
                    reference_loss(config, &loss, &parameters)
                };
                differences.push((at(kept + 1e-5) - at(kept - 1e-5)) / 2e-5);
                parameters[number][row][column] = kept;
            }
        }
        let largest = differences.iter().fold(1e-3f64, |largest, value| largest.max(value.abs()));
        for (&ours, &theirs) in gradient.iter().zip(&differences) {
            let error = (f64::from(ours) - theirs).abs();
            assert!(error < 1e-4 * largest, "{config:?} {loss:?} {}: {ours} for {theirs}", place.name);
        }
    }
}

fn plain(kind: ModelKind) -> ModelConfig {
    ModelConfig { hidden: 4, heads: 2, dropout: 0.0, ..ModelConfig::new(kind) }
}

const KINDS: [ModelKind; 5] =
    [ModelKind::Gcn, ModelKind::Sage, ModelKind::Gat, ModelKind::Mlp, ModelKind::LogisticRegression];

#[test]
fn each_kind_and_activation() {
    for kind in KINDS {
        for activation in [Activation::Selu, Activation::Relu, Activation::Elu, Activation::Identity] {
            compare(&ModelConfig { activation, ..plain(kind) }, Loss::CrossEntropy, DeviceChoice::Cpu);
        }
    }
}

#[test]
fn depth_hops_skip_and_normalization() {
    for kind in KINDS {
        for normalization in [RowNormalization::None, RowNormalization::Layer, RowNormalization::Unit] {
            let config = ModelConfig { layers: 3, hops: 2, skip: true, normalization, ..plain(kind) };
            compare(&config, Loss::CrossEntropy, DeviceChoice::Cpu);
        }
    }
}

/// Widths and numbers of heads that have loops of their own, and such as have not. With an activation that has no kink
/// where the one neighbour of a node, itself, is dropped.
#[test]
fn heads_and_widths_of_attention() {
    for (heads, hidden) in [(1, 16), (3, 11), (4, 16), (4, 64), (8, 8)] {
        let config =
            ModelConfig { heads, hidden, attention_dropout: 0.3, activation: Activation::Elu, ..plain(ModelKind::Gat) };
        compare(&config, Loss::CrossEntropy, DeviceChoice::Cpu);
    }
}

#[test]
fn dropout_of_hidden_layers() {
    for kind in KINDS {
        let config = ModelConfig { layers: 3, dropout: 0.4, skip: true, ..plain(kind) };
        compare(&config, Loss::CrossEntropy, DeviceChoice::Cpu);
    }
}

#[test]
fn attention_dropout() {
    compare(&ModelConfig { attention_dropout: 0.4, ..plain(ModelKind::Gat) }, Loss::CrossEntropy, DeviceChoice::Cpu);
}

#[test]
fn each_loss() {
    let noise = LabelNoise { keep: 0.5, flip: 0.25 };
    let losses = [
        Loss::ForwardCorrection { noise },
        Loss::Posterior { noise },
        Loss::Drop { noise: Some(noise), steps: 0 },
        Loss::Drop { noise: Some(noise), steps: 3 },
        Loss::Drop { noise: None, steps: 2 },
    ];
    for loss in losses {
        for kind in [ModelKind::Gcn, ModelKind::Sage] {
            compare(&plain(kind), loss, DeviceChoice::Cpu);
        }
    }
}

/// The GPU kernels, on whatever device wgpu or CUDA finds.
#[cfg(feature = "cube")]
#[test]
fn on_the_gpu() {
    for device in [DeviceChoice::Cuda(0), DeviceChoice::Wgpu] {
        if let Err(absent) = device.resolve() {
            eprintln!("not run: {absent}");
            continue;
        }
        for kind in KINDS {
            compare(&plain(kind), Loss::CrossEntropy, device);
        }
        eprintln!("run on {device}");
    }
}
