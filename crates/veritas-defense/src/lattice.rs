//! Laws on the integers: exact convolution, powers and upper tails.
//!
//! Scores are rounded to integers before they are summed, so the law of a sum is a finite convolution and a p-value
//! needs no normal approximation. Mass far out (10⁻²⁴ a side and product) is cut off and added back to every tail,
//! so a tail is never too small.

use pulp::{Arch, NullaryFnOnce};

/// Mass that may be dropped at each end of each product.
const CUT: f64 = 1e-24;

/// A probability law on integers.
#[derive(Debug, Clone, PartialEq)]
pub struct LatticeLaw {
    offset: i64,
    mass: Vec<f64>,
    dropped: f64,
}

impl LatticeLaw {
    /// All mass at `value`.
    pub fn point(value: i64) -> Self {
        Self { offset: value, mass: vec![1.0], dropped: 0.0 }
    }

    /// From `(value, probability)`; equal values add up.
    ///
    /// # Panics
    /// Without any value.
    pub fn new(points: &[(i64, f64)]) -> Self {
        assert!(!points.is_empty(), "a law has at least one value");
        let low = points.iter().fold(i64::MAX, |low, p| low.min(p.0));
        let high = points.iter().fold(i64::MIN, |high, p| high.max(p.0));
        let mut mass = vec![0.0; (high - low) as usize + 1];
        for &(value, probability) in points {
            mass[(value - low) as usize] += probability;
        }
        Self { offset: low, mass, dropped: 0.0 }
    }

    /// The law of the sum of two independent variables.
    pub fn convolve(&self, other: &Self) -> Self {
        let (long, short) = if self.mass.len() >= other.mass.len() { (self, other) } else { (other, self) };
        let mut mass = vec![0.0; long.mass.len() + short.mass.len() - 1];
        Arch::new().dispatch(Products { sums: &mut mass, long: &long.mass, short: &short.mass });
        Self { offset: self.offset + other.offset, mass, dropped: self.dropped + other.dropped }.cut()
    }

    /// The law of the sum of `count` independent copies.
    pub fn power(&self, count: u64) -> Self {
        let mut result = Self::point(0);
        let (mut square, mut left) = (self.clone(), count);
        while left > 0 {
            if left & 1 == 1 {
                result = result.convolve(&square);
            }
            left >>= 1;
            if left > 0 {
                square = square.convolve(&square);
            }
        }
        result
    }

    fn cut(mut self) -> Self {
        let mut head = 0.0;
        let first = self
            .mass
            .iter()
            .take_while(|&&m| {
                head += m;
                head < CUT
            })
            .count();
        let mut tail = 0.0;
        let last = self
            .mass
            .iter()
            .rev()
            .take_while(|&&m| {
                tail += m;
                tail < CUT
            })
            .count();
        let end = (self.mass.len() - last).max(first + 1);
        self.dropped += CUT * (f64::from(u8::from(first > 0)) + f64::from(u8::from(last > 0)));
        self.mass.truncate(end);
        self.mass.drain(..first);
        self.offset += first as i64;
        self
    }

    /// Mean.
    pub fn mean(&self) -> f64 {
        self.values().map(|(value, m)| value as f64 * m).sum()
    }

    /// Variance.
    pub fn variance(&self) -> f64 {
        let mean = self.mean();
        self.values().map(|(value, m)| (value as f64 - mean).powi(2) * m).sum()
    }

    /// Values with their mass, ascending.
    pub fn values(&self) -> impl Iterator<Item = (i64, f64)> + '_ {
        (self.offset..).zip(self.mass.iter().copied())
    }

    /// All upper tails at once.
    pub fn tails(&self) -> UpperTails {
        let mut tails = self.mass.clone();
        let mut sum = self.dropped;
        for tail in tails.iter_mut().rev() {
            sum += *tail;
            *tail = sum.min(1.0);
        }
        UpperTails { offset: self.offset, tails, beyond: self.dropped }
    }
}

/// Adds every shifted copy of `long`, four shifts a pass: a pass then reads and writes a sum once for four products.
/// Sums are taken in one order whatever the instruction set, so the law is the same on every machine.
struct Products<'a> {
    sums: &'a mut [f64],
    long: &'a [f64],
    short: &'a [f64],
}

impl NullaryFnOnce for Products<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { sums, long, short } = self;
        let mut padded = vec![0.0; long.len() + 6];
        padded[3..3 + long.len()].copy_from_slice(long);
        let blocks = short.chunks_exact(4);
        let (rest, covered) = (blocks.remainder(), short.len() - blocks.remainder().len());
        for (block, weights) in blocks.enumerate() {
            let &[a, b, c, d] = weights else { continue };
            let sums = &mut sums[4 * block..4 * block + long.len() + 3];
            let of = |from: usize| &padded[from..from + sums.len()];
            let (zero, one, two, three) = (of(3), of(2), of(1), of(0));
            for at in 0..sums.len() {
                sums[at] += a * zero[at] + b * one[at] + c * two[at] + d * three[at];
            }
        }
        for (shift, &weight) in (covered..).zip(rest) {
            for (sum, &m) in sums[shift..].iter_mut().zip(long) {
                *sum += weight * m;
            }
        }
    }
}

/// P(X ≥ x) for every x.
#[derive(Debug, Clone, PartialEq)]
pub struct UpperTails {
    offset: i64,
    tails: Vec<f64>,
    beyond: f64,
}

impl UpperTails {
    /// P(X ≥ `value`), at most 10⁻²⁰ too large and never too small but for rounding.
    pub fn at(&self, value: i64) -> f64 {
        if value <= self.offset {
            return 1.0;
        }
        // Nothing is certain to 300 digits; zero would break orderings by p-value.
        self.tails.get((value - self.offset) as usize).map_or(self.beyond, |&tail| tail).max(f64::MIN_POSITIVE)
    }
}
