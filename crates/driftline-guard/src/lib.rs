//! The policy `guarded`: deploy, hold or ask, with a number in every window.
//!
//! Scenarios are ways in which the labelled source could have become a window. Each says how likely every class is for every
//! row, and counts by how well it has fitted. Together they say how accurate every version is, and a candidate is deployed
//! only where it gains at its lower bound. A few labels settle what scenarios cannot.

mod alarm;
mod asking;
mod baselines;
mod calibration;
mod choice;
mod config;
mod correction;
mod findings;
mod history;
mod labels;
mod measures;
mod memory;
mod outlook;
mod profile;
mod rehearsal;
mod scenario;
mod score;
mod space;
mod theory;
mod told;
mod weighed;
mod window;

pub use config::GuardConfig;
pub use measures::{Measures, PerClass};

use self::memory::Memory;
use self::profile::Source;
use self::window::Judge;
use driftline_adapt::chain::Chain;
use driftline_adapt::policy::{Decision, Forecast, LabelledRow, Policy, PolicyOutcome, Proposal};
use driftline_adapt::{Candidate, Context, State};
use driftline_core::Result;
use driftline_core::data::{Inputs, LabeledDomain};
use driftline_drift::draw;
use driftline_models::neighbours::NeighboursLearner;
use driftline_models::trees::TreesLearner;
use driftline_models::{AnyLearner, Classifier, Learner, Preset};

/// Fewer labelled rows are no source to judge by.
const LEAST_SAMPLE: usize = 10;
/// Rows of a window, and of the source, that are looked at. More take time and change little.
const ROWS: usize = 1000;
/// A candidate whose name begins so is offered beside those that suit the model.
const BESIDE: char = '+';
/// Fewer rows are no window.
const LEAST_WINDOW: usize = 4;

impl Policy for GuardConfig {
    fn candidates(&self, learner: &AnyLearner) -> Option<Vec<String>> {
        let fitting: &[&str] = match learner.kind() {
            "network" => &["realign", "plain", "inertia"],
            TreesLearner::KIND => &["realign", "inertia", "linear", "linear-realign"],
            _ if learner.is_foreign() => &["realign", "realign-cautious"],
            NeighboursLearner::KIND => {
                &["realign", "plain", "inertia", "linear-realign", "mixture"]
            }
            // The model is chosen on the source: until then, what any of them may take.
            Preset::KIND => &[
                "realign",
                "plain",
                "inertia",
                "realign-cautious",
                "linear",
                "linear-realign",
                "mixture",
            ],
            _ => &["realign", "plain", "inertia", "realign-cautious"],
        };
        let fitting = fitting.iter().map(|&name| name.to_owned());
        let Some(named) = &self.candidates else {
            return Some(fitting.collect());
        };
        let added = named.iter().filter_map(|name| name.strip_prefix(BESIDE));
        let added: Vec<String> = added.map(str::to_owned).collect();
        match added.is_empty() {
            true => Some(named.clone()),
            false => Some(fitting.chain(added).collect()),
        }
    }

    fn check_memory(&self, state: &State) -> Result<()> {
        Memory::read(state)?.check()
    }

    fn prepare(&self, ctx: &Context<'_>, candidates: &[&Candidate], rows: usize) -> Result<State> {
        let mut memory = Memory::default();
        if let Some(sample) = sample(ctx) {
            self.source(ctx, sample, candidates, rows, &mut memory)?;
        }
        Ok(memory.store())
    }

    fn outlook(
        &self,
        ctx: &Context<'_>,
        state: &State,
        chains: &[Chain],
        windows: &[Inputs],
    ) -> Result<Option<Forecast>> {
        let Some(sample) = sample(ctx) else {
            return Ok(None);
        };
        let mut memory = Memory::read(state)?;
        let rows = windows.first().map_or(0, Inputs::len);
        let candidates: Vec<&Candidate> = chains.iter().map(Chain::candidate).collect();
        let source = self.source(ctx, sample, &candidates, rows, &mut memory)?;
        outlook::outlook(ctx, self, &source, chains, windows, memory).map(Some)
    }

