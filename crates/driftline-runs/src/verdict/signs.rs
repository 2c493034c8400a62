//! A run in a few numbers: accuracies along the whole stream where there are answers, and what can be seen without them.

use serde::Serialize;

use crate::model_file::SourceRecord;
use crate::record::{Score, Shares, WindowRecord};
use driftline_models::evaluate::PairedRows;

/// Accuracies over all scored rows, as fractions: each window by the version in use then.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AccuracySummary {
    pub scored: usize,
    /// Each window by the model before it; absent for methods that wait for the end of the stream.
    pub before: Option<f64>,
    pub after: f64,
    pub unadapted: f64,
    /// Adapted less unadapted, with its 90 % interval.
    pub gain: f64,
    pub gain_low: f64,
    pub gain_high: f64,
}

/// What can be seen without answers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Signs {
    /// The largest share of a window that one step gave another class, and its window.
    pub most_disagreement: f64,
    pub most_disagreement_window: usize,
    /// The share of the last window that the adapted and the source model class differently.
    pub last_flips: f64,
    /// The share of the last window that would have to change class for the balance of the source.
    pub balance_shift: f64,
    /// Classes that the adapted model gives less than a fifth of their share in the source, in the last window.
    pub fading_classes: Vec<String>,
    /// The source model's mean confidence in the last window less that on held-out source rows; absent without those.
    pub confidence_change: Option<f64>,
}

/// How the source was divided among the classes.
pub(super) fn balance(source: &SourceRecord, last: &WindowRecord) -> Shares {
    let rows = source.rows.max(1) as f64;
    let names = last.class_balance.0.iter().map(|(name, _)| name.clone());
    let counts = source.class_counts.iter().map(|&n| n as f64 / rows);
    Shares(names.zip(counts).collect())
}

impl AccuracySummary {
    pub(super) fn of(records: &[WindowRecord], repeats: bool) -> Option<Self> {
        let scores = || records.iter().filter_map(|record| record.score.as_ref());
        let sum = |pick: fn(&Score) -> usize| scores().map(pick).sum::<usize>();
        let rows = PairedRows::new(sum(|s| s.gained), sum(|s| s.lost), sum(|s| s.scored));
        if rows.n == 0 {
            return None;
        }
        let mean = |pick: fn(&Score) -> f64| {
            let sum: f64 = scores().map(|s| pick(s) * s.scored as f64).sum();
            sum / rows.n as f64
        };
        let (gain_low, gain_high) = rows.interval();
        Some(Self {
            scored: rows.n,
            before: (!repeats).then(|| mean(|s| s.accuracy_before)),
            after: mean(|s| s.accuracy_after),
            unadapted: mean(|s| s.accuracy_unadapted),
            gain: rows.difference(),
            gain_low,
            gain_high,
        })
    }
}

impl Signs {
    pub(super) fn of(
        records: &[WindowRecord],
        last: &WindowRecord,
        source: &SourceRecord,
        at_source: &Shares,
    ) -> Self {
        let most = records.iter().fold(last, |most, record| {
            if record.disagreement > most.disagreement {
                record
            } else {
                most
            }
        });
        let fading = at_source.0.iter().zip(&last.class_balance.0);
        Self {
            most_disagreement: most.disagreement,
            most_disagreement_window: most.window,
            last_flips: last.flips,
            balance_shift: last.class_balance.distance(at_source),
            fading_classes: fading
                .filter(|((_, then), (_, now))| *now < then / 5.0)
                .map(|((name, _), _)| name.clone())
                .collect(),
            confidence_change: source
                .validation
                .map(|validation| last.confidence_unadapted - validation.confidence),
        }
    }
}
