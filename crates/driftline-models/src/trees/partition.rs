//! Moves the rows of a leaf to the two sides of its split, in their order.

use rayon::prelude::*;

use super::binned::Panel;
use super::fixed::Row;
use super::split::{BinSet, contains};

/// Leaves with more rows are shared out in blocks of this many; where a row goes does not depend on it.
const BLOCK: usize = 1 << 14;

/// Writes `from` into `to`: first the `left` rows whose bin is in `set`, then the others.
pub(super) fn partition(
    from: &[Row],
    to: &mut [Row],
    left: usize,
    set: &BinSet,
    bins: (&Panel, usize),
) {
    let goes_left = |row: &Row| contains(set, bins.0.bin(row.row, bins.1));
    let (mut to_left, mut to_right) = to.split_at_mut(left);
    if from.len() <= 2 * BLOCK || rayon::current_num_threads() == 1 {
        return distribute(from, to_left, to_right, goes_left);
    }
    let blocks = from.par_chunks(BLOCK);
    let lefts: Vec<usize> = blocks
        .map(|rows| rows.iter().filter(|row| goes_left(row)).count())
        .collect();
    let mut places = Vec::with_capacity(lefts.len());
    for (rows, &n) in from.chunks(BLOCK).zip(&lefts) {
        let (left, right);
        (left, to_left) = to_left.split_at_mut(n);
        (right, to_right) = to_right.split_at_mut(rows.len() - n);
        places.push((rows, left, right));
    }
    let each = |(rows, left, right): (&[Row], &mut [Row], &mut [Row])| {
        distribute(rows, left, right, goes_left)
    };
    places.into_par_iter().for_each(each);
}

#[inline(always)]
fn distribute(from: &[Row], left: &mut [Row], right: &mut [Row], goes_left: impl Fn(&Row) -> bool) {
    let (mut lefts, mut rights) = (0, 0);
    for row in from {
        let is_left = goes_left(row);
        // Either place, chosen without a branch: which side comes next cannot be foreseen.
        let (side, at) = if is_left {
            (&mut *left, lefts)
        } else {
            (&mut *right, rights)
        };
        side[at] = *row;
        lefts += usize::from(is_left);
        rights += usize::from(!is_left);
    }
}
