//! Where the graph comes from.

use std::path::PathBuf;

use graph_datasets::{LabelView, SearchPath};
use serde::{Deserialize, Serialize};

use super::knob_in;
use crate::Error;

/// Where the graph comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum DatasetSpec {
    /// A published data set by its name in `data/datasets.toml`.
    Published {
        /// The name.
        name: String,
        /// Other labels than the published ones: `median` for Wikipedia, `top-K` for the K most frequent classes. Every
        /// result is marked.
        #[serde(default, skip_serializing_if = "Option::is_none", with = "label_view")]
        view: Option<LabelView>,
        /// Made-up features in place of the published ones, at the true number of columns. Every result is marked.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        synthetic_features: Option<SyntheticFeatures>,
    },
    /// A person's own graph: a folder with `labels.csv`, `edges.csv` and, if there are features, `features.csv`.
    Own {
        /// The folder.
        folder: PathBuf,
        /// Public lower bound of every feature.
        lower: f64,
        /// Public upper bound of every feature.
        upper: f64,
    },
    /// A generated graph: degree-corrected block model with class-dependent sparse binary features.
    Synthetic {
        /// Which graph of the family; part of the data, not of the experiment's seed.
        seed: u64,
        /// Number of nodes.
        nodes: usize,
        /// Number of classes, all of one size.
        classes: usize,
        /// Number of feature columns.
        dimensions: usize,
        /// Mean number of neighbours.
        mean_degree: f64,
        /// Exponent of the power law of the degrees, above 2.
        degree_exponent: f64,
        /// Expected share of edges inside a class.
        homophily: f64,
        /// Expected share of ones in a row.
        density: f64,
        /// 0: features say nothing of the class; 1: each class has its own columns.
        feature_signal: f64,
    },
    /// A generated graph of two classes whose graph says λ of the class and whose features say μ (contextual block
    /// model): the family in which features can be made to matter.
    Contextual {
        /// Which graph of the family.
        seed: u64,
        /// Number of nodes.
        nodes: usize,
        /// Number of feature columns.
        dimensions: usize,
        /// Mean number of neighbours.
        mean_degree: f64,
        /// What the graph says, from −√degree to √degree.
        lambda: f64,
        /// What the features say, at least 0.
        mu: f64,
    },
}

/// Made-up binary features for a published graph.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SyntheticFeatures {
    /// Which draw.
    pub seed: u64,
    /// Mean share of columns that a node uses.
    pub density: f64,
    /// Probability that a used column is one of those of the node's class.
    pub signal: f64,
}

impl DatasetSpec {
    /// A published data set with its published features.
    pub fn published(name: impl Into<String>) -> Self {
        Self::Published { name: name.into(), view: None, synthetic_features: None }
    }

    /// The graph that runs where no data set is at hand: six features that say much of the class, so that even one noisy
    /// bit about one of them carries some of it, and a graph of middling homophily.
    pub fn default_synthetic() -> Self {
        Self::Synthetic {
            seed: 1,
            nodes: 1500,
            classes: 3,
            dimensions: 6,
            mean_degree: 6.0,
            degree_exponent: 3.0,
            homophily: 0.45,
            density: 0.34,
            feature_signal: 1.0,
        }
    }

    /// This data set where `search` finds it, and wherever it is no published one; else its synthetic twin, after `tell`
    /// has heard what is missing and how to get it.
    ///
    /// The twin is a block model with the classes, the mean degree and the columns of the published graph, but at most
    /// 2,000 nodes and 2,000 columns, homophily 0.8 and made-up features. It shows that a program runs; its numbers say
    /// nothing of the published graph.
    ///
    /// # Errors
    /// [`Error::Data`] for a name that is in no catalog.
    pub fn or_twin(self, search: &SearchPath, tell: impl FnOnce(&str)) -> Result<Self, Error> {
        let Self::Published { name, view, .. } = &self else { return Ok(self) };
        let card = graph_datasets::card(name)?;
        let mut files = vec!["graph.npz", &card.canonical.file];
        files.dedup();
        let Err(missing) = search.find(name, &files) else { return Ok(self) };
        tell(&format!("{missing}\nHere its synthetic twin runs instead, whose numbers say nothing of {}.", card.title));
        let classes = if let Some(LabelView::Largest(kept)) = view { (*kept).min(card.classes) } else { card.classes };
        Ok(Self::Synthetic {
            seed: 1,
            nodes: card.nodes.min(2000),
            classes,
            dimensions: card.features.min(2000),
            mean_degree: 2.0 * card.edges as f64 / card.nodes as f64,
            degree_exponent: 3.0,
            homophily: 0.8,
            density: card.feature_density.unwrap_or(0.01),
            feature_signal: 0.3,
        })
    }

    /// The name in tables.
    pub fn name(&self) -> &str {
        match self {
            Self::Published { name, .. } => name,
            Self::Own { folder, .. } => folder.file_name().and_then(|name| name.to_str()).unwrap_or("own"),
            Self::Synthetic { .. } => "synthetic",
            Self::Contextual { .. } => "contextual",
        }
    }

