//! How good predictions are, class by class, for whoever holds the ground truth.

use crate::Error;
use crate::training::best_class;
use graph_denoise::FeatureMatrix;

/// Bins of confidence for the calibration error.
const BINS: usize = 15;

/// How good predictions are on a set of nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassReport {
    /// Share of the nodes whose class is predicted.
    pub accuracy: f64,
    /// Mean of the classes' F1; a class that is neither present nor predicted is left out.
    pub macro_f1: f64,
    /// One entry a class.
    pub classes: Vec<ClassScore>,
    /// Nodes by true class (rows) and predicted class (columns), classes × classes.
    pub confusion: Vec<Vec<usize>>,
    /// Expected calibration error: mean distance between confidence (highest probability) and accuracy in 15 bins of
    /// equal width, weighted by their nodes \[Guo et al., 2017, Eq. 3\].
    pub calibration_error: f64,
}

/// How good predictions are for one class; a share of nothing is 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClassScore {
    /// Nodes of the class.
    pub nodes: usize,
    /// Share of the nodes predicted to be of the class that are.
    pub precision: f64,
    /// Share of the nodes of the class that are predicted to be.
    pub recall: f64,
    /// Harmonic mean of both.
    pub f1: f64,
}

impl ClassReport {
    /// Compares `logits` (nodes × classes) with `truth` (one class a node) on `nodes`.
    ///
    /// # Errors
    /// [`Error::EmptySet`], [`Error::Shape`], [`Error::NodeOutOfRange`], [`Error::LabelOutOfRange`].
    pub fn new(logits: &FeatureMatrix, truth: &[u32], nodes: &[u32]) -> Result<Self, Error> {
        let classes = logits.columns();
        if nodes.is_empty() {
            return Err(Error::EmptySet { set: "evaluated" });
        }
        if truth.len() != logits.rows() {
            return Err(Error::Shape { what: "true classes, one a node", expected: logits.rows(), found: truth.len() });
        }
        let mut confusion = vec![vec![0usize; classes]; classes];
        let mut bins = [(0usize, 0usize, 0f64); BINS];
        for &node in nodes {
            let Some(&class) = truth.get(node as usize) else {
                return Err(Error::NodeOutOfRange { set: "evaluated", node, nodes: truth.len() });
            };
            if class as usize >= classes {
                return Err(Error::LabelOutOfRange { node, label: class, classes });
            }
            let row = logits.row(node as usize);
            let predicted = best_class(row);
            confusion[class as usize][predicted as usize] += 1;
            let highest = f64::from(row[predicted as usize]);
            let confidence = 1.0 / row.iter().map(|&logit| (f64::from(logit) - highest).exp()).sum::<f64>();
            let bin = &mut bins[((confidence * BINS as f64) as usize).min(BINS - 1)];
            bin.0 += 1;
            bin.1 += usize::from(predicted == class);
            bin.2 += confidence;
        }
        let scores: Vec<ClassScore> = (0..classes).map(|class| score(&confusion, class)).collect();
        let met = (0..classes).filter(|&class| {
            confusion[class].iter().sum::<usize>() + confusion.iter().map(|row| row[class]).sum::<usize>() > 0
        });
        let (count, sum) = met.fold((0usize, 0f64), |(count, sum), class| (count + 1, sum + scores[class].f1));
        let right: usize = (0..classes).map(|class| confusion[class][class]).sum();
        let distance: f64 = bins.iter().map(|&(_, right, confidence)| (right as f64 - confidence).abs()).sum();
        Ok(Self {
            accuracy: right as f64 / nodes.len() as f64,
            macro_f1: sum / count as f64,
            classes: scores,
            confusion,
            calibration_error: distance / nodes.len() as f64,
        })
    }
}

fn score(confusion: &[Vec<usize>], class: usize) -> ClassScore {
    let right = confusion[class][class];
    let nodes: usize = confusion[class].iter().sum();
    let predicted: usize = confusion.iter().map(|row| row[class]).sum();
    let share = |of: usize| if of == 0 { 0.0 } else { right as f64 / of as f64 };
    let f1 = if nodes + predicted == 0 { 0.0 } else { 2.0 * right as f64 / (nodes + predicted) as f64 };
    ClassScore { nodes, precision: share(predicted), recall: share(nodes), f1 }
}
