//! A trained model as something to keep: its shape and weights, on disk as safetensors.

use crate::network::{self, Input, Mode, Network};
use crate::parameters::{Place, values};
use crate::{DeviceChoice, Error, Features, ModelConfig};
use burn::tensor::Tensor;
use graph_denoise::{CsrGraph, FeatureMatrix};
use safetensors::{Dtype, SafeTensors, tensor::TensorView};
use std::{collections::HashMap, path::Path};

/// Key of the shape in a file's metadata.
const SHAPE_KEY: &str = "gnn-models";

/// A trained model: shape and weights, without a graph.
///
/// It may be applied to another graph with the same feature dimensions.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    config: ModelConfig,
    dimensions: usize,
    classes: usize,
    weights: Vec<Vec<f32>>,
}

#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Shape {
    config: ModelConfig,
    dimensions: usize,
    classes: usize,
}

impl Model {
    /// `weights` holds the values for each of the model's places, in their order.
    pub(crate) fn new(config: ModelConfig, dimensions: usize, classes: usize, weights: Vec<Vec<f32>>) -> Self {
        Self { config, dimensions, classes, weights }
    }

    fn places(&self) -> Vec<Place> {
        network::places(&self.config, self.dimensions, self.classes)
    }

    /// What the model looks like.
    pub fn config(&self) -> &ModelConfig {
        &self.config
    }

    /// Number of feature dimensions that it takes.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Number of classes that it tells apart.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// Number of weights.
    pub fn parameters(&self) -> usize {
        self.weights.iter().map(Vec::len).sum()
    }

