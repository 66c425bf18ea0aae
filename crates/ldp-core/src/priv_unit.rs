//! PrivUnit: the direction of a whole row, all dimensions at once.
//!
//! \[Bhowmick et al. 2018\] reports a random unit vector that is likelier to lie in a cap around the row's direction
//! u. Its error is an order of magnitude below multi-bit's for long sparse rows (Cora, ε = 1: total squared error over
//! ‖x‖² of 9,070 against 132,000), at the price of losing the row's length.
//!
//! Here the report is the 64-bit seed of the vector. Seeds are tried in turn; one whose vector falls into the cap is
//! sent, another with probability e^{−ε}. The vectors do not depend on the data, so the floats that they are made of
//! give nothing away; the only draw that does is one integer coin. How often seeds are tried does not depend on u
//! either, since a rotation of u changes nothing (over 2⁶⁴ seeds to about 10⁻⁹, for which 10⁻⁶ of ε is set aside).

use alloc::vec::Vec;

use rand_core::CryptoRng;

use crate::public_coin::mix;
use crate::weights::{TOTAL, TOTAL_F64, excess, log_quotient};
use crate::{Epsilon, Error, FiniteRandomizer, Randomizer};

/// Part of ε that covers the unevenness of finitely many seeds, in nano-nats.
const SET_ASIDE: u64 = 1000;
/// Above this ε too many seeds would have to be tried.
const LARGEST: f64 = 12.0;

/// The direction of a row of d numbers. Report: the seed of a unit vector.
///
/// ```
/// use chacha20::{ChaCha12Rng, rand_core::SeedableRng};
/// use ldp_core::{Epsilon, PrivUnit, Randomizer};
/// let mechanism = PrivUnit::new(Epsilon::new(2.0)?, 4)?;
/// let report = mechanism.randomize(&[0.0, 3.0, 4.0, 0.0], &mut ChaCha12Rng::from_seed([7; 32]))?;
/// assert_eq!(mechanism.rectify(report).len(), 4); // unbiased for (0, 0.6, 0.8, 0)
/// # Ok::<(), ldp_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PrivUnit {
    epsilon: Epsilon,
    dimensions: usize,
    /// Smallest inner product of the cap.
    cap: f64,
    /// Weight of 2⁶⁴ with which a vector outside the cap is sent.
    outside: u64,
    /// Mean inner product of what is sent with the row's direction.
    gain: f64,
}

impl PrivUnit {
    /// For rows of `dimensions` ≥ 2 numbers; the cap is the one of least variance.
    ///
    /// # Errors
    /// [`Error::Count`] below two or above 2²⁴ dimensions; [`Error::Split`] when ε is at or below 10⁻⁶;
    /// [`Error::Resolution`] above 12, where too many seeds would be tried.
    pub fn new(epsilon: Epsilon, dimensions: usize) -> Result<Self, Error> {
        if !(2..=1 << 24).contains(&dimensions) {
            return Err(Error::Count { what: "dimensions", min: 2, max: 1 << 24, got: dimensions as u64 });
        }
        if epsilon.nats() > LARGEST {
            return Err(Error::Resolution { epsilon: epsilon.nats(), cells: dimensions as u64 });
        }
        let nano = epsilon.nano();
        let used = nano.checked_sub(SET_ASIDE).filter(|&n| n > 0).ok_or(Error::Split { nano, parts: 1 })?;
        let excess = excess(Epsilon::from_nano(used)?);
        let outside = (1_u128 << 127).div_ceil((1 << 63) + excess) as u64;
        let odds = TOTAL_F64 / outside as f64;
        let sphere = Sphere { dimensions: dimensions as f64 };
        // Golden section on the cap; the gain has one maximum.
        let root = libm::sqrt(dimensions as f64);
        let (mut low, mut high) = (0.0, (8.0 / root).min(0.999));
        for _ in 0..80 {
            let (left, right) = (low + 0.382 * (high - low), low + 0.618 * (high - low));
            if sphere.gain(left, odds) < sphere.gain(right, odds) { low = left } else { high = right }
        }
        let cap = 0.5 * (low + high);
        Ok(Self { epsilon, dimensions, cap, outside, gain: sphere.gain(cap, odds) })
    }