    pub(super) fn check(&self) -> Result<(), Error> {
        match *self {
            Self::Published { synthetic_features: Some(SyntheticFeatures { density, signal, .. }), .. } => {
                knob_in("dataset.synthetic_features.density", density, 0.0..=1.0)?;
                knob_in("dataset.synthetic_features.signal", signal, 0.0..=1.0)
            }
            Self::Published { .. } => Ok(()),
            Self::Own { lower, upper, .. } => {
                knob_in("dataset.lower", lower, -1e30..=1e30)?;
                knob_in("dataset.upper", upper, lower..=1e30)
            }
            Self::Synthetic {
                nodes,
                classes,
                dimensions,
                mean_degree,
                degree_exponent,
                homophily,
                density,
                feature_signal,
                ..
            } => {
                knob_in("dataset.nodes", nodes as f64, 4.0..=1e6)?;
                knob_in("dataset.classes", classes as f64, 2.0..=nodes as f64 / 2.0)?;
                knob_in("dataset.dimensions", dimensions as f64, 1.0..=1e6)?;
                knob_in("dataset.mean_degree", mean_degree, 0.0..=nodes as f64 / 2.0)?;
                knob_in("dataset.degree_exponent", degree_exponent, 2.01..=1e3)?;
                knob_in("dataset.homophily", homophily, 0.0..=1.0)?;
                knob_in("dataset.density", density, 0.0..=1.0)?;
                knob_in("dataset.feature_signal", feature_signal, 0.0..=1.0)
            }
            Self::Contextual { nodes, dimensions, mean_degree, lambda, mu, .. } => {
                knob_in("dataset.nodes", nodes as f64, 4.0..=1e6)?;
                knob_in("dataset.dimensions", dimensions as f64, 1.0..=1e6)?;
                knob_in("dataset.mean_degree", mean_degree, 0.0..=nodes as f64 / 2.0)?;
                let most = mean_degree.sqrt();
                knob_in("dataset.lambda", lambda, -most..=most)?;
                knob_in("dataset.mu", mu, 0.0..=1e6)
            }
        }
    }
}

/// A view as the text that names it.
mod label_view {
    use graph_datasets::LabelView;
    use serde::{Deserialize, Deserializer, Serializer, de};

    pub(super) fn serialize<S: Serializer>(view: &Option<LabelView>, to: S) -> Result<S::Ok, S::Error> {
        match view {
            None => to.serialize_none(),
            Some(view) => to.collect_str(view),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<LabelView>, D::Error> {
        let text = String::deserialize(from)?;
        text.parse().map(Some).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use graph_datasets::{LabelView, SearchPath};

    use super::DatasetSpec;

    #[test]
    fn a_view_is_named_by_its_text_and_absent_without_one() {
        let text = "kind = \"published\"\nname = \"wikipedia\"\n";
        let plain = DatasetSpec::published("wikipedia");
        assert_eq!(toml::to_string(&plain).expect("text"), text);
        assert_eq!(toml::from_str::<DatasetSpec>(text).expect("a data set"), plain);
        for view in [LabelView::Median, LabelView::Largest(10)] {
            let spec =
                DatasetSpec::Published { name: "wikipedia".to_owned(), view: Some(view), synthetic_features: None };
            let text = format!("{text}view = \"{view}\"\n");
            assert_eq!(toml::to_string(&spec).expect("text"), text);
            assert_eq!(toml::from_str::<DatasetSpec>(&text).expect("a data set"), spec);
        }
        let error = toml::from_str::<DatasetSpec>(&format!("{text}view = \"mean\"")).expect_err("no such view");
        assert!(error.to_string().contains("top-K"), "{error}");
    }

    #[test]
    fn what_is_not_there_is_told_and_has_a_twin() {
        let nowhere = SearchPath::new(vec![]);
        let mut heard = String::new();
        let twin = DatasetSpec::published("cora").or_twin(&nowhere, |text| heard = text.to_owned()).expect("a twin");
        assert!(heard.contains("cargo xtask fetch cora") && heard.contains("twin"), "{heard}");
        assert!(!heard.contains("graph.npz or graph.npz"), "{heard}");
        let DatasetSpec::Synthetic { nodes: 2000, classes: 7, dimensions: 1433, mean_degree, .. } = twin else {
            panic!("{twin:?}")
        };
        assert!((mean_degree - 3.898).abs() < 1e-3);
        assert!(twin.check().is_ok());

        let own = DatasetSpec::Own { folder: "mine".into(), lower: 0.0, upper: 1.0 };
        assert_eq!(own.clone().or_twin(&nowhere, |_| panic!("told")).expect("as it is"), own);
        assert!(DatasetSpec::published("coar").or_twin(&nowhere, |_| panic!("told")).is_err());
    }
}
