//! What is known of one window after it was adapted to: a line of `windows.jsonl`. No clock times, so that the same run
//! writes the same bytes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::verdict::MOST_RELABELLED;
use crate::asked::{AskedRecord, TakenLabel};
use crate::findings::Findings;
use driftline_adapt::{Decision, Estimate};
use driftline_drift::DriftKind;
use driftline_io::{InputDigest, Notes, blake3};

/// One window. Shares are fractions from 0 to 1.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WindowRecord {
    /// From 1; the model after it is the version of the same number.
    pub window: usize,
    /// The version that labelled it.
    pub teacher: usize,
    /// Where its rows begin and end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<Place>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<Place>,
    /// The first and last time, where there is a time column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Rows that arrived; 0 in records that are older than this field.
    #[serde(default)]
    pub rows: usize,
    /// Rows to learn from, and how many of them the filter kept.
    pub seen: usize,
    pub kept: usize,
    pub kept_fraction: f64,
    /// The filter left nothing or one class: the teacher was kept as it is.
    pub held: bool,
    /// What became of the step.
    #[serde(default)]
    pub decision: DecisionKind,
    /// The candidate that was deployed, if one was, and why it was decided so.
    #[serde(default)]
    pub candidate: Option<String>,
    #[serde(default)]
    pub reason: Option<String>,
    /// The version that was taken up again, if one was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken_back_to: Option<usize>,
    /// It was held or taken back because the policy could trust nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub distrusted: bool,
    /// The accuracy on the window of the version deployed after it, as the policy estimates it without answers, and the
    /// interval around it; null where it is not measurable.
    #[serde(default)]
    pub estimated_accuracy: Option<f64>,
    #[serde(default)]
    pub estimated_low: Option<f64>,
    #[serde(default)]
    pub estimated_high: Option<f64>,
    /// More of the same: balanced and by class, and of the version before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate: Option<Estimate>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate_before: Option<Estimate>,
    /// The same of the source model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate_unadapted: Option<Estimate>,
    /// Whatever else the policy has found: the drift and how it is explained, the candidates and how they did.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub findings: Value,
    /// The rows whose labels the policy wants, in the order in which they tell most.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<AskedRecord>,
    /// Labels of earlier windows that had come when this one was decided about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels_taken: Vec<TakenLabel>,
    /// The columns that have moved most from the source, where a policy decides; the farthest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moved: Vec<Moved>,
    /// Mean highest probability of the model before, after, and of the source model.
    pub confidence_before: f64,
    pub confidence_after: f64,
    pub confidence_unadapted: f64,
    /// Rows that teacher and student class differently.
    pub disagreement: f64,
    /// Rows that the adapted and the source model class differently.
    pub flips: f64,
    /// How the adapted model divides the rows among the classes.
    pub class_balance: Shares,
    /// How the source model does.
    pub class_balance_unadapted: Shares,
    /// The model that would have served the window; absent in records that are older than this field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub serving: Option<Serving>,
    /// Where there are answers; flat, so that the accuracies stand in the line itself.
    #[serde(flatten)]
    pub score: Option<Score>,
    #[serde(default, skip_serializing_if = "Notes::is_empty")]
    pub notes: Notes,
    /// The instruction set, where roundings depend on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub isa: Option<String>,
    /// What the rows of a window that came by itself are known by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<InputDigest>,
    /// The files that belong to it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, Checksum>,
}

/// What the model before a step made of the window, beside the accuracies that [`Score`] has of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Serving {
    pub class_balance: Shares,
    /// Rows that it gets right and the source model does not, and the other way round; 0 without answers.
    pub gained: usize,
    pub lost: usize,
}

/// How far a column's mean has moved, in deviations of the source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Moved {
    pub column: String,
    pub by: f64,
    /// How much the model needs the column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub importance: Option<Importance>,
}

/// What is lost when the values of a column are shuffled among the rows (permutation importance).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Importance {
    /// By how much the accuracy falls on rows of the source.
    pub source: f64,
    /// The share of the window's rows that get another class: true labels are not known there.
    pub window: f64,
}

/// What became of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DecisionKind {
    #[default]
    Deploy,
    Hold,
    RollBack,
}

/// What a file must be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checksum {
    pub bytes: u64,
    pub blake3: String,
}

impl Checksum {
    pub fn of(bytes: &[u8]) -> Self {
        Self {
            bytes: bytes.len() as u64,
            blake3: blake3(bytes),
        }
    }
}

