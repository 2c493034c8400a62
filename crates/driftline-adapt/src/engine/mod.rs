//! The engine: a model on its way along a stream. This file is what it is made of; `step` is the paper's Algorithm 1,
//! `drive` the loop around it, `resume` what a run needs to go on. Nothing here logs, measures or holds an answer.

mod drive;
mod resume;
mod step;

use std::sync::{Arc, OnceLock};

pub use drive::{After, EachStep, Sink, Stages};
pub use resume::{ChainState, ResumeState};
pub use step::Step;

use super::candidate::Candidate;
use super::chain::Chain;
use super::context::Context;
use super::curriculum::Stage;
use super::parts::NamedPart;
use super::policy::{Always, Expert, Forecast, LabelledRow, Policy};
use super::source_stats::SourceStats;
use super::state::State;
use super::version::{Archive, Version};
use driftline_core::Result;
use driftline_core::data::{Domain, Inputs, LabeledDomain};
use driftline_core::random::Seed;
use driftline_models::{AnyModel, Runtime};

/// Before there is a version to go back to.
static NO_VERSION: Vec<Version> = Vec::new();

/// A version in use, and beside it a chain for each candidate that may take its place.
#[derive(Clone, Debug)]
pub struct Engine {
    /// The method of the run as it begins.
    base: Chain,
    chains: Vec<Chain>,
    policy: NamedPart<dyn Policy>,
    source: Option<LabeledDomain>,
    source_sample: Option<LabeledDomain>,
    frame: OnceLock<SourceStats>,
    deployed: Version,
    /// Stages so far; more than the deployed version's number where an earlier one was taken up again.
    done: usize,
    previous: Option<Domain>,
    memory: State,
    /// What the policy knows before the first window, if that has so many rows.
    prepared: Option<(usize, State)>,
    expert: Option<Arc<dyn Expert>>,
    seed: Seed,
    runtime: Runtime,
}

impl Engine {
    /// Stands before the first stage. The optimiser's memory of the source is cleared.
    pub fn new(candidate: Candidate, source_model: AnyModel, seed: Seed) -> Self {
        Self::from_version(candidate, Version::source(source_model), seed)
    }

    /// The same from a version that is more than its model: it has an alignment, or something to remember.
    pub fn from_version(candidate: Candidate, first: Version, seed: Seed) -> Self {
        let base = Chain::new(candidate, first);
        Self {
            deployed: base.version().clone(),
            chains: vec![base.clone()],
            base,
            done: 0,
            policy: NamedPart::new("always", Arc::new(Always)),
            source: None,
            source_sample: None,
            frame: OnceLock::new(),
            previous: None,
            memory: State::default(),
            prepared: None,
            expert: None,
            seed,
            runtime: Runtime::default(),
        }
    }

    /// With another policy than deploying always. It chooses from the chains.
    pub fn with_policy(self, policy: NamedPart<dyn Policy>, chains: Vec<Chain>) -> Self {
        Self {
            policy,
            chains,
            ..self
        }
    }

    /// With the labelled source at hand, for parts that look back at it.
    pub fn with_source(self, source: LabeledDomain) -> Self {
        Self {
            source_sample: Some(source.source_sample()),
            source: Some(source),
            ..self
        }
    }

    /// With what is known of the source, for parts that need no more of it.
    pub fn with_frame(self, frame: SourceStats) -> Self {
        Self {
            frame: OnceLock::from(frame),
            ..self
        }
    }

    /// With somebody whom the policy may ask about rows.
    pub fn with_expert(self, expert: Arc<dyn Expert>) -> Self {
        Self {
            expert: Some(expert),
            ..self
        }
    }

    /// Whom the policy may ask about the rows of the next window, if anybody.
    pub fn set_expert(&mut self, expert: Option<Arc<dyn Expert>>) {
        self.expert = expert;
    }

    /// Tells the policy labels that came after their windows had been decided about.
    pub fn learn_labels(&mut self, labelled: &[LabelledRow]) -> Result<()> {
        if !labelled.is_empty() {
            let number = self.done + 1;
            self.memory = self.policy.learn(&self.memory, number, labelled)?;
        }
        Ok(())
    }

    pub fn with_runtime(self, runtime: Runtime) -> Self {
        Self { runtime, ..self }
    }

    /// Works out beforehand what the policy makes of the source alone, for a first window of `rows`: clones of this
    /// engine, each for its stream, need not do it again. Nothing else changes by it.
    pub fn prepared(mut self, rows: usize) -> Result<Self> {
        let ctx = self.context(&Stage::NONE, &NO_VERSION);
        let memory = self.policy.prepare(&ctx, &self.candidates(), rows)?;
        self.prepared = Some((rows, memory));
        Ok(self)
    }

    /// What the policy expects of a stream of which these are some windows, in their order. Nothing learns from them.
    pub fn outlook(&self, windows: &[Inputs]) -> Result<Option<Forecast>> {
        let ctx = self.context(&Stage::NONE, &NO_VERSION);
        let prepared = self.prepared.as_ref().map(|(_, memory)| memory);
        let memory = prepared.unwrap_or(&self.memory);
        self.policy.outlook(&ctx, memory, &self.chains, windows)
    }

    fn candidates(&self) -> Vec<&Candidate> {
        self.chains.iter().map(Chain::candidate).collect()
    }

    /// What every part may look at in this stage.
    fn context<'a>(&'a self, stage: &'a Stage, archive: &'a dyn Archive) -> Context<'a> {
        Context {
            source: self.source.as_ref(),
            source_sample: self.source_sample.as_ref(),
            frame: &self.frame,
            first: self.base.first(),
            teacher: &self.deployed,
            deployed: &self.deployed,
            previous: self.previous.as_ref(),
            stage,
            number: self.done + 1,
            seed: self.seed.nth(self.done),
            runtime: &self.runtime,
            single_candidate: self.chains.len() == 1,
            expert: self.expert.as_deref(),
            told: None,
            archive,
        }
    }

    /// What the policy remembers, or at the first window what was prepared for it.
    fn remembered(&self, stage: &Stage) -> &State {
        let rows = stage.learn.as_ref().map_or(0, |window| window.len());
        match &self.prepared {
            Some((prepared, memory)) if self.memory.is_empty() && *prepared == rows => memory,
            _ => &self.memory,
        }
    }

    /// The method of the run, which gives the stages.
    pub fn candidate(&self) -> &Candidate {
        self.base.candidate()
    }

    /// The method of the run as it begins.
    pub fn base(&self) -> &Chain {
        &self.base
    }

    pub fn policy(&self) -> &NamedPart<dyn Policy> {
        &self.policy
    }

    /// The labelled source, where it is at hand.
    pub fn source(&self) -> Option<&LabeledDomain> {
        self.source.as_ref()
    }

    /// The rows that stand for the source, where they are at hand.
    pub fn source_sample(&self) -> Option<&LabeledDomain> {
        self.source_sample.as_ref()
    }

    pub fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// The version in use.
    pub fn deployed(&self) -> &Version {
        &self.deployed
    }

    /// Version 0.
    pub fn first(&self) -> &Version {
        self.base.first()
    }

    /// Stages so far.
    pub fn done(&self) -> usize {
        self.done
    }
}
