//! A whole propagation: waves of lanes, then their columns written out.

use std::ops::Range;

use rayon::prelude::*;

use super::Pattern;
use super::hop::Operator;
use super::in_order::ASIDE;
use super::lane::Lane;
use super::plan::{BUDGET, Plan};
use super::prefetch::{AHEAD, prefetch};
use super::sparse::SparseHop;
use crate::constant::constant_part;
use crate::{CsrMatrix, Error, Filter, Rows, Weights};

/// Rows that one task writes.
const ROWS_A_TASK: usize = 256;

/// Entry-column products of a hop below which a second thread costs more than it saves.
const SERIAL_BELOW: usize = 1 << 16;

/// Cost of one product of a sparse hop that writes dense rows, over that of one in a dense hop (measured: 1.5 ns and
/// 0.05 ns).
const SCATTER: f64 = 30.0;

/// The same for a sparse hop that collects sparse rows.
const COLLECT: f64 = 60.0;

/// Where the result goes.
pub(super) enum Sink<'a> {
    /// All of it, row-major.
    Dense {
        out: &'a mut [f32],
        /// Whether `out` is all zero.
        zeroed: bool,
    },
    /// One block of columns after the other.
    Blocks(&'a mut dyn FnMut(Range<usize>, &[f32])),
}

/// A checked request.
pub(super) struct Job<'a, 'g> {
    weights: &'a Weights<'g>,
    pub(super) rows: Rows<'a>,
    pub(super) filter: &'a Filter,
    pub(super) operator: Operator<'a>,
    /// Which of the weights' hops the first step uses.
    first_hop: usize,
    /// Bytes of the working memory that its rows take.
    taken: usize,
    /// What the constant of the input has become, one number a node; empty without one.
    constant: Vec<f32>,
}

impl<'a, 'g> Job<'a, 'g> {
    pub(super) fn new(
        weights: &'a Weights<'g>,
        rows: Rows<'a>,
        filter: &'a Filter,
        first_hop: usize,
    ) -> Result<Self, Error> {
        if rows.rows() != weights.nodes() {
            return Err(Error::Shape { what: "rows, one a node", expected: weights.nodes(), found: rows.rows() });
        }
        let constant = if rows.offset() == 0.0 { Vec::new() } else { constant_part(weights, filter, rows.offset())? };
        Ok(Self { weights, rows, filter, operator: Operator::new(weights, first_hop), first_hop, taken: 0, constant })
    }

    pub(super) fn run(mut self, mut sink: Sink<'_>) {
        if self.rows.rows() == 0 || self.rows.columns() == 0 {
            return;
        }
        if let Rows::Sparse { entries, .. } = self.rows
            && self.filter.is_power()
        {
            let begun = self.sparse_steps(entries);
            let (entries, steps) = begun.as_ref().map_or((entries, 0), |(entries, steps)| (entries, *steps));
            let taken = if steps > 0 { entries.bytes() } else { 0 };
            let rest = self.filter.steps() - steps;
            if rest == 1
                && taken + SparseHop::scratch(entries) <= BUDGET
                && let Sink::Dense { out, zeroed } = &mut sink
            {
                let hop = self.sparse_hop(steps, entries);
                if hop.products() as f64 * SCATTER < self.dense_hop() {
                    return hop.to_dense(&self.constant, *zeroed, out);
                }
            }
            if steps > 0 {
                let job = Job {
                    weights: self.weights,
                    rows: Rows::Sparse { entries, offset: 0.0 },
                    filter: &Filter::power(rest),
                    operator: Operator::new(self.weights, self.first_hop + steps),
                    first_hop: self.first_hop + steps,
                    taken,
                    constant: std::mem::take(&mut self.constant),
                };
                return job.run_blocked(sink);
            }
        }
        self.run_blocked(sink);
    }

    /// All steps over sparse rows: the entries, in the memory of `spare` where that is large enough, and the constant of
    /// each row.
    pub(super) fn run_sparse(self, entries: &CsrMatrix, mut spare: Option<CsrMatrix>) -> (CsrMatrix, Vec<f32>) {
        let mut current = None;
        for step in 0..self.filter.steps() {
            let room = if step + 1 == self.filter.steps() { spare.take() } else { None };
            current = Some(self.sparse_hop(step, current.as_ref().unwrap_or(entries)).to_sparse(room));
        }
        (current.unwrap_or_else(|| entries.clone()), self.constant)
    }