    /// Length of a rectified vector: one over the mean inner product with the truth.
    #[must_use]
    pub fn scale(&self) -> f64 {
        1.0 / self.gain
    }

    /// Mean squared distance of the estimate from the row's direction, 1/gain² − 1.
    #[must_use]
    pub fn squared_error(&self) -> f64 {
        1.0 / (self.gain * self.gain) - 1.0
    }

    /// d, the length of a row.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Smallest inner product of the cap's vectors with the row's direction.
    #[must_use]
    pub fn cap(&self) -> f64 {
        self.cap
    }

    /// The unit vector of a seed.
    #[must_use]
    pub fn vector(&self, seed: u64) -> Vec<f64> {
        let mut vector: Vec<f64> = gaussians(seed).take(self.dimensions).collect();
        let norm = libm::sqrt(vector.iter().map(|v| v * v).sum());
        vector.iter_mut().for_each(|v| *v /= norm);
        vector
    }

    /// Weight of 2⁶⁴ with which `seed`, once tried, is sent for a row of this direction; no allocation.
    fn weight(&self, direction: &[f64], seed: u64) -> u128 {
        let (product, square) =
            gaussians(seed).zip(direction).fold((0.0, 0.0), |(product, square), (gaussian, value)| {
                (product + gaussian * value, square + gaussian * gaussian)
            });
        if product >= self.cap * libm::sqrt(square) { TOTAL } else { u128::from(self.outside) }
    }

    fn check(&self, value: &[f64]) -> Result<(), Error> {
        if value.len() != self.dimensions {
            return Err(Error::Length { what: "row", expected: self.dimensions, got: value.len() });
        }
        let finite = value.iter().fold(true, |ok, v| ok & v.is_finite());
        if finite { Ok(()) } else { Err(Error::Value { lower: f64::MIN, upper: f64::MAX }) }
    }

    /// The row's unit vector, or for a row of zeros that of the seed `substitute`. The work does not depend on which.
    fn direction(&self, value: &[f64], substitute: u64) -> Vec<f64> {
        let substitute = self.vector(substitute);
        // Scaled by the largest entry first, so that no square overflows or vanishes.
        let largest = value.iter().fold(0.0_f64, |m, v| m.max(libm::fabs(*v)));
        let norm = libm::sqrt(value.iter().map(|v| (v / largest) * (v / largest)).sum());
        let pick = |(v, s): (&f64, &f64)| if largest > 0.0 { v / largest / norm } else { *s };
        value.iter().zip(&substitute).map(pick).collect()
    }

    /// The unbiased estimate of the row's direction.
    #[must_use]
    pub fn rectify(&self, report: u64) -> Vec<f64> {
        let mut vector = self.vector(report);
        vector.iter_mut().for_each(|v| *v /= self.gain);
        vector
    }
}

impl Randomizer for PrivUnit {
    type Value = [f64];
    type Report = u64;

    fn epsilon(&self) -> Epsilon {
        self.epsilon
    }

    /// A row of zeros has no direction; it reports as a random one would, which estimates zero on average.
    fn randomize<R: CryptoRng + ?Sized>(&self, value: &[f64], rng: &mut R) -> Result<u64, Error> {
        self.check(value)?;
        let direction = self.direction(value, rng.next_u64());
        // Each seed is sent with probability e^{−ε} at least, so a hundred times e^ε seeds are all passed over with
        // probability e⁻¹⁰⁰ at most; the bound ends the loop for any generator.
        let tries = (100.0 * TOTAL_F64 / self.outside as f64) as u64;
        let mut seed = 0;
        for _ in 0..tries {
            seed = rng.next_u64();
            let coin = rng.next_u64();
            if u128::from(coin) < self.weight(&direction, seed) {
                break;
            }
        }
        Ok(seed)
    }

