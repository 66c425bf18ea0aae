//! What can be counted in a data set, under the names that the published `stats.json` files use.

use graph_denoise::CsrGraph;
use serde::Serialize;

use crate::Dataset;
use crate::scale::column_ranges;

/// Counts and shares of one data set. Shares are rounded to six decimals, densities to eight, as published.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names are those of stats.json and say what they hold")]
pub struct Statistics {
    pub nodes: usize,
    pub edges: usize,
    pub self_loops: usize,
    pub edges_as_half_of_directed_count_with_loops_once: f64,
    pub features: usize,
    pub classes: usize,
    pub isolated_nodes: usize,
    pub connected_components: usize,
    pub largest_component: usize,
    pub min_degree: usize,
    pub max_degree: usize,
    pub mean_degree: f64,
    pub class_histogram: Vec<usize>,
    pub majority_class_share: f64,
    pub edge_homophily: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels_median_histogram: Option<Vec<usize>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels_median_edge_homophily: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traffic_min_median_max: Option<(i64, f64, i64)>,
    #[serde(rename = "traffic_quantile_0.715", skip_serializing_if = "Option::is_none")]
    pub traffic_quantile: Option<f64>,
    #[serde(flatten)]
    pub feature: Option<FeatureStatistics>,
}

/// Counts of the features.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names are those of stats.json and say what they hold")]
pub struct FeatureStatistics {
    pub feature_nonzeros: usize,
    pub feature_density: f64,
    pub feature_nonzero_min: f32,
    pub feature_nonzero_max: f32,
    pub feature_min: f32,
    pub feature_max: f32,
    pub feature_distinct_nonzero_values: usize,
    pub features_binary: bool,
    pub nonzeros_per_node_min_mean_max: (usize, f64, usize),
    pub nodes_with_all_zero_features: usize,
    pub feature_columns_used: usize,
    pub feature_columns_constant: usize,
    pub feature_column_max_smallest_largest: (f32, f32),
}

/// Share of the traffic below which the published labels of Wikipedia are 0.
const PUBLISHED_QUANTILE: f64 = 0.715;

impl Dataset {
    /// Counts everything. Time O(nodes + edges + entries · log entries).
    pub fn statistics(&self) -> Statistics {
        let degrees: Vec<usize> = (0..self.nodes()).map(|node| self.graph().degree(node)).collect();
        let (components, largest) = components(self.graph());
        let histogram = self.class_counts();
        let largest_class = histogram.iter().copied().max().unwrap_or(0);
        Statistics {
            nodes: self.nodes(),
            edges: self.edges(),
            self_loops: self.self_loops().len(),
            edges_as_half_of_directed_count_with_loops_once: (2 * self.edges() + self.self_loops().len()) as f64 / 2.0,
            features: self.dimensions(),
            classes: self.classes(),
            isolated_nodes: degrees.iter().filter(|&&degree| degree == 0).count(),
            connected_components: components,
            largest_component: largest,
            min_degree: degrees.iter().copied().min().unwrap_or(0),
            max_degree: degrees.iter().copied().max().unwrap_or(0),
            mean_degree: round(2.0 * self.edges() as f64 / self.nodes() as f64, 6),
            class_histogram: histogram,
            majority_class_share: round(largest_class as f64 / self.nodes() as f64, 6),
            edge_homophily: round(edge_homophily(self.graph(), self.labels()), 6),
            labels_median_histogram: self.median_labels.as_ref().map(|labels| {
                let above = labels.iter().filter(|&&label| label == 1).count();
                vec![labels.len() - above, above]
            }),
            labels_median_edge_homophily: self
                .median_labels
                .as_ref()
                .map(|labels| round(edge_homophily(self.graph(), labels), 6)),
            traffic_min_median_max: self.traffic().map(|traffic| {
                let sorted = sorted(traffic);
                (sorted[0], quantile(&sorted, 0.5), sorted[sorted.len() - 1])
            }),
            traffic_quantile: self.traffic().map(|traffic| quantile(&sorted(traffic), PUBLISHED_QUANTILE)),
            feature: self.feature_statistics(),
        }
    }

