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
    /// Graph attention over a node's neighbours and itself \[Veličković et al., 2018\]; heads are joined in hidden
    /// layers, the last layer has one.
    Gat,
    /// No graph: a multilayer perceptron on the features as they come, propagated ones above all.
    Mlp,
    /// No graph and no hidden layer.
    LogisticRegression,
}

/// What is done to a hidden node's row before bias and non-linearity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowNormalization {
    /// Nothing.
    #[default]
    None,
    /// Mean 0 and variance 1, then a learnt factor a column \[Ba et al., 2016\].
    Layer,
    /// Length 1 \[Hamilton et al., 2017, algorithm 1, line 7\].
    Unit,
}

/// What a model looks like: kind, size, and what lies between layers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ModelConfig {
    /// How a layer sees the graph.
    pub kind: ModelKind,
    /// Number of layers, at least 1; a logistic regression has always one.
    pub layers: usize,
    /// Width of each layer but the last; of each head of a GAT.
    pub hidden: usize,
    /// Heads of a GAT's hidden layers.
    pub heads: usize,
    /// Neighbours that a GraphSAGE layer draws for each node and epoch while it trains; `None` takes all. Evaluation
    /// always takes all.
    pub neighbours: Option<usize>,
    /// So many further hops of the features enter the first layer, each with weights of its own: Σ_k Sᵏ X W_k with
    /// S = D^−½ A D^−½.
    pub hops: usize,
    /// Probability that a hidden activation is dropped, in [0, 1).
    pub dropout: f64,
    /// Probability that a GAT leaves an entry of a node's list out of its weighted sum, a head, in [0, 1): the mask falls
    /// on α, after the softmax, in every layer \[Veličković et al., 2018, section 3.3\].
    pub attention_dropout: f64,
    /// Non-linearity after each layer but the last.
    pub activation: Activation,
    /// What is done to a hidden node's row before bias and non-linearity.
    pub normalization: RowNormalization,
    /// Whether a hidden layer's input is added to its output; the first layer has no such path.
    pub skip: bool,
}

impl ModelConfig {
    /// The papers' set-up: two layers, hidden 16 (4 heads of it in a GAT), SELU, dropout ½ of hidden activations and none of attention.
    pub fn new(kind: ModelKind) -> Self {
        Self {
            kind,
            layers: 2,
            hidden: 16,
            heads: 4,
            neighbours: None,
            hops: 0,
            dropout: 0.5,
            attention_dropout: 0.0,
            activation: Activation::Selu,
            normalization: RowNormalization::None,
            skip: false,
        }
    }

    /// Number of layers that are really built.
    pub(crate) fn depth(&self) -> usize {
        if self.kind == ModelKind::LogisticRegression { 1 } else { self.layers }
    }

    /// # Errors
    /// [`Error::Setting`].
    pub(crate) fn check(&self) -> Result<(), Error> {
        let positive = [
            ("number of layers", self.layers),
            ("hidden width", self.hidden),
            ("number of heads", self.heads),
            ("number of drawn neighbours", self.neighbours.unwrap_or(1)),
        ];
        for (what, value) in positive {
            if value == 0 {
                return Err(Error::Setting { what, value: 0.0, bound: "at least 1" });
            }
        }
        for (what, value) in [("dropout", self.dropout), ("attention dropout", self.attention_dropout)] {
            if !(0.0..1.0).contains(&value) {
                return Err(Error::Setting { what, value, bound: "in [0, 1)" });
            }
        }
        Ok(())
    }
}

impl Default for ModelConfig {
    fn default() -> Self {
        Self::new(ModelKind::Gcn)
    }
}
