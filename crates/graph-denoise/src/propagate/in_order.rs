//! Sparse rows made block by block in any order, written one behind the other as soon as their place is known.
//!
//! How long a block's rows are is known only when they are made, so a block's place is known when all before it are
//! made. A block that is the next one is made in its place; others are made aside and written by whoever has the rest of
//! the arrays when the gap before them closes. One thread at a time writes to the arrays: two that touch a huge page for the
//! first time would both have the system clear one. The others go on with blocks aside, and give way to it when too many
//! of those are waiting.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};
use std::{mem, thread};

/// Blocks aside from which on a thread gives way before it begins another one while somebody writes: so what they take
/// stays near [`ASIDE`].
const WAITING: usize = 64;

/// Bytes that so many blocks take where none has a row of tens of thousands of entries.
pub(super) const ASIDE: usize = 10 << 20;

/// Times that it gives way; not without end, because who writes may have panicked.
const GIVE_WAY: usize = 1000;

/// Room for the rows of a block, made aside. Serves for another block afterwards.
struct Part {
    rows: usize,
    ends: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f32>,
}

impl Part {
    fn new((rows, entries): (usize, usize)) -> Self {
        Self { rows: 0, ends: vec![0; rows], columns: vec![0; entries], values: vec![0.0; entries] }
    }

    fn entries(&self) -> usize {
        self.ends[..self.rows].last().copied().unwrap_or(0)
    }
}

/// The three arrays from some row on.
struct Rest<'o> {
    /// Entries before it.
    before: usize,
    ends: &'o mut [usize],
    columns: &'o mut [u32],
    values: &'o mut [f32],
}

impl Rest<'_> {
    /// Takes `rows` rows that were made in place off its front.
    fn pass(&mut self, rows: usize) {
        let entries = split_off(&mut self.ends, rows).last().map_or(0, |end| end - self.before);
        split_off(&mut self.columns, entries);
        split_off(&mut self.values, entries);
        self.before += entries;
    }

    /// Writes rows that were made aside to its front.
    fn write(&mut self, part: &Part) {
        for (to, end) in self.ends.iter_mut().zip(&part.ends[..part.rows]) {
            *to = self.before + end;
        }
        let entries = part.entries();
        self.columns[..entries].copy_from_slice(&part.columns[..entries]);
        self.values[..entries].copy_from_slice(&part.values[..entries]);
        self.pass(part.rows);
    }
}

/// Where a block is made.
enum Desk<'o> {
    InPlace(Rest<'o>),
    Aside(Part),
}

/// A block that is being made.
pub(super) struct Block<'o> {
    number: usize,
    rows: usize,
    desk: Desk<'o>,
}

/// What the rows of a block are written to: the end of each row, and room for the entries.
pub(super) struct Room<'b> {
    /// Added to the ends.
    pub(super) before: usize,
    pub(super) ends: &'b mut [usize],
    pub(super) columns: &'b mut [u32],
    pub(super) values: &'b mut [f32],
}

impl Block<'_> {
    pub(super) fn room(&mut self) -> Room<'_> {
        match &mut self.desk {
            Desk::InPlace(Rest { before, ends, columns, values }) => {
                Room { before: *before, ends: &mut ends[..self.rows], columns, values }
            }
            Desk::Aside(Part { ends, columns, values, .. }) => {
                Room { before: 0, ends: &mut ends[..self.rows], columns, values }
            }
        }
    }
}

struct State<'o> {
    /// First block that nobody has begun to write.
    next: usize,
    /// Nothing while somebody writes to it.
    rest: Option<Rest<'o>>,
    /// Blocks from `next` on.
    waiting: BTreeMap<usize, Part>,
    spare: Vec<Part>,
}

/// Where the blocks go.
pub(super) struct InOrder<'o> {
    state: Mutex<State<'o>>,
    /// Rows and entries of a block at most.
    most: (usize, usize),
}

impl<'o> InOrder<'o> {
    /// `ends`: one a row. `columns` and `values`: room for all entries. `most`: rows of a block at most, and what its
    /// entries take at most, with what may be overwritten behind them.
    pub(super) fn new(
        ends: &'o mut [usize],
        columns: &'o mut [u32],
        values: &'o mut [f32],
        most: (usize, usize),
    ) -> Self {
        let rest = Some(Rest { before: 0, ends, columns, values });
        let state = State { next: 0, rest, waiting: BTreeMap::new(), spare: Vec::new() };
        Self { state: Mutex::new(state), most }
    }

    fn state(&self) -> MutexGuard<'_, State<'o>> {
        self.state.lock().expect("nobody panics with the lock")
    }

    /// Begins block `number`: each once, from 0 without a gap.
    pub(super) fn begin(&self, number: usize, rows: usize) -> Block<'o> {
        let mut state = self.state();
        for _ in 0..GIVE_WAY {
            if state.rest.is_some() || state.waiting.len() < WAITING {
                break;
            }
            drop(state);
            thread::yield_now();
            state = self.state();
        }
        if state.next == number
            && let Some(rest) = state.rest.take()
        {
            state.next += 1;
            return Block { number, rows, desk: Desk::InPlace(rest) };
        }
        let spare = state.spare.pop();
        drop(state);
        let mut part = spare.unwrap_or_else(|| Part::new(self.most));
        part.rows = rows;
        Block { number, rows, desk: Desk::Aside(part) }
    }

    /// Takes a block whose rows are made.
    pub(super) fn finish(&self, block: Block<'o>) {
        let mut state;
        let mut rest = match block.desk {
            Desk::InPlace(mut rest) => {
                rest.pass(block.rows);
                state = self.state();
                rest
            }
            Desk::Aside(part) => {
                state = self.state();
                state.waiting.insert(block.number, part);
                let Some(rest) = state.rest.take() else { return };
                rest
            }
        };
        loop {
            let next = state.next;
            let Some(part) = state.waiting.remove(&next) else { break };
            state.next += 1;
            drop(state);
            rest.write(&part);
            state = self.state();
            state.spare.push(part);
        }
        state.rest = Some(rest);
    }
}

fn split_off<'o, T>(rest: &mut &'o mut [T], length: usize) -> &'o mut [T] {
    let (first, after) = mem::take(rest).split_at_mut(length);
    *rest = after;
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three blocks of 2, 0 and 3 rows, begun in order, finished in each of the six.
    #[test]
    fn blocks_may_be_finished_in_any_order() {
        let rows: [&[&[u32]]; 3] = [&[&[4], &[5, 6]], &[], &[&[], &[7, 8], &[]]];
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let (mut ends, mut columns, mut values) = ([0; 5], [0; 8], [0.0; 8]);
            let in_order = InOrder::new(&mut ends, &mut columns, &mut values, (3, 4));
            let mut blocks: Vec<_> = (0..3).map(|number| Some(in_order.begin(number, rows[number].len()))).collect();
            for number in order {
                let mut block = blocks[number].take().expect("once");
                let room = block.room();
                let mut total = 0;
                for (end, row) in room.ends.iter_mut().zip(rows[number]) {
                    for &column in *row {
                        (room.columns[total], room.values[total]) = (column, column as f32);
                        total += 1;
                    }
                    *end = room.before + total;
                }
                room.columns[total] = 99;
                in_order.finish(block);
            }
            assert_eq!(ends, [1, 3, 3, 5, 5], "{order:?}");
            assert_eq!(columns[..5], [4, 5, 6, 7, 8], "{order:?}");
            assert_eq!(values[..5], [4.0, 5.0, 6.0, 7.0, 8.0], "{order:?}");
        }
    }
}
