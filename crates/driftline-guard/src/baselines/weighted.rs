//! Accuracy where only the density of the inputs has changed: held-out rows of the source count by how much more often the
//! window has rows like them, the odds of a classifier that tells the two apart. Either as they are (importance-weighted
//! accuracy), or to calibrate confidence anew, whose mean over the window is the estimate (PAPE, Białek et al. 2024; for
//! accuracy the expected confusion cells on the diagonal are the mean chance to be right).

use super::decided;
use crate::profile::{Source, seed};
use crate::space::scores;
use driftline_adapt::{Context, Importance};
use driftline_core::data::{Inputs, Positive, Shape};
use driftline_core::{Error, Result};
use driftline_drift::RowPoints;
use driftline_models::linear::FullBatch;

/// A row is at least this likely to be of the window, and of the source.
const LEAST_WINDOW: f64 = 0.05;
const LEAST_SOURCE: f64 = 0.001;
/// The largest gradient that the classifier may stop at: odds need to be no closer.
const TOLERANCE: f64 = 1e-3;
const ITERATIONS: usize = 100;

/// Importance-weighted accuracy and PAPE; none where no classifier was found.
pub(super) fn estimates(
    source: &Source,
    ctx: &Context<'_>,
    window: &Inputs,
    here: &[f64],
    (known, tops): (&[f64], &[f64]),
) -> Result<Option<(f64, f64)>> {
    let n_classes = source.prior.len();
    let [there, here] = match &source.columns {
        Some(_) => [
            source.whole.clone(),
            source.whole_of(source.points_of(window).as_ref(), window),
        ],
        None => [source.scores.clone(), scores(here, n_classes)],
    };
    let Some(odds) = odds(ctx, &there, &here)? else {
        return Ok(None);
    };
    let rows = source.held_out.chunks_exact(n_classes);
    let labels = source.sample.labels().as_slice();
    let right: Vec<f64> = rows
        .zip(labels)
        .map(|(row, &class)| f64::from(u8::from(decided(row) == class as usize)))
        .collect();
    Ok(Some(by_odds(&odds, &right, (known, tops))))
}

/// Importance-weighted accuracy; and confidence that is calibrated anew, on average over the window.
fn by_odds(odds: &[f64], right: &[f64], (known, tops): (&[f64], &[f64])) -> (f64, f64) {
    let sum: f64 = odds.iter().sum();
    let weighed = odds.iter().zip(right).map(|(odds, own)| odds * own);
    let steps = isotonic(known, right, odds);
    let chances = tops.iter().map(|&top| {
        let above = steps.partition_point(|(from, _)| *from <= top);
        steps[above.saturating_sub(1)].1
    });
    let recalibrated = chances.sum::<f64>() / tops.len().max(1) as f64;
    (weighed.sum::<f64>() / sum, recalibrated)
}

/// How much more likely each row of the source is in the window.
fn odds(ctx: &Context<'_>, source: &RowPoints, window: &RowPoints) -> Result<Option<Vec<f64>>> {
    let inputs = |points: &RowPoints| {
        let values = points.iter().flatten().map(|&x| x as f32);
        Inputs::new(values.collect(), Shape::Vector(points.size()))
    };
    let solver = FullBatch {
        tolerance: Positive::new(TOLERANCE)?,
        max_iterations: ITERATIONS,
    };
    let samples = [&inputs(source)?, &inputs(window)?];
    match Importance::default().chances(samples, solver, ctx.runtime, seed()) {
        Err(Error::NotConverged { .. }) => Ok(None),
        Err(error) => Err(error),
        Ok(chances) => {
            let odds = |[stays, came]: [f64; 2]| came.max(LEAST_WINDOW) / stays.max(LEAST_SOURCE);
            Ok(Some(chances.into_iter().map(odds).collect()))
        }
    }
}

/// Isotonic regression of `values` on `at` by pooling adjacent violators: where each step begins, and its height.
fn isotonic(at: &[f64], values: &[f64], weights: &[f64]) -> Vec<(f64, f64)> {
    let mut order: Vec<usize> = (0..at.len()).collect();
    // Of equals the largest value comes first, so that they end in one pool.
    let larger = |a: usize, b: usize| values[b].total_cmp(&values[a]);
    order.sort_by(|&a, &b| at[a].total_cmp(&at[b]).then(larger(a, b)));
    // Where a pool begins, its weight, and its mean.
    let mut pools: Vec<(f64, f64, f64)> = vec![];
    for row in order {
        let mut pool = (at[row], weights[row], values[row]);
        while let Some(&last) = pools.last()
            && last.2 >= pool.2
        {
            let weight = last.1 + pool.1;
            let mean = (last.1 * last.2 + pool.1 * pool.2) / weight;
            pool = (last.0, weight, mean);
            pools.pop();
        }
        pools.push(pool);
    }
    pools
        .into_iter()
        .map(|(from, _, mean)| (from, mean))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn isotonic_by_hand() {
        let at = [0.9, 0.5, 0.6, 0.7, 0.9];
        let values = [1.0, 0.0, 1.0, 0.0, 0.0];
        // The pool of .6 and .7 has 1·1 of 1 + 3, that of both .9 has 2·1 of 2 + 2.
        let weights = [2.0, 1.0, 1.0, 3.0, 2.0];
        let steps = isotonic(&at, &values, &weights);
        assert_eq!(steps, [(0.5, 0.0), (0.6, 0.25), (0.9, 0.5)]);
    }

    /// Rows of the window are only like those of which the model is unsure, and its confidence is the wrong way about.
    #[test]
    fn what_the_window_has_counts() {
        let (known, right) = ([0.9, 0.9, 0.6, 0.6], [0.0, 1.0, 1.0, 1.0]);
        assert_eq!(by_odds(&[1.0; 4], &right, (&known, &known)), (0.75, 0.75));
        let (odds, tops) = ([0.0, 0.0, 1.0, 1.0], [0.6; 3]);
        assert_eq!(by_odds(&odds, &right, (&known, &tops)), (1.0, 1.0));
        let (odds, tops) = ([3.0, 1.0, 2.0, 2.0], [0.9; 3]);
        assert_eq!(by_odds(&odds, &right, (&known, &tops)), (0.625, 0.625));
    }
}
