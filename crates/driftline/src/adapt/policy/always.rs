//! Every step is deployed: the paper's.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Decision, Policy, Proposal};
use crate::Result;
use crate::adapt::{Context, State};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Always;

impl Policy for Always {
    fn decide(
        &self,
        _: &Context<'_>,
        state: &State,
        proposals: &[Proposal],
    ) -> Result<(Decision, State)> {
        let decision = match proposals.is_empty() {
            false => Decision::Deploy(0),
            true => Decision::Hold {
                why: "there is nothing to learn from".into(),
            },
        };
        Ok((decision, state.clone()))
    }
}
