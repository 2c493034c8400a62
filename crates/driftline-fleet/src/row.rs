//! What is said of one stream in a table of thousands, and the counts over all of them.

use serde::{Deserialize, Serialize};

use super::need::{Need, drift};
use driftline_runs::{
    Action, AskedRows, DecisionKind, Effect, FailOn, Quantity, RunManifest, SourceRecord, StepKind,
    Verdict, WindowRecord,
};

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
    /// What the run's verdict says: what to do, the outcome of the newest step, and whether adapting helped.
    pub action: Option<Action>,
    pub step: Option<StepKind>,
    pub effect: Option<Effect>,
    /// As in the verdict.
    pub served: Option<Quantity>,
    pub unadapted: Option<Quantity>,
    pub difference: Option<Quantity>,
    pub in_use: Option<Quantity>,
    /// How far the column has moved that has moved most, in deviations of the source.
    pub drift: Option<f64>,
    /// Rows of the newest window that the adapted and the source model class differently.
    pub flips: Option<f64>,
    pub decision: Option<DecisionKind>,
    pub reason: Option<String>,
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
        let asked = AskedRows::of(records, &manifest.classes);
        let verdict = Verdict::of(manifest, records, source, &asked);
        let key = key.into();
        let (Some(last), Some(verdict)) = (records.last(), verdict) else {
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
        let state = done.then(|| Need::of(manifest, last, &verdict));
        Self {
            key,
            state: state.unwrap_or_default(),
            windows: manifest.windows,
            planned: manifest.planned,
            rows: records.iter().map(WindowRecord::arrived).sum(),
            version: verdict.version,
            step: Some(verdict.last_step.kind),
            effect: Some(verdict.effect),
            served: verdict.served,
            unadapted: verdict.unadapted,
            difference: verdict.difference,
            in_use: verdict.in_use,
            action: Some(verdict.action),
            drift: drift(last),
            flips: Some(last.flips),
            decision: Some(last.decision),
            reason: last.reason.clone(),
            accuracies: drawn.iter().map(accuracy).collect(),
            drifts: drawn.iter().map(|r| drift(r).map(rounded)).collect(),
            decisions: drawn.iter().map(letter).collect(),
            error: None,
        }
    }

    /// Whether it failed, or has come to what counts as a failure.
    pub fn fails(&self, on: FailOn) -> bool {
        let come = self.action.as_ref().zip(self.step).zip(self.effect);
        let fails = come.is_some_and(|((action, step), effect)| on.applies(action, step, effect));
        self.state == Need::Failed || (fails && self.state != Need::Unfinished)
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