impl From<&Decision> for DecisionKind {
    fn from(decision: &Decision) -> Self {
        match decision {
            Decision::Deploy(_) => DecisionKind::Deploy,
            Decision::Hold { .. } => DecisionKind::Hold,
            Decision::RollBack { .. } => DecisionKind::RollBack,
        }
    }
}

/// A row of a file, from 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    pub file: String,
    pub row: u64,
}

/// How the models did, by answers that none of them was shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// The model that would have served the window.
    pub accuracy_before: f64,
    /// The model adapted to it.
    pub accuracy_after: f64,
    /// The source model.
    pub accuracy_unadapted: f64,
    /// Rows with an answer. Answers of a class that the source lacks are among them, and always wrong.
    pub scored: usize,
    /// Where the rows with an answer were not drawn evenly: how many evenly drawn rows would tell as much. All counts are
    /// then what evenly drawn rows would have given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effective_rows: Option<f64>,
    pub unknown_answers: usize,
    /// Rows that the adapted model gets right and the source model does not, and the other way round.
    pub gained: usize,
    pub lost: usize,
    pub classes: Vec<ClassScore>,
    /// How many rows of each class (first place) the adapted model takes for each (second); empty where there are more classes
    /// than a table can show.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub confusion: Vec<Vec<usize>>,
}

/// More classes than this make a confusion matrix that nobody reads.
pub(crate) const MOST_CONFUSED: usize = 12;

/// One class among the answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassScore {
    pub class: String,
    /// Rows of the class.
    pub rows: usize,
    /// Rows that the adapted model takes for it.
    pub predicted: usize,
    /// The share of its rows that are recognised; absent where it has none.
    pub recall_before: Option<f64>,
    pub recall_after: Option<f64>,
    pub recall_unadapted: Option<f64>,
}

/// A share for each class by name, in the order of the classes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shares(pub Vec<(String, f64)>);

impl Serialize for Shares {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, share)| (name, share)))
    }
}

impl<'de> Deserialize<'de> for Shares {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs;
        impl<'de> serde::de::Visitor<'de> for Pairs {
            type Value = Shares;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a share for each class")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(
                self,
                mut map: A,
            ) -> Result<Shares, A::Error> {
                let mut shares = vec![];
                while let Some(pair) = map.next_entry()? {
                    shares.push(pair);
                }
                Ok(Shares(shares))
            }
        }
        deserializer.deserialize_map(Pairs)
    }
}

impl WindowRecord {
    /// Rows that arrived, as well as is known.
    pub fn arrived(&self) -> usize {
        match self.rows {
            0 => self.seen,
            rows => rows,
        }
    }

    /// Whether it lies further from the window before than can be followed safely: by what a policy has measured, or because
    /// the step overturned more than a third of it.
    pub fn moved_too_far(&self) -> bool {
        let drift = self.findings().drift.map(|own| own.verdict);
        let far = matches!(drift, Some(DriftKind::Fast));
        far || self.disagreement > MOST_RELABELLED
    }

    /// What a policy has found, as far as it is what the guard finds.
    pub fn findings(&self) -> Findings {
        Findings::of(self)
    }

    /// The accuracy of the version deployed after the window, as the policy estimates it.
    pub fn estimated(&self) -> Option<Estimate> {
        let three = self.estimated_accuracy.zip(self.estimated_low);
        let three = three.zip(self.estimated_high);
        let plain = three.map(|((accuracy, low), high)| Estimate::new(accuracy, low, high));
        self.estimate.clone().or(plain)
    }

    /// Whether the step changed nothing: there was too little to learn from, or the policy kept the model before it.
    pub fn kept_as_it_was(&self) -> bool {
        self.held || self.decision == DecisionKind::Hold
    }
}

impl Shares {
    /// The share of a class; 0 of one that is not there.
    pub fn of(&self, class: &str) -> f64 {
        let found = self.0.iter().find(|(name, _)| name == class);
        found.map_or(0.0, |(_, share)| *share)
    }

    /// Half the summed differences: the share of rows that would have to change class to make the two equal.
    pub fn distance(&self, other: &Shares) -> f64 {
        let pairs = self.0.iter().zip(&other.0);
        pairs.map(|((_, a), (_, b))| (a - b).abs()).sum::<f64>() / 2.0
    }
}
