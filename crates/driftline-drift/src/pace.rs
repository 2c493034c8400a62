//! How fast a stream drifts, against how far apart the classes are: which windows are small enough to be followed and large
//! enough to learn from. A step is safe if its energy distance is at most a tenth of that between a class and its nearest.

use serde::Serialize;

use super::energy::{energy_distance, noise_floor};
use super::points::RowPoints;
use driftline_core::random::Seed;

/// Sizes that are tried.
const SIZES: [usize; 8] = [100, 200, 500, 1000, 2000, 4000, 8000, 16000];
/// Rows for a class that a model wants in a window.
const ROWS_A_CLASS: usize = 100;
/// The part of the distance between classes that a step may be.
pub(crate) const SAFE: f64 = 0.1;
/// Pairs of windows that are compared for each size, and pieces that the stream is cut into to look for a jump.
const PAIRS: usize = 6;
const PIECES: usize = 60;

/// One size of windows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SizePace {
    pub window: usize,
    /// The mean distance from one window to the next.
    pub step: f64,
    pub safe: bool,
}

/// A place where the stream moves further at once than any window can help.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Leap {
    /// The row before which it happens.
    pub row: usize,
    pub distance: f64,
}

/// The pace of a stream.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Pace {
    /// What a step may be.
    pub limit: f64,
    pub noise: f64,
    /// The distance of the end of the stream from the source.
    pub end: f64,
    pub sizes: Vec<SizePace>,
    pub leap: Option<Leap>,
    /// Rows that a window should have for the model's sake.
    pub wanted: usize,
    /// None where no window is safe.
    pub window: Option<usize>,
}

impl Pace {
    /// Rows of a window: what is advised, or what the model would like where nothing is.
    pub fn rows(&self) -> usize {
        self.window.unwrap_or(self.wanted)
    }

    /// Of a stream in its order.
    pub fn of(
        source: &RowPoints,
        labels: &[u32],
        n_classes: usize,
        stream: &RowPoints,
        seed: Seed,
    ) -> Self {
        let limit = SAFE * class_distance(source, labels, n_classes, seed);
        let piece = (stream.len() / PIECES)
            .clamp(40, 500)
            .min(stream.len().max(1));
        let noise = noise_floor(source, piece, piece, seed);
        let rows = |from: usize, to: usize| {
            stream.pick(&(from..to.min(stream.len())).collect::<Vec<usize>>())
        };
        let mut leap: Option<Leap> = None;
        let mut last = source.clone();
        for row in (0..stream.len()).step_by(piece) {
            let next = rows(row, row + piece);
            if next.len() * 2 < piece {
                break;
            }
            let distance = energy_distance(&last, &next, seed);
            let further = leap.is_none_or(|leap| distance > leap.distance);
            if distance > limit + 4.0 * noise && further {
                leap = Some(Leap { row, distance });
            }
            last = next;
        }
        let end = energy_distance(source, &last, seed);
        let sizes: Vec<SizePace> = SIZES
            .into_iter()
            .filter(|window| 2 * window <= stream.len())
            .map(|window| {
                let room = stream.len() - 2 * window;
                let pairs = PAIRS.min(room / window + 1);
                let steps = (0..pairs).map(|pair| {
                    let from = room * pair / pairs.max(2).saturating_sub(1).max(1);
                    let from = from.min(room);
                    let (a, b) = (
                        rows(from, from + window),
                        rows(from + window, from + 2 * window),
                    );
                    energy_distance(&a, &b, seed)
                });
                let step = steps.sum::<f64>() / pairs as f64;
                let safe = step <= limit;
                SizePace { window, step, safe }
            })
            .collect();
        let wanted = (ROWS_A_CLASS * n_classes).min(stream.len().max(1));
        let safe = |size: &&SizePace| size.safe;
        let enough = sizes.iter().filter(safe).find(|size| size.window >= wanted);
        let most = sizes.iter().rfind(safe);
        let window = match leap {
            Some(_) => None,
            None => enough.or(most).map(|size| size.window),
        };
        Self {
            limit,
            noise,
            end,
            sizes,
            leap,
            wanted,
            window,
        }
    }
}