    /// First steps over sparse rows, as long as that is cheaper than a dense step; the last step is left.
    fn sparse_steps(&self, entries: &CsrMatrix) -> Option<(CsrMatrix, usize)> {
        let mut current: Option<(CsrMatrix, usize)> = None;
        loop {
            let (entries, steps) = current.as_ref().map_or((entries, 0), |(entries, steps)| (entries, *steps));
            if steps + 1 >= self.filter.steps() {
                return current;
            }
            let taken = SparseHop::scratch(entries) + ASIDE + if steps > 0 { entries.bytes() } else { 0 };
            if taken > BUDGET {
                return current;
            }
            let hop = self.sparse_hop(steps, entries);
            let fits = hop.result() <= BUDGET / 2 && taken + hop.result() <= BUDGET;
            if hop.products() as f64 * COLLECT >= self.dense_hop() || !fits {
                return current;
            }
            current = Some((hop.to_sparse(None), steps + 1));
        }
    }

    fn sparse_hop<'h>(&'h self, step: usize, entries: &'h CsrMatrix) -> SparseHop<'h> {
        SparseHop::new(Pattern::of(self.weights), self.weights.scales(self.first_hop + step), entries)
    }

    /// What a dense hop costs, in the unit of [`SCATTER`].
    fn dense_hop(&self) -> f64 {
        (self.weights.entries() + self.weights.nodes()) as f64 * self.rows.columns() as f64
    }

    fn run_blocked(&self, sink: Sink<'_>) {
        let buffers = if self.filter.is_power() { 1 } else { 2 };
        let copies = usize::from(matches!(sink, Sink::Blocks(_)));
        let threads = rayon::current_num_threads();
        let plan = Plan::new(self.rows.rows(), self.rows.columns(), threads, buffers, copies, self.taken);
        match plan.tile {
            32 => self.run_tiles::<32>(plan, sink),
            16 => self.run_tiles::<16>(plan, sink),
            8 => self.run_tiles::<8>(plan, sink),
            4 => self.run_tiles::<4>(plan, sink),
            _ => self.run_tiles::<1>(plan, sink),
        }
    }

    fn run_tiles<const W: usize>(&self, plan: Plan, mut sink: Sink<'_>) {
        let (nodes, columns) = (self.rows.rows(), self.rows.columns());
        let panel = plan.panel();
        let threads = rayon::current_num_threads();
        let small = self.weights.entries().saturating_mul(W) < SERIAL_BELOW;
        let blocks = if plan.lanes > 1 || threads == 1 || small { 1 } else { threads * 8 };
        let mut lanes: Vec<Lane<W>> =
            (0..plan.lanes).map(|_| Lane::new(nodes, plan.tiles, !self.filter.is_power())).collect();
        let mut block = Vec::new();
        for start in (0..columns).step_by(panel * plan.lanes) {
            let wave = start..columns.min(start + panel * plan.lanes);
            let busy = wave.len().div_ceil(panel);
            let lanes = &mut lanes[..busy];
            let range = |lane: usize| {
                let first = wave.start + lane * panel;
                first..wave.end.min(first + panel)
            };
            if plan.lanes == 1 {
                lanes[0].compute(self, range(0), blocks);
            } else {
                lanes.par_iter_mut().enumerate().for_each(|(at, lane)| lane.compute(self, range(at), 1));
            }
            match &mut sink {
                Sink::Dense { out, .. } => self.write(lanes, wave, columns, out),
                Sink::Blocks(sink) => {
                    for lane in lanes {
                        let columns = lane.columns();
                        block.resize(nodes * columns.len(), 0.0);
                        self.write(std::slice::from_ref(lane), 0..columns.len(), columns.len(), &mut block);
                        sink(columns, &block);
                    }
                }
            }
        }
    }

    /// Writes the lanes' columns to columns `wave` of `out`, which has `stride` columns.
    fn write<const W: usize>(&self, lanes: &[Lane<W>], wave: Range<usize>, stride: usize, out: &mut [f32]) {
        out.par_chunks_mut(stride * ROWS_A_TASK).enumerate().for_each(|(task, out)| {
            for at in 0..out.len() / stride {
                if let Some(ahead) = out.get((at + AHEAD) * stride..)
                    && !ahead.is_empty()
                {
                    prefetch(&ahead[wave.clone()]);
                }
                let row = &mut out[at * stride..(at + 1) * stride];
                let node = task * ROWS_A_TASK + at;
                let place = self.operator.place(node);
                let constant = self.constant.get(node).copied().unwrap_or(0.0);
                let mut rest = &mut row[wave.clone()];
                for lane in lanes {
                    let (part, after) = rest.split_at_mut(lane.columns().len());
                    lane.write_row(place, constant, part);
                    rest = after;
                }
            }
        });
    }
}
