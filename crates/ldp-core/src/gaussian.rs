//! Gaussian noise on a public grid: (ε, δ), for one number or a whole row, with calibration on the safe side.
//!
//! σ comes from the analytic condition of Balle and Wang: the smallest σ with
//! Φ(Δ/2σ − εσ/Δ) − e^ε·Φ(−Δ/2σ − εσ/Δ) ≤ δ. PPGNN's σ² = 2 ln(1.25/δ)/ε² omits the sensitivity; the classical
//! calibration is proved for ε < 1 only and refused above.
//!
//! The noise is a continuous Gaussian rounded to half cells, tabulated in 2⁻⁶⁴: on a value that lies on the grid that
//! is the Gaussian mechanism followed by rounding, so its guarantee carries over, in any number of dimensions. What
//! the table is off by (2⁻⁴⁸ a dimension) is taken from δ first. A pure-ε mechanism promises more at the same ε:
//! compare only with δ far below 1/n.

use alloc::vec::Vec;

use rand_core::CryptoRng;

use crate::survival::SurvivalTable;
use crate::{Bounds, Delta, Epsilon, Error, Randomizer};

/// Standard deviation in cells, at least.
const FINENESS: f64 = 256.0;
/// Dimensions whose words are read at once.
const BATCH: usize = 64;
/// Most entries of the noise table.
const MOST_ENTRIES: f64 = 4_194_304.0;

/// Φ(a) of the standard normal distribution, accurate in the tails.
fn normal(a: f64) -> f64 {
    0.5 * libm::erfc(-a * core::f64::consts::FRAC_1_SQRT_2)
}

/// ln Φ(a), also where Φ underflows.
fn log_normal(a: f64) -> f64 {
    if a > -30.0 {
        return libm::log(normal(a));
    }
    // The tail's asymptotic series; relative error below 1e-5 of the correction at a = −30.
    let square = a * a;
    -0.5 * square - libm::log(-a) - 0.918_938_533_204_672_7 + libm::log1p(-1.0 / square + 3.0 / (square * square))
}

/// The δ of Gaussian noise with standard deviation `sigma` for sensitivity `sensitivity`: Balle and Wang's condition.
#[must_use]
pub fn gaussian_delta(epsilon: f64, sigma: f64, sensitivity: f64) -> f64 {
    let (half, cross) = (sensitivity / (2.0 * sigma), epsilon * sigma / sensitivity);
    (normal(half - cross) - libm::exp(epsilon + log_normal(-half - cross))).max(0.0)
}

/// The smallest standard deviation that is (ε, δ)-private by the analytic condition, rounded up: `gaussian_delta` of
/// the result is at most δ, always.
#[must_use]
pub fn analytic_sigma(epsilon: Epsilon, delta: Delta, sensitivity: f64) -> f64 {
    let safe = |sigma: f64| gaussian_delta(epsilon.nats(), sigma, 1.0) <= delta.get() * (1.0 - 1e-9);
    let mut low = 1e-8;
    let mut high = 1.0;
    while !safe(high) {
        low = high;
        high *= 2.0;
    }
    // Bisection of ln σ until neighbours; `high` is safe throughout.
    for _ in 0..200 {
        let middle = libm::sqrt(low * high);
        if middle <= low || middle >= high {
            break;
        }
        if safe(middle) { high = middle } else { low = middle }
    }
    (high * sensitivity).next_up()
}

/// The classical σ = Δ·√(2 ln(1.25/δ))/ε.
///
/// # Errors
/// [`Error::Classical`] for ε ≥ 1, where it is not proved; use [`analytic_sigma`].
pub fn classical_sigma(epsilon: Epsilon, delta: Delta, sensitivity: f64) -> Result<f64, Error> {
    if epsilon.nats() >= 1.0 {
        return Err(Error::Classical { epsilon: epsilon.nats() });
    }
    let sigma = sensitivity * libm::sqrt(2.0 * libm::log(1.25 / delta.get())) / epsilon.nats();
    Ok(sigma * (1.0 + 1e-12))
}

/// Rounded Gaussian noise, symmetric around −½ cell.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Noise {
    magnitude: SurvivalTable,
}

impl Noise {
    /// With standard deviation `sigma` in cells.
    fn new(sigma: f64) -> Self {
        // P(|X| ≥ j) = erfc(j/(σ√2)) for j = 1, 2, … while it is above 2⁻⁶⁴.
        let tail = |j: u64| libm::erfc(j as f64 / sigma * core::f64::consts::FRAC_1_SQRT_2);
        let weights = (1..).map(|j| (tail(j) * crate::weights::TOTAL_F64) as u128).take_while(|&w| w > 0);
        Self { magnitude: SurvivalTable::new(weights.map(|w| w << 64)) }
    }
}

/// How far apart two rows can be, in the unit of the values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sensitivity {
    /// Rows differ anywhere: √d·(β − α).
    WholeRow,
    /// Rows with at most this many values off the lower end; others are refused. √(2k)·(β − α): the sparse-clipped
    /// form, far less noise for bags of words.
    Sparse(usize),
}

