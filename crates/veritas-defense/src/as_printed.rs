//! Stage II of VERITAS as it is printed, for comparison. **It does not detect**: with all n² entries randomized, φ is
//! diluted by noise claims far below any sensible γ, and a fake that mirrors its victim has φ = 0 (papers.md 11.9).
//! Use [`defend`](crate::defend).

use crate::{EndorsementLaw, Error, MutualPairs, Tallies};

/// λ and γ of [VERITAS, Eq. 13-16]; the paper tunes both on validation data and gives no values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ParametersAsPrinted {
    /// λ ≥ 0: how much asymmetry lowers an edge's confidence.
    pub lambda: f64,
    /// γ: a node with φ above it is removed.
    pub gamma: f64,
}

/// N̂_v, over which φ_v is averaged; the paper's text allows both readings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Neighbourhood {
    /// Nodes with which there is a non-zero entry either way, as printed.
    EitherSide,
    /// Nodes with non-zero entries both ways, as a third-party re-implementation reads it.
    BothSides,
}

/// s_exist · min(i, j)/κ · e^{−λ|i−j|} [VERITAS, Eq. 13 and 15]; zero unless both sides report a grade.
pub fn confidence_as_printed(given: u8, received: u8, levels: u8, lambda: f64) -> f64 {
    let consistent = f64::from(given.min(received)) / f64::from(levels);
    consistent * libm::exp(-lambda * f64::from(given.abs_diff(received)))
}

/// φ_v of every node [VERITAS, Eq. 14, sign as in its text: positive when v gives more than it receives]. A node with
/// an empty N̂_v has φ = 0.
///
/// # Panics
/// When the two do not speak of the same nodes.
pub fn imbalance_as_printed(tallies: &Tallies, pairs: &MutualPairs, over: Neighbourhood) -> Vec<f64> {
    assert_eq!(tallies.nodes(), pairs.nodes(), "tallies and pairs of the same lists");
    let node = |v: usize| {
        let mutual = pairs.count(v);
        let (sum, size) = match over {
            Neighbourhood::EitherSide => {
                let received: u32 = tallies.received(v).iter().sum();
                (tallies.imbalance(v), tallies.out(v) as usize + received as usize - mutual)
            }
            Neighbourhood::BothSides => {
                (pairs.of_node(v).map(|(_, given, got)| i64::from(given) - i64::from(got)).sum(), mutual)
            }
        };
        if size == 0 { 0.0 } else { sum as f64 / size as f64 }
    };
    (0..tallies.nodes()).map(node).collect()
}

/// Half of Proposition 2 as it is printed, ½(2p−1)(κ−1): negative for ε < ln κ.
pub fn midpoint_as_printed(law: &EndorsementLaw) -> f64 {
    (2.0 * law.truth() - 1.0) * (f64::from(law.levels()) - 1.0) / 2.0
}

/// Half of Proposition 2 as it should read, ½(p−q)(κ−1).
pub fn midpoint_corrected(law: &EndorsementLaw) -> f64 {
    law.imbalance_mean(law.levels(), 1) / 2.0
}

/// What Stage II as printed keeps.
#[derive(Debug, Clone, PartialEq)]
pub struct PrunedAsPrinted {
    /// Nodes with φ > γ, ascending.
    pub removed: Vec<u32>,
    /// Kept edges `(low, high)` with their confidence c_uv, ascending.
    pub edges: Vec<(u32, u32, f32)>,
}

/// Removes nodes with φ > γ and keeps the edges of positive confidence between the others.
///
/// # Errors
/// [`Error::Range`] for a λ that is negative or not a number, or a γ that is not a number.
pub fn prune_as_printed(
    tallies: &Tallies,
    pairs: &MutualPairs,
    levels: u8,
    over: Neighbourhood,
    parameters: ParametersAsPrinted,
) -> Result<PrunedAsPrinted, Error> {
    Error::in_range("lambda", parameters.lambda, 0.0, f64::MAX)?;
    Error::in_range("gamma", parameters.gamma, f64::MIN, f64::MAX)?;
    let phi = imbalance_as_printed(tallies, pairs, over);
    let out = |node: u32| phi[node as usize] > parameters.gamma;
    let weight = |pair: &crate::Mutual| {
        let c = confidence_as_printed(pair.low_says, pair.high_says, levels, parameters.lambda);
        (pair.low, pair.high, c as f32)
    };
    Ok(PrunedAsPrinted {
        removed: (0..phi.len() as u32).filter(|&node| out(node)).collect(),
        edges: pairs.all().iter().filter(|p| !out(p.low) && !out(p.high)).map(weight).filter(|e| e.2 > 0.0).collect(),
    })
}

/// The pair of the grid with the largest `score` (validation accuracy in the paper); the first of equals, and none for
/// an empty grid or where every score is not a number.
pub fn select_by_validation(
    lambdas: &[f64],
    gammas: &[f64],
    mut score: impl FnMut(ParametersAsPrinted) -> f64,
) -> Option<ParametersAsPrinted> {
    let mut best: Option<(f64, ParametersAsPrinted)> = None;
    for &lambda in lambdas {
        for &gamma in gammas {
            let parameters = ParametersAsPrinted { lambda, gamma };
            let value = score(parameters);
            if !value.is_nan() && best.is_none_or(|(most, _)| value > most) {
                best = Some((value, parameters));
            }
        }
    }
    best.map(|(_, parameters)| parameters)
}
