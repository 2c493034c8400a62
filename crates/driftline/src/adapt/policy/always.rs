//! Every step is deployed: the paper's.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Decision, Judgement, Policy, Proposal};
use crate::Result;
use crate::adapt::{Context, State};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Always;

impl Policy for Always {
    fn decide(
        &self,
        _: &Context<'_>,
        state: &State,
        proposals: &[Proposal<'_>],
    ) -> Result<Judgement> {
        let made = |proposal: &Proposal<'_>| proposal.version.is_some();
        let decision = match proposals.first().is_some_and(made) {
            true => Decision::Deploy(0),
            false => Decision::Hold {
                why: "there is nothing to learn from".into(),
            },
        };
        Ok(Judgement::new(decision, state.clone()))
    }
}
