//! Which powers of the weights are summed: KProp, HOA, personalised PageRank or any polynomial.

use crate::Error;

/// A polynomial `Σₖ cₖ Wᵏ` of the weights `W`.
///
/// Where the weights change from hop to hop, `Wᵏ` stands for the product of the first `k` hops.
#[derive(Debug, Clone, PartialEq)]
pub struct Filter {
    kind: Kind,
}

#[derive(Debug, Clone, PartialEq)]
enum Kind {
    Power(usize),
    MeanOfPowers(usize),
    PageRank { steps: usize, restart: f32 },
    Polynomial(Vec<f32>),
}

impl Filter {
    /// `Wᴷ`, KProp [LPGNN, Sec. 4.2]. With `steps = 0` the input comes back.
    ///
    /// [LPGNN]: https://arxiv.org/abs/2006.05535
    pub fn power(steps: usize) -> Self {
        Self { kind: Kind::Power(steps) }
    }

    /// `(1/K) Σₖ₌₁ᴷ Wᵏ`, the high-order aggregator HOA [UPGNET, Alg. 1].
    ///
    /// The node's own report (`k = 0`) is not in the mean. UPGNET aggregates over `N(v) \ {v}`: use weights made with
    /// [`SelfLoops::Remove`](crate::SelfLoops::Remove).
    ///
    /// # Errors
    /// [`Error::NoSteps`] for `steps = 0`, which has no mean.
    ///
    /// [UPGNET]: https://openreview.net/forum?id=2aKHuXdr7Q
    pub fn mean_of_powers(steps: usize) -> Result<Self, Error> {
        if steps == 0 {
            return Err(Error::NoSteps);
        }
        Ok(Self { kind: Kind::MeanOfPowers(steps) })
    }

    /// `Σₖ₌₀ᴷ⁻¹ α(1−α)ᵏ Wᵏ + (1−α)ᴷ Wᴷ`: `K` steps of `h ← (1−α) W h + α x` from `h = x`, personalised PageRank.
    ///
    /// # Errors
    /// [`Error::Fraction`] unless 0 ≤ α ≤ 1.
    pub fn page_rank(steps: usize, restart: f32) -> Result<Self, Error> {
        if !(0.0..=1.0).contains(&restart) {
            return Err(Error::Fraction { what: "restart α", value: restart });
        }
        Ok(Self { kind: Kind::PageRank { steps, restart } })
    }

    /// Any coefficients, that of `W⁰` first.
    ///
    /// # Errors
    /// [`Error::Shape`] without a coefficient, [`Error::NotFinite`] (its `row` is the power).
    pub fn polynomial(coefficients: Vec<f32>) -> Result<Self, Error> {
        if coefficients.is_empty() {
            return Err(Error::Shape { what: "coefficients of a filter", expected: 1, found: 0 });
        }
        if let Some(row) = coefficients.iter().position(|c| !c.is_finite()) {
            return Err(Error::NotFinite { what: "coefficients of a filter", row, value: coefficients[row] });
        }
        Ok(Self { kind: Kind::Polynomial(coefficients) })
    }

    /// The highest power `K`.
    pub fn steps(&self) -> usize {
        match &self.kind {
            Kind::Power(steps) | Kind::MeanOfPowers(steps) | Kind::PageRank { steps, .. } => *steps,
            Kind::Polynomial(coefficients) => coefficients.len() - 1,
        }
    }

    /// The coefficient of the power `k`; 0 above the highest.
    pub fn coefficient(&self, k: usize) -> f32 {
        match &self.kind {
            Kind::Power(steps) => f32::from(k == *steps),
            Kind::MeanOfPowers(steps) => {
                if (1..=*steps).contains(&k) {
                    (1.0 / *steps as f64) as f32
                } else {
                    0.0
                }
            }
            Kind::PageRank { steps, restart } => {
                let restart = f64::from(*restart);
                let decay = (1.0 - restart).powf(k as f64);
                (match k.cmp(steps) {
                    std::cmp::Ordering::Less => restart * decay,
                    std::cmp::Ordering::Equal => decay,
                    std::cmp::Ordering::Greater => 0.0,
                }) as f32
            }
            Kind::Polynomial(coefficients) => coefficients.get(k).copied().unwrap_or(0.0),
        }
    }

    /// Whether only the last power counts, with coefficient 1.
    pub(crate) fn is_power(&self) -> bool {
        matches!(self.kind, Kind::Power(_))
    }
}
