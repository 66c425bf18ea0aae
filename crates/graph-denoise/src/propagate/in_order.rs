//! Sparse rows made block by block in any order, written one behind the other as soon as their place is known.
//!
//! How long a block's rows are is known only when they are made, so a block's place is known when all before it are
//! made. A block that is the next one is made in its place; others are made aside, and whoever closes the gap before them
//! writes them. Nobody waits for anybody.

use std::collections::BTreeMap;
use std::mem;
use std::sync::{Mutex, MutexGuard};

/// Room for the rows of a block, made aside. Serves for another block afterwards.
#[derive(Default)]
struct Part {
    rows: usize,
    ends: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f32>,
}

impl Part {
    fn entries(&self) -> usize {
        self.ends[..self.rows].last().copied().unwrap_or(0)
    }
}

/// The three arrays from some row on.
struct Rest<'o> {
    ends: &'o mut [usize],
    columns: &'o mut [u32],
    values: &'o mut [f32],
}

/// Where a block is made.
enum Desk<'o> {
    /// In its place; with the entries before it.
    InPlace(Rest<'o>, usize),
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
            Desk::InPlace(Rest { ends, columns, values }, before) => {
                Room { before: *before, ends: &mut ends[..self.rows], columns, values }
            }
            Desk::Aside(Part { ends, columns, values, .. }) => {
                Room { before: 0, ends: &mut ends[..self.rows], columns, values }
            }
        }
    }
}

struct State<'o> {
    /// First block that is not yet there.
    next: usize,
    /// Entries of the blocks before it.
    entries: usize,
    /// Nothing while block `next` is made in place.
    rest: Option<Rest<'o>>,
    /// Blocks behind `next`.
    waiting: BTreeMap<usize, Part>,
    spare: Vec<Part>,
}

/// Where the blocks go.
pub(super) struct InOrder<'o>(Mutex<State<'o>>);

impl<'o> InOrder<'o> {
    /// `ends`: one a row. `columns` and `values`: room for all entries.
    pub(super) fn new(ends: &'o mut [usize], columns: &'o mut [u32], values: &'o mut [f32]) -> Self {
        let rest = Some(Rest { ends, columns, values });
        Self(Mutex::new(State { next: 0, entries: 0, rest, waiting: BTreeMap::new(), spare: Vec::new() }))
    }

    fn state(&self) -> MutexGuard<'_, State<'o>> {
        self.0.lock().expect("nobody panics with the lock")
    }

    /// Begins block `number`: each once, from 0 without a gap. `room`: at least what its entries take, and what may be
    /// overwritten behind them.
    pub(super) fn begin(&self, number: usize, rows: usize, room: usize) -> Block<'o> {
        let mut state = self.state();
        if state.next == number
            && let Some(rest) = state.rest.take()
        {
            return Block { number, rows, desk: Desk::InPlace(rest, state.entries) };
        }
        let mut part = state.spare.pop().unwrap_or_default();
        drop(state);
        part.rows = rows;
        if part.ends.len() < rows {
            part.ends.resize(rows, 0);
        }
        if part.columns.len() < room {
            part.columns.resize(room, 0);
            part.values.resize(room, 0.0);
        }
        Block { number, rows, desk: Desk::Aside(part) }
    }

    /// Takes a block whose rows are made.
    pub(super) fn finish(&self, block: Block<'o>) {
        let mut ready = Vec::new();
        {
            let mut state = self.state();
            let State { next, entries, rest, waiting, .. } = &mut *state;
            match block.desk {
                Desk::InPlace(mut place, before) => {
                    let made = split_off(&mut place.ends, block.rows).last().map_or(0, |end| end - before);
                    split_off(&mut place.columns, made);
                    split_off(&mut place.values, made);
                    *entries += made;
                    *next += 1;
                    *rest = Some(place);
                }
                Desk::Aside(part) => {
                    waiting.insert(block.number, part);
                }
            }
            while let Some(rest) = rest
                && let Some(part) = waiting.remove(next)
            {
                let place = Rest {
                    ends: split_off(&mut rest.ends, part.rows),
                    columns: split_off(&mut rest.columns, part.entries()),
                    values: split_off(&mut rest.values, part.entries()),
                };
                let before = *entries;
                *entries += part.entries();
                *next += 1;
                ready.push((part, before, place));
            }
        }
        for (part, before, place) in ready {
            for (to, end) in place.ends.iter_mut().zip(&part.ends) {
                *to = before + end;
            }
            place.columns.copy_from_slice(&part.columns[..part.entries()]);
            place.values.copy_from_slice(&part.values[..part.entries()]);
            self.state().spare.push(part);
        }
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
            let in_order = InOrder::new(&mut ends, &mut columns, &mut values);
            let mut blocks: Vec<_> = (0..3).map(|number| Some(in_order.begin(number, rows[number].len(), 4))).collect();
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
