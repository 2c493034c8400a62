//! A stream scored as it is served: every row by the version that was deployed before its window came. Per cent of all
//! rows, or the mean over equal batches of the stream.

use std::num::NonZeroUsize;

use super::method::{CustomMethod, Observation};
use super::resources::Resources;
use super::trial::Outcome;
use driftline_core::data::{Benchmark, Labels, Remainder};
use driftline_core::random::Seed;
use driftline_core::{Error, Result};
use driftline_models::evaluate::{Confusion, accuracy};

/// Parts of the stream for the curve.
const PARTS: usize = 20;

/// Runs `method` and scores every row on its arrival. Stages are not recorded one by one: there may be thousands.
pub(super) fn run(
    method: &dyn CustomMethod,
    benchmark: &Benchmark,
    batches: Option<NonZeroUsize>,
    seed: Seed,
    resources: &Resources,
    go_on: &dyn Fn() -> Result<()>,
) -> Result<Outcome> {
    let Benchmark { task, answers } = benchmark;
    let stream = &task.intermediate;
    let Some(right) = &answers.intermediate else {
        return Err(Error::empty("the true classes of the stream"));
    };
    let windows = match method.windowing() {
        Some(windowing) => stream.split(windowing)?.windows,
        None => std::iter::once(0..stream.len()).collect(),
    };
    let mut served: Vec<u32> = vec![];
    let mut held_out_source = None;
    let mut remainder = Remainder::None;
    let mut seen = 0;
    method.run(task, seed, resources, &mut |now: Observation<'_>| {
        if let Some(window) = windows.get(seen) {
            let rows = stream.window(window.clone())?.inputs;
            served.extend_from_slice(now.model.predict(&rows)?.as_slice());
        }
        if held_out_source.is_none() {
            held_out_source = Some(accuracy(now.model, &answers.held_out_source)?);
        }
        seen += 1;
        remainder = now.remainder;
        go_on()
    })?;
    let stages = windows.len() + usize::from(method.windowing().is_some());
    if seen != stages {
        return Err(Error::mismatch(
            "a method scored on arrival",
            format!("one stage for each of {} windows", windows.len()),
            seen,
        ));
    }
    let scored = Labels::new(served, right.n_classes())?;
    let right = right.slice(0..scored.len());
    let confusion = Confusion::between(&scored, &right)?;
    let parts = |count: usize| -> Vec<f64> { parts(&scored, &right, count) };
    let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len().max(1) as f64;
    Ok(Outcome {
        order_tau: None,
        accuracy: batches.map_or_else(|| confusion.accuracy(), |n| mean(parts(n.get()))),
        balanced_accuracy: confusion.balanced_accuracy(),
        confusion,
        held_out_source,
        stages: vec![],
        along_stream: parts(PARTS),
        remainder,
    })
}

/// The share that is right of each of so many equal parts.
fn parts(scored: &Labels, right: &Labels, count: usize) -> Vec<f64> {
    let n = scored.len();
    let count = count.min(n).max(1);
    let part = |part: usize| {
        let rows = part * n / count..(part + 1) * n / count;
        let share = scored.slice(rows.clone()).agreement(&right.slice(rows));
        share.estimate().unwrap_or(0.0)
    };
    (0..count).map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_equal_and_count_alike() {
        let labels = |classes: &[u32]| Labels::new(classes.to_vec(), 2).unwrap();
        let scored = labels(&[0, 0, 0, 1, 1, 1, 1]);
        let right = labels(&[0, 1, 0, 1, 1, 0, 0]);
        assert_eq!(parts(&scored, &right, 2), [2.0 / 3.0, 0.5]);
        assert_eq!(parts(&scored, &right, 100).len(), 7);
    }
}