/// A row of bounded numbers with Gaussian noise on the grid. Report: one grid point a dimension.
///
/// With d = 1 it is the scalar mechanism. Sampling dimensions does not help Gaussians: (d/m)·4m·s² is independent of m.
///
/// ```
/// use chacha20::{ChaCha12Rng, rand_core::SeedableRng};
/// use ldp_core::gaussian::{GridGaussian, Sensitivity};
/// use ldp_core::{Bounds, Delta, Epsilon, Randomizer};
/// let (epsilon, delta) = (Epsilon::new(1.0)?, Delta::new(1e-5)?);
/// let mechanism = GridGaussian::new(epsilon, delta, 3, Bounds::UNIT, Sensitivity::WholeRow)?;
/// let report = mechanism.randomize(&[0.0, 1.0, 0.25], &mut ChaCha12Rng::from_seed([7; 32]))?;
/// assert_eq!(mechanism.rectify(&report).count(), 3);
/// # Ok::<(), ldp_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct GridGaussian {
    epsilon: Epsilon,
    delta: Delta,
    dimensions: usize,
    bounds: Bounds,
    sensitivity: Sensitivity,
    sigma: f64,
    cells: u32,
    noise: Noise,
}

impl GridGaussian {
    /// For rows of `dimensions` numbers inside `bounds`.
    ///
    /// # Errors
    /// [`Error::Count`] without dimensions or with k = 0; [`Error::Delta`] when δ does not cover what the table is off
    /// by; [`Error::Resolution`] when the noise is more than about 3·10⁵ times as wide as the range.
    pub fn new(
        epsilon: Epsilon,
        delta: Delta,
        dimensions: usize,
        bounds: Bounds,
        sensitivity: Sensitivity,
    ) -> Result<Self, Error> {
        let differ = match sensitivity {
            Sensitivity::WholeRow => dimensions,
            Sensitivity::Sparse(most) => dimensions.min(2 * most),
        };
        if differ == 0 {
            return Err(Error::Count { what: "dimensions that may differ", min: 1, max: u64::MAX, got: 0 });
        }
        let off = (1.0 + libm::exp(epsilon.nats())) * dimensions as f64 / (1_u64 << 48) as f64;
        let rest = Delta::new(delta.get() - off).map_err(|_| Error::Delta { got: delta.get() })?;
        let sigma = analytic_sigma(epsilon, rest, libm::sqrt(differ as f64)) * (1.0 + 1e-9);
        // σ is in widths of the range; the grid has whole cells in a width.
        let cells = libm::ceil(FINENESS / sigma).max(1.0);
        if sigma * cells * 9.2 > MOST_ENTRIES || cells > f64::from(1 << 30) {
            return Err(Error::Resolution { epsilon: epsilon.nats(), cells: cells as u64 });
        }
        Ok(Self {
            epsilon,
            delta,
            dimensions,
            bounds,
            sensitivity,
            sigma: sigma * bounds.width(),
            cells: cells as u32,
            noise: Noise::new(sigma * cells),
        })
    }

    /// δ.
    #[must_use]
    pub fn delta(&self) -> Delta {
        self.delta
    }

    /// d, the length of a row.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// The public range of every value.
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// Cells of the grid in the width of the range.
    #[must_use]
    pub fn cells(&self) -> u32 {
        self.cells
    }

    /// Standard deviation of the noise, in the unit of the values.
    #[must_use]
    pub fn sigma(&self) -> f64 {
        self.sigma
    }

    /// Variance of one estimate, the rounding (σ²/12·256² at most) left out.
    #[must_use]
    pub fn variance(&self) -> f64 {
        self.sigma * self.sigma
    }

    /// Unbiased estimates of a report's dimensions.
    pub fn rectify(&self, report: &[i64]) -> impl Iterator<Item = f64> {
        let cell = self.bounds.width() / f64::from(self.cells);
        report.iter().map(move |&point| self.bounds.lower() + (point as f64 + 0.5) * cell)
    }

    fn check(&self, row: &[f64]) -> Result<(), Error> {
        if row.len() != self.dimensions {
            return Err(Error::Length { what: "row", expected: self.dimensions, got: row.len() });
        }
        self.bounds.check_all(row, row.len())?;
        match self.sensitivity {
            Sensitivity::Sparse(most) if row.iter().filter(|&&v| v != self.bounds.lower()).count() > most => {
                Err(Error::Report { what: "more values off the lower end than the mechanism allows; clip first" })
            }
            _ => Ok(()),
        }
    }
}

impl Randomizer for GridGaussian {
    type Value = [f64];
    type Report = Vec<i64>;

    fn epsilon(&self) -> Epsilon {
        self.epsilon
    }

    fn delta(&self) -> Option<Delta> {
        Some(self.delta)
    }

    fn randomize<R: CryptoRng + ?Sized>(&self, value: &[f64], rng: &mut R) -> Result<Vec<i64>, Error> {
        self.check(value)?;
        let cells = f64::from(self.cells);
        let scale = cells / self.bounds.width();
        let mut report = Vec::with_capacity(value.len());
        let mut bytes = [0; 16 * BATCH];
        for values in value.chunks(BATCH) {
            let bytes = &mut bytes[..16 * values.len()];
            rng.fill_bytes(bytes);
            for (&v, words) in values.iter().zip(bytes.as_chunks::<16>().0) {
                // One word rounds the value and signs the noise, the other draws the magnitude.
                let words = u128::from_le_bytes(*words);
                let (word, magnitude) = (words as u64, self.noise.magnitude.draw_for((words >> 64) as u64, rng) as i64);
                let position = ((v - self.bounds.lower()) * scale).clamp(0.0, cells);
                let lower = position as i64;
                let next = ((position - lower as f64) * (1_u64 << 63) as f64) as u64;
                report.push(lower + i64::from(word >> 1 < next) + (magnitude ^ -((word & 1) as i64)));
            }
        }
        Ok(report)
    }

    fn accepts(&self, report: &Vec<i64>) -> bool {
        let reach = self.noise.magnitude.largest() as i64;
        report.len() == self.dimensions && report.iter().all(|&p| -1 - reach <= p && p <= i64::from(self.cells) + reach)
    }
}
