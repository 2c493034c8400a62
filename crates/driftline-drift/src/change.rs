//! A window beside the source and the window before it: how far, how well the two can be told apart, which columns moved
//! most, and a verdict in one sentence.

use serde::{Deserialize, Serialize};

use super::energy::{Halves, known_distance};
use super::pace::SAFE;
use super::points::{RowPoints, Standardizer};
use driftline_core::random::{Seed, permutation};

/// Columns that are named.
const NAMED: usize = 3;
/// A distance counts as movement from so many times its noise.
const MOVED: f64 = 3.0;
/// A step of so large a part of the whole way is fast.
const FAST: f64 = 0.5;

/// How far two samples are apart, with the noise of that number.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Distance {
    pub distance: f64,
    pub noise: f64,
}

/// A column of the inputs and how far its mean moved, in deviations of the source.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MovedColumn {
    pub column: usize,
    pub shift: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DriftKind {
    Still,
    Gradual,
    Fast,
}

/// How a window differs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    pub from_source: Distance,
    pub from_last: Option<Distance>,
    /// The step from the window before, or from the source, its noise, and what it may be: a tenth of the distance between a
    /// class and its nearest, where that is known.
    pub size: f64,
    pub floor: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<f64>,
    /// How often a row of the window looks more like the window than one of the source does: 0.5 is a guess.
    pub told_apart: f64,
    pub columns: Vec<MovedColumn>,
    pub verdict: DriftKind,
    pub reason: String,
}

/// A sample, and what its halves are apart.
type Side<'a> = (&'a RowPoints, Halves);

impl Distance {
    fn of((a, halves): Side<'_>, (b, others): Side<'_>, seed: Seed) -> Self {
        let noise = |halves: Halves| halves.noise(a.len(), b.len());
        Self {
            distance: known_distance((a, halves.within), (b, others.within), seed),
            noise: noise(halves).max(noise(others)),
        }
    }

    pub fn moved(&self) -> bool {
        self.distance > MOVED * self.noise
    }
}

impl Change {
    /// `classes_apart` is how far a class is from its nearest, where that is known.
    pub fn of(
        frame: &Standardizer,
        source: &RowPoints,
        last: Option<&RowPoints>,
        window: &RowPoints,
        classes_apart: Option<f64>,
        seed: Seed,
    ) -> Self {
        let left = |points| (points, Halves::of(points, seed.named("left")));
        let right = (window, Halves::of(window, seed.named("right")));
        let from_source = Distance::of(left(source), right, seed);
        let from_last = last.map(|last| Distance::of(left(last), right, seed));
        let ((before, _), (after, _)) = (source.moments(), window.moments());
        let mut columns: Vec<MovedColumn> = (before.iter().zip(&after).zip(frame.columns()))
            .map(|((before, after), &column)| MovedColumn {
                column,
                shift: after - before,
            })
            .collect();
        columns.sort_by(|a, b| b.shift.abs().total_cmp(&a.shift.abs()));
        columns.truncate(NAMED);
        let (verdict, reason) = judge(from_source, from_last);
        let step = from_last.unwrap_or(from_source);
        Self {
            from_source,
            from_last,
            size: step.distance,
            floor: step.noise,
            limit: classes_apart.map(|apart| SAFE * apart),
            told_apart: told_apart(source, window, seed),
            columns,
            verdict,
            reason,
        }
    }
}

fn judge(source: Distance, last: Option<Distance>) -> (DriftKind, String) {
    let step = last.unwrap_or(source);
    let Distance { distance, noise } = source;
    let went = |how: &str| {
        let last = step.distance;
        format!(
            "the last step covered {how} of the distance from the source ({last:.4} of {distance:.4}, noise {noise:.4})"
        )
    };
    if !source.moved() {
        let reason = format!(
            "the window looks like the source (distance {:.4}, noise {noise:.4})",
            distance.max(0.0)
        );
        (DriftKind::Still, reason)
    } else if step.moved() && step.distance > FAST * distance {
        (DriftKind::Fast, went("most"))
    } else {
        (DriftKind::Gradual, went("little"))
    }
}

