//! How wide a block of columns is and how many are worked on at once, from the sizes and a memory bound alone.

/// Working memory of a propagation.
pub(super) const BUDGET: usize = 64 << 20;

/// Columns that a lane reads and writes together, so that a page of a wide matrix is visited once for all of them.
const PANEL: usize = 128;

/// Sizes of a propagation's working set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Plan {
    /// Columns of a tile: what goes through all K steps together.
    pub(super) tile: usize,
    /// Tiles that a lane holds.
    pub(super) tiles: usize,
    /// Lanes that work at the same time, one a thread; with one lane, threads share its rows.
    pub(super) lanes: usize,
}

impl Plan {
    /// `buffers`: buffers of one tile's width that a lane needs besides its tiles; `copies`: buffers of a lane's width;
    /// `taken`: bytes of the working memory that are in use.
    pub(super) fn new(
        nodes: usize,
        columns: usize,
        threads: usize,
        buffers: usize,
        copies: usize,
        taken: usize,
    ) -> Self {
        let budget = BUDGET.saturating_sub(taken);
        let bytes = |tile: usize, tiles: usize, lanes: usize| {
            lanes * nodes * size_of::<f32>() * (tile * tiles * (1 + copies) + tile * buffers)
        };
        let widest = if columns > 16 { 32 } else { 16 };
        if threads == 1 || columns >= threads * widest {
            for tiles in [PANEL / widest, 1] {
                if columns >= threads * tiles * widest && bytes(widest, tiles, threads) <= budget {
                    return Self { tile: widest, tiles, lanes: threads };
                }
            }
        }
        for tile in [32, 16, 8, 4] {
            if tile <= widest && bytes(tile, 1, 1) <= budget {
                return Self { tile, tiles: 1, lanes: 1 };
            }
        }
        Self { tile: 1, tiles: 1, lanes: 1 }
    }

    /// Columns of a lane.
    pub(super) fn panel(&self) -> usize {
        self.tile * self.tiles
    }
}
