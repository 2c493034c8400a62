//! The guard about a model that is only watched: what `driftline.estimate` asks for beside accuracy goes into the record of
//! every window.

use driftline_adapt::policy::{Policy, PolicyOutcome, Proposal};
use driftline_adapt::{Candidate, Context, State};
use driftline_core::Result;
use driftline_guard::GuardConfig;
use driftline_models::AnyLearner;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// The name that the package's own settings know it by.
pub const NAME: &str = "watched";

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Watched(GuardConfig);

impl Policy for Watched {
    fn candidates(&self, learner: &AnyLearner) -> Option<Vec<String>> {
        self.0.candidates(learner)
    }

    fn check_memory(&self, state: &State) -> Result<()> {
        self.0.check_memory(state)
    }

    fn prepare(&self, ctx: &Context<'_>, candidates: &[&Candidate], rows: usize) -> Result<State> {
        self.0.prepare(ctx, candidates, rows)
    }

    fn decide(
        &self,
        ctx: &Context<'_>,
        state: &State,
        proposals: &[Proposal<'_>],
    ) -> Result<PolicyOutcome> {
        let mut outcome = self.0.decide(ctx, state, proposals)?;
        if let Some(measures) = self.0.measures(ctx, state, proposals)? {
            outcome.findings["measures"] = json!(measures);
        }
        Ok(outcome)
    }
}
