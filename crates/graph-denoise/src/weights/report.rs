//! Weights that depend on how noisy a node's report is: FlexProp and what improves on it.

use std::borrow::Cow;

use super::{Form, Scales, Weights};
use crate::{CsrGraph, Error};

/// The precision of a report up to a factor that all reports share: `m · T²`.
///
/// A report that sampled `sampled` = m of d dimensions and whose signs point the right way with gap `gap` = T (the
/// difference of the two sign probabilities at the ends of the range; `tanh(ε/2m)` for the multi-bit mechanism, its
/// posterior mean where the level is itself randomized) has variance `(d/m)/T² − x²` a dimension. So `m T²` is the
/// weight with the least variance, while PPGNN's τ′ is linear in a number that budgets are geometric in.
pub fn report_weight(sampled: u32, gap: f64) -> f64 {
    f64::from(sampled) * gap * gap
}

impl<'g> Weights<'g> {
    /// `Π_ij = A_ij τ_j / Σₖ A_ik τₖ` with `τ` = `node_weights`: FlexProp [PPGNN, Alg. 4], `Π = A ∘ τ′` with
    /// normalised rows.
    ///
    /// Better weights than the levels τ′ are those of [`report_weight`] or, for one hop, those of
    /// [`inverse_variance`](Self::inverse_variance). A node whose neighbours all weigh 0 gets an empty row: one hop
    /// makes its values zero.
    ///
    /// # Shapes
    /// `node_weights`: one a node, any scale; below 10⁻³⁸ of the largest counts as 0.
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::NotFinite`], [`Error::Negative`].
    ///
    /// [PPGNN]: https://doi.org/10.1109/TKDE.2026.3710808
    pub fn from_node_weights(graph: &'g CsrGraph, node_weights: &[f32]) -> Result<Self, Error> {
        check(graph, "node weight", node_weights)?;
        let node_weights: Vec<f64> = node_weights.iter().map(|&weight| f64::from(weight)).collect();
        let hops = vec![row_normalised(graph, &node_weights)];
        Ok(Self::of(Form::Scaled { graph: Cow::Borrowed(graph), hops }))
    }

    /// Random-effects weights: `w_ij ∝ A_ij / (σ_s² + V_j)`, rows normalised.
    ///
    /// `variance` is that of each node's report, a dimension; `signal_variance` = σ_s² is how much neighbours' true
    /// values differ (see [`signal_variance`](crate::signal_variance)). Uniform where V ≪ σ_s², inverse variance where
    /// V ≫ σ_s². Every hop has the same weights, which is right for the first only; for more hops use
    /// [`variance_propagated`](Self::variance_propagated).
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::NotFinite`], [`Error::Negative`]; [`Error::NoVariance`] where both terms are 0.
    pub fn inverse_variance(graph: &'g CsrGraph, variance: &[f32], signal_variance: f32) -> Result<Self, Error> {
        let hops = vec![precision_scales(graph, variance, signal_variance)?];
        Ok(Self::of(Form::Scaled { graph: Cow::Borrowed(graph), hops }))
    }

    /// Random-effects weights that follow the variance through the hops, and the variance after the last.
    ///
    /// `ν⁽⁰⁾ = V`; in each hop `w_ij ∝ A_ij / (σ_s² + ν_j)`, then `ν_i ← Σ_j w_ij² ν_j`. So a value that is already an
    /// average counts as one, where repeating the weights of the reports would judge it by the noise of a report it no
    /// longer is. The recursion leaves out that neighbours' averages share reports; the exact variance of the result
    /// is [`Moments::exact`](crate::Moments::exact). A node without neighbours holds no value after the first hop and
    /// weighs 0 from then on.
    ///
    /// The weights have `steps` different hops; further hops repeat the last.
    ///
    /// # Errors
    /// As [`inverse_variance`](Self::inverse_variance); [`Error::NoSteps`] for `steps = 0`.
    ///
    /// # Complexity
    /// Time O(steps · (nodes + entries)), space O(steps · nodes).
    pub fn variance_propagated(
        graph: &'g CsrGraph,
        variance: &[f32],
        signal_variance: f32,
        steps: usize,
    ) -> Result<(Self, Vec<f32>), Error> {
        if steps == 0 {
            return Err(Error::NoSteps);
        }
        let mut hops = vec![precision_scales(graph, variance, signal_variance)?];
        let mut current: Vec<f64> = variance.iter().map(|&value| f64::from(value)).collect();
        loop {
            let Scales { left, right } = &hops[hops.len() - 1];
            current = (0..graph.nodes())
                .map(|node| {
                    let own = f64::from(left[node]);
                    let sum: f64 = graph
                        .neighbours(node)
                        .iter()
                        .map(|&j| f64::from(right[j as usize]).powi(2) * current[j as usize])
                        .sum();
                    own * own * sum
                })
                .collect();
            if hops.len() == steps {
                break;
            }
            let holds_value = |node: usize| left[node] > 0.0;
            let precision: Vec<f64> = (0..graph.nodes())
                .map(|node| if holds_value(node) { 1.0 / (f64::from(signal_variance) + current[node]) } else { 0.0 })
                .collect();
            hops.push(row_normalised(graph, &precision));
        }
        let variance = current.into_iter().map(|value| value as f32).collect();
        Ok((Self::of(Form::Scaled { graph: Cow::Borrowed(graph), hops }), variance))
    }
}

fn precision_scales(graph: &CsrGraph, variance: &[f32], signal_variance: f32) -> Result<Scales, Error> {
    check(graph, "variance", variance)?;
    if !signal_variance.is_finite() {
        return Err(Error::NotFinite { what: "signal variance", row: 0, value: signal_variance });
    }
    if signal_variance < 0.0 {
        return Err(Error::Negative { what: "signal variance", node: 0, value: signal_variance });
    }
    if signal_variance == 0.0
        && let Some(node) = variance.iter().position(|&value| value == 0.0)
    {
        return Err(Error::NoVariance { node });
    }
    let precision: Vec<f64> =
        variance.iter().map(|&value| 1.0 / (f64::from(signal_variance) + f64::from(value))).collect();
    Ok(row_normalised(graph, &precision))
}

/// Scales of `A_ij w_j / Σₖ A_ik wₖ`; a row whose sum is 0 gets left scale 0.
fn row_normalised(graph: &CsrGraph, node_weights: &[f64]) -> Scales {
    let largest = node_weights.iter().fold(0.0, |largest: f64, &weight| largest.max(weight));
    let unit = if largest > 0.0 { largest } else { 1.0 };
    // Below this a row's sum could have no finite reciprocal.
    let counts = |weight: f32| if weight < f32::MIN_POSITIVE { 0.0 } else { weight };
    let right: Vec<f32> = node_weights.iter().map(|weight| counts((weight / unit) as f32)).collect();
    let left = (0..graph.nodes())
        .map(|node| {
            let sum: f64 = graph.neighbours(node).iter().map(|&j| f64::from(right[j as usize])).sum();
            if sum > 0.0 { (1.0 / sum) as f32 } else { 0.0 }
        })
        .collect();
    Scales { left, right }
}

pub(crate) fn check(graph: &CsrGraph, what: &'static str, values: &[f32]) -> Result<(), Error> {
    if values.len() != graph.nodes() {
        return Err(Error::Shape { what, expected: graph.nodes(), found: values.len() });
    }
    for (node, &value) in values.iter().enumerate() {
        if !value.is_finite() {
            return Err(Error::NotFinite { what, row: node, value });
        }
        if value < 0.0 {
            return Err(Error::Negative { what, node, value });
        }
    }
    Ok(())
}
