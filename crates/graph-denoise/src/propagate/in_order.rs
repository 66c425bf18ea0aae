//! Sparse rows made block by block in any order, written one behind the other as soon as their place is known.
//!
//! How long a block's rows are is known only when they are made, so a block's place is known when all before it are
//! made. Whoever closes a gap writes what has been waiting; nobody waits for anybody.

use std::collections::BTreeMap;
use std::mem;
use std::sync::{Mutex, MutexGuard};

/// The rows of a block. A part that was written serves for another block.
#[derive(Default)]
pub(super) struct Part {
    /// End of each row, from the block's start.
    pub(super) ends: Vec<usize>,
    /// At least as many as there are entries; those behind the last entry are of any value.
    pub(super) columns: Vec<u32>,
    pub(super) values: Vec<f32>,
}

impl Part {
    fn entries(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }
}

/// The three arrays as far as they are not yet given to anybody.
struct Rest<'o> {
    ends: &'o mut [usize],
    columns: &'o mut [u32],
    values: &'o mut [f32],
}

struct State<'o> {
    /// First block that is not yet there.
    next: usize,
    /// Entries of the blocks before it.
    entries: usize,
    rest: Rest<'o>,
    /// Blocks behind `next`.
    waiting: BTreeMap<usize, Part>,
    spare: Vec<Part>,
}

/// Where the blocks go.
pub(super) struct InOrder<'o>(Mutex<State<'o>>);

impl<'o> InOrder<'o> {
    /// `ends`: one a row. `columns` and `values`: room for all entries.
    pub(super) fn new(ends: &'o mut [usize], columns: &'o mut [u32], values: &'o mut [f32]) -> Self {
        let rest = Rest { ends, columns, values };
        Self(Mutex::new(State { next: 0, entries: 0, rest, waiting: BTreeMap::new(), spare: Vec::new() }))
    }

    fn state(&self) -> MutexGuard<'_, State<'o>> {
        self.0.lock().expect("nobody panics with the lock")
    }

    /// A part to fill, of any content.
    pub(super) fn spare(&self) -> Part {
        self.state().spare.pop().unwrap_or_default()
    }

    /// Takes block number `block`, each once, from 0 without a gap.
    pub(super) fn put(&self, block: usize, part: Part) {
        let mut ready = Vec::new();
        {
            let mut state = self.state();
            state.waiting.insert(block, part);
            let State { next, entries, rest, waiting, .. } = &mut *state;
            while let Some(part) = waiting.remove(next) {
                let place = Rest {
                    ends: split_off(&mut rest.ends, part.ends.len()),
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

    /// Three blocks of 2, 0 and 3 rows, in each of the six orders.
    #[test]
    fn blocks_may_come_in_any_order() {
        let part = |block: usize| match block {
            0 => Part { ends: vec![1, 3], columns: vec![4, 5, 6, 99], values: vec![0.4, 0.5, 0.6, 99.0] },
            1 => Part::default(),
            _ => Part { ends: vec![0, 2, 2], columns: vec![7, 8], values: vec![0.7, 0.8] },
        };
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let (mut ends, mut columns, mut values) = ([0; 5], [0; 6], [0.0; 6]);
            let blocks = InOrder::new(&mut ends, &mut columns, &mut values);
            for block in order {
                blocks.put(block, part(block));
            }
            assert_eq!(ends, [1, 3, 3, 5, 5]);
            assert_eq!(columns, [4, 5, 6, 7, 8, 0]);
            assert_eq!(values, [0.4, 0.5, 0.6, 0.7, 0.8, 0.0]);
        }
    }
}
