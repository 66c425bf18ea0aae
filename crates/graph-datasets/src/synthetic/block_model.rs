//! Degree-corrected block model with features.

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

use super::draw::AliasTable;
use super::topic_words;
use crate::{Dataset, DatasetParts, Error, FeatureRange};

/// Parameters of a degree-corrected stochastic block model [KN11] with sparse binary features.
///
/// Every node has an attraction θ; an edge joins two nodes with probability proportional to θ_u·θ_v within its kind
/// (same class or different classes), and exactly a share `homophily` of the edges is expected to be of the first
/// kind. Different from [KN11]: the number of edges is fixed and edges are drawn without replacement, so that a graph
/// has exactly `nodes · mean_degree / 2` of them, rounded.
///
/// ```
/// use chacha20::ChaCha12Rng;
/// use chacha20::rand_core::SeedableRng;
/// use graph_datasets::BlockModel;
///
/// let model = BlockModel { nodes: 300, homophily: 0.8, ..BlockModel::default() };
/// let dataset = model.generate(&mut ChaCha12Rng::seed_from_u64(1))?;
/// assert_eq!(dataset.edges(), 600);
/// # Ok::<(), graph_datasets::Error>(())
/// ```
///
/// [KN11]: https://arxiv.org/abs/1008.3926
#[derive(Debug, Clone, PartialEq)]
pub struct BlockModel {
    /// Number of nodes.
    pub nodes: usize,
    /// Number of classes; their sizes differ by at most one.
    pub classes: usize,
    /// Mean degree.
    pub mean_degree: f64,
    /// Expected share of edges whose ends have the same class. `1 / classes` is a graph that says nothing, less is a
    /// heterophilous one.
    pub homophily: f64,
    /// Exponent γ of the power law P(θ) ∝ θ^−γ of the attractions, cut off at √nodes; above 2, and infinite for equal
    /// attractions.
    pub degree_exponent: f64,
    /// Number of feature columns; 0 makes a graph without features.
    pub dimensions: usize,
    /// Mean share of the columns that a node uses.
    pub feature_density: f64,
    /// Probability that a used column is drawn from the node's class; 0 says nothing, 1 gives the class away.
    pub feature_signal: f64,
}

impl Default for BlockModel {
    /// A small relative of Cora: 2,000 nodes, 5 classes, mean degree 4, homophily 0.8, 500 columns.
    fn default() -> Self {
        Self {
            nodes: 2000,
            classes: 5,
            mean_degree: 4.0,
            homophily: 0.8,
            degree_exponent: 3.0,
            dimensions: 500,
            feature_density: 0.02,
            feature_signal: 0.3,
        }
    }
}

impl BlockModel {
    /// As the default, but neighbours mostly are of other classes: homophily 0.05 where chance is 0.2.
    pub fn heterophilous() -> Self {
        Self { homophily: 0.05, ..Self::default() }
    }

    /// A graph of so many nodes and mean degree 20, 10 classes, 100 columns of which a node uses five: with 10⁶ nodes,
    /// 10⁷ edges.
    pub fn of_size(nodes: usize) -> Self {
        Self { nodes, classes: 10, mean_degree: 20.0, dimensions: 100, feature_density: 0.05, ..Self::default() }
    }

    /// Draws labels, graph and features.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a parameter outside its bounds; [`Error::TooFewNodes`] below two nodes a class;
    /// [`Error::TooFewClasses`]; [`Error::NoEdges`] when the mean degree rounds to no edge at all.
    ///
    /// # Complexity
    /// Time O((nodes + edges) log edges), space O(nodes + edges), above the features'.
    pub fn generate<R: Rng + ?Sized>(&self, rng: &mut R) -> Result<Dataset, Error> {
        self.check()?;
        let labels = balanced_labels(self.nodes, self.classes, rng);
        let edges = self.draw_edges(&labels, rng)?;
        let features = match self.dimensions {
            0 => None,
            columns => {
                Some(topic_words(&labels, self.classes, columns, self.feature_density, self.feature_signal, rng)?)
            }
        };
        let dataset = Dataset::new(DatasetParts {
            name: "synthetic".to_owned(),
            nodes: self.nodes,
            edges,
            self_loops: Vec::new(),
            features,
            dimensions: self.dimensions,
            feature_range: FeatureRange::UNIT,
            labels,
            classes: self.classes,
        })?;
        Ok(dataset.with_mark(format!(
            "synthetic: degree-corrected block model, homophily {}, feature signal {}, feature density {}",
            self.homophily, self.feature_signal, self.feature_density
        )))
    }

