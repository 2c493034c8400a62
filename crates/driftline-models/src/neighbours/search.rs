//! The rows nearest to a point, exactly: all distances in one pass over columns for very few rows or many columns, in order
//! of a column for some hundred rows, else by a tree. Of rows as near as each other the first comes first, so that all give
//! the same.

use super::sweep::{self, Sweep};
use super::tree::Tree;
use driftline_core::kernels::side_by_side;

/// Rows whose distances are worked out together.
const BLOCK: usize = 128;
/// Rows of a block that are passed over together.
const TOGETHER: usize = 16;
/// From so many rows on it is faster to have them in order, and from so many more to have a tree …
const SWEEP_FROM: usize = 32;
const TREE_FROM: usize = 512;
/// … as long as there are few columns.
const FEW_COLUMNS: usize = 8;

/// Points to be searched, column by column.
#[derive(Clone, Debug)]
pub struct Points {
    /// Value of column c of the point at place i: `columns[c * n + i]`.
    columns: Vec<f32>,
    n: usize,
    size: usize,
    by: By,
}

/// How they are searched, which says in which order they stand.
#[derive(Clone, Debug)]
enum By {
    /// As they were given.
    Scan,
    Sweep(Sweep),
    /// In the order of its leaves, which are these rows.
    Tree(Tree, Vec<u32>),
}

/// The nearest so far, in order.
#[derive(Clone, Debug)]
pub struct Nearest {
    k: usize,
    /// Squared distance and number.
    found: Vec<(f32, u32)>,
}

impl Points {
    /// `rows` of `size` numbers each, one after the other.
    pub fn new(rows: &[f32], size: usize) -> Self {
        let by = match rows.len() / size {
            n if n < SWEEP_FROM || size > FEW_COLUMNS => By::Scan,
            n if n < TREE_FROM => By::Sweep(Sweep::new(rows, size)),
            _ => {
                let (tree, order) = Tree::new(rows, size);
                By::Tree(tree, order)
            }
        };
        Self::by(rows, size, by)
    }

    /// One pass over all, however many rows there are.
    #[cfg(test)]
    pub fn flat(rows: &[f32], size: usize) -> Self {
        Self::by(rows, size, By::Scan)
    }

    fn by(rows: &[f32], size: usize, by: By) -> Self {
        let mut points = Self {
            columns: vec![0.0; rows.len()],
            n: rows.len() / size,
            size,
            by,
        };
        for place in 0..points.n {
            let row = points.number(place) * size;
            for (column, &value) in rows[row..row + size].iter().enumerate() {
                points.columns[column * points.n + place] = value;
            }
        }
        points
    }

    /// The number of the row at a place.
    fn number(&self, place: usize) -> usize {
        match &self.by {
            By::Scan => place,
            By::Sweep(sweep) => sweep.order[place] as usize,
            By::Tree(_, order) => order[place] as usize,
        }
    }

    pub fn len(&self) -> usize {
        self.n
    }

    /// The rows as they were given.
    pub fn rows(&self) -> Vec<f32> {
        let mut rows = vec![0.0; self.columns.len()];
        for place in 0..self.n {
            let row = self.number(place);
            for column in 0..self.size {
                rows[row * self.size + column] = self.columns[column * self.n + place];
            }
        }
        rows
    }

    /// Finds the nearest to `point`.
    pub fn search(&self, point: &[f32], nearest: &mut Nearest) {
        nearest.found.clear();
        match &self.by {
            By::Scan => side_by_side(
                #[inline(always)]
                || self.scan(point, 0..self.n, |place| place as u32, nearest),
            ),
            By::Sweep(sweep) => side_by_side(
                #[inline(always)]
                || {
                    sweep.visit(
                        point,
                        &self.columns,
                        nearest,
                        #[inline(always)]
                        |places, nearest| self.few(point, places, &sweep.order, nearest),
                    );
                },
            ),
            By::Tree(tree, order) => tree.visit(point, nearest, &mut |leaf, nearest| {
                side_by_side(
                    #[inline(always)]
                    || self.scan(point, leaf, |place| order[place], nearest),
                );
            }),
        }
    }

    /// At most as many places as a sweep has side by side; `order` has the numbers of their rows.
    #[inline(always)]
    fn few(
        &self,
        point: &[f32],
        places: std::ops::Range<usize>,
        order: &[u32],
        nearest: &mut Nearest,
    ) {
        let mut distances = [0.0_f32; sweep::LANES];
        for (column, &x) in point.iter().enumerate() {
            let from = column * self.n;
            let values = &self.columns[from + places.start..from + places.end];
            // The same twice: a loop of known length fills a register.
            match <&[f32; sweep::LANES]>::try_from(values) {
                Ok(values) => add_squares(&mut distances, values, x),
                Err(_) => add_squares(&mut distances, values, x),
            }
        }
        let worst = nearest.worst();
        let mut near = 0_u32;
        for (lane, &distance) in distances.iter().enumerate() {
            near |= u32::from(distance <= worst) << lane;
        }
        near &= (1 << places.len()) - 1;
        while near != 0 {
            let lane = near.trailing_zeros() as usize;
            near &= near - 1;
            if distances[lane] <= nearest.worst() {
                nearest.offer(distances[lane], order[places.start + lane]);
            }
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
                add_squares(distances, values, x);
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

#[inline(always)]
fn add_squares(distances: &mut [f32], values: &[f32], x: f32) {
    for (distance, value) in distances.iter_mut().zip(values) {
        let apart = value - x;
        *distance += apart * apart;
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
    #[inline(always)]
    pub(super) fn worst(&self) -> f32 {
        match self.found.len() == self.k {
            true => self.found[self.k - 1].0,
            false => f32::INFINITY,
        }
    }

    #[inline(always)]
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
        fn tree_sweep_and_scan_find_what_sorting_finds(
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