    fn feature_statistics(&self) -> Option<FeatureStatistics> {
        let features = self.features()?;
        let values = features.values();
        let mut bits: Vec<u32> = values.iter().map(|value| value.to_bits()).collect();
        bits.sort_unstable();
        bits.dedup();
        let per_node: Vec<usize> = features.indptr().windows(2).map(|row| row[1] - row[0]).collect();
        let mut used = vec![false; features.columns()];
        features.indices().iter().for_each(|&column| used[column as usize] = true);
        let ranges = column_ranges(features);
        let largest_of_column = || ranges.iter().map(|&(_, high)| high);
        let smallest = values.iter().copied().fold(f32::INFINITY, f32::min);
        let largest = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let cells = (features.rows() * features.columns()) as f64;
        Some(FeatureStatistics {
            feature_nonzeros: values.len(),
            feature_density: round(values.len() as f64 / cells, 8),
            feature_nonzero_min: smallest,
            feature_nonzero_max: largest,
            feature_min: smallest.min(0.0),
            feature_max: largest,
            feature_distinct_nonzero_values: bits.len(),
            features_binary: values.iter().all(|&value| value == 1.0),
            nonzeros_per_node_min_mean_max: (
                per_node.iter().copied().min().unwrap_or(0),
                round(values.len() as f64 / features.rows() as f64, 4),
                per_node.iter().copied().max().unwrap_or(0),
            ),
            nodes_with_all_zero_features: per_node.iter().filter(|&&entries| entries == 0).count(),
            feature_columns_used: used.iter().filter(|&&used| used).count(),
            feature_columns_constant: ranges.iter().filter(|(low, high)| low == high).count(),
            feature_column_max_smallest_largest: (
                largest_of_column().fold(f32::INFINITY, f32::min),
                largest_of_column().fold(f32::NEG_INFINITY, f32::max),
            ),
        })
    }

    /// The smallest degree that at least a share `q` of the nodes do not exceed.
    ///
    /// # Panics
    /// When `q` is not in [0, 1].
    pub fn degree_quantile(&self, q: f64) -> usize {
        assert!((0.0..=1.0).contains(&q), "quantile {q} is not in [0, 1]");
        let mut degrees: Vec<usize> = (0..self.nodes()).map(|node| self.graph().degree(node)).collect();
        degrees.sort_unstable();
        let at = (q * degrees.len() as f64).ceil() as usize;
        degrees[at.max(1) - 1]
    }
}

/// Share of edges whose ends have the same label.
fn edge_homophily(graph: &CsrGraph, labels: &[u32]) -> f64 {
    let alike = graph.iter_edges().filter(|&(from, to)| labels[from as usize] == labels[to as usize]).count();
    alike as f64 / graph.edges() as f64
}

/// Number of connected components, and nodes of the largest.
fn components(graph: &CsrGraph) -> (usize, usize) {
    let mut seen = vec![false; graph.nodes()];
    let (mut found, mut largest) = (0, 0);
    let mut waiting = Vec::new();
    for start in 0..graph.nodes() {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        found += 1;
        let mut size = 0;
        waiting.push(start as u32);
        while let Some(node) = waiting.pop() {
            size += 1;
            for &next in graph.neighbours(node as usize) {
                if !std::mem::replace(&mut seen[next as usize], true) {
                    waiting.push(next);
                }
            }
        }
        largest = largest.max(size);
    }
    (found, largest)
}

fn sorted(values: &[i64]) -> Vec<i64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    sorted
}

/// Linear interpolation between the two nearest values, in the order of operations of `numpy.quantile`.
fn quantile(sorted: &[i64], q: f64) -> f64 {
    let place = q * (sorted.len() - 1) as f64;
    let below = place.floor() as usize;
    let (low, high) = (sorted[below] as f64, sorted[(below + 1).min(sorted.len() - 1)] as f64);
    let share = place - place.floor();
    if share < 0.5 { low + (high - low) * share } else { high - (high - low) * (1.0 - share) }
}

/// Rounds to so many decimals, halves as the decimal expansion of the binary value says.
fn round(value: f64, decimals: usize) -> f64 {
    format!("{value:.decimals$}").parse().unwrap_or(value)
}