    fn check(&self) -> Result<(), Error> {
        if self.classes < 2 {
            return Err(Error::TooFewClasses { classes: self.classes });
        }
        if self.nodes / 2 < self.classes {
            let at_least = self.classes.saturating_mul(2);
            return Err(Error::TooFewNodes { what: "two nodes a class", nodes: self.nodes, at_least });
        }
        if self.nodes > i32::MAX as usize {
            return Err(Error::TooLarge { what: "nodes".to_owned(), found: self.nodes as u64, limit: i32::MAX as u64 });
        }
        // Above half of all pairs of either kind the drawing without replacement would not end quickly.
        let class = (self.nodes / self.classes) as f64;
        let within = (self.homophily > 0.0).then(|| (class - 1.0) / self.homophily);
        let between = (self.homophily < 1.0).then(|| (self.nodes as f64 - class - 1.0) / (1.0 - self.homophily));
        let densest = within.into_iter().chain(between).fold(f64::INFINITY, f64::min) / 2.0;
        let bounds = [
            ("mean_degree", self.mean_degree, 0.0, densest),
            ("homophily", self.homophily, 0.0, 1.0),
            ("feature_density", self.feature_density, 0.0, 1.0),
            ("feature_signal", self.feature_signal, 0.0, 1.0),
        ];
        for (what, value, low, high) in bounds {
            if !(low..=high).contains(&value) {
                return Err(Error::Parameter { what, bound: format!("from {low} to {high}"), value });
            }
        }
        if self.degree_exponent.is_nan() || self.degree_exponent <= 2.0 {
            let bound = "above 2".to_owned();
            return Err(Error::Parameter { what: "degree_exponent", bound, value: self.degree_exponent });
        }
        let columns = self.classes..=i32::MAX as usize;
        if self.dimensions > 0 && !columns.contains(&self.dimensions) {
            let bound = format!("0, or from {} (one column a class) to {}", self.classes, i32::MAX);
            return Err(Error::Parameter { what: "dimensions", bound, value: self.dimensions as f64 });
        }
        Ok(())
    }

    fn draw_edges<R: Rng + ?Sized>(&self, labels: &[u32], rng: &mut R) -> Result<Vec<(u32, u32)>, Error> {
        let target = (self.nodes as f64 * self.mean_degree / 2.0).round() as usize;
        let attraction: Vec<f64> = (0..self.nodes).map(|_| self.attraction(rng)).collect();
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); self.classes];
        for (node, &label) in labels.iter().enumerate() {
            members[label as usize].push(node as u32);
        }
        let everywhere = AliasTable::new(&attraction);
        let within: Vec<AliasTable> = members
            .iter()
            .map(|members| AliasTable::new(&members.iter().map(|&node| attraction[node as usize]).collect::<Vec<_>>()))
            .collect();
        // The kinds are counted first and each is filled by itself: otherwise pairs that are drawn twice, which are
        // more frequent inside a class, would pull the homophily down.
        let alike = (0..target).filter(|_| rng.random_bool(self.homophily)).count();
        let same = distinct_pairs(alike, rng, |rng| {
            let from = everywhere.draw(rng);
            let class = labels[from] as usize;
            (from as u32, members[class][within[class].draw(rng)])
        })?;
        let different = distinct_pairs(target - alike, rng, |rng| {
            let from = everywhere.draw(rng);
            let other = loop {
                let other = everywhere.draw(rng);
                if labels[other] != labels[from] {
                    break other;
                }
            };
            (from as u32, other as u32)
        })?;
        Ok(merge(same, different).into_iter().map(|key| ((key >> 32) as u32, key as u32)).collect())
    }

    /// θ by inversion, from the power law on [1, √nodes].
    fn attraction<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        if self.degree_exponent.is_infinite() {
            return 1.0;
        }
        let tail = 1.0 - self.degree_exponent;
        let longest = (self.nodes as f64).sqrt().powf(tail);
        (1.0 - rng.random::<f64>() * (1.0 - longest)).powf(1.0 / tail)
    }
}

/// Labels whose counts differ by at most one, in random order.
pub(super) fn balanced_labels<R: Rng + ?Sized>(nodes: usize, classes: usize, rng: &mut R) -> Vec<u32> {
    let mut labels: Vec<u32> = (0..nodes).map(|node| (node % classes) as u32).collect();
    labels.shuffle(rng);
    labels
}

/// Rounds of drawing before a target counts as out of reach.
const MOST_ROUNDS: usize = 200;

/// Draws until there are `target` distinct pairs of distinct nodes; ascending, the smaller node in the upper half.
pub(super) fn distinct_pairs<R: Rng + ?Sized>(
    target: usize,
    rng: &mut R,
    mut pair: impl FnMut(&mut R) -> (u32, u32),
) -> Result<Vec<u64>, Error> {
    let mut keys: Vec<u64> = Vec::with_capacity(target);
    for _ in 0..MOST_ROUNDS {
        let missing = target - keys.len();
        if missing == 0 {
            return Ok(keys);
        }
        for _ in 0..missing {
            let (a, b) = pair(rng);
            if a != b {
                keys.push(u64::from(a.min(b)) << 32 | u64::from(a.max(b)));
            }
        }
        keys.sort_unstable();
        keys.dedup();
    }
    Err(Error::Parameter {
        what: "mean_degree",
        bound: format!("so low that {target} distinct edges of one kind can be drawn; {} could", keys.len()),
        value: target as f64,
    })
}

/// Merges two ascending lists of keys.
pub(super) fn merge(a: Vec<u64>, b: Vec<u64>) -> Vec<u64> {
    let mut merged = Vec::with_capacity(a.len() + b.len());
    let (mut a, mut b) = (a.into_iter().peekable(), b.into_iter().peekable());
    loop {
        let key = match (a.peek(), b.peek()) {
            (Some(left), Some(right)) if left < right => a.next(),
            (Some(_), None) => a.next(),
            (_, Some(_)) => b.next(),
            (None, None) => return merged,
        };
        merged.extend(key);
    }
}
