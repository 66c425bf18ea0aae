//! One lane: a panel of columns and the buffers in which it goes through all steps.

use std::ops::Range;

use super::hop::{Hop, Pattern, Tile};
use super::run::Job;
use crate::Rows;
use crate::weights::Form;

/// A panel of columns, in tiles, and the scratch space that the tiles share.
pub(super) struct Lane<const W: usize> {
    columns: Range<usize>,
    tiles: Vec<Vec<Tile<W>>>,
    spare: Vec<Tile<W>>,
    total: Vec<Tile<W>>,
}

impl<const W: usize> Lane<W> {
    pub(super) fn new(nodes: usize, tiles: usize, with_total: bool) -> Self {
        Self {
            columns: 0..0,
            tiles: vec![vec![Tile::ZERO; nodes]; tiles],
            spare: vec![Tile::ZERO; nodes],
            total: vec![Tile::ZERO; if with_total { nodes } else { 0 }],
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

    /// Copies one node's values of the panel to `out`, constant part added.
    pub(super) fn write_row(&self, node: usize, constant: f32, out: &mut [f32]) {
        for (out, tile) in out.chunks_mut(W).zip(&self.tiles) {
            let Tile(values) = &tile[node];
            if let (Ok(out), true) = (<&mut [f32; W]>::try_from(&mut *out), constant == 0.0) {
                *out = *values;
            } else {
                for (out, value) in out.iter_mut().zip(values) {
                    *out = value + constant;
                }
            }
        }
    }

    fn read(&mut self, job: &Job<'_, '_>) {
        match job.rows {
            Rows::Dense(matrix) => {
                for node in 0..matrix.rows() {
                    let row = &matrix.row(node)[self.columns.clone()];
                    for (tile, part) in self.tiles.iter_mut().zip(row.chunks(W)) {
                        let Tile(values) = &mut tile[node];
                        match <&[f32; W]>::try_from(part) {
                            Ok(part) => *values = *part,
                            Err(_) => {
                                *values = [0.0; W];
                                values[..part.len()].copy_from_slice(part);
                            }
                        }
                    }
                }
            }
            Rows::Sparse { .. } => {
                for tile in &mut self.tiles {
                    tile.fill(Tile::ZERO);
                }
                for (column, nodes, values) in job.columns_of_entries(self.columns.clone()) {
                    let at = column - self.columns.start;
                    for (&node, &value) in nodes.iter().zip(values) {
                        self.tiles[at / W][node as usize].0[at % W] = value;
                    }
                }
            }
        }
    }

    fn take_through(&mut self, job: &Job<'_, '_>, at: usize, blocks: usize) {
        let tile = &mut self.tiles[at];
        let filter = job.filter;
        let steps = filter.steps();
        let hops = match &job.weights.form {
            Form::Scaled { hops, .. } => hops.as_slice(),
            Form::Matrix(_) => &[],
        };
        let scales = |step: usize| hops.get((job.first_hop + step).min(hops.len().saturating_sub(1)));
        let only_last = filter.is_power();
        if !only_last {
            let own = filter.coefficient(0);
            for (Tile(total), Tile(values)) in self.total.iter_mut().zip(tile.iter()) {
                *total = values.map(|value| own * value);
            }
        }
        if steps > 0
            && let Some(first) = scales(0)
        {
            for (Tile(values), &right) in tile.iter_mut().zip(&first.right) {
                *values = values.map(|value| value * right);
            }
        }
        for step in 0..steps {
            let hop = Hop {
                pattern: Pattern::of(job.weights),
                scales: scales(step),
                next: if step + 1 < steps { scales(step + 1).map(|scales| scales.right.as_slice()) } else { None },
                coefficient: filter.coefficient(step + 1),
                source: tile,
                rows: 0..job.weights.nodes(),
                target: &mut self.spare,
                total: &mut self.total,
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