/// The area under the curve of a linear score, (difference of the means) / variance in every column, fitted on one half
/// of the rows and tried on the other.
fn told_apart(a: &RowPoints, b: &RowPoints, seed: Seed) -> f64 {
    let halves = |points: &RowPoints, seed: Seed| {
        let order = permutation(points.len(), seed);
        let half = points.len() / 2;
        (points.pick(&order[..half]), points.pick(&order[half..]))
    };
    let ((a, try_a), (b, try_b)) = (halves(a, seed.named("a")), halves(b, seed.named("b")));
    if a.is_empty() || b.is_empty() {
        return 0.5;
    }
    let ((mean_a, wide_a), (mean_b, wide_b)) = (a.moments(), b.moments());
    let weights: Vec<f64> = (0..a.size())
        .map(|at| (mean_b[at] - mean_a[at]) / (wide_a[at].powi(2) + wide_b[at].powi(2) + 0.01))
        .collect();
    let score = |row: &[f64]| row.iter().zip(&weights).map(|(x, w)| x * w).sum::<f64>();
    let mut all: Vec<(f64, bool)> = try_a.iter().map(|row| (score(row), false)).collect();
    all.extend(try_b.iter().map(|row| (score(row), true)));
    all.sort_by(|x, y| x.0.total_cmp(&y.0));
    // Ties share their rank.
    let (mut ranks, mut below) = (0.0, 0);
    for alike in all.chunk_by(|x, y| x.0 == y.0) {
        let rank = (2 * below + alike.len() + 1) as f64 / 2.0;
        ranks += rank * alike.iter().filter(|one| one.1).count() as f64;
        below += alike.len();
    }
    let (n, m) = (try_b.len() as f64, try_a.len() as f64);
    (ranks - n * (n + 1.0) / 2.0) / (n * m)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(from: f64) -> RowPoints {
        let order = permutation(200, Seed::new(5));
        RowPoints::new(order.iter().map(|&i| from + i as f64 / 200.0).collect(), 1)
    }

    #[test]
    fn apart_is_one_and_the_same_is_a_guess() {
        let seed = Seed::new(1);
        assert_eq!(told_apart(&line(0.0), &line(2.0), seed), 1.0);
        assert!((told_apart(&line(0.0), &line(0.0), seed) - 0.5).abs() < 0.1);
    }

    /// A score that tells nothing apart is a guess, ties share their rank, and too few rows are a guess as well.
    #[test]
    fn told_apart_by_table() {
        let constant = |value: f64, n: usize| RowPoints::new(vec![value; n], 1);
        let cases = [
            ("ties", constant(1.0, 40), constant(1.0, 40), 0.5),
            ("ordered", constant(0.0, 40), constant(1.0, 40), 1.0),
            ("turned round", constant(1.0, 40), constant(0.0, 40), 1.0),
            ("one row", constant(0.0, 1), constant(9.0, 40), 0.5),
        ];
        for (name, a, b, expected) in cases {
            assert_eq!(told_apart(&a, &b, Seed::new(2)), expected, "{name}");
        }
    }

    /// (from the source, from the last window) → verdict; noise is 0.01, so 0.03 is still.
    #[test]
    fn verdicts_by_table() {
        use DriftKind::*;
        let at = |distance| Distance {
            distance,
            noise: 0.01,
        };
        let cases = [
            (0.01, Some(0.0), Still),
            (0.03, Some(0.03), Still),
            (0.031, Some(0.01), Gradual),
            (0.5, Some(0.05), Gradual),
            // Half of the way is not most of it; and a step within its noise is none, however short the way.
            (0.5, Some(0.25), Gradual),
            (0.04, Some(0.03), Gradual),
            (0.5, Some(0.26), Fast),
            // The first window has come all the way at once.
            (0.5, None, Fast),
        ];
        for (source, last, expected) in cases {
            let (verdict, reason) = judge(at(source), last.map(at));
            assert_eq!(verdict, expected, "{source} {last:?}");
            let far = format!("{source:.4}, noise 0.0100)");
            assert!(reason.ends_with(&far), "{reason}");
        }
    }

    /// The columns that moved most come first, at most three; the limit is a tenth of the distance between classes.
    #[test]
    fn a_change_names_the_columns_that_moved_most() {
        let rows = |by: [f64; 5]| {
            let order = permutation(100, Seed::new(3));
            let values = order
                .iter()
                .flat_map(|&i| by.map(|by| i as f64 / 100.0 + by));
            RowPoints::new(values.collect(), 5)
        };
        let inputs: Vec<f32> = (0..500).map(|i| (i / 5) as f32).collect();
        let shape = driftline_core::data::Shape::Vector(5);
        let frame = driftline_core::data::Inputs::new(inputs, shape).unwrap();
        let frame = Standardizer::of(&frame).unwrap();
        let (source, window) = (rows([0.0; 5]), rows([0.1, -2.0, 0.0, 1.0, 0.5]));
        for (last, size) in [(None, "whole"), (Some(&window), "none")] {
            let change = Change::of(&frame, &source, last, &window, Some(3.0), Seed::new(4));
            let named: Vec<usize> = change.columns.iter().map(|one| one.column).collect();
            assert_eq!(named, [1, 3, 4]);
            assert!((change.columns[0].shift + 2.0).abs() < 1e-9);
            assert_eq!(change.limit, Some(SAFE * 3.0));
            assert_eq!(change.told_apart, 1.0);
            let way = change.from_source.distance;
            match size {
                "whole" => assert_eq!(change.size, way),
                _ => assert!(change.size.abs() < 0.01 * way, "{change:?}"),
            }
        }
    }
}