/// The middle of the distances between a class and its nearest.
pub fn class_distance(source: &RowPoints, labels: &[u32], n_classes: usize, seed: Seed) -> f64 {
    let classes: Vec<RowPoints> = (0..n_classes)
        .map(|class| {
            let rows: Vec<usize> = (0..source.len())
                .filter(|&row| labels[row] as usize == class)
                .collect();
            source.pick(&rows).sample(100, seed.nth(class))
        })
        .filter(|rows| rows.len() >= 2)
        .take(40)
        .collect();
    let mut nearest = vec![f64::INFINITY; classes.len()];
    for a in 0..classes.len() {
        for b in 0..a {
            let distance = energy_distance(&classes[a], &classes[b], seed);
            nearest[a] = nearest[a].min(distance);
            nearest[b] = nearest[b].min(distance);
        }
    }
    nearest.sort_unstable_by(f64::total_cmp);
    let middle = nearest.get(nearest.len() / 2).copied();
    middle
        .filter(|own| own.is_finite())
        .map_or(0.0, |own| own.max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    /// Two classes 6 apart on a line that shifts by `shift(row)`.
    fn stream(n: usize, seed: u64, shift: impl Fn(usize) -> f64) -> (RowPoints, Vec<u32>) {
        let mut draw = Seed::new(seed).generator();
        let mut labels = vec![];
        let values = (0..n).map(|row| {
            let class = draw.random_range(0..2u32);
            labels.push(class);
            f64::from(class) * 6.0 + draw.random::<f64>() + shift(row)
        });
        (RowPoints::new(values.collect(), 1), labels)
    }

    #[test]
    fn slow_drift_has_a_window_and_a_leap_has_none() {
        let (source, labels) = stream(400, 1, |_| 0.0);
        let of = |points: &RowPoints| Pace::of(&source, &labels, 2, points, Seed::new(3));
        let slow = of(&stream(6000, 2, |row| row as f64 / 1000.0).0);
        assert_eq!((slow.window, slow.leap), (Some(200), None), "{slow:?}");
        let leap = of(&stream(6000, 2, |row| if row < 3000 { 0.0 } else { 4.0 }).0);
        assert_eq!(leap.window, None);
        let row = leap.leap.unwrap().row;
        assert!((2900..=3100).contains(&row), "{row}");
    }

    /// The middle of the distances to the nearest class; 0 where there are not two classes of two rows.
    #[test]
    fn class_distances_by_table() {
        type Case = (&'static str, Vec<f64>, Vec<u32>, usize, f64);
        let cases: [Case; 5] = [
            ("no rows", vec![], vec![], 2, 0.0),
            ("one class", vec![0.0, 1.0], vec![0, 0], 2, 0.0),
            (
                "a class of one row",
                vec![0.0, 0.0, 9.0],
                vec![0, 0, 1],
                2,
                0.0,
            ),
            (
                "two classes",
                vec![0.0, 0.0, 3.0, 3.0],
                vec![0, 0, 1, 1],
                2,
                6.0,
            ),
            // 6, 6 and 20 away from their nearest.
            (
                "three classes",
                vec![0.0, 0.0, 3.0, 3.0, 13.0, 13.0],
                vec![0, 0, 1, 1, 2, 2],
                3,
                6.0,
            ),
        ];
        for (name, values, labels, n_classes, expected) in cases {
            let source = RowPoints::new(values, 1);
            let found = class_distance(&source, &labels, n_classes, Seed::new(0));
            assert!((found - expected).abs() < 1e-12, "{name}: {found}");
        }
    }

    /// The smallest safe window with enough rows for every class, else the largest safe one; none is advised where nothing
    /// is safe, and the model's wish stands in for it.
    #[test]
    fn windows_by_table() {
        let (source, labels) = stream(400, 1, |_| 0.0);
        let cases = [
            ("still", 6000, 0.0, Some(200), 200),
            ("slow", 6000, 1.0 / 1000.0, Some(200), 200),
            ("fast", 6000, 1.0 / 60.0, None, 200),
            ("short", 260, 0.0, Some(100), 100),
            ("too short", 150, 0.0, None, 150),
        ];
        for (name, n, by, window, rows) in cases {
            let drifting = stream(n, 2, |row| row as f64 * by).0;
            let pace = Pace::of(&source, &labels, 2, &drifting, Seed::new(3));
            assert_eq!(
                (pace.window, pace.rows()),
                (window, rows),
                "{name}: {pace:?}"
            );
        }
    }
}
