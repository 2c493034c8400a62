//! What the judge tells of a window beside its decision: the `findings` of the window's record.

use serde::Serialize;

use super::choice::{Bounds, Choice};
use driftline_drift::Change;

#[derive(Clone, Debug, Serialize)]
pub(super) struct Findings {
    pub drift: Change,
    /// Accuracy on rows of the source that were not learned from.
    pub held_out: f64,
    pub explanations: Vec<ExplanationFinding>,
    pub candidates: Vec<CandidateFinding>,
    pub chosen: Choice,
    pub baselines: Baselines,
    /// How likely rows are of a class (first place) that the version chosen takes for another (second), as shares of all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub confusion: Vec<Vec<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub theory: Option<MarginCondition>,
    /// What labels would settle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<Question>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alarm: Option<AlarmFinding>,
}

/// A scenario.
#[derive(Clone, Debug, Serialize)]
pub(super) struct ExplanationFinding {
    pub name: &'static str,
    /// How much it counts.
    pub weight: f64,
    /// In units of noise.
    pub misfit: f64,
    /// Of the source model and every candidate.
    pub accuracy: Vec<f64>,
}

/// A candidate and its gain over the source model.
#[derive(Clone, Debug, Serialize)]
pub(super) struct CandidateFinding {
    pub name: String,
    pub gain: f64,
    pub low: f64,
    pub high: f64,
    pub by_labels: bool,
    /// What it gained on the source itself.
    pub rehearsed: f64,
    /// The share of rows that it decides unlike the source model.
    pub changed: f64,
}

impl CandidateFinding {
    pub fn new(name: &str, bounds: Bounds, rehearsed: f64, changed: f64) -> Self {
        Self {
            name: name.to_owned(),
            gain: bounds.mean,
            low: bounds.low,
            high: bounds.high,
            by_labels: bounds.by_labels,
            rehearsed,
            changed,
        }
    }
}

/// The usual estimates of the source model's accuracy without labels.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Baselines {
    pub confidence: f64,
    /// Mean calibrated confidence (CBPE).
    pub calibrated: f64,
    /// Average thresholded confidence (ATC).
    pub threshold: f64,
    /// Difference of confidences (DoC).
    pub difference: f64,
    /// Importance-weighted accuracy on the held-out source; none where source and window could not be told apart.
    pub importance: Option<f64>,
    /// The same weights in a new calibration (PAPE).
    pub recalibrated: Option<f64>,
    /// Class shares by expectation maximisation (SLD with BCTS).
    pub shares: f64,
}

/// The best candidate of those that were not chosen, and what is at stake.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Question {
    pub candidate: String,
    /// What it may gain at most, as a share of rows.
    pub stake: f64,
}

/// The version that served this window is no longer as accurate as it must be.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct AlarmFinding {
    /// The accuracy that must be kept.
    pub below: f64,
    /// Labels have proved it; otherwise it is an estimate.
    pub by_labels: bool,
    /// Labels have proved that the source model is better.
    pub worse_than_source: bool,
}

/// The step against the margin, as in Theorem 3.2.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct MarginCondition {
    pub w_infinity: f64,
    pub margin: f64,
    pub holds: bool,
}
