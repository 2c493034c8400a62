//! What a policy says of a step, with the numbers that made it: recorded with the window.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::AskedRow;
use crate::State;

/// What becomes of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// Use the proposal of this place.
    Deploy(usize),
    /// Go on with the version that is deployed.
    Hold { why: String },
    /// Go on with an earlier one.
    RollBack { to: usize, why: String },
}

/// A decision and what led to it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PolicyOutcome {
    pub decision: Decision,
    /// Why, where a deployment has a reason to tell; the other decisions have their own.
    pub reason: Option<String>,
    /// Whether it was held or taken back because nothing could be trusted: somebody should look.
    pub distrusted: bool,
    /// How accurate the version is that is deployed now, on the window that led to it, as far as can be told without
    /// labels; and the one that was deployed before.
    pub estimate: Option<Estimate>,
    pub estimate_before: Option<Estimate>,
    /// The same of the source model.
    pub estimate_unadapted: Option<Estimate>,
    /// Whatever else the policy wants in the window's record: the drift, the worlds, the candidates. Null for nothing.
    pub findings: Value,
    /// The rows of the window whose labels it wants, in the order in which they tell most; some may be answered already.
    pub asked: Vec<AskedRow>,
    /// Whether chains go on where an earlier version is taken up again; otherwise they begin anew from it.
    pub chains_go_on: bool,
    /// What to remember for the next window.
    pub state: State,
}

/// Estimate, low and high, as fractions.
pub type WithInterval = [f64; 3];

/// An accuracy with its interval, as fractions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub struct Estimate {
    pub accuracy: f64,
    pub low: f64,
    pub high: f64,
    /// The mean recall of the classes, and each of them, where they can be told: estimate, low, high.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub balanced: Option<WithInterval>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recalls: Vec<Option<WithInterval>>,
}

impl PolicyOutcome {
    /// Without a number.
    pub fn new(decision: Decision, state: State) -> Self {
        Self {
            decision,
            reason: None,
            distrusted: false,
            estimate: None,
            estimate_before: None,
            estimate_unadapted: None,
            findings: Value::Null,
            asked: vec![],
            chains_go_on: false,
            state,
        }
    }

    /// With what else it wants in the window's record.
    pub fn with_findings(mut self, findings: &impl Serialize) -> Self {
        self.findings = serde_json::to_value(findings).expect("findings have string keys only");
        self
    }

    /// The reason in words, whatever the decision.
    pub fn why(&self) -> Option<&str> {
        match &self.decision {
            Decision::Deploy(_) => self.reason.as_deref(),
            Decision::Hold { why } | Decision::RollBack { why, .. } => Some(why),
        }
    }
}

impl Estimate {
    pub fn new(accuracy: f64, low: f64, high: f64) -> Self {
        Self {
            accuracy,
            low,
            high,
            balanced: None,
            recalls: vec![],
        }
    }

    /// Whether there is more to it than accuracy.
    pub fn says_more(&self) -> bool {
        self.balanced.is_some() || !self.recalls.is_empty()
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Decision::Deploy(_) => f.write_str("deploy"),
            Decision::Hold { why } => write!(f, "hold: {why}"),
            Decision::RollBack { to, why } => write!(f, "roll back to version {to}: {why}"),
        }
    }
}
