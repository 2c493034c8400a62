//! Ways to move labelled rows so that they look like a window, fitted without a label, column by column: scale and shift, or
//! quantiles.

use std::cell::OnceCell;

use super::points::RowPoints;
use driftline_core::kernels::side_by_side;

/// A deviation below this counts as that.
const FLOOR: f64 = 0.05;

/// An explanation of the drift by a map of the inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapKind {
    Scale,
    Quantiles,
}

impl MapKind {
    /// `rows` moved so that they look like `window`.
    pub fn apply(self, rows: &Mapped, window: &Mapped) -> RowPoints {
        match self {
            MapKind::Scale => scaled(rows, window),
            MapKind::Quantiles => by_quantiles(rows, window),
        }
    }

    /// Some rows of a window, in ascending order and perhaps several times, with what this map wants of them.
    pub fn picked(self, window: &Mapped, rows: &[usize]) -> Mapped {
        match self {
            MapKind::Scale => Mapped::new(window.points.pick(rows)),
            MapKind::Quantiles => window.pick(rows),
        }
    }
}

/// Rows with what maps want to know of them, each thing worked out once, when it is first asked for.
#[derive(Debug)]
pub struct Mapped {
    points: RowPoints,
    /// Mean and deviation of every column.
    moments: OnceCell<(Vec<f64>, Vec<f64>)>,
    /// The values of every column as [`ordered`] numbers, the least first, with their rows.
    columns: OnceCell<Vec<Vec<(i64, usize)>>>,
}

impl Mapped {
    pub fn new(points: RowPoints) -> Self {
        Self {
            points,
            moments: OnceCell::new(),
            columns: OnceCell::new(),
        }
    }

    /// Some of the rows, in ascending order and perhaps several times. Nothing of them is sorted again.
    fn pick(&self, rows: &[usize]) -> Self {
        let picked = Self::new(self.points.pick(rows));
        let mut places = vec![0..0; self.points.len()];
        let mut from = 0;
        for same in rows.chunk_by(|a, b| a == b) {
            places[same[0]] = from..from + same.len();
            from += same.len();
        }
        let column = |all: &Vec<(i64, usize)>| {
            let own = all.iter().map(|&(value, row)| (value, places[row].clone()));
            own.flat_map(|(value, places)| places.map(move |place| (value, place)))
                .collect()
        };
        let columns = self.columns().iter().map(column).collect();
        picked.columns.get_or_init(|| columns);
        picked
    }

    fn moments(&self) -> &(Vec<f64>, Vec<f64>) {
        self.moments.get_or_init(|| self.points.moments())
    }

    fn columns(&self) -> &[Vec<(i64, usize)>] {
        let column = |at: usize| {
            let own = |row: &[f64]| ordered(row[at].to_bits().cast_signed());
            let mut all: Vec<(i64, usize)> = self.points.iter().map(own).zip(0..).collect();
            // Rows of equal values stay in their order.
            all.sort_by_key(|&(value, _)| value);
            all
        };
        self.columns
            .get_or_init(|| (0..self.points.size()).map(column).collect())
    }
}

fn scaled(rows: &Mapped, window: &Mapped) -> RowPoints {
    let ((mean, deviation), (to_mean, to_deviation)) = (rows.moments(), window.moments());
    let floored: Vec<f64> = deviation.iter().map(|own| own.max(FLOOR)).collect();
    let size = rows.points.size();
    let mut values = vec![0.0; rows.points.len() * size];
    side_by_side(
        #[inline(always)]
        || {
            for (moved, row) in values.chunks_exact_mut(size).zip(rows.points.iter()) {
                let own = mean.iter().zip(&floored);
                let to = to_mean.iter().zip(to_deviation);
                let columns = moved.iter_mut().zip(row).zip(own).zip(to);
                for (((moved, x), (mean, deviation)), (to, wide)) in columns {
                    *moved = (x - mean) / deviation * wide + to;
                }
            }
        },
    );
    RowPoints::new(values, size)
}

