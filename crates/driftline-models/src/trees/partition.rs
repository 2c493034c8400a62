//! Moves the rows of a leaf to the two sides of its split, in their order and in place.

use super::binned::Panel;
use super::fixed::Row;
use super::split::{BinSet, contains};

/// Leaves with more rows are halved: a block is small enough for the first caches of the processor, and so is the room for
/// the rows of it that go right. Where a row goes does not depend on it.
const BLOCK: usize = 1 << 12;

/// Brings the rows whose bin is in `set` before the others. How many there are.
pub(super) fn partition(rows: &mut [Row], set: &BinSet, bins: (&Panel, usize)) -> usize {
    if rows.len() <= BLOCK {
        return distribute(rows, |row| contains(set, bins.0.bin(row.row, bins.1)));
    }
    let middle = rows.len() / 2;
    let (first, second) = rows.split_at_mut(middle);
    let (a, b) = rayon::join(
        || partition(first, set, bins),
        || partition(second, set, bins),
    );
    // What goes right of the first half changes places with what goes left of the second.
    rows[a..middle + b].rotate_left(middle - a);
    a + b
}

#[inline(always)]
fn distribute(rows: &mut [Row], goes_left: impl Fn(&Row) -> bool) -> usize {
    let mut right = vec![Row::default(); rows.len()];
    let (mut lefts, mut rights) = (0, 0);
    for at in 0..rows.len() {
        let row = rows[at];
        let is_left = goes_left(&row);
        // Written to both places without a branch: which side comes next cannot be foreseen. The left one has been read.
        rows[lefts] = row;
        right[rights] = row;
        lefts += usize::from(is_left);
        rights += usize::from(!is_left);
    }
    rows[lefts..].copy_from_slice(&right[..rights]);
    lefts
}

#[cfg(test)]
mod tests {
    use super::super::binned::Binned;
    use super::super::bins::{Binning, Bins};
    use super::*;

    /// Several blocks, halved three times: the same as picking the one side and then the other.
    #[test]
    fn both_sides_keep_their_order() {
        let n = 5 * BLOCK + 3;
        let values: Vec<f32> = (0..n).map(|row| (row * 7919 % 5) as f32).collect();
        let cuts = vec![0.5, 1.5, 2.5, 3.5];
        let binning = Binning {
            columns: vec![Bins::Number { cuts }],
        };
        let binned = Binned::new(&values, &binning);
        for set in [[0; 4], [0b100, 0, 0, 0], [0b101010, 0, 0, 0], [u64::MAX; 4]] {
            let row = |row: usize| Row {
                row: row as u32,
                ..Row::default()
            };
            let mut rows: Vec<Row> = (0..n).map(row).collect();
            let is_left = |row: &Row| contains(&set, binned.bin(row.row as usize, 0));
            let (left, right): (Vec<Row>, Vec<Row>) = rows.iter().partition(|row| is_left(row));
            assert_eq!(partition(&mut rows, &set, binned.place(0)), left.len());
            assert_eq!(rows, [left, right].concat());
        }
    }
}
