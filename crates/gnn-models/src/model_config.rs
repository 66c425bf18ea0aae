//! What a model looks like.

use crate::{Activation, Error};
use serde::{Deserialize, Serialize};

/// How a layer sees the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelKind {
    /// Graph convolution, Â X W + b with Â = D̂^−½ (A + I) D̂^−½ \[Kipf and Welling, 2017\].
    Gcn,
    /// GraphSAGE with the mean: W₁ mean(x_u) + b + W₂ x_v \[Hamilton et al., 2017\].
    Sage,
    /// No graph: a multilayer perceptron on the features as they come, propagated ones above all.
    Mlp,
    /// No graph and no hidden layer.
    LogisticRegression,
}

/// What a model looks like: kind, size, and what lies between layers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelConfig {
    /// How a layer sees the graph.
    pub kind: ModelKind,
    /// Number of layers, at least 1; a logistic regression has always one.
    pub layers: usize,
    /// Width of each layer but the last.
    pub hidden: usize,
    /// Probability that a hidden activation is dropped, in [0, 1).
    pub dropout: f64,
    /// Non-linearity after each layer but the last.
    pub activation: Activation,
}

impl ModelConfig {
    /// The papers' set-up: two layers, hidden 16, SELU, dropout ½.
    pub fn new(kind: ModelKind) -> Self {
        Self { kind, layers: 2, hidden: 16, dropout: 0.5, activation: Activation::Selu }
    }

    /// Number of layers that are really built.
    pub(crate) fn depth(&self) -> usize {
        if self.kind == ModelKind::LogisticRegression { 1 } else { self.layers }
    }

    /// # Errors
    /// [`Error::Setting`].
    pub(crate) fn check(&self) -> Result<(), Error> {
        let positive = [("number of layers", self.layers), ("hidden width", self.hidden)];
        for (what, value) in positive {
            if value == 0 {
                return Err(Error::Setting { what, value: 0.0, bound: "at least 1" });
            }
        }
        if !(0.0..1.0).contains(&self.dropout) {
            return Err(Error::Setting { what: "dropout", value: self.dropout, bound: "in [0, 1)" });
        }
        Ok(())
    }
}

impl Default for ModelConfig {
    fn default() -> Self {
        Self::new(ModelKind::Gcn)
    }
}
