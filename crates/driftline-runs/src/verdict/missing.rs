//! Classes that a version hardly ever predicts although they are there: how self-training most often goes wrong.

use super::newest::Seen;
use crate::record::WindowRecord;

/// A class of fewer rows says nothing by being absent.
const FEWEST_ROWS: f64 = 10.0;
/// A class is missing if it is predicted less often than this share of how often it is there.
const HARDLY: f64 = 0.2;

/// Classes that are there and hardly ever predicted.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Missing {
    /// The source model predicts them on the same rows, or a version of the run did on its own window.
    pub lost: Vec<String>,
    /// Nothing has ever predicted them in this run.
    pub never: Vec<String>,
}

/// On the newest window alone and on all of `seen`. A class is there if it has answers. Without answers the guard's estimate
/// of its recall says so, by its upper end; where there is none, the class is there if the source model predicts it, which
/// says too much once data drift.
pub(super) fn missing(records: &[WindowRecord], seen: &[Seen]) -> Missing {
    let Some((newest, _)) = seen.split_last() else {
        return Missing::default();
    };
    let mut missing = Missing::default();
    for (place, (class, _)) in newest.balance().0.iter().enumerate() {
        if let Some(estimate) = newest.estimate() {
            let recall = estimate.recalls.get(place).copied().flatten();
            if recall.is_some_and(|[_, _, high]| high < HARDLY) {
                missing.lost.push(class.clone());
            }
            continue;
        }
        let absent = |seen: &[Seen]| {
            let there: f64 = seen.iter().map(|seen| rows_of(seen, class)).sum();
            let predicted = seen.iter().map(|s| s.balance().of(class) * base(s));
            there >= FEWEST_ROWS && predicted.sum::<f64>() < HARDLY * there
        };
        if !absent(std::slice::from_ref(newest)) && !absent(seen) {
            continue;
        }
        let expected = HARDLY * rows_of(newest, class) / base(newest).max(1.0);
        let by_source = newest.record.class_balance_unadapted.of(class);
        let earlier = records.iter().map(|record| record.class_balance.of(class));
        match by_source.max(earlier.fold(0.0, f64::max)) > expected {
            true => missing.lost.push(class.clone()),
            false => missing.never.push(class.clone()),
        }
    }
    missing
}

/// How many rows a share is of.
fn base(seen: &Seen) -> f64 {
    let score = seen.record.score.as_ref();
    score.map_or(seen.record.arrived(), |score| score.scored) as f64
}

/// How many rows of `class` there are, as well as is known.
fn rows_of(seen: &Seen, class: &str) -> f64 {
    match &seen.record.score {
        Some(score) => {
            let found = score.classes.iter().find(|found| found.class == class);
            found.map_or(0.0, |found| found.rows as f64)
        }
        None => seen.record.class_balance_unadapted.of(class) * base(seen),
    }
}
