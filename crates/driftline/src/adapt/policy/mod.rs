//! What becomes of a step: deploy it, hold, or go back to an earlier version; decided before anything is committed. One
//! file each.

mod always;

pub use always::Always;

use std::fmt;

use serde::{Deserialize, Serialize};

use super::adaptation::Context;
use super::parts::Part;
use super::version::{State, Version};
use crate::Result;

/// A version that a candidate proposes to deploy.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Proposal {
    /// The candidate's name.
    pub candidate: String,
    pub version: Version,
}

/// What a policy says.
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

/// A rule that decides. What it wants to remember it gives back as state, which is stored with the run.
pub trait Policy: Part {
    /// `proposals` is empty where there was nothing to learn from.
    fn decide(
        &self,
        now: &Context<'_>,
        state: &State,
        proposals: &[Proposal],
    ) -> Result<(Decision, State)>;
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
