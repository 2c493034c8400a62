//! No step is deployed, and none is made: the stream is only watched.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Decision, Judgement, Policy, Proposal};
use crate::Result;
use crate::adapt::{Context, State};
use crate::models::AnyLearner;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Never;

impl Policy for Never {
    fn candidates(&self, _: &AnyLearner) -> Option<Vec<String>> {
        Some(vec![])
    }

    fn decide(&self, _: &Context<'_>, state: &State, _: &[Proposal<'_>]) -> Result<Judgement> {
        let why = "the policy `never` deploys nothing".into();
        Ok(Judgement::new(Decision::Hold { why }, state.clone()))
    }
}
