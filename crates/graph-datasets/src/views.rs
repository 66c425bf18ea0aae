//! Other ways to look at the same graph: other labels, fewer classes, made-up features.

use std::fmt;
use std::str::FromStr;

use graph_denoise::{CsrGraph, CsrMatrix, EdgeKind};
use rand::Rng;

use crate::synthetic::topic_words;
use crate::{Dataset, Error, FeatureRange, card};

/// Which labels to learn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum LabelView {
    /// As published.
    #[default]
    Published,
    /// Wikipedia: 1 where the traffic is at or above its median. The published labels cut at the 0.715 quantile.
    Median,
    /// Only nodes of so many most frequent classes and the edges among them, classes renumbered by descending
    /// frequency. LPGNN keeps ten of LastFM's 18.
    Largest(usize),
}

impl fmt::Display for LabelView {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Published => to.write_str("published"),
            Self::Median => to.write_str("median"),
            Self::Largest(classes) => write!(to, "top-{classes}"),
        }
    }
}

impl FromStr for LabelView {
    type Err = Error;

    /// Reads `published`, `median` or `top-K`.
    fn from_str(text: &str) -> Result<Self, Error> {
        let largest = || text.strip_prefix("top-").and_then(|classes| classes.parse().ok()).map(Self::Largest);
        match text {
            "published" => Ok(Self::Published),
            "median" => Ok(Self::Median),
            _ => largest().ok_or_else(|| Error::NoLabelView {
                name: "a data set".to_owned(),
                view: format!("{text:?}; there are published, median and top-K"),
            }),
        }
    }
}

impl Dataset {
    /// The data set with the labels of this view; marked unless they are the published ones.
    ///
    /// # Errors
    /// [`Error::NoLabelView`] for the median of a data set without traffic; [`Error::Parameter`] for fewer than two or
    /// more than all classes; [`Error::NoEdges`] when no edge is left among the nodes kept.
    pub fn view(&self, view: LabelView) -> Result<Self, Error> {
        match view {
            LabelView::Published => Ok(self.clone()),
            LabelView::Median => {
                let no_view = || Error::NoLabelView { name: self.name.clone(), view: view.to_string() };
                let mut changed = self.clone();
                changed.labels = self.median_labels.clone().ok_or_else(no_view)?;
                changed.classes = 2;
                Ok(changed.with_mark("labels: traffic at or above its median, not the published cut"))
            }
            LabelView::Largest(classes) => self.largest_classes(classes),
        }
    }

    fn largest_classes(&self, classes: usize) -> Result<Self, Error> {
        if !(2..=self.classes).contains(&classes) {
            let bound = format!("from 2 to {}", self.classes);
            return Err(Error::Parameter { what: "number of classes kept", bound, value: classes as f64 });
        }
        let counts = self.class_counts();
        let mut order: Vec<usize> = (0..self.classes).collect();
        order.sort_by_key(|&class| std::cmp::Reverse(counts[class]));
        let mut renumbered = vec![None; self.classes];
        for (new, &old) in order[..classes].iter().enumerate() {
            renumbered[old] = Some(new as u32);
        }
        let kept: Vec<u32> = (0..self.nodes() as u32)
            .filter(|&node| renumbered[self.labels[node as usize] as usize].is_some())
            .collect();
        let mut changed = self.induced(&kept)?;
        changed.labels = kept.iter().filter_map(|&node| renumbered[self.labels[node as usize] as usize]).collect();
        changed.classes = classes;
        let (nodes, all) = (kept.len(), self.nodes());
        Ok(changed.with_mark(format!(
            "labels: the {classes} largest of {} classes, {nodes} of {all} nodes and the edges among them",
            self.classes
        )))
    }

