//! Rehearse before deploying: the labelled source is moved so that it looks like the window, every candidate is tried
//! there, and only what beats the source model in every explanation that fits is deployed. Where the classes are clouds
//! that a mixture can follow, the mixture says how likely every decision is right. The same numbers estimate accuracy.

mod baseline_estimates;
mod choice;
mod findings;
mod guard;
mod images;
mod interval;
mod judge;
mod memory;
mod outlook;
mod rehearsal;
mod scenarios;
mod score;
mod source_profile;
mod tables;
mod theory;
mod tracking;

pub use judge::JudgeConfig;

use serde::{Deserialize, Serialize};

use self::guard::Guard;
use self::memory::Memory;
use driftline_adapt::policy::{Decision, Forecast, Policy, PolicyOutcome, Proposal};
use driftline_adapt::{Candidate, Context, State};
use driftline_core::Result;
use driftline_core::data::{Inputs, LabeledDomain, Shape};
use driftline_drift::{Standardizer, draw};
use driftline_models::neighbours::NeighboursLearner;
use driftline_models::trees::TreesLearner;
use driftline_models::{AnyLearner, Learner};

/// Rows of a window that are looked at.
const MOST_ROWS: usize = 1000;
/// Fewer labelled rows are no rehearsal.
const LEAST_SAMPLE: usize = 10;

/// Deploys what a rehearsal finds better than the source model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Guarded {
    /// What to choose from; what suits the model where nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub candidates: Option<Vec<String>>,
}

impl Policy for Guarded {
    fn candidates(&self, learner: &AnyLearner) -> Option<Vec<String>> {
        let fitting: &[&str] = match learner.kind() {
            "network" => &["plain"],
            TreesLearner::KIND => &["realign", "plain", "cautious", "realign-cautious"],
            NeighboursLearner::KIND => &["realign", "plain", "clusters", "mixture"],
            _ => &[
                "realign",
                "plain",
                "cautious",
                "realign-cautious",
                "clusters",
                "mixture",
            ],
        };
        let names = fitting.iter().map(|&name| name.to_owned()).collect();
        Some(self.candidates.clone().unwrap_or(names))
    }

    fn check_memory(&self, state: &State) -> Result<()> {
        Memory::read(state)?.check()
    }

    fn prepare(&self, ctx: &Context<'_>, candidates: &[&Candidate], rows: usize) -> Result<State> {
        let Some((sample, frame)) = table(ctx) else {
            return Ok(State::default());
        };
        let mut memory = Memory::default();
        Guard::new(ctx, sample, &frame, candidates, rows, &mut memory)?;
        Ok(memory.store())
    }

    fn outlook(
        &self,
        ctx: &Context<'_>,
        state: &State,
        candidates: &[&Candidate],
        windows: &[Inputs],
    ) -> Result<Option<Forecast>> {
        table(ctx)
            .map(|(sample, frame)| {
                let mut memory = Memory::read(state)?;
                let rows = windows.first().map_or(0, Inputs::len);
                let guard = Guard::new(ctx, sample, &frame, candidates, rows, &mut memory)?;
                outlook::outlook(ctx, &guard, candidates, windows, &mut memory)
            })
            .transpose()
    }

    fn decide(
        &self,
        ctx: &Context<'_>,
        state: &State,
        proposals: &[Proposal<'_>],
    ) -> Result<PolicyOutcome> {
        let hold = |why: &str, distrusted: bool, state: State| {
            let decision = Decision::Hold { why: why.into() };
            let mut outcome = PolicyOutcome::new(decision, state);
            outcome.distrusted = distrusted;
            Ok(outcome)
        };
        let Some(window) = ctx.stage.learn.as_ref().filter(|window| window.len() >= 4) else {
            return hold("there is too little to learn from", false, state.clone());
        };
        let Some(sample) = ctx
            .source_sample
            .filter(|sample| sample.len() >= LEAST_SAMPLE)
        else {
            let why = "there is no labelled source to rehearse on";
            return hold(why, true, state.clone());
        };
        let Some(frame) = Standardizer::of(sample.inputs()) else {
            return hold("no column of the source varies", true, state.clone());
        };
        let memory = Memory::read(state)?;
        let rows = draw(window.len(), MOST_ROWS, ctx.seed.named("rows"));
        let window = (&window.inputs, &rows[..]);
        match window.0.shape() {
            Shape::Image { .. } => images::decide(ctx, memory, sample, &frame, window, proposals),
            Shape::Vector(_) => tables::decide(ctx, memory, sample, &frame, window, proposals),
        }
    }
}

/// The source, if it is a table that can be moved.
fn table<'a>(ctx: &Context<'a>) -> Option<(&'a LabeledDomain, Standardizer)> {
    let sample = ctx
        .source_sample
        .filter(|sample| sample.len() >= LEAST_SAMPLE)?;
    let Shape::Vector(_) = sample.inputs().shape() else {
        return None;
    };
    Some((sample, Standardizer::of(sample.inputs())?))
}