    fn accepts(&self, _: &u64) -> bool {
        true
    }
}

/// The law up to its sum, which is the same for every row: a rotation of the row changes nothing. For a row of zeros
/// it is the law of the direction that seed 0 stands for.
impl FiniteRandomizer for PrivUnit {
    fn probability(&self, value: &[f64], report: &u64) -> Result<f64, Error> {
        let share = Sphere { dimensions: self.dimensions as f64 }.share(self.cap);
        let outside = self.outside as f64 / TOTAL_F64;
        self.check(value)?;
        let weight = self.weight(&self.direction(value, 0), *report) as f64 / TOTAL_F64;
        Ok(weight / (share + (1.0 - share) * outside) / TOTAL_F64)
    }

    fn log_ratio(&self, one: &[f64], other: &[f64], report: &u64) -> Result<f64, Error> {
        let weight = |row: &[f64]| {
            self.check(row)?;
            Ok::<_, Error>(self.weight(&self.direction(row, 0), *report))
        };
        Ok(log_quotient(weight(one)?, weight(other)?))
    }

    /// ln 2⁶⁴/outside; what finitely many seeds add is below the 10⁻⁶ that was set aside.
    fn achieved_epsilon(&self) -> f64 {
        log_quotient(TOTAL, self.outside.into())
    }
}

/// Independent standard Gaussians from a seed, by the method of Box and Muller.
fn gaussians(seed: u64) -> impl Iterator<Item = f64> {
    let mut state = mix(seed);
    let mut uniform = move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        // In (0, 1]: its logarithm is finite.
        ((mix(state) >> 11) + 1) as f64 / (1_u64 << 53) as f64
    };
    core::iter::repeat_with(move || {
        let (radius, angle) = (libm::sqrt(-2.0 * libm::log(uniform())), core::f64::consts::TAU * uniform());
        let (sin, cos) = libm::sincos(angle);
        [radius * cos, radius * sin]
    })
    .flatten()
}

/// One coordinate of a uniform unit vector: density ∝ (1 − t²)^((d−3)/2).
struct Sphere {
    dimensions: f64,
}

impl Sphere {
    fn log_norm(&self) -> f64 {
        libm::lgamma(self.dimensions / 2.0)
            - libm::lgamma((self.dimensions - 1.0) / 2.0)
            - 0.5 * libm::log(core::f64::consts::PI)
    }

    /// P(t ≥ cap), by Simpson's rule in the angle t = sin φ, where the density is smooth at both ends.
    fn share(&self, cap: f64) -> f64 {
        const STEPS: u32 = 2000;
        let start = libm::asin(cap);
        let end = (start + 14.0 / libm::sqrt(self.dimensions)).min(core::f64::consts::FRAC_PI_2);
        let step = (end - start) / f64::from(STEPS);
        let density = |i: u32| libm::pow(libm::cos(start + f64::from(i) * step).max(0.0), self.dimensions - 2.0);
        let weight = |i: u32| {
            if i == 0 || i == STEPS {
                1.0
            } else if i % 2 == 1 {
                4.0
            } else {
                2.0
            }
        };
        let sum: f64 = (0..=STEPS).map(|i| weight(i) * density(i)).sum();
        libm::exp(self.log_norm()) * sum * step / 3.0
    }

    /// Mean inner product when the cap is `odds` times as likely, vector by vector.
    fn gain(&self, cap: f64, odds: f64) -> f64 {
        let mean = libm::exp(self.log_norm() + 0.5 * (self.dimensions - 1.0) * libm::log1p(-cap * cap))
            / (self.dimensions - 1.0);
        (odds - 1.0) * mean / ((odds - 1.0) * self.share(cap) + 1.0)
    }
}
