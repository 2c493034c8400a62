//! The findings that a policy leaves in a window's record, read in this one place. A policy of your own may leave others:
//! what is not there, or is something else, is nothing.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::record::WindowRecord;
use driftline_drift::Change;

/// Under this name a record says which window's rows its labels are of.
const LABELS_OF: &str = "labels_of";

/// What is known of a window beside its decision.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Findings {
    pub drift: Option<Change>,
    /// What labels would settle.
    pub question: Option<Question>,
    pub alarm: Option<Alarm>,
    /// The scenarios, and the accuracy of the source model and of every candidate by each.
    pub explanations: Vec<Explanation>,
    /// Which share of the rows is likely of a class (first place) and is taken for another (second) by the version in use.
    pub confusion: Vec<Vec<f64>>,
    /// The window that the labels are of from which this step has learned.
    pub labels_of: Option<usize>,
}

/// The candidate that labels would decide about, and what it may gain at most, as a share of rows.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Question {
    pub candidate: String,
    #[serde(default)]
    pub stake: f64,
}

/// The version that served the window is less accurate than it must be.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(default)]
#[derive(Default)]
pub struct Alarm {
    pub below: f64,
    pub by_labels: bool,
    pub worse_than_source: bool,
}

/// A way in which the labelled source could have become the window.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Explanation {
    pub name: String,
    pub weight: f64,
    pub misfit: f64,
    pub accuracy: Vec<f64>,
}

impl Findings {
    pub(crate) fn of(record: &WindowRecord) -> Self {
        let all = &record.findings;
        Self {
            drift: read(all, "drift"),
            question: read(all, "question"),
            alarm: read(all, "alarm"),
            explanations: read(all, "explanations").unwrap_or_default(),
            confusion: read(all, "confusion").unwrap_or_default(),
            labels_of: read(all, LABELS_OF),
        }
    }

    /// As a record has it.
    pub(crate) fn learned_from(window: usize) -> Value {
        json!({ LABELS_OF: window })
    }
}

fn read<T: DeserializeOwned>(all: &Value, name: &str) -> Option<T> {
    let found = all.get(name).filter(|found| !found.is_null())?;
    T::deserialize(found).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_something_else_is_nothing_and_hides_nothing() {
        let record = WindowRecord {
            findings: json!({
                "question": { "candidate": "plain", "stake": 0.1 },
                "alarm": null,
                "drift": "far",
                "explanations": [{ "name": "same", "weight": 1.0, "misfit": 0.5, "accuracy": [0.9] }],
            }),
            ..WindowRecord::default()
        };
        let found = Findings::of(&record);
        assert_eq!(
            found.question.map(|own| own.candidate).as_deref(),
            Some("plain")
        );
        assert!(found.alarm.is_none() && found.drift.is_none() && found.labels_of.is_none());
        assert_eq!(found.explanations[0].accuracy, [0.9]);
        let learned = WindowRecord {
            findings: Findings::learned_from(3),
            ..WindowRecord::default()
        };
        assert_eq!(Findings::of(&learned).labels_of, Some(3));
    }
}
