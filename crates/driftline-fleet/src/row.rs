//! What is said of one stream in a table of thousands, and the counts over all of them.

use serde::{Deserialize, Serialize};

use super::need::{Need, drift};
use driftline_runs::{DecisionKind, RunManifest, RunVerdict, SourceRecord, Summary, WindowRecord};

/// So many of the newest windows are drawn.
const DRAWN: usize = 60;

/// One stream. Shares and accuracies are fractions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StreamRow {
    pub key: String,
    pub state: Need,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Windows finished, those that its stream has, and their rows.
    pub windows: usize,
    pub planned: usize,
    pub rows: usize,
    /// The version in use.
    pub version: usize,
    /// On the newest window, as the policy estimates it without answers.
    pub estimated_accuracy: Option<f64>,
    pub estimated_low: Option<f64>,
    pub estimated_high: Option<f64>,
    /// The same counted, where there are answers.
    pub accuracy: Option<f64>,
    pub accuracy_unadapted: Option<f64>,
    /// How far the column has moved that has moved most, in deviations of the source.
    pub drift: Option<f64>,
    /// Rows of the newest window that the adapted and the source model class differently.
    pub flips: Option<f64>,
    pub decision: Option<DecisionKind>,
    pub reason: Option<String>,
    pub verdict: Option<String>,
    /// Along the newest windows: accuracy, counted or estimated, and drift.
    pub accuracies: Vec<Option<f64>>,
    pub drifts: Vec<Option<f64>>,
    /// A letter for every one of them: d deployed, h held, r rolled back.
    pub decisions: String,
}

/// The counts over all streams.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    pub streams: usize,
    /// Those that reached their end, held or not.
    pub done: usize,
    pub failed: usize,
    /// Those that have not come to their end.
    pub unfinished: usize,
    /// Those of `done` that ended held, that were rolled back, and that are in doubt.
    pub held: usize,
    pub rolled_back: usize,
    pub doubtful: usize,
}

impl StreamRow {
    pub(super) fn failed(key: &str, error: String) -> Self {
        let row = Self {
            key: key.into(),
            ..Self::default()
        };
        row.failing(error)
    }

    /// The same after work on it has failed; what it had come to before stays.
    pub(super) fn failing(self, error: String) -> Self {
        Self {
            state: Need::Failed,
            error: Some(error),
            ..self
        }
    }

    pub(super) fn of(
        key: &str,
        manifest: &RunManifest,
        records: &[WindowRecord],
        source: &SourceRecord,
        done: bool,
    ) -> Self {
        let summary = Summary::of_records(manifest, records, source);
        let key = key.into();
        let (Some(last), Some(summary)) = (records.last(), summary) else {
            return Self {
                key,
                ..Self::default()
            };
        };
        let drawn = &records[records.len().saturating_sub(DRAWN)..];
        let accuracy = |record: &WindowRecord| {
            let scored = record.score.as_ref().map(|score| score.accuracy_after);
            scored.or(record.estimated_accuracy).map(rounded)
        };
        let letter = |record: &WindowRecord| match record.decision {
            DecisionKind::Deploy if record.held => 'h',
            DecisionKind::Deploy => 'd',
            DecisionKind::Hold => 'h',
            DecisionKind::RollBack => 'r',
        };
        let score = last.score.as_ref();
        let state = done.then(|| Need::of(manifest, last, &summary));
        Self {
            key,
            state: state.unwrap_or_default(),
            windows: manifest.windows,
            planned: manifest.planned,
            rows: records.iter().map(WindowRecord::arrived).sum(),
            version: manifest.current,
            estimated_accuracy: last.estimated_accuracy,
            estimated_low: last.estimated_low,
            estimated_high: last.estimated_high,
            accuracy: score.map(|score| score.accuracy_after),
            accuracy_unadapted: score.map(|score| score.accuracy_unadapted),
            drift: drift(last),
            flips: Some(last.flips),
            decision: Some(last.decision),
            reason: last.reason.clone(),
            verdict: Some(verdict(summary.verdict)),
            accuracies: drawn.iter().map(accuracy).collect(),
            drifts: drawn.iter().map(|r| drift(r).map(rounded)).collect(),
            decisions: drawn.iter().map(letter).collect(),
            error: None,
        }
    }

    /// Accuracy now: counted where there are answers, else estimated.
    pub fn accuracy_now(&self) -> Option<f64> {
        self.accuracy.or(self.estimated_accuracy)
    }
}

impl Tally {
    pub fn of<'a>(rows: impl IntoIterator<Item = &'a StreamRow>) -> Self {
        rows.into_iter().fold(Self::default(), |mut all, row| {
            all.streams += 1;
            match row.state {
                Need::Failed => all.failed += 1,
                Need::Unfinished => all.unfinished += 1,
                _ => all.done += 1,
            }
            all.held += usize::from(row.state == Need::Held);
            all.rolled_back += usize::from(row.state == Need::RolledBack);
            all.doubtful += usize::from(row.state == Need::Doubtful);
            all
        })
    }
}

/// Three digits are enough for a drawing.
fn rounded(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}

fn verdict(verdict: RunVerdict) -> String {
    let value = serde_json::to_value(verdict).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}