    /// The nodes listed (ascending) and the edges among them. Labels are carried over as they are; the public split,
    /// which would not be public's any more, is dropped.
    fn induced(&self, kept: &[u32]) -> Result<Self, Error> {
        let mut place = vec![None; self.nodes()];
        for (new, &old) in kept.iter().enumerate() {
            place[old as usize] = Some(new as u32);
        }
        let list = |nodes: &[u32]| nodes.iter().filter_map(|&node| place[node as usize]).collect::<Vec<u32>>();
        let edges: Vec<(u32, u32)> =
            self.graph.iter_edges().filter_map(|(from, to)| place[from as usize].zip(place[to as usize])).collect();
        if edges.is_empty() {
            return Err(Error::NoEdges);
        }
        let mut induced = self.clone();
        induced.graph = CsrGraph::from_edges(kept.len(), &edges, EdgeKind::Undirected)?;
        induced.self_loops = list(&self.self_loops);
        induced.unlabelled = list(&self.unlabelled);
        induced.features = self.features.as_ref().map(|features| rows(features, kept)).transpose()?;
        induced.labels = kept.iter().map(|&node| self.labels[node as usize]).collect();
        let of = |values: &[i64]| kept.iter().map(|&node| values[node as usize]).collect();
        induced.traffic = self.traffic.as_deref().map(of);
        induced.median_labels = None;
        induced.public_split = None;
        Ok(induced)
    }

    /// The data set with made-up binary features at its true number of columns, in place of any it has.
    ///
    /// `density` is the mean share of columns that a node uses, `signal` the probability that a used column is one of
    /// those that belong to the node's class; see [`BlockModel`](crate::BlockModel). Marked: these features say what
    /// `signal` makes them say, nothing about the real ones.
    ///
    /// # Errors
    /// [`Error::Parameter`] when `density` or `signal` is not in [0, 1] or there are fewer columns than classes.
    pub fn with_synthetic_features<R: Rng + ?Sized>(
        &self,
        density: f64,
        signal: f64,
        rng: &mut R,
    ) -> Result<Self, Error> {
        for (what, value) in [("feature density", density), ("feature signal", signal)] {
            if !(0.0..=1.0).contains(&value) {
                return Err(Error::Parameter { what, bound: "from 0 to 1".to_owned(), value });
            }
        }
        if self.dimensions < self.classes {
            let bound = format!("at least {}, one a class", self.classes);
            return Err(Error::Parameter { what: "feature columns", bound, value: self.dimensions as f64 });
        }
        let mut changed = self.clone();
        changed.features = Some(topic_words(&self.labels, self.classes, self.dimensions, density, signal, rng)?);
        changed.feature_range = FeatureRange::UNIT;
        Ok(changed.with_mark(format!(
            "features: synthetic, {} columns, density {density}, class signal {signal}; no real feature is in them",
            self.dimensions
        )))
    }

    /// Share of the feature entries that are not zero: of the features at hand, else of the real ones as the catalog
    /// knows it (LastFM: about 2.9 million of 7,624 × 7,842), else nothing.
    pub fn true_density(&self) -> Option<f64> {
        match &self.features {
            Some(features) => Some(features.entries() as f64 / (features.rows() * features.columns()) as f64),
            None => card(&self.name).ok()?.feature_density,
        }
    }

    /// As [`Dataset::with_synthetic_features`], at [`Dataset::true_density`]. `signal` has no true value: it says how
    /// much the features are to tell about the class, and each result states it.
    ///
    /// # Errors
    /// [`Error::NoFeatures`] where no density is known; those of [`Dataset::with_synthetic_features`].
    pub fn with_synthetic_features_of_true_density<R: Rng + ?Sized>(
        &self,
        signal: f64,
        rng: &mut R,
    ) -> Result<Self, Error> {
        let density = self.true_density().ok_or_else(|| Error::NoFeatures { name: self.name.clone() })?;
        self.with_synthetic_features(density, signal, rng)
    }
}

fn rows(features: &CsrMatrix, kept: &[u32]) -> Result<CsrMatrix, Error> {
    let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for &row in kept {
        let (columns, row_values) = features.row(row as usize);
        indices.extend_from_slice(columns);
        values.extend_from_slice(row_values);
        indptr.push(indices.len());
    }
    Ok(CsrMatrix::new(features.columns(), indptr, indices, values)?)
}
