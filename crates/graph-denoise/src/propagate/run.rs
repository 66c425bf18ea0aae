//! A whole propagation: waves of lanes, then their columns written out.

use std::ops::Range;

use rayon::prelude::*;

use super::lane::Lane;
use super::plan::Plan;
use crate::constant::constant_part;
use crate::{CsrMatrix, Error, Filter, Rows, Weights};

/// Rows that one task writes.
const ROWS_A_TASK: usize = 256;

/// Entry-column products of a hop below which a second thread costs more than it saves.
const SERIAL_BELOW: usize = 1 << 16;

/// Where the result goes.
pub(super) enum Sink<'a> {
    /// All of it, row-major.
    Dense(&'a mut [f32]),
    /// One block of columns after the other.
    Blocks(&'a mut dyn FnMut(Range<usize>, &[f32])),
}

/// A checked request.
pub(super) struct Job<'a, 'g> {
    pub(super) weights: &'a Weights<'g>,
    pub(super) rows: Rows<'a>,
    pub(super) filter: &'a Filter,
    /// Which of the weights' hops the first step uses.
    pub(super) first_hop: usize,
    /// Sparse entries by column.
    by_column: Option<CsrMatrix>,
    /// What the constant of the input has become, one number a node; empty without one.
    constant: Vec<f32>,
}

impl<'a, 'g> Job<'a, 'g> {
    pub(super) fn new(weights: &'a Weights<'g>, rows: Rows<'a>, filter: &'a Filter) -> Result<Self, Error> {
        if rows.rows() != weights.nodes() {
            return Err(Error::Shape { what: "rows, one a node", expected: weights.nodes(), found: rows.rows() });
        }
        let constant = if rows.offset() == 0.0 { Vec::new() } else { constant_part(weights, filter, rows.offset())? };
        let by_column = match rows {
            Rows::Dense(_) => None,
            Rows::Sparse { entries, .. } => Some(entries.transpose()),
        };
        Ok(Self { weights, rows, filter, first_hop: 0, by_column, constant })
    }

    /// The stored entries of some columns: column, nodes, values.
    pub(super) fn columns_of_entries(&self, columns: Range<usize>) -> impl Iterator<Item = (usize, &[u32], &[f32])> {
        self.by_column.iter().flat_map(move |matrix| {
            columns.clone().map(move |column| {
                let (nodes, values) = matrix.row(column);
                (column, nodes, values)
            })
        })
    }

    pub(super) fn run(&self, sink: Sink<'_>) {
        if self.rows.rows() == 0 || self.rows.columns() == 0 {
            return;
        }
        let buffers = if self.filter.is_power() { 1 } else { 2 };
        let copies = usize::from(matches!(sink, Sink::Blocks(_)));
        let threads = rayon::current_num_threads();
        let plan = Plan::new(self.rows.rows(), self.rows.columns(), threads, buffers, copies);
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
                Sink::Dense(out) => self.write(lanes, wave, columns, out),
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
            for (at, row) in out.chunks_exact_mut(stride).enumerate() {
                let node = task * ROWS_A_TASK + at;
                let constant = self.constant.get(node).copied().unwrap_or(0.0);
                let mut rest = &mut row[wave.clone()];
                for lane in lanes {
                    let (part, after) = rest.split_at_mut(lane.columns().len());
                    lane.write_row(node, constant, part);
                    rest = after;
                }
            }
        });
    }
}