fn by_quantiles(rows: &Mapped, window: &Mapped) -> RowPoints {
    let (n, size) = (rows.points.len(), rows.points.size());
    let mut values = vec![0.0; n * size];
    for (column, (order, sorted)) in rows.columns().iter().zip(window.columns()).enumerate() {
        let last = sorted.len() - 1;
        for (rank, &(_, row)) in order.iter().enumerate() {
            let position = rank as f64 / (n - 1).max(1) as f64 * last as f64;
            let below = position.floor() as usize;
            let above = (below + 1).min(last);
            let number = |at: usize| f64::from_bits(ordered(sorted[at].0).cast_unsigned());
            let (low, high) = (number(below), number(above));
            values[row * size + column] = low + (high - low) * (position - below as f64);
        }
    }
    RowPoints::new(values, size)
}

/// The bits of a number as a whole number that stands where it stands among all, and back: sorting is twice as fast.
fn ordered(bits: i64) -> i64 {
    bits ^ ((bits >> 63).cast_unsigned() >> 1).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::energy_distance;
    use driftline_core::random::Seed;
    use rand::RngExt;

    fn cloud(n: usize, seed: u64) -> RowPoints {
        let mut draw = Seed::new(seed).generator();
        let values = (0..n).flat_map(|_| {
            let (a, b) = (draw.random::<f64>() - 0.5, draw.random::<f64>() - 0.5);
            [a, 0.5 * b]
        });
        RowPoints::new(values.collect(), 2)
    }

    /// Each window differs from the rows by a map of the kind; the move finds it.
    #[test]
    fn each_move_reaches_what_is_of_its_kind() {
        let rows = cloud(300, 1);
        type Map = fn(&[f64]) -> [f64; 2];
        let maps: [Map; 2] = [
            |x| [2.0 * x[0] + 3.0, 0.5 * x[1] - 1.0],
            |x| [x[0] * x[0] * x[0], x[1] + 1.0],
        ];
        let kinds = [MapKind::Scale, MapKind::Quantiles];
        for (kind, map) in kinds.into_iter().zip(maps) {
            let window: Vec<f64> = cloud(300, 2).iter().flat_map(map).collect();
            let window = RowPoints::new(window, 2);
            let seed = Seed::new(0);
            let before = energy_distance(&rows, &window, seed);
            let moved = kind.apply(&Mapped::new(rows.clone()), &Mapped::new(window.clone()));
            let after = energy_distance(&moved, &window, seed);
            assert!(after < 0.1 * before, "{kind:?}: {before} to {after}");
        }
    }

    /// (kind, rows, window, moved), in one column, by hand.
    #[test]
    fn moves_by_table() {
        use MapKind::*;
        type Case = (MapKind, &'static [f64], &'static [f64], &'static [f64]);
        let cases: [Case; 5] = [
            (Scale, &[-1.0, 1.0], &[4.0, 8.0], &[4.0, 8.0]),
            // What does not vary is moved to the mean, and not blown up.
            (Scale, &[2.0, 2.0], &[4.0, 8.0], &[6.0, 6.0]),
            (
                Quantiles,
                &[3.0, 1.0, 2.0],
                &[10.0, 30.0, 20.0],
                &[30.0, 10.0, 20.0],
            ),
            // Between two rows of the window lies what is between two ranks.
            (Quantiles, &[0.0, 1.0, 2.0], &[5.0, 6.0], &[5.0, 5.5, 6.0]),
            (Quantiles, &[7.0], &[5.0, 6.0], &[5.0]),
        ];
        for (kind, rows, window, expected) in cases {
            let points = |values: &[f64]| Mapped::new(RowPoints::new(values.to_vec(), 1));
            let found = kind.apply(&points(rows), &points(window));
            for (found, expected) in found.iter().zip(expected) {
                assert!(
                    (found[0] - expected).abs() < 1e-9,
                    "{kind:?} {rows:?}: {found:?}"
                );
            }
        }
    }

    /// What is picked from sorted columns is what sorting finds, with rows that are left out, repeated and equal.
    #[test]
    fn picked_rows_are_sorted_already() {
        let values = [3.0, 1.0, 2.0, 1.0, -0.0, 0.0, 3.0, 2.0];
        let all = Mapped::new(RowPoints::new(values.to_vec(), 2));
        for rows in [&[0, 1, 2, 3][..], &[0, 0, 1, 3], &[2, 2, 2], &[1]] {
            let picked = all.pick(rows);
            let fresh = Mapped::new(all.points.pick(rows));
            assert_eq!(picked.columns(), fresh.columns(), "{rows:?}");
        }
    }
}
