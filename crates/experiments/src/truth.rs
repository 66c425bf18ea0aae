//! The true values of a data set, which only this crate holds beside a report.

use graph_datasets::{
    BlockModel, ContextualBlockModel, Dataset, FeatureRange, OwnData, Scaling, SearchPath, import_own,
};
use graph_denoise::CsrMatrix;
use sha2::{Digest, Sha256};

use crate::record::DataStamp;
use crate::{DatasetSpec, Error, Seed, SyntheticFeatures};

/// A loaded data set and what records say of it.
#[derive(Debug)]
pub struct Truth {
    spec: DatasetSpec,
    dataset: Dataset,
    stamp: DataStamp,
}

impl Truth {
    /// Loads a published data set from where `search` finds it, or generates a synthetic one.
    ///
    /// # Errors
    /// [`Error::Data`]: the file is missing, damaged or not the published one; the message says how to get it.
    pub fn load(spec: &DatasetSpec, search: &SearchPath) -> Result<Self, Error> {
        let dataset = match spec {
            DatasetSpec::Published { name, view, synthetic_features } => {
                let mut published = graph_datasets::load(name, search)?;
                if let Some(view) = view {
                    published = published.view(*view)?;
                }
                match synthetic_features {
                    None => published,
                    Some(SyntheticFeatures { seed, density, signal }) => {
                        let mut rng = Seed::root(*seed).child("synthetic features").rng();
                        published.with_synthetic_features(*density, *signal, &mut rng)?
                    }
                }
            }
            DatasetSpec::Own { folder, lower, upper } => {
                let feature_range = FeatureRange::Uniform { low: *lower as f32, high: *upper as f32 };
                let own = OwnData { name: spec.name().to_owned(), feature_range };
                import_own(folder, &own)?.dataset
            }
            &DatasetSpec::Contextual { seed, nodes, dimensions, mean_degree, lambda, mu } => {
                ContextualBlockModel { nodes, mean_degree, dimensions, lambda, mu }
                    .generate(&mut Seed::root(seed).child("contextual graph").rng())?
            }
            &DatasetSpec::Synthetic {
                seed,
                nodes,
                classes,
                dimensions,
                mean_degree,
                degree_exponent,
                homophily,
                density,
                feature_signal,
            } => BlockModel {
                nodes,
                classes,
                mean_degree,
                homophily,
                degree_exponent,
                dimensions,
                feature_density: density,
                feature_signal,
            }
            .generate(&mut Seed::root(seed).child("synthetic graph").rng())?,
        };
        let sha256 = dataset.sha256().map_or_else(|| content_hash(&dataset), str::to_owned);
        let stamp = DataStamp {
            name: spec.name().to_owned(),
            sha256,
            nodes: dataset.nodes(),
            edges: dataset.edges(),
            dimensions: dataset.dimensions(),
            classes: dataset.classes(),
            notes: dataset.marks().to_vec(),
        };
        let dataset = if dataset.features().is_some() { dataset.scaled(Scaling::PublicRange)? } else { dataset };
        Ok(Self { spec: spec.clone(), dataset, stamp })
    }

    /// What was asked for.
    pub fn spec(&self) -> &DatasetSpec {
        &self.spec
    }

    /// The data.
    pub fn dataset(&self) -> &Dataset {
        &self.dataset
    }

    /// The true features, each in [0, 1] by the data set's public range.
    ///
    /// # Errors
    /// [`Error::Data`] for a published data set without features, [`Error::NoFeatures`] for a graph of one's own.
    pub fn features(&self) -> Result<&CsrMatrix, Error> {
        let missing = || match &self.spec {
            DatasetSpec::Own { folder, .. } => Error::NoFeatures { folder: folder.clone() },
            _ => graph_datasets::Error::NoFeatures { name: self.dataset.name().to_owned() }.into(),
        };
        self.dataset.features().ok_or_else(missing)
    }

    /// What records say of it.
    pub fn stamp(&self) -> &DataStamp {
        &self.stamp
    }
}

/// SHA-256 over a generated data set's arrays.
fn content_hash(dataset: &Dataset) -> String {
    let mut hash = Sha256::new();
    for (u, v) in dataset.graph().iter_edges() {
        hash.update(u.to_le_bytes());
        hash.update(v.to_le_bytes());
    }
    for &label in dataset.labels() {
        hash.update(label.to_le_bytes());
    }
    if let Some(features) = dataset.features() {
        features.indptr().iter().for_each(|&start| hash.update((start as u64).to_le_bytes()));
        features.indices().iter().for_each(|&column| hash.update(column.to_le_bytes()));
        features.values().iter().for_each(|&value| hash.update(value.to_le_bytes()));
    }
    hex::encode(hash.finalize())
}
