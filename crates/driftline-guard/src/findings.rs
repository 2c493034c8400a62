//! What the guard tells of a window beside its decision: the `findings` of the window's record.

use serde::{Deserialize, Serialize};

use super::choice::{Choice, Scenario};
use super::source_profile::SourceProfile;
use driftline_drift::{Change, Distance};

/// Of a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct TableFindings {
    pub drift: Change,
    pub evidence: SourceProfile,
    /// Absent where the window was not trusted.
    #[serde(flatten)]
    pub choice: Option<ChoiceFindings>,
}

/// How the candidates did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct ChoiceFindings {
    pub worlds: Vec<Scenario>,
    pub details: Details,
    pub chosen: Option<Choice>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usual: Option<BaselineEstimates>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub theory: Option<MarginCondition>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<Question>,
}

/// Where the worlds come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Details {
    Moved {
        drift: Distance,
        worlds: Vec<MovedSource>,
    },
    /// Clouds that were followed in ways that decide this share of rows alike.
    Followed { alike: f64 },
    /// The window is where the stream was at this version.
    Recalled { recalled: usize },
}

/// The source moved to look like the window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct MovedSource {
    pub world: String,
    pub distance: f64,
    pub fits: bool,
    /// Of the source model and every candidate.
    pub accuracy: Vec<f64>,
}

/// The usual estimates of the source model's accuracy without labels.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct BaselineEstimates {
    pub confidence: f64,
    pub calibrated: f64,
    pub threshold: f64,
}

/// The step against the margin, as in Theorem 3.2.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct MarginCondition {
    pub w_infinity: f64,
    pub margin: f64,
    pub holds: bool,
}

/// What is open: the best candidate of those that were not chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Question {
    pub candidate: String,
}

/// Of images.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct ImageFindings {
    pub drift: Change,
    pub confidence: ImageConfidence,
    pub step: f64,
    pub small_step: f64,
}

/// How sure the source model is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct ImageConfidence {
    pub source: f64,
    pub window: f64,
}