    /// Logits of all nodes of a graph, nodes × classes.
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::Feature`], [`Error::Device`]; [`Error::NotFinite`] where the outputs overflow.
    pub fn predict(&self, graph: &CsrGraph, features: &Features, device: DeviceChoice) -> Result<FeatureMatrix, Error> {
        let shapes = [
            ("feature rows, one a node", graph.nodes(), features.nodes()),
            ("feature dimensions", self.dimensions, features.dimensions()),
        ];
        for (what, expected, found) in shapes {
            if expected != found {
                return Err(Error::Shape { what, expected, found });
            }
        }
        features.check()?;
        let resolved = device.resolve()?;
        let device = resolved.open()?;
        let network = Network::new(&self.config, graph, &device);
        let weights = self.places().into_iter().zip(&self.weights);
        let tensors: Vec<Tensor<2>> = weights.map(|(place, values)| place.tensor(values.clone(), &device)).collect();
        let (first, others) = tensors.split_at(network.input_weights());
        let products = Input::new(features, resolved, &device).products(first);
        let logits = values(network.forward(&products, others, Mode::Evaluate));
        FeatureMatrix::new(graph.nodes(), self.classes, logits).map_err(|_| Error::NotFinite { what: "logit" })
    }

    /// Writes the model to a safetensors file: under another name first, so that no torn file bears the name.
    ///
    /// # Errors
    /// [`Error::File`].
    pub fn save(&self, path: &Path) -> Result<(), Error> {
        let failed = |reason: &dyn std::fmt::Display| Error::File { path: path.into(), reason: reason.to_string() };
        let shape = Shape { config: self.config.clone(), dimensions: self.dimensions, classes: self.classes };
        let shape = serde_json::to_string(&shape).map_err(|error| failed(&error))?;
        let places = self.places();
        let bytes: Vec<Vec<u8>> =
            self.weights.iter().map(|values| values.iter().flat_map(|value| value.to_le_bytes()).collect()).collect();
        let mut views = Vec::new();
        for (place, bytes) in places.iter().zip(&bytes) {
            let view =
                TensorView::new(Dtype::F32, vec![place.rows, place.columns], bytes).map_err(|error| failed(&error))?;
            views.push((place.name.as_str(), view));
        }
        let metadata = HashMap::from([(SHAPE_KEY.to_owned(), shape)]);
        let file = safetensors::serialize(views, Some(metadata)).map_err(|error| failed(&error))?;
        let mut unfinished = path.as_os_str().to_owned();
        unfinished.push(".part");
        std::fs::write(&unfinished, file)
            .and_then(|()| std::fs::rename(&unfinished, path))
            .inspect_err(|_| drop(std::fs::remove_file(&unfinished)))
            .map_err(|error| failed(&error))
    }

    /// Reads a model back.
    ///
    /// # Errors
    /// [`Error::File`] when the file cannot be read, is no model, or lacks a weight of the right shape.
    pub fn load(path: &Path) -> Result<Self, Error> {
        let failed = |reason: String| Error::File { path: path.into(), reason };
        let bytes = std::fs::read(path).map_err(|error| failed(error.to_string()))?;
        let file = SafeTensors::deserialize(&bytes).map_err(|error| failed(error.to_string()))?;
        let (_, header) = SafeTensors::read_metadata(&bytes).map_err(|error| failed(error.to_string()))?;
        let shape = header.metadata().as_ref().and_then(|metadata| metadata.get(SHAPE_KEY));
        let shape = shape.ok_or_else(|| failed(format!("no `{SHAPE_KEY}` in its metadata")))?;
        let Shape { config, dimensions, classes } =
            serde_json::from_str(shape).map_err(|error| failed(error.to_string()))?;
        config.check()?;
        // A file names each of its layers and hops, and cannot make us look for more than it could hold.
        if config.depth().max(config.hops) > bytes.len() {
            return Err(failed("its shape asks for more weights than it holds".to_owned()));
        }
        let mut weights = Vec::new();
        for Place { name, rows, columns, .. } in network::places(&config, dimensions, classes) {
            let view = file.tensor(&name).map_err(|error| failed(error.to_string()))?;
            if view.dtype() != Dtype::F32 || view.shape() != [rows, columns] {
                return Err(failed(format!("`{name}` is not an f32 matrix of {rows} × {columns}")));
            }
            let words = view.data().chunks_exact(size_of::<f32>());
            let values: Vec<f32> = words.map(|word| f32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
            if values.iter().any(|value| !value.is_finite()) {
                return Err(failed(format!("`{name}` holds a value that is not finite")));
            }
            weights.push(values);
        }
        Ok(Self { config, dimensions, classes, weights })
    }
}

#[cfg(test)]
mod tests {
    use crate::network::{Input, Mode, Network};
    use crate::parameters::values;
    use crate::training::Objective;
    use crate::{DeviceChoice, EpochSelection, Features, ModelConfig, ModelKind, TrainConfig, TrainData, train};
    use burn::tensor::Tensor;
    use graph_denoise::{CsrGraph, EdgeKind, FeatureMatrix};

    /// The loss of the second epoch is that of the weights after the first in a pass of its own, with the second epoch's draws.
    #[test]
    fn each_step_starts_from_the_weights_of_the_last_with_draws_of_its_own() {
        const NODES: usize = 40;
        let edges: Vec<(u32, u32)> =
            (0..NODES as u32).flat_map(|node| [1, 3, 7].map(|step| (node, (node + step) % NODES as u32))).collect();
        let graph = CsrGraph::from_edges(NODES, &edges, EdgeKind::Undirected).expect("the edges are in range");
        let inputs = (0..NODES * 6).map(|at| ((at * 31 + 7) % 103) as f32 / 51.0 - 1.0).collect();
        let features = Features::from(FeatureMatrix::new(NODES, 6, inputs).expect("shapes fit"));
        let labels: Vec<u32> = (0..NODES as u32).map(|node| node % 3).collect();
        let (train_nodes, validation): (Vec<u32>, Vec<u32>) = (0..NODES as u32).partition(|node| node % 4 != 0);
        let data = TrainData {
            graph: &graph,
            features: &features,
            labels: &labels,
            selection_labels: None,
            classes: 3,
            train: &train_nodes,
            validation: &validation,
        };
        let mut models: Vec<ModelConfig> =
            [ModelKind::Gcn, ModelKind::Sage, ModelKind::Gat, ModelKind::Mlp].map(ModelConfig::new).into();
        models.push(ModelConfig { neighbours: Some(2), ..ModelConfig::new(ModelKind::Sage) });
        models.push(ModelConfig { attention_dropout: 0.5, ..ModelConfig::new(ModelKind::Gat) });
        for model in models {
            let settings = |epochs| TrainConfig { epochs, selection: EpochSelection::Last, ..TrainConfig::default() };
            let run = |epochs| train(&data, &model, &settings(epochs), DeviceChoice::Cpu, 9).expect("valid");
            let after_one = run(1).model;
            let device = DeviceChoice::Cpu.open().expect("there is always a CPU");
            let weights = after_one.places().into_iter().zip(&after_one.weights);
            let tensors: Vec<Tensor<2>> = weights.map(|(place, v)| place.tensor(v.clone(), &device)).collect();
            let network = Network::new(&model, &graph, &device);
            let (first, others) = tensors.split_at(network.input_weights());
            let products = Input::new(&features, DeviceChoice::Cpu, &device).products(first);
            let logits = network.forward(&products, others, Mode::Train { seed: 9, epoch: 1 });
            let config = settings(2);
            let expected = values(Objective::new(&data, &config, &device).loss(&config, logits))[0];
            let found = run(2).history[1].train_loss;
            assert!((found - f64::from(expected)).abs() < 1e-6, "{model:?}: {found} for {expected}");
        }
    }
}
