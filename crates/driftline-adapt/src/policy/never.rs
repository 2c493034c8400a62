//! No step is deployed, and none is made: the stream is only watched.

use serde::{Deserialize, Serialize};

use super::{Decision, Policy, PolicyOutcome, Proposal};
use crate::{Context, State};
use driftline_core::Result;
use driftline_models::AnyLearner;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Never;

impl Policy for Never {
    fn candidates(&self, _: &AnyLearner) -> Option<Vec<String>> {
        Some(vec![])
    }

    fn decide(&self, _: &Context<'_>, state: &State, _: &[Proposal<'_>]) -> Result<PolicyOutcome> {
        let why = "the policy `never` deploys nothing".into();
        Ok(PolicyOutcome::new(Decision::Hold { why }, state.clone()))
    }
}
