//! Some hundred rows in order of the column in which they spread most. A search begins where the point would stand and goes
//! both ways, a few rows at a time, until that column alone is further away than the worst of the nearest so far; rounding
//! cannot make that wrong, see the tree.

use std::ops::Range;

use super::search::Nearest;
use super::tree::widest;

/// Rows whose distances are worked out side by side.
pub(super) const LANES: usize = 8;

/// The order of the rows; values stay with whoever has them, column by column in this order.
#[derive(Clone, Debug)]
pub(super) struct Sweep {
    /// The column they are in order of.
    column: usize,
    /// The number of the row at each place.
    pub order: Vec<u32>,
}

impl Sweep {
    pub fn new(rows: &[f32], size: usize) -> Self {
        let mut order: Vec<u32> = (0..(rows.len() / size) as u32).collect();
        let (column, _) = widest(rows, size, &order);
        let value = |row: u32| rows[row as usize * size + column];
        order.sort_unstable_by(|&a, &b| value(a).total_cmp(&value(b)).then(a.cmp(&b)));
        Self { column, order }
    }

    /// Gives `look` the places of rows that may hold one of the nearest. `columns` has the values in this order.
    #[inline(always)]
    pub fn visit(
        &self,
        point: &[f32],
        columns: &[f32],
        nearest: &mut Nearest,
        look: impl Fn(Range<usize>, &mut Nearest),
    ) {
        let n = self.order.len();
        let x = point[self.column];
        let values = &columns[self.column * n..(self.column + 1) * n];
        let blocks = n.div_ceil(LANES);
        let block = |at: usize| at * LANES..((at + 1) * LANES).min(n);
        let mut next = values.partition_point(|&value| value <= x) / LANES;
        next = next.min(blocks - 1);
        // Blocks from `below` to `above` have been looked at.
        let (mut below, mut above) = (next, next + 1);
        loop {
            look(block(next), nearest);
            let down = match below {
                0 => f32::INFINITY,
                _ => apart(x, values[below * LANES - 1]),
            };
            let up = match above == blocks {
                true => f32::INFINITY,
                false => apart(values[above * LANES], x),
            };
            let all = below == 0 && above == blocks;
            if all || down.min(up) > nearest.worst() {
                return;
            }
            if above == blocks || (below > 0 && down <= up) {
                below -= 1;
                next = below;
            } else {
                next = above;
                above += 1;
            }
        }
    }
}

/// The square of how far `high` is above `low`, or 0.
#[inline(always)]
fn apart(high: f32, low: f32) -> f32 {
    let apart = (high - low).max(0.0);
    apart * apart
}
