//! Every step is deployed: the paper's.

use serde::{Deserialize, Serialize};

use super::{Decision, Policy, PolicyOutcome, Proposal};
use crate::{Context, State};
use driftline_core::Result;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Always;

impl Policy for Always {
    fn decide(
        &self,
        _: &Context<'_>,
        state: &State,
        proposals: &[Proposal<'_>],
    ) -> Result<PolicyOutcome> {
        let made = |proposal: &Proposal<'_>| proposal.version.is_some();
        let decision = match proposals.first().is_some_and(made) {
            true => Decision::Deploy(0),
            false => Decision::Hold {
                why: "there is nothing to learn from".into(),
            },
        };
        Ok(PolicyOutcome::new(decision, state.clone()))
    }
}
