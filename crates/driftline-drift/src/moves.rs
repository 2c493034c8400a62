//! Ways to move labelled rows so that they look like a window, fitted without a label, column by column: scale and shift, or
//! quantiles.

use super::points::RowPoints;

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
    pub fn apply(self, rows: &RowPoints, window: &RowPoints) -> RowPoints {
        match self {
            MapKind::Scale => scaled(rows, window),
            MapKind::Quantiles => by_quantiles(rows, window),
        }
    }
}

fn scaled(rows: &RowPoints, window: &RowPoints) -> RowPoints {
    let ((mean, deviation), (to_mean, to_deviation)) = (rows.moments(), window.moments());
    let values = rows.iter().flat_map(|row| {
        let own = mean.iter().zip(&deviation);
        let to = to_mean.iter().zip(&to_deviation);
        let columns = row.iter().zip(own).zip(to);
        columns.map(|((x, (mean, deviation)), (to, wide))| {
            (x - mean) / deviation.max(FLOOR) * wide + to
        })
    });
    RowPoints::new(values.collect(), rows.size())
}

fn by_quantiles(rows: &RowPoints, window: &RowPoints) -> RowPoints {
    let (n, size) = (rows.len(), rows.size());
    let mut values = vec![0.0; n * size];
    for column in 0..size {
        let own = |row: &[f64]| ordered(row[column].to_bits().cast_signed());
        let mut order: Vec<(i64, usize)> = rows.iter().map(own).zip(0..n).collect();
        order.sort_unstable();
        let mut sorted: Vec<i64> = window.iter().map(own).collect();
        sorted.sort_unstable();
        let last = sorted.len() - 1;
        for (rank, &(_, row)) in order.iter().enumerate() {
            let position = rank as f64 / (n - 1).max(1) as f64 * last as f64;
            let below = position.floor() as usize;
            let above = (below + 1).min(last);
            let number = |at: usize| f64::from_bits(ordered(sorted[at]).cast_unsigned());
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
            let after = energy_distance(&kind.apply(&rows, &window), &window, seed);
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
            let points = |values: &[f64]| RowPoints::new(values.to_vec(), 1);
            let found = kind.apply(&points(rows), &points(window));
            for (found, expected) in found.iter().zip(expected) {
                assert!(
                    (found[0] - expected).abs() < 1e-9,
                    "{kind:?} {rows:?}: {found:?}"
                );
            }
        }
    }
}
