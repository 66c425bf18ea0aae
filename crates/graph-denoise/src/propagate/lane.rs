//! One lane: a panel of columns and the buffers in which it goes through all steps.

use std::ops::Range;

use super::buffer::Buffer;
use super::hop::Hop;
use super::prefetch::{AHEAD, prefetch};
use super::run::Job;
use crate::low_precision::widen;
use crate::{CsrMatrix, Rows};

/// A panel of columns, in tiles, and the scratch space that the tiles share.
pub(super) struct Lane<const W: usize> {
    columns: Range<usize>,
    tiles: Vec<Buffer<W>>,
    spare: Buffer<W>,
    total: Buffer<W>,
}

impl<const W: usize> Lane<W> {
    pub(super) fn new(nodes: usize, tiles: usize, with_total: bool) -> Self {
        Self {
            columns: 0..0,
            tiles: (0..tiles).map(|_| Buffer::zeros(nodes)).collect(),
            spare: Buffer::zeros(nodes),
            total: Buffer::zeros(if with_total { nodes } else { 0 }),
        }
    }

    pub(super) fn columns(&self) -> Range<usize> {
        self.columns.clone()
    }

    /// Reads the panel `columns` and takes it through all steps; with `blocks` above 1, all threads share the rows.
    pub(super) fn compute(&mut self, job: &Job<'_, '_>, columns: Range<usize>, blocks: usize) {
        self.columns = columns;
        self.read(job);
        for at in 0..self.columns.len().div_ceil(W) {
            self.take_through(job, at, blocks);
        }
    }

    /// Copies the values at one place of the panel to `out`, constant part added.
    pub(super) fn write_row(&self, place: usize, constant: f32, out: &mut [f32]) {
        for (out, tile) in out.chunks_mut(W).zip(&self.tiles) {
            let values = &tile.tiles()[place];
            if let (Ok(out), true) = (<&mut [f32; W]>::try_from(&mut *out), constant == 0.0) {
                *out = *values;
            } else if constant == 0.0 {
                out.copy_from_slice(&values[..out.len()]);
            } else {
                for (out, value) in out.iter_mut().zip(values) {
                    *out = value + constant;
                }
            }
        }
    }

    fn read(&mut self, job: &Job<'_, '_>) {
        match job.rows {
            Rows::Dense(matrix) => self.read_dense(job, |node| matrix.row(node), |&value| value),
            Rows::Codes { codes, .. } => {
                let scale = codes.scale();
                self.read_dense(job, |node| codes.row(node), |&code| scale * f32::from(code));
            }
            Rows::Bf16(matrix) => self.read_dense(job, |node| matrix.row(node), |&bits| widen(bits)),
            Rows::Sparse { entries, .. } => self.read_sparse(job, entries),
        }
    }

    fn read_sparse(&mut self, job: &Job<'_, '_>, entries: &CsrMatrix) {
        let mut tiles: Vec<_> = self.tiles.iter_mut().map(Buffer::tiles_mut).collect();
        for tile in &mut tiles {
            tile.fill([0.0; W]);
        }
        for node in 0..entries.rows() {
            if node + AHEAD < entries.rows() {
                let (columns, values) = entries.row(node + AHEAD);
                prefetch(columns);
                prefetch(values);
            }
            let place = job.operator.place(node);
            let (columns, values) = entries.row(node);
            let first = columns.partition_point(|&column| (column as usize) < self.columns.start);
            for (&column, &value) in columns[first..].iter().zip(&values[first..]) {
                if column as usize >= self.columns.end {
                    break;
                }
                let at = column as usize - self.columns.start;
                tiles[at / W][place][at % W] = value;
            }
        }
    }

    fn read_dense<'r, T: 'r>(
        &mut self,
        job: &Job<'_, '_>,
        row: impl Fn(usize) -> &'r [T],
        value: impl Fn(&T) -> f32 + Copy,
    ) {
        let mut tiles: Vec<_> = self.tiles.iter_mut().map(Buffer::tiles_mut).collect();
        let nodes = job.rows.rows();
        for node in 0..nodes {
            if node + AHEAD < nodes {
                prefetch(&row(node + AHEAD)[self.columns.clone()]);
            }
            let place = job.operator.place(node);
            let row = &row(node)[self.columns.clone()];
            for (tile, part) in tiles.iter_mut().zip(row.chunks(W)) {
                let values = &mut tile[place];
                if let Some(part) = part.first_chunk::<W>() {
                    for (to, from) in values.iter_mut().zip(part) {
                        *to = value(from);
                    }
                } else {
                    *values = [0.0; W];
                    for (to, from) in values.iter_mut().zip(part) {
                        *to = value(from);
                    }
                }
            }
        }
    }

    fn take_through(&mut self, job: &Job<'_, '_>, at: usize, blocks: usize) {
        let tile = &mut self.tiles[at];
        let filter = job.filter;
        let steps = filter.steps();
        let operator = job.operator;
        let only_last = filter.is_power();
        if !only_last {
            let own = filter.coefficient(0);
            for (total, values) in self.total.tiles_mut().iter_mut().zip(tile.tiles()) {
                *total = values.map(|value| own * value);
            }
        }
        if steps > 0
            && let Some(first) = operator.scales(0)
        {
            for (values, &right) in tile.tiles_mut().iter_mut().zip(&first.right) {
                *values = values.map(|value| value * right);
            }
        }
        for step in 0..steps {
            let hop = Hop {
                pattern: operator.pattern,
                scales: operator.scales(step),
                next: if step + 1 < steps {
                    operator.scales(step + 1).map(|scales| scales.right.as_slice())
                } else {
                    None
                },
                coefficient: filter.coefficient(step + 1),
                source: tile.tiles(),
                rows: 0..tile.tiles().len(),
                target: self.spare.tiles_mut(),
                total: self.total.tiles_mut(),
            };
            if blocks > 1 {
                hop.run_parallel(blocks);
            } else {
                hop.run();
            }
            std::mem::swap(tile, &mut self.spare);
        }
        if !only_last {
            std::mem::swap(tile, &mut self.total);
        }
    }
}
