//! Tiles in memory: `W` columns of every node, from a cache line's start, so that a gather touches as few lines as it
//! can.

use crate::pages::Pages;

/// Floats of a cache line.
const LINE: usize = 16;

/// One tile of `W` columns a node.
pub(super) struct Buffer<const W: usize> {
    data: Pages<f32>,
    start: usize,
    end: usize,
}

impl<const W: usize> Buffer<W> {
    pub(super) fn zeros(nodes: usize) -> Self {
        let data = Pages::<f32>::zeros(nodes * W + LINE);
        let start = data.as_ptr().align_offset(LINE * size_of::<f32>()).min(LINE);
        Self { data, start, end: start + nodes * W }
    }

    pub(super) fn tiles(&self) -> &[[f32; W]] {
        self.data[self.start..self.end].as_chunks().0
    }

    pub(super) fn tiles_mut(&mut self) -> &mut [[f32; W]] {
        self.data[self.start..self.end].as_chunks_mut().0
    }
}
