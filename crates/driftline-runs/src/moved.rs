//! The columns that have moved most between the source and a window: by their means, in deviations of the source. A first
//! look for people; what the drift is made of, a policy says.

use super::importance::importance;
use super::record::Moved;
use driftline_adapt::Version;
use driftline_core::Result;
use driftline_core::data::{Inputs, LabeledDomain, Shape};
use driftline_io::Encoding;

/// So many are told, and none that has moved less than this.
const MOST: usize = 8;
const LEAST: f64 = 0.1;

/// Columns of images are none that people know.
pub(super) fn moved(
    source: &LabeledDomain,
    window: &Inputs,
    encoding: &Encoding,
    version: &Version,
) -> Result<Vec<Moved>> {
    let Shape::Vector(size) = window.shape() else {
        return Ok(vec![]);
    };
    if window.is_empty() || source.is_empty() {
        return Ok(vec![]);
    }
    let (then, now) = (moments(source.inputs(), size), moments(window, size));
    let columns = encoding
        .input_names()
        .into_iter()
        .zip(then.iter().zip(&now));
    let mut all: Vec<(usize, Moved)> = columns
        .enumerate()
        // A column that hardly varies in the source has no yardstick.
        .filter(|(_, (_, ((_, deviation), _)))| *deviation > 1e-6)
        .map(|(at, (column, ((mean, deviation), (later, _))))| {
            let by = (later - mean) / deviation;
            let importance = None;
            let moved = Moved {
                column,
                by,
                importance,
            };
            (at, moved)
        })
        .filter(|(_, moved)| moved.by.abs() >= LEAST)
        .collect();
    all.sort_by(|a, b| b.1.by.abs().total_cmp(&a.1.by.abs()));
    all.truncate(MOST);
    let inputs: Vec<usize> = all.iter().map(|(at, _)| *at).collect();
    let found = importance(source, window, &encoding.layout(), &inputs, version)?;
    let all = all.into_iter().zip(found);
    Ok(all
        .map(|((_, moved), importance)| Moved {
            importance: Some(importance),
            ..moved
        })
        .collect())
}

/// Mean and deviation of every column.
fn moments(rows: &Inputs, size: usize) -> Vec<(f64, f64)> {
    let n = rows.len() as f64;
    let mut sums = vec![(0.0, 0.0); size];
    for row in rows.iter() {
        for (sum, &x) in sums.iter_mut().zip(row) {
            sum.0 += f64::from(x);
            sum.1 += f64::from(x) * f64::from(x);
        }
    }
    let moments = |(sum, squares): (f64, f64)| {
        let mean = sum / n;
        (mean, (squares / n - mean * mean).max(0.0).sqrt())
    };
    sums.into_iter().map(moments).collect()
}
