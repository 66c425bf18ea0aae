//! From counts of reports to the distribution of the users' values: EM on a known channel, and EMS.
//!
//! \[Li et al. 2020, Alg. 1\]: F ← EM on the binned channel; EMS smooths every step with \[1, 2, 1\]/4 and needs no
//! stopping rule fine-tuned to the noise. Post-processing: costs no ε.

use alloc::vec;
use alloc::vec::Vec;

use crate::{Error, SquareWave};

/// P(output | input), row-major, one row an input.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    inputs: usize,
    outputs: usize,
    probabilities: Vec<f64>,
}

/// How EM runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EmOptions {
    /// Smooth every step (EMS). For ordered inputs only.
    pub smoothing: bool,
    /// Steps at most.
    pub iterations: usize,
    /// Stop when the log-likelihood per report grows by less than this.
    pub tolerance: f64,
}

impl EmOptions {
    /// EM: 10 000 steps at most, stopping at 1e-10.
    pub const EM: Self = Self { smoothing: false, iterations: 10_000, tolerance: 1e-10 };
    /// EMS: 10 000 steps at most, stopping at 1e-10.
    pub const EMS: Self = Self { smoothing: true, iterations: 10_000, tolerance: 1e-10 };
}

impl Channel {
    /// From its rows.
    ///
    /// # Errors
    /// [`Error::Length`] when the rows are not all `outputs` long, [`Error::Count`] without a row or a column,
    /// [`Error::Value`] when an entry is not in [0, 1] or a row does not sum to one within 1e-9.
    pub fn new(outputs: usize, probabilities: Vec<f64>) -> Result<Self, Error> {
        if outputs == 0 || probabilities.is_empty() {
            return Err(Error::Count { what: "cells of a channel", min: 1, max: u64::MAX, got: 0 });
        }
        let inputs = probabilities.len() / outputs;
        if inputs * outputs != probabilities.len() {
            let expected = inputs * outputs;
            return Err(Error::Length { what: "channel", expected, got: probabilities.len() });
        }
        let good = |row: &[f64]| row.iter().all(|p| (0.0..=1.0).contains(p)) && libm::fabs(sum(row) - 1.0) < 1e-9;
        if probabilities.chunks_exact(outputs).all(good) {
            Ok(Self { inputs, outputs, probabilities })
        } else {
            Err(Error::Value { lower: 0.0, upper: 1.0 })
        }
    }

    /// Number of inputs.
    #[must_use]
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Number of outputs.
    #[must_use]
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// P(· | `input`).
    ///
    /// # Panics
    /// When `input` is not below [`Channel::inputs`].
    #[must_use]
    pub fn row(&self, input: usize) -> &[f64] {
        &self.probabilities[input * self.outputs..(input + 1) * self.outputs]
    }

    /// Maximum-likelihood shares of the inputs, by EM from the uniform distribution. They sum to one.
    ///
    /// # Errors
    /// [`Error::Length`] unless there is one count an output, [`Error::Count`] when there is no report.
    pub fn estimate(&self, counts: &[u64], options: EmOptions) -> Result<Vec<f64>, Error> {
        if counts.len() != self.outputs {
            return Err(Error::Length { what: "counts", expected: self.outputs, got: counts.len() });
        }
        let total: f64 = counts.iter().map(|&c| c as f64).sum();
        if total == 0.0 {
            return Err(Error::Count { what: "reports", min: 1, max: u64::MAX, got: 0 });
        }
        let mut shares = vec![1.0 / self.inputs as f64; self.inputs];
        let mut before = f64::NEG_INFINITY;
        for _ in 0..options.iterations {
            let mut expected = vec![0.0; self.outputs];
            for (&share, row) in shares.iter().zip(self.probabilities.chunks_exact(self.outputs)) {
                expected.iter_mut().zip(row).for_each(|(e, &p)| *e += share * p);
            }
            let quotients: Vec<f64> = counts
                .iter()
                .zip(&expected)
                .map(|(&c, &e)| if c == 0 || e == 0.0 { 0.0 } else { c as f64 / total / e })
                .collect();
            for (share, row) in shares.iter_mut().zip(self.probabilities.chunks_exact(self.outputs)) {
                *share *= row.iter().zip(&quotients).map(|(p, q)| p * q).sum::<f64>();
            }
            if options.smoothing {
                smooth(&mut shares);
            }
            let norm = sum(&shares);
            shares.iter_mut().for_each(|s| *s /= norm);
            let seen = counts.iter().zip(&expected).filter(|&(&c, &e)| c > 0 && e > 0.0);
            let likelihood = seen.map(|(&c, &e)| c as f64 / total * libm::log(e)).sum::<f64>();
            if likelihood - before < options.tolerance {
                break;
            }
            before = likelihood;
        }
        Ok(shares)
    }
}

fn sum(values: &[f64]) -> f64 {
    values.iter().sum()
}

/// [1, 2, 1]/4, with the ends reflected.
fn smooth(shares: &mut [f64]) {
    let old = shares.to_vec();
    let last = old.len() - 1;
    for (i, share) in shares.iter_mut().enumerate() {
        *share = (old[i.saturating_sub(1)] + 2.0 * old[i] + old[(i + 1).min(last)]) / 4.0;
    }
}

impl SquareWave {
    /// The channel from `inputs` equal bins of the value range to `outputs` equal bins of the report cells; values are
    /// taken as uniform inside their bin (16 places).
    ///
    /// # Errors
    /// [`Error::Count`] when either is 0 or above the number of cells.
    pub fn channel(&self, inputs: usize, outputs: usize) -> Result<Channel, Error> {
        const PLACES: u64 = 16;
        let kernel = self.kernel();
        let (steps, cells) = (u64::from(kernel.largest_input()), u64::from(kernel.cells()));
        for (what, got) in [("input bins", inputs as u64), ("output bins", outputs as u64)] {
            if got == 0 || got > 1 << 16 {
                return Err(Error::Count { what, min: 1, max: 1 << 16, got });
            }
        }
        let (low, width) = (kernel.unlikely_probability(), u64::from(kernel.width()));
        let high = (1.0 - low * steps as f64) / width as f64;
        let mut probabilities = Vec::with_capacity(inputs * outputs);
        for input in 0..inputs as u64 {
            for output in 0..outputs as u64 {
                let (start, end) = (output * cells / outputs as u64, (output + 1) * cells / outputs as u64);
                let overlap = |place: u64| {
                    let at = (input * PLACES + place) * steps / (inputs as u64 * PLACES);
                    end.min(at + width).saturating_sub(start.max(at))
                };
                let inside = (0..PLACES).map(overlap).sum::<u64>() as f64 / PLACES as f64;
                probabilities.push(low * ((end - start) as f64 - inside) + high * inside);
            }
        }
        Channel::new(outputs, probabilities)
    }

    /// Counts of reports in `bins` equal bins of the report cells, for [`Channel::estimate`].
    ///
    /// # Errors
    /// [`Error::Report`] for a report that this mechanism cannot emit.
    pub fn bin(&self, reports: &[u32], bins: usize) -> Result<Vec<u64>, Error> {
        let cells = u64::from(self.kernel().cells());
        let mut counts = vec![0; bins];
        for &report in reports {
            if u64::from(report) >= cells {
                return Err(Error::Report { what: "an output cell outside the grid" });
            }
            // The bin whose first cell is ⌊bin·cells/bins⌋.
            let bin = ((u64::from(report) + 1) * bins as u64).div_ceil(cells) - 1;
            counts[bin as usize] += 1;
        }
        Ok(counts)
    }
}
