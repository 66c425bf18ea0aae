//! The window kernel: an output is likely inside a window that follows the input, unlikely outside.
//!
//! Piecewise mechanism, square wave and the ordinal (extended) square wave are this one law. Inputs are the N + 1
//! offsets 0 … N, outputs the N + W cells; input i has its window at cells i … i+W−1. The window is equally wide
//! everywhere (a width that changes with the input would leak through the normaliser), so the mean of the output is
//! affine in the input and the rectifier's constants are exact.

use crate::weights::{Reciprocal, TOTAL, TOTAL_F64, log_quotient, require_signal, unlikely_weight};
use crate::{Epsilon, Error};

/// The law: `outside` cells of weight `unlikely`, `width` cells of weight `likely` or one more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowKernel {
    width: u32,
    outside: u32,
    unlikely: u64,
    likely: u64,
    /// The first `extra` cells of the window weigh one unit more, so that the sum is 2⁶⁴.
    extra: u32,
    inside: u64,
    /// Division by the weight of a cell: likely, then unlikely.
    by: [Reciprocal; 2],
}

impl WindowKernel {
    /// For inputs 0 … `outside` and a window of `width` cells.
    ///
    /// # Errors
    /// [`Error::Count`] for a width or an outside of 0 or above 2³¹; [`Error::Resolution`] when ε is too small for
    /// so many cells.
    pub fn new(epsilon: Epsilon, outside: u32, width: u32) -> Result<Self, Error> {
        for (what, got) in [("window cells", width), ("cells outside the window", outside)] {
            if got == 0 || got > 1 << 31 {
                return Err(Error::Count { what, min: 1, max: 1 << 31, got: u64::from(got) });
            }
        }
        let cells = u64::from(width) + u64::from(outside);
        let mut unlikely = unlikely_weight(epsilon, width.into(), outside.into());
        let split = |unlikely: u64| {
            let inside = TOTAL.saturating_sub(u128::from(outside) * u128::from(unlikely));
            (inside, (inside / u128::from(width)) as u64, (inside % u128::from(width)) as u32)
        };
        let (mut inside, mut likely, mut extra) = split(unlikely);
        // The uneven cells may be one unit too likely; raise the other weight until they are not.
        while extra > 0 && log_quotient(u128::from(likely) + 1, unlikely.into()) > epsilon.nats() * (1.0 - 1e-15) {
            unlikely += 1;
            (inside, likely, extra) = split(unlikely);
        }
        require_signal(likely.into(), unlikely.into(), epsilon, cells)?;
        // outside · unlikely ≥ 1, so inside < 2⁶⁴.
        Ok(Self {
            width,
            outside,
            unlikely,
            likely,
            extra,
            inside: inside as u64,
            by: [Reciprocal::new(likely), Reciprocal::new(unlikely)],
        })
    }

    /// Number of output cells, N + W.
    #[must_use]
    pub fn cells(&self) -> u32 {
        self.outside + self.width
    }

    /// The largest input, N.
    #[must_use]
    pub fn largest_input(&self) -> u32 {
        self.outside
    }

    /// W.
    #[must_use]
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Exact weight of 2⁶⁴ of cell `output` given `input`; zero when either is outside its range.
    #[must_use]
    pub fn weight(&self, input: u32, output: u32) -> u64 {
        if input > self.outside || output >= self.cells() {
            return 0;
        }
        match output.checked_sub(input) {
            Some(position) if position < self.width => self.likely + u64::from(position < self.extra),
            _ => self.unlikely,
        }
    }

    /// Probability of one cell outside the window.
    #[must_use]
    pub fn unlikely_probability(&self) -> f64 {
        self.unlikely as f64 / TOTAL_F64
    }

    /// Largest log-ratio between two inputs.
    #[must_use]
    pub fn achieved_epsilon(&self) -> f64 {
        log_quotient(u128::from(self.likely) + u128::from(self.extra > 0), self.unlikely.into())
    }

    /// The output cell that one word leads to, without a branch on the word.
    ///
    /// Words below `inside` count off the window, `likely` words a cell; the `extra` words that this leaves over go to
    /// its first cells (they are fewer than `likely`, which is at least 2⁶⁴/cells ≥ 2³²).
    #[inline]
    pub(crate) fn draw(&self, input: u32, word: u64) -> u32 {
        let out = word >= self.inside;
        let word = word - if out { self.inside } else { 0 };
        let by = &self.by[usize::from(out)];
        let quotient = by.divide(word);
        let rest = word.wrapping_sub(quotient.wrapping_mul(by.divisor())) as u32;
        let quotient = quotient as u32;
        let inner = input.wrapping_add(if quotient < self.width { quotient } else { rest });
        let outer = quotient.wrapping_add(if quotient < input { 0 } else { self.width });
        if out { outer } else { inner }
    }

    /// (p − q)·W of the paper: how many cells the mean output moves when the input moves by one.
    pub(crate) fn slope(&self) -> f64 {
        (u128::from(self.inside) - u128::from(self.unlikely) * u128::from(self.width)) as f64 / TOTAL_F64
    }

    /// Sum of weight·(2·output − cells + 1)^power over all outputs, given `input`.
    fn moment(&self, input: u32, power: u32) -> i128 {
        let middle = i128::from(self.cells()) - 1;
        // Σ over outputs below n of (2y − middle)^power.
        let below = |n: u32| {
            let n = i128::from(n);
            let sum = n * (n - 1) / 2;
            let squares = (n - 1) * n * (2 * n - 1) / 6;
            match power {
                1 => 2 * sum - middle * n,
                _ => 4 * squares - 4 * middle * sum + middle * middle * n,
            }
        };
        let window = below(input + self.width) - below(input);
        let uneven = below(input + self.extra) - below(input);
        i128::from(self.unlikely) * (below(self.cells()) - window) + i128::from(self.likely) * window + uneven
    }

    /// Mean and mean square of 2·output − cells + 1 given `input`.
    pub(crate) fn centred_moments(&self, input: u32) -> (f64, f64) {
        (self.moment(input, 1) as f64 / TOTAL_F64, self.moment(input, 2) as f64 / TOTAL_F64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words fall into intervals, one a cell and side; the first and the last word of each lead where the weights
    /// say, and the intervals fill 2⁶⁴.
    #[test]
    fn every_interval_of_words_leads_to_its_cell() {
        for nats in [1e-6, 0.1, 1.0, 5.0, 40.0] {
            for (outside, width) in [(1, 1), (4, 3), (4, 5), (64, 61), (1000, 7)] {
                let kernel = WindowKernel::new(Epsilon::new(nats).expect("valid"), outside, width).expect("valid");
                for input in 0..=outside {
                    let mut start = 0_u128;
                    let mut interval = |count: u64, cell: u32| {
                        if count > 0 {
                            let (first, last) = (start as u64, (start + u128::from(count) - 1) as u64);
                            assert_eq!((kernel.draw(input, first), kernel.draw(input, last)), (cell, cell));
                        }
                        start += u128::from(count);
                    };
                    (0..width).for_each(|k| interval(kernel.likely, input + k));
                    (0..kernel.extra).for_each(|k| interval(1, input + k));
                    (0..outside).for_each(|q| interval(kernel.unlikely, if q < input { q } else { q + width }));
                    assert_eq!(start, TOTAL);
                }
            }
        }
    }
}
