//! Accuracies with their intervals, and whether they were counted or estimated: what was served, the source model, the
//! difference, and the version in use. Models that are the same have the same number.

use serde::{Deserialize, Serialize};

use super::effect::Judged;
use super::newest::{Role, Seen, original};
use crate::record::{Score, WindowRecord};
use driftline_adapt::Estimate;
use driftline_core::data::Proportion;
use driftline_models::evaluate::PairedRows;

/// A share of rows, or a difference of two, with its 90 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quantity {
    pub value: f64,
    pub low: f64,
    pub high: f64,
    pub by: By,
}

/// How it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum By {
    /// Counted on rows with an answer.
    Answers,
    /// Estimated by the policy, without answers.
    Estimate,
}

/// All of them, on the newest window or the newest windows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Quantities {
    pub served: Option<Quantity>,
    pub unadapted: Option<Quantity>,
    pub difference: Option<Quantity>,
    pub in_use: Option<Quantity>,
}

impl Quantities {
    pub fn of(records: &[WindowRecord], version: usize, judged: &Judged, repeats: bool) -> Self {
        let Some(last) = records.last() else {
            return Self::default();
        };
        // What a method that repeats has served is not known: all its steps saw the same rows.
        let known = match (&judged.newest, &last.score) {
            (Some(newest), _) => {
                let windows = newest.windows.iter();
                let windows = windows.filter_map(|window| records.get(window - 1));
                counted(records, &windows.collect::<Vec<_>>(), Some(newest.accuracy))
            }
            (None, Some(_)) => counted(records, &[last], None),
            (None, None) => estimated(records, last, version),
        };
        match repeats {
            true => Self {
                served: None,
                difference: None,
                ..known
            },
            false => known,
        }
    }
}

fn counted(records: &[WindowRecord], windows: &[&WindowRecord], in_use: Option<f64>) -> Quantities {
    let scores = || {
        windows
            .iter()
            .filter_map(|own| Some((own, own.score.as_ref()?)))
    };
    let rows: usize = scores().map(|(_, score)| score.scored).sum();
    let share = |share: f64| {
        // Rows that were not drawn evenly tell as much as fewer that were.
        let even = |score: &Score| score.effective_rows.unwrap_or(score.scored as f64);
        let even: f64 = scores().map(|(_, score)| even(score)).sum();
        let even = even.round() as usize;
        let (low, high) = Proportion::new((share * even as f64).round() as usize, even).interval();
        // Rounding must not leave the share outside; adding 0 makes a zero of −0.
        Quantity {
            value: share + 0.0,
            low: low.min(share) + 0.0,
            high: high.max(share),
            by: By::Answers,
        }
    };
    let mean = |pick: fn(&Score) -> f64| {
        let sum: f64 = scores().map(|(_, s)| pick(s) * s.scored as f64).sum();
        sum / rows.max(1) as f64
    };
    if rows == 0 {
        return Quantities::default();
    }
    let paired = scores().try_fold(PairedRows::default(), |all, (record, score)| {
        let (gained, lost) = match &record.serving {
            Some(serving) => (serving.gained, serving.lost),
            None if record.teacher == 0 => (0, 0),
            None => return None,
        };
        let PairedRows {
            gained: g,
            lost: l,
            n,
        } = all;
        Some(PairedRows::new(g + gained, l + lost, n + score.scored))
    });
    // The source model differs from itself by nothing.
    let mut served = windows.iter().map(|own| original(records, own.teacher));
    let was_source = served.all(|version| version == 0);
    let difference = |paired: PairedRows| {
        let (low, high) = match was_source {
            true => (0.0, 0.0),
            false => paired.interval(),
        };
        Quantity {
            value: paired.difference(),
            low,
            high,
            by: By::Answers,
        }
    };
    Quantities {
        served: Some(share(mean(|s| s.accuracy_before))),
        unadapted: Some(share(mean(|s| s.accuracy_unadapted))),
        difference: paired.map(difference),
        in_use: in_use.map(share),
    }
}

fn estimated(records: &[WindowRecord], last: &WindowRecord, version: usize) -> Quantities {
    let of = |own: &Estimate| Quantity {
        value: own.accuracy,
        low: own.low,
        high: own.high,
        by: By::Estimate,
    };
    let served = last.estimate_before.as_ref().map(of);
    let was_source = original(records, last.teacher) == 0;
    let unadapted = match was_source {
        true => served,
        false => last.estimate_unadapted.as_ref().map(of),
    };
    let role = Seen::of(records, last, version).map(|seen| seen.role);
    let in_use = match role {
        Some(Role::Source) => unadapted,
        Some(_) if original(records, version) == original(records, last.teacher) => served,
        Some(Role::Adapted) => last.estimated().as_ref().map(of),
        Some(Role::Serving) => served,
        None => None,
    };
    // Two models cannot be further apart than the rows that they class differently.
    let differing = match was_source {
        true => 0.0,
        false => (last.flips + last.disagreement).min(1.0),
    };
    let difference = served.zip(unadapted).map(|(own, other)| {
        // Adding 0 makes a zero of −0.
        let within = |value: f64| value.clamp(-differing, differing) + 0.0;
        Quantity {
            value: within(own.value - other.value),
            low: within(own.low - other.high),
            high: within(own.high - other.low),
            by: By::Estimate,
        }
    });
    Quantities {
        served,
        unadapted,
        difference,
        in_use,
    }
}
