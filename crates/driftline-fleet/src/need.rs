//! How much a stream needs somebody to look at it.

use serde::{Deserialize, Serialize};

use driftline_runs::{DecisionKind, RunManifest, Summary, WindowRecord};

/// From the most urgent to the least.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Need {
    /// It could not be adapted to.
    Failed,
    /// The newest window took the model back to an earlier version.
    RolledBack,
    /// The newest window was held: nothing could be trusted, or too little was left to learn from.
    Held,
    /// Neither answers nor the policy tell how accurate the model is now.
    NotMeasurable,
    /// The newest window is far from the source.
    Drifting,
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
    pub const ALL: [Need; 7] = [
        Need::Failed,
        Need::RolledBack,
        Need::Held,
        Need::NotMeasurable,
        Need::Drifting,
        Need::Still,
        Need::Unfinished,
    ];

    /// Of a stream that came to its end.
    pub(super) fn of(manifest: &RunManifest, last: &WindowRecord, summary: &Summary) -> Self {
        if last.decision == DecisionKind::RollBack || manifest.current != manifest.windows {
            return Need::RolledBack;
        }
        if summary.last_step_distrusted {
            return Need::Held;
        }
        if last.estimated_accuracy.is_none() && last.score.is_none() {
            return Need::NotMeasurable;
        }
        if drift(last).is_some_and(|by| by >= FAR) || last.flips >= MANY {
            return Need::Drifting;
        }
        Need::Still
    }

    /// Whether a scheduler should tell somebody.
    pub fn alerts(self) -> bool {
        matches!(self, Need::Failed | Need::RolledBack | Need::Held)
    }

    pub fn name(self) -> &'static str {
        match self {
            Need::Failed => "failed",
            Need::RolledBack => "rolled-back",
            Need::Held => "held",
            Need::NotMeasurable => "not-measurable",
            Need::Drifting => "drifting",
            Need::Still => "still",
            Need::Unfinished => "unfinished",
        }
    }
}

/// How far the column has moved that has moved most, in deviations of the source; known where a policy decides.
pub(super) fn drift(record: &WindowRecord) -> Option<f64> {
    record.moved.first().map(|moved| moved.by.abs())
}
