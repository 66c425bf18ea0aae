//! What the server does with reports before training.

use serde::{Deserialize, Serialize};

use super::knob_in;
use crate::Error;

/// Neighbour weights, filter, number of steps, threshold and scale: KProp, HOA, NFR, FlexProp and what improves on them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DenoiseSpec {
    /// How much each neighbour counts.
    pub weights: NeighbourWeights,
    /// Which powers of the weights are summed.
    pub filter: FilterSpec,
    /// K, the number of steps; 0 leaves features as they are.
    pub steps: usize,
    /// NFR's soft threshold.
    pub regularization: RegularizationSpec,
    /// What is done about the scale of rectified reports.
    pub scale: Scale,
}

/// How much each neighbour counts. No self-loops are added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NeighbourWeights {
    /// D^(−1/2) A D^(−1/2), LPGNN's choice.
    Symmetric,
    /// D^(−1) A, the mean of the neighbours.
    Row,
    /// FlexProp as printed [PPGNN, Alg. 4]: proportional to the neighbour's reported level τ′.
    Level,
    /// Proportional to m·T², one over the variance of the neighbour's report.
    Precision,
    /// One over signal variance plus report variance, the same at every hop.
    RandomEffects,
    /// As `random-effects`, with the variance followed from hop to hop.
    VariancePropagated,
}

/// Which powers of the weights are summed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum FilterSpec {
    /// Wᴷ: KProp, FlexProp.
    Power,
    /// The mean of W … Wᴷ: HOA [UPGNET, Alg. 1]. Self-loops of the graph are left out.
    MeanOfPowers,
    /// Personalised PageRank.
    PageRank {
        /// α, the share of a node's own value.
        restart: f64,
    },
}

/// NFR's soft threshold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum RegularizationSpec {
    /// None.
    None,
    /// N-H: on the reports, μ₂ = τ₂·B [UPGNET, Sec. 4]. On one-bit reports this is a change of scale and nothing else.
    Reports {
        /// τ₂, from 0 to 1.
        tau: f64,
    },
    /// H-N: on the aggregate, μ₁ = τ₁·B/√(d̄K) [UPGNET, Sec. 4].
    Aggregate {
        /// τ₁, from 0 to 1.
        tau: f64,
    },
    /// On the aggregate, σ_i·√(2 ln d) from the variance of each node's value.
    Universal,
}

/// The scale of features before training.
///
/// Rectified reports have entries of (d/m)·coth(ε/2m)·(β−α)/2, up to 10⁵: how well training goes then depends on ε through
/// the scale alone, with no data involved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// As rectified and propagated: what LPGNN trains on.
    AsPrinted,
    /// Reports less the midpoint, divided by the largest that one can be (one-bit reports become signs); then propagated.
    UnitBound,
    /// As `unit-bound`, then divided by the root mean square of the whole matrix. The default for private features.
    UnitRms,
}

impl NeighbourWeights {
    /// Whether these weights are made from what reports say of their own noise.
    pub(crate) fn needs_variance(self) -> bool {
        !matches!(self, Self::Symmetric | Self::Row)
    }
}

impl DenoiseSpec {
    /// Whether the two are the same but for tuned values: steps and scale.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        let alike = std::mem::discriminant(&self.filter) == std::mem::discriminant(&other.filter);
        let noise = |weights: NeighbourWeights| weights.needs_variance().then_some(weights);
        alike && noise(self.weights) == noise(other.weights) && self.regularization == other.regularization
    }

    pub(super) fn check(&self) -> Result<(), Error> {
        knob_in("denoise.steps", self.steps as f64, 0.0..=1e4)?;
        if let FilterSpec::PageRank { restart } = self.filter {
            knob_in("denoise.filter.restart", restart, 0.0..=1.0)?;
        }
        if let RegularizationSpec::Reports { tau } | RegularizationSpec::Aggregate { tau } = self.regularization {
            knob_in("denoise.regularization.tau", tau, 0.0..=1.0)?;
        }
        Ok(())
    }
}
