//! Cutting rows into blocks of about equal work, so that a hub does not keep one thread busy alone.

use std::ops::Range;

use super::Index;

/// What a row costs besides its entries, in entries.
const ROW_COST: usize = 4;

/// At most `blocks` ranges that cover all rows in order, each with about the same number of entries.
///
/// A row is never cut, so that its sum has one order. Depends on the sizes alone, never on timing.
pub(crate) fn row_blocks<P: Index>(indptr: &[P], blocks: usize) -> Vec<Range<usize>> {
    let rows = indptr.len() - 1;
    let cost_before = |row: usize| indptr[row].at() + ROW_COST * row;
    let total = cost_before(rows);
    let mut ranges = Vec::with_capacity(blocks);
    let mut start = 0;
    for block in 1..=blocks {
        let goal = (total as u128 * block as u128 / blocks as u128) as usize;
        let end =
            if block == blocks { rows } else { start + partition(rows - start, |at| cost_before(start + at) < goal) };
        if end > start {
            ranges.push(start..end);
            start = end;
        }
    }
    ranges
}

/// First of `0..len` for which `below` is false.
fn partition(len: usize, below: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, len);
    while low < high {
        let middle = low + (high - low) / 2;
        if below(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// Cuts `out`, which has `width` elements a row, into one slice a range.
pub(crate) fn split_rows<'o, T>(
    ranges: &[Range<usize>],
    width: usize,
    out: &'o mut [T],
) -> Vec<(Range<usize>, &'o mut [T])> {
    split_by(ranges, |range| range.len() * width, out)
}

/// Cuts `out` into one slice a range, each as long as `length` says.
pub(crate) fn split_by<'o, T>(
    ranges: &[Range<usize>],
    length: impl Fn(&Range<usize>) -> usize,
    out: &'o mut [T],
) -> Vec<(Range<usize>, &'o mut [T])> {
    let mut rest = out;
    let mut parts = Vec::with_capacity(ranges.len());
    for range in ranges {
        let (part, after) = rest.split_at_mut(length(range));
        parts.push((range.clone(), part));
        rest = after;
    }
    parts
}
