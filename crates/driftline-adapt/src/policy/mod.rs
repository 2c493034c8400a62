//! What becomes of a step: deploy it, hold, or go back to an earlier version; decided before anything is committed. One
//! file each.

mod always;
mod asked;
mod expert;
mod forecast;
mod never;
mod outcome;

pub use always::Always;
pub use asked::{AskedRow, LabelledRow};
pub use expert::Expert;
pub use forecast::{Forecast, Prospect};
pub use never::Never;
pub use outcome::{Decision, Estimate, PolicyOutcome, WithInterval};

use super::candidate::{Attempt, Candidate};
use super::chain::Chain;
use super::context::Context;
use super::labeler::Labeling;
use super::parts::Part;
use super::state::State;
use super::version::Version;
use driftline_core::Result;
use driftline_core::data::{Inputs, LabeledDomain};
use driftline_models::AnyLearner;

/// One chain before the decision: the candidate, where it stood, and what it proposes.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Proposal<'a> {
    /// All that is needed to rehearse it.
    pub candidate: &'a Candidate,
    /// Where the chain stood before this window, deployed or not.
    pub before: &'a Version,
    /// What it would deploy; none where there was nothing to learn from.
    pub version: Option<&'a Version>,
    pub labeling: Option<&'a Labeling>,
}

impl<'a> Proposal<'a> {
    pub(super) fn of((chain, attempt): (&'a Chain, &'a Attempt)) -> Self {
        Self {
            candidate: chain.candidate(),
            before: chain.version(),
            version: attempt.version(),
            labeling: attempt.labeled.as_ref().map(|labeled| &labeled.labeling),
        }
    }
}

impl<'a> Proposal<'a> {
    /// What a chain has made of a window, from where it stood before it.
    pub fn between(before: &'a Chain, after: &'a Chain) -> Self {
        Self {
            candidate: before.candidate(),
            before: before.version(),
            version: Some(after.version()),
            labeling: None,
        }
    }
}

/// A rule that decides. What it wants to remember it gives back as state, which is stored with the run.
pub trait Policy: Part {
    /// The candidates that it chooses from, by the names that the registry knows, for models of this learner; none: the
    /// method of the run is the only one. Of an empty list nothing is learned.
    fn candidates(&self, _learner: &AnyLearner) -> Option<Vec<String>> {
        None
    }

    /// Whether `state`, as it was stored, can be read again; asked before a run goes on.
    fn check_memory(&self, _state: &State) -> Result<()> {
        Ok(())
    }

    /// What it works out of the source alone, for windows of so many rows, before there is one: what `decide` would remember
    /// of it at the first window. Many streams of one source share it. Nothing of `ctx` is about a window.
    fn prepare(
        &self,
        _ctx: &Context<'_>,
        _candidates: &[&Candidate],
        _rows: usize,
    ) -> Result<State> {
        Ok(State::default())
    }

    /// What is to be expected of a stream of which these are some windows, in their order; nothing learns from them. None
    /// where it cannot say. `state` is what was prepared for windows of their size, `chains` stand before the first window.
    fn outlook(
        &self,
        _ctx: &Context<'_>,
        _state: &State,
        _chains: &[Chain],
        _windows: &[Inputs],
    ) -> Result<Option<Forecast>> {
        Ok(None)
    }

    /// What it remembers once labels have come of rows that it asked about in earlier windows, before it decides about window
    /// `number`: the same as if they had been there in their window. They are in the order in which they were asked for; no
    /// row comes twice, and none that an expert answered at once.
    fn learn(&self, state: &State, _number: usize, _labelled: &[LabelledRow]) -> Result<State> {
        Ok(state.clone())
    }

    /// The rows of earlier windows whose classes it was told, where they are to be learned from.
    fn told(&self, _ctx: &Context<'_>, _state: &State) -> Result<Option<LabeledDomain>> {
        Ok(None)
    }

    /// One proposal for each chain, in the order of the candidates. Chains whose model could not be trained, for want of
    /// a source, are not among them.
    fn decide(
        &self,
        ctx: &Context<'_>,
        state: &State,
        proposals: &[Proposal<'_>],
    ) -> Result<PolicyOutcome>;
}
