//! The rows nearest to a point, exactly: all distances in one pass over columns for few rows or many columns, else by a
//! tree. Of rows as near as each other the first comes first, so that both give the same.

use super::tree::Tree;
use crate::kernels::side_by_side;

/// Rows whose distances are worked out together.
const BLOCK: usize = 128;
/// Rows of a block that are passed over together.
const TOGETHER: usize = 16;
/// From so many rows on a tree is faster …
const TREE_FROM: usize = 512;
/// … as long as there are few columns.
const TREE_COLUMNS: usize = 8;

/// Points to be searched, column by column.
#[derive(Clone, Debug)]
pub(crate) struct Points {
    /// Value of column c of the point at place i: `columns[c * n + i]`.
    columns: Vec<f32>,
    n: usize,
    size: usize,
    /// Where there is a tree, points stand in the order of its leaves, and this is their number before.
    tree: Option<(Tree, Vec<u32>)>,
}

/// The nearest so far, in order.
#[derive(Clone, Debug)]
pub(crate) struct Nearest {
    k: usize,
    /// Squared distance and number.
    found: Vec<(f32, u32)>,
}

impl Points {
    /// `rows` of `size` numbers each, one after the other.
    pub fn new(rows: &[f32], size: usize) -> Self {
        let n = rows.len() / size;
        if n < TREE_FROM || size > TREE_COLUMNS {
            return Self::flat(rows, size);
        }
        let (tree, order) = Tree::new(rows, size);
        let mut columns = vec![0.0; rows.len()];
        for (place, &row) in order.iter().enumerate() {
            for column in 0..size {
                columns[column * n + place] = rows[row as usize * size + column];
            }
        }
        Self {
            columns,
            n,
            size,
            tree: Some((tree, order)),
        }
    }

    /// Without a tree, however many rows there are.
    pub fn flat(rows: &[f32], size: usize) -> Self {
        let n = rows.len() / size;
        let mut columns = vec![0.0; rows.len()];
        for (row, values) in rows.chunks_exact(size).enumerate() {
            for (column, &value) in values.iter().enumerate() {
                columns[column * n + row] = value;
            }
        }
        Self {
            columns,
            n,
            size,
            tree: None,
        }
    }

    pub fn len(&self) -> usize {
        self.n
    }

    /// The rows as they were given.
    pub fn rows(&self) -> Vec<f32> {
        let mut rows = vec![0.0; self.columns.len()];
        for place in 0..self.n {
            let row = match &self.tree {
                Some((_, order)) => order[place] as usize,
                None => place,
            };
            for column in 0..self.size {
                rows[row * self.size + column] = self.columns[column * self.n + place];
            }
        }
        rows
    }

    /// Finds the nearest to `point`.
    pub fn search(&self, point: &[f32], nearest: &mut Nearest) {
        nearest.found.clear();
        match &self.tree {
            None => side_by_side(
                #[inline(always)]
                || self.scan(point, 0..self.n, |place| place as u32, nearest),
            ),
            Some((tree, order)) => tree.visit(point, nearest, &mut |leaf, nearest| {
                side_by_side(
                    #[inline(always)]
                    || self.scan(point, leaf, |place| order[place], nearest),
                );
            }),
        }
    }

    #[inline(always)]
    fn scan(
        &self,
        point: &[f32],
        places: std::ops::Range<usize>,
        number: impl Fn(usize) -> u32,
        nearest: &mut Nearest,
    ) {
        let mut distances = [0.0_f32; BLOCK];
        let mut from = places.start;
        while from < places.end {
            let to = (from + BLOCK).min(places.end);
            let distances = &mut distances[..to - from];
            distances.fill(0.0);
            for (column, &x) in point.iter().enumerate() {
                let values = &self.columns[column * self.n + from..column * self.n + to];
                for (distance, value) in distances.iter_mut().zip(values) {
                    let apart = value - x;
                    *distance += apart * apart;
                }
            }
            // Most rows are too far, and are passed over some at a time.
            for (part, distances) in distances.chunks(TOGETHER).enumerate() {
                if least(distances) > nearest.worst() {
                    continue;
                }
                for (place, &distance) in distances.iter().enumerate() {
                    if distance <= nearest.worst() {
                        nearest.offer(distance, number(from + part * TOGETHER + place));
                    }
                }
            }
            from = to;
        }
    }
}

/// The least of at most `TOGETHER` distances, halves against halves: one comparison after the other would wait for itself.
#[inline(always)]
fn least(distances: &[f32]) -> f32 {
    let mut lanes = [f32::INFINITY; TOGETHER];
    lanes[..distances.len()].copy_from_slice(distances);
    let mut half = TOGETHER / 2;
    while half > 0 {
        for at in 0..half {
            let other = lanes[at + half];
            lanes[at] = if other < lanes[at] { other } else { lanes[at] };
        }
        half /= 2;
    }
    lanes[0]
}

impl Nearest {
    pub fn new(k: usize) -> Self {
        Self {
            k,
            found: Vec::with_capacity(k + 1),
        }
    }

    /// Squared distance and number of each, the nearest first.
    pub fn found(&self) -> &[(f32, u32)] {
        &self.found
    }

    /// Nothing further away than this can be among the nearest.
    pub(super) fn worst(&self) -> f32 {
        match self.found.len() == self.k {
            true => self.found[self.k - 1].0,
            false => f32::INFINITY,
        }
    }

    fn offer(&mut self, distance: f32, number: u32) {
        let offered = (distance, number);
        if self.found.len() == self.k {
            if offered >= self.found[self.k - 1] {
                return;
            }
            self.found.pop();
        }
        let place = self.found.iter().rposition(|&other| other < offered);
        self.found.insert(place.map_or(0, |at| at + 1), offered);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// By the definition: every distance, sorted.
    fn plainly(rows: &[f32], point: &[f32], k: usize) -> Vec<(f32, u32)> {
        let mut all: Vec<(f32, u32)> = rows
            .chunks_exact(point.len())
            .enumerate()
            .map(|(number, row)| {
                let squares = row.iter().zip(point).map(|(a, b)| (a - b) * (a - b));
                (squares.fold(0.0, |sum, square| sum + square), number as u32)
            })
            .collect();
        all.sort_by(|a, b| a.partial_cmp(b).unwrap());
        all.truncate(k);
        all
    }

    proptest! {
        /// Values on a coarse grid, so that there are ties enough.
        #[test]
        fn tree_and_scan_find_what_sorting_finds(
            size in 1_usize..5, n in 1_usize..1500, k in 1_usize..20, draw in any::<u32>(),
        ) {
            let value = |i: usize| {
                let mixed = (i as u32 ^ draw).wrapping_mul(2_654_435_761);
                ((mixed >> 20) % 40) as f32 / 4.0
            };
            let rows: Vec<f32> = (0..n * size).map(value).collect();
            let points = Points::new(&rows, size);
            prop_assert_eq!(&points.rows(), &rows);
            let flat = Points::flat(&rows, size);
            let mut nearest = Nearest::new(k);
            for query in 0..5 {
                let point: Vec<f32> = (0..size).map(|c| value(7919 * (query + 1) + c)).collect();
                let plain = plainly(&rows, &point, k);
                points.search(&point, &mut nearest);
                prop_assert_eq!(nearest.found(), &plain[..]);
                flat.search(&point, &mut nearest);
                prop_assert_eq!(nearest.found(), &plain[..]);
            }
        }
    }
}
