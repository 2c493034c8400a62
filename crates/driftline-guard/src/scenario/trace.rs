//! Whether classes that are followed can still be told apart. A class that moves much further between two windows than any
//! did before may have taken another's place: from then on, which is which is a guess.

use serde::{Deserialize, Serialize};

use super::Case;
use crate::memory::Memory;
use crate::score::LEAST_ROWS;
use driftline_core::Result;
use driftline_drift::RowPoints;

/// A move so many times as far as any before it is a jump.
const JUMP: f64 = 3.0;
/// A class that moves less than half-way to another does not take its place.
const HALF_WAY: f64 = 0.5;

/// How far the classes of one scenario have moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Trace {
    /// The last move, and the largest before it, in distances between classes of the source.
    last: Option<f64>,
    largest: Option<f64>,
    /// The chance that a jump has confused the classes.
    confused: f64,
}

impl Trace {
    pub fn confused(&self) -> f64 {
        self.confused
    }

    /// Takes in the next move. The last one does not count as usual: it may contain the start of the jump.
    fn go_on(&mut self, moved: f64) {
        let usual = self.largest.map(|largest| JUMP * largest);
        if usual.is_some_and(|usual| moved > usual.max(HALF_WAY)) {
            self.confused = (1.0 + self.confused) / 2.0;
        }
        self.largest = self.last.map(|last| last.max(self.largest.unwrap_or(0.0)));
        self.last = Some(moved);
    }

    /// Posteriors of followed classes, each of which may be any other.
    fn doubted(&self, mut posteriors: Vec<f64>, n_classes: usize) -> Vec<f64> {
        let others = (n_classes as f64 - 1.0).max(1.0);
        for p in &mut posteriors {
            *p = (1.0 - self.confused) * *p + self.confused * (1.0 - *p) / others;
        }
        posteriors
    }
}

/// The posteriors of a scenario that follows classes, after this window's move. Images have no places to move to.
pub(super) fn traced(
    case: &Case<'_>,
    memory: &mut Memory,
    scenario: &str,
    posteriors: Vec<f64>,
) -> Result<Vec<f64>> {
    let (Some(points), Some(known)) = (&case.points, &case.source.points) else {
        return Ok(posteriors);
    };
    let n_classes = case.source.prior.len();
    let labels = case.source.sample.labels().as_slice();
    let classes = labels.iter().flat_map(|&label| {
        let is = move |class| f64::from(u8::from(class == label as usize));
        (0..n_classes).map(is)
    });
    let home = means(known, &classes.collect::<Vec<f64>>(), n_classes);
    let before = memory.places(scenario, (n_classes, points.size()))?;
    let before = before.unwrap_or_else(|| home.iter().map(|(mean, _)| mean.clone()).collect());
    let now = means(points, &posteriors, n_classes);
    let apart = nearest(&home);
    let mut trace = memory.traces.get(scenario).copied().unwrap_or_default();
    let moved = before.iter().zip(&now).map(|(before, (mean, rows))| {
        // Means of so few rows differ by chance: by about √(columns/rows) each.
        let chance = 2.0 * points.size() as f64 / rows.max(LEAST_ROWS);
        let distance = distance(before, mean);
        rows * (distance * distance - chance).max(0.0).sqrt()
    });
    // The mean over all rows: what a rare class does is mostly chance.
    let moved = moved.sum::<f64>() / points.len().max(1) as f64;
    if apart > 0.0 {
        trace.go_on(moved / apart);
    }
    let places = before.into_iter().zip(now);
    let places = places.map(|(before, (mean, rows))| if rows < LEAST_ROWS { before } else { mean });
    memory.set_places(scenario, &places.collect::<Vec<_>>())?;
    memory.traces.insert(scenario.to_owned(), trace);
    Ok(trace.doubted(posteriors, n_classes))
}

/// The mean of every class and its rows, by posteriors.
fn means(points: &RowPoints, posteriors: &[f64], n_classes: usize) -> Vec<(Vec<f64>, f64)> {
    let mut all = vec![(vec![0.0; points.size()], 0.0); n_classes];
    for (point, row) in points.iter().zip(posteriors.chunks_exact(n_classes)) {
        for ((sums, rows), p) in all.iter_mut().zip(row) {
            sums.iter_mut()
                .zip(point)
                .for_each(|(sum, x)| *sum += p * x);
            *rows += p;
        }
    }
    for (sums, rows) in &mut all {
        sums.iter_mut()
            .for_each(|sum| *sum /= rows.max(f64::MIN_POSITIVE));
    }
    all
}

/// The mean distance of a class to its nearest, of those that have rows.
fn nearest(home: &[(Vec<f64>, f64)]) -> f64 {
    let there: Vec<&Vec<f64>> = home
        .iter()
        .filter(|(_, rows)| *rows > 0.0)
        .map(|(mean, _)| mean)
        .collect();
    let to_others = |at: usize| {
        let others = there.iter().enumerate().filter(|(other, _)| *other != at);
        let distances = others.map(|(_, mean)| distance(there[at], mean));
        distances.fold(f64::INFINITY, f64::min)
    };
    (0..there.len()).map(to_others).sum::<f64>() / there.len().max(1) as f64
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter()
        .zip(b)
        .map(|(a, b)| (a - b) * (a - b))
        .sum::<f64>()
        .sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(moves: &[f64]) -> Trace {
        let mut trace = Trace::default();
        moves.iter().for_each(|&moved| trace.go_on(moved));
        trace
    }

    #[test]
    fn a_move_unlike_all_before_it_confuses_classes_and_steady_ones_do_not() {
        for jump in [
            &[0.1, 0.1, 0.6][..],
            &[0.1, 0.0, 0.4, 0.6, 0.1],
            &[0.0, 0.0, 0.6],
        ] {
            assert_eq!(after(jump).confused, 0.5, "{jump:?}");
        }
        for steady in [&[0.9; 9][..], &[0.2, 0.2, 0.55], &[0.01, 0.3, 0.4], &[0.9]] {
            assert_eq!(after(steady).confused, 0.0, "{steady:?}");
        }
    }

    #[test]
    fn a_class_that_may_be_any_other_is_even_chances() {
        let half = after(&[0.1, 0.1, 0.6]);
        assert_eq!(half.doubted(vec![0.75, 0.25], 2), [0.5, 0.5]);
        let found = half.doubted(vec![1.0, 0.0, 0.0], 3);
        assert_eq!(found, [0.5, 0.25, 0.25]);
    }

    #[test]
    fn classes_are_as_far_apart_as_their_means() {
        let points = RowPoints::new(vec![0.0, 2.0, 10.0, 12.0], 1);
        let posteriors = [1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0];
        let found = means(&points, &posteriors, 2);
        assert_eq!(found, [(vec![1.0], 2.0), (vec![11.0], 2.0)]);
        assert_eq!(nearest(&found), 10.0);
        let absent = [found, vec![(vec![0.0], 0.0)]].concat();
        assert_eq!(nearest(&absent), 10.0, "a class without rows is nowhere");
    }
}