    fn learn(&self, state: &State, number: usize, labelled: &[LabelledRow]) -> Result<State> {
        let mut memory = Memory::read(state)?;
        let lowest = memory.profile.as_ref().map_or(0.0, |own| own.lowest(self));
        memory.heard.learn_late(labelled, number, lowest, self);
        memory.tell(labelled);
        Ok(memory.store())
    }

    fn told(&self, ctx: &Context<'_>, state: &State) -> Result<Option<LabeledDomain>> {
        let Some(sample) = sample(ctx).filter(|_| self.learns()) else {
            return Ok(None);
        };
        let (shape, n_classes) = (sample.inputs().shape(), sample.labels().n_classes());
        Memory::read(state)?.learnable(shape, n_classes)
    }

    fn decide(
        &self,
        ctx: &Context<'_>,
        state: &State,
        proposals: &[Proposal<'_>],
    ) -> Result<PolicyOutcome> {
        let hold = |why: &str, distrusted: bool| {
            let decision = Decision::Hold { why: why.into() };
            let mut outcome = PolicyOutcome::new(decision, state.clone());
            outcome.distrusted = distrusted;
            Ok(outcome)
        };
        let window = ctx.stage.learn.as_ref();
        let Some(window) = window.filter(|window| window.len() >= LEAST_WINDOW) else {
            return hold("there is too little to learn from", false);
        };
        let Some(sample) = sample(ctx) else {
            return hold("there is no labelled source to judge by", true);
        };
        let mut memory = Memory::read(state)?;
        let candidates: Vec<&Candidate> = proposals.iter().map(|one| one.candidate).collect();
        let source = self.source(ctx, sample, &candidates, window.len(), &mut memory)?;
        let rows = draw(window.len(), ROWS, ctx.seed.named("rows"));
        let inputs = picked(&window.inputs, &rows);
        let judge = Judge {
            config: self,
            ctx,
            source: &source,
            proposals,
            rows: &rows,
            own: &ctx.first.assess(&inputs)?,
            inputs: &inputs,
        };
        judge.decide(memory)
    }
}

impl GuardConfig {
    /// Whether a candidate learns from the labels that are asked for.
    fn learns(&self) -> bool {
        let mut names = self.candidates.iter().flatten();
        names.any(|name| name.strip_prefix(BESIDE).unwrap_or(name) == told::ASKED)
    }

    /// What is known of the source: remembered, or worked out now.
    fn source(
        &self,
        ctx: &Context<'_>,
        sample: &LabeledDomain,
        candidates: &[&Candidate],
        window: usize,
        memory: &mut Memory,
    ) -> Result<Source> {
        let thinned = rehearsal::thinned(sample, candidates, 2 * ROWS);
        let sample = thinned.as_ref().unwrap_or(sample);
        if let (Some(profile), Some((held_out, clouds))) = (&memory.profile, memory.source()?) {
            return Ok(Source::of(profile.clone(), sample, ROWS, held_out, clouds));
        }
        let source = Source::gather(ctx, sample, candidates, (window, ROWS))?;
        memory.profile = Some(source.profile.clone());
        memory.set_source(&source.held_out, source.clouds.as_ref())?;
        // What is remembered is in single precision: the first window must see the same numbers as those after it.
        match memory.source()? {
            Some((held_out, clouds)) => {
                Ok(Source::of(source.profile, sample, ROWS, held_out, clouds))
            }
            None => Ok(source),
        }
    }
}

/// These rows, in ascending order. All of them stay as they lie.
fn picked(inputs: &Inputs, rows: &[usize]) -> Inputs {
    match rows.len() == inputs.len() {
        true => inputs.clone(),
        false => inputs.pick(rows),
    }
}

/// The labelled source, if it is enough to judge by.
fn sample<'a>(ctx: &Context<'a>) -> Option<&'a LabeledDomain> {
    let sample = ctx.source_sample.filter(|own| own.len() >= LEAST_SAMPLE)?;
    let varies = driftline_drift::Standardizer::of(sample.inputs()).is_some();
    varies.then_some(sample)
}
