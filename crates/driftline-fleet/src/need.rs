//! How much a stream needs somebody to look at it.

use serde::{Deserialize, Serialize};

use driftline_runs::{Effect, RunManifest, StepKind, Verdict, WindowRecord};

/// From the most urgent to the least.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Need {
    /// It could not be adapted to.
    Failed,
    /// The newest window took the model back to an earlier version, or somebody did.
    RolledBack,
    /// The newest window was held, and labels are asked for or nothing tells how accurate the model is.
    Held,
    /// The verdict is against the version in use, or it shows signs of going wrong.
    Doubtful,
    /// Neither answers nor the policy tell how accurate the model is now.
    NotMeasurable,
    /// The newest window is far from the source, and the source model is in use.
    Drifting,
    /// The newest window is far from the source, and the model has followed.
    Adapted,
    Still,
    /// It has not come to its end.
    #[default]
    Unfinished,
}

/// A mean that has moved by so many deviations of the source, or so many rows that source and adapted model class
/// differently, are a drift.
const FAR: f64 = 0.5;
const MANY: f64 = 0.1;

impl Need {
    pub const ALL: [Need; 9] = [
        Need::Failed,
        Need::RolledBack,
        Need::Held,
        Need::Doubtful,
        Need::NotMeasurable,
        Need::Drifting,
        Need::Adapted,
        Need::Still,
        Need::Unfinished,
    ];

    /// Of a stream that came to its end.
    pub(super) fn of(manifest: &RunManifest, last: &WindowRecord, verdict: &Verdict) -> Self {
        let asks = verdict.action.is_for_a_person();
        let step = verdict.last_step.kind;
        if step == StepKind::TakenBack || manifest.current != manifest.windows {
            return Need::RolledBack;
        }
        if step == StepKind::Held && (asks || verdict.in_use.is_none()) {
            return Need::Held;
        }
        if asks || matches!(verdict.effect, Effect::Hurt | Effect::Doubtful) {
            return Need::Doubtful;
        }
        if verdict.in_use.is_none() {
            return Need::NotMeasurable;
        }
        let far = drift(last).is_some_and(|by| by >= FAR) || last.flips >= MANY;
        match (far, verdict.version > 0) {
            (true, true) => Need::Adapted,
            (true, false) => Need::Drifting,
            (false, _) => Need::Still,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Need::Failed => "failed",
            Need::RolledBack => "rolled-back",
            Need::Held => "held",
            Need::Doubtful => "doubtful",
            Need::NotMeasurable => "not-measurable",
            Need::Drifting => "drifting",
            Need::Adapted => "adapted",
            Need::Still => "still",
            Need::Unfinished => "unfinished",
        }
    }
}

/// How far the column has moved that has moved most, in deviations of the source; known where a policy decides.
pub(super) fn drift(record: &WindowRecord) -> Option<f64> {
    record.moved.first().map(|moved| moved.by.abs())
}
