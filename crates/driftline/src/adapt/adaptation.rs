//! The loop, the paper's Algorithm 1: θ₁ = ST(θ₀, S₁), θ₂ = ST(θ₁, S₂), … Experiments, runs on one's own data, single
//! steps and arrays in memory all go through it. Nothing here logs, measures or holds an answer.

use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::candidate::{Attempt, Candidate};
use super::chain::Chain;
use super::context::Context;
use super::curriculum::Stage;
use super::frame::SourceFrame;
use super::labeler::Labeling;
use super::parts::Chosen;
use super::policy::{Always, Decision, Judgement, Outlook, Policy, Proposal};
use super::standing::Standing;
use super::state::State;
use super::version::{Archive, Version};
use super::windows::Windows;
use crate::data::{Domain, Examples, Inputs, LabeledDomain, Labels, Probabilities};
use crate::drift::mixture::LastFollowed;
use crate::models::{AnyModel, Learner, Runtime};
use crate::random::Seed;
use crate::{Error, Result};

/// Before there is a version to go back to.
static NO_VERSION: Vec<Version> = Vec::new();

/// One turn of the loop.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Step {
    pub stage: Stage,
    /// What was kept of the window by the candidate that was deployed, or by the only one there is; nothing where nothing
    /// was to be learned.
    pub labeling: Option<Labeling>,
    /// What became of it, with the numbers that decided. Its state has gone to where it is remembered.
    pub judgement: Judgement,
    /// Which candidate was deployed, if one was.
    pub candidate: Option<String>,
    /// The version that was deployed before.
    pub before: Version,
    /// The version that is deployed now.
    pub version: Version,
    /// What `before` thinks of the rows that arrived, where somebody has asked it already.
    pub assessed: Option<(Labels, Probabilities)>,
}

/// A model on its way along a stream: a version in use, and beside it a chain for each candidate that may take its place.
#[derive(Clone, Debug)]
pub struct Adaptation {
    /// The method of the run as it begins.
    base: Chain,
    chains: Vec<Chain>,
    policy: Chosen<dyn Policy>,
    source: Option<LabeledDomain>,
    card: Option<LabeledDomain>,
    frame: OnceLock<SourceFrame>,
    deployed: Version,
    /// Stages so far; more than the deployed version's number where an earlier one was taken up again.
    done: usize,
    previous: Option<Domain>,
    policy_state: State,
    /// What the policy knows before the first window, if that has so many rows.
    prepared: Option<(usize, State)>,
    followed: LastFollowed,
    seed: Seed,
    runtime: Runtime,
}

impl Adaptation {
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
            policy: Chosen::new("always", Arc::new(Always)),
            source: None,
            card: None,
            frame: OnceLock::new(),
            previous: None,
            policy_state: State::default(),
            prepared: None,
            followed: LastFollowed::default(),
            seed,
            runtime: Runtime::default(),
        }
    }

    /// With something else than deploying always. The chains are what it chooses from; see
    /// [`MethodPlan::chains`](super::MethodPlan::chains).
    pub fn with_policy(self, policy: Chosen<dyn Policy>, chains: Vec<Chain>) -> Self {
        Self {
            policy,
            chains,
            ..self
        }
    }

    /// With the labelled source at hand, for parts that look back at it.
    pub fn with_source(self, source: LabeledDomain) -> Self {
        Self {
            card: Some(source.card()),
            source: Some(source),
            ..self
        }
    }

    /// With what is known of the source, for parts that need no more of it.
    pub fn with_frame(self, frame: SourceFrame) -> Self {
        Self {
            frame: OnceLock::from(frame),
            ..self
        }
    }

    pub fn with_runtime(self, runtime: Runtime) -> Self {
        Self { runtime, ..self }
    }

    /// Works out beforehand what the policy makes of the source alone, for a first window of so many rows: clones of this
    /// one, each for a stream of its own, need not do it again. Nothing else changes by it.
    pub fn prepared(mut self, rows: usize) -> Result<Self> {
        let stage = Stage::NONE;
        let now = self.moment(&stage, &NO_VERSION);
        let state = self.policy.prepare(&now, &self.candidates(), rows)?;
        self.prepared = Some((rows, state));
        Ok(self)
    }

    /// What the policy expects of a stream of which these are some windows, in their order. Nothing learns from them.
    pub fn outlook(&self, windows: &[Inputs]) -> Result<Option<Outlook>> {
        let stage = Stage::NONE;
        let now = self.moment(&stage, &NO_VERSION);
        let known = self.prepared.as_ref().map(|(_, state)| state);
        let known = known.unwrap_or(&self.policy_state);
        self.policy
            .outlook(&now, known, &self.candidates(), windows)
    }

    fn candidates(&self) -> Vec<&Candidate> {
        self.chains.iter().map(Chain::candidate).collect()
    }

    /// Goes on after `done` stages from `version`, the last window learned from being `previous`. Chains that `standing`
    /// does not know go on from `version`.
    pub fn resumed(
        mut self,
        mut version: Version,
        done: usize,
        standing: Option<Standing>,
        previous: Option<Domain>,
    ) -> Self {
        if version.number == 0 {
            version.model = self.base.clear(&version.model);
        }
        let standing = standing.unwrap_or_default();
        let previous = previous.or(standing.previous.clone());
        for chain in &mut self.chains {
            let own = standing.of(&chain.candidate().name);
            let own = own.filter(|own| **own != version).unwrap_or(&version);
            chain.restart(own.clone(), previous.clone());
        }
        Self {
            deployed: version,
            done,
            policy_state: standing.policy,
            previous,
            ..self
        }
    }

    /// Goes back to an earlier version; the chains begin anew from there.
    pub fn rolled_back(mut self, version: Version) -> Self {
        let standing = Standing::of_policy(std::mem::take(&mut self.policy_state));
        let (done, previous) = (self.done, self.previous.take());
        self.resumed(version, done, Some(standing), previous)
    }

    /// The method of the run, which gives the stages.
    pub fn candidate(&self) -> &Candidate {
        self.base.candidate()
    }

    /// The method of the run as it begins.
    pub fn base(&self) -> &Chain {
        &self.base
    }

    /// What the policy chooses from, and where each of them stands.
    pub fn chains(&self) -> &[Chain] {
        &self.chains
    }

    pub fn policy(&self) -> &Chosen<dyn Policy> {
        &self.policy
    }

    /// The rows that stand for the source, where they are at hand.
    pub fn card(&self) -> Option<&LabeledDomain> {
        self.card.as_ref()
    }

    /// The version in use.
    pub fn deployed(&self) -> &Version {
        &self.deployed
    }

    /// Stages so far.
    pub fn done(&self) -> usize {
        self.done
    }

    /// Version 0.
    pub fn first(&self) -> &Version {
        self.base.first()
    }

    /// The labelled source, where it is at hand.
    pub fn source(&self) -> Option<&LabeledDomain> {
        self.source.as_ref()
    }

    /// What the policy wants to remember.
    pub fn policy_state(&self) -> &State {
        &self.policy_state
    }

    /// All that is needed to go on, beside the version in use; nothing where that is enough.
    pub fn standing(&self) -> Option<Standing> {
        let enough = match &self.chains[..] {
            [] => true,
            [only] => {
                only.candidate().name == self.candidate().name && only.version().is(&self.deployed)
            }
            _ => false,
        };
        (!enough || !self.policy_state.is_empty()).then(|| Standing {
            chains: self
                .chains
                .iter()
                .map(|chain| chain.stand(&self.base))
                .collect(),
            policy: self.policy_state.clone(),
            previous: self.previous.clone(),
        })
    }

    /// The next stage of the curriculum, or none at its end.
    pub fn advance(
        &mut self,
        stream: &mut dyn Windows,
        archive: &dyn Archive,
    ) -> Result<Option<Step>> {
        let curriculum = &self.candidate().curriculum;
        let stage = curriculum.next(self.done, stream, &self.deployed)?;
        stage.map(|stage| self.take(stage, archive)).transpose()
    }

    /// All stages to the end; the version deployed there.
    pub fn run(mut self, stream: &mut dyn Windows) -> Result<Version> {
        let mut versions = vec![self.first().clone()];
        while let Some(step) = self.advance(stream, &versions)? {
            versions.push(step.version);
        }
        Ok(self.deployed)
    }

    /// A stage with labels from somewhere else, in the frame of the version in use: the run's own learner goes on from it
    /// with them, that is deployed, and the chains begin anew from there. `arrived` is what it is measured on.
    pub fn learn(&mut self, examples: &Examples, arrived: Domain) -> Result<Step> {
        let number = self.done + 1;
        let learner = &self.candidate().learner;
        let seed = self.seed.nth(self.done);
        let model = match learner.refit(&self.deployed.model, examples, seed) {
            // The version in use is of another kind.
            Err(Error::NoWarmStart) => learner.fit(examples, seed)?,
            made => made?,
        };
        let version = Version {
            model,
            ..self.deployed.numbered(number)
        };
        for chain in &mut self.chains {
            chain.restart(version.clone(), self.previous.clone());
        }
        self.done = number;
        let mut judgement = Judgement::new(Decision::Deploy(0), State::default());
        judgement.reason = Some("it has learned from labels".into());
        let before = std::mem::replace(&mut self.deployed, version.clone());
        Ok(Step {
            stage: Stage {
                learn: None,
                ..Stage::window(arrived)
            },
            labeling: None,
            judgement,
            candidate: Some("labels".into()),
            before,
            version,
            assessed: None,
        })
    }

    fn moment<'a>(&'a self, stage: &'a Stage, archive: &'a dyn Archive) -> Context<'a> {
        Context {
            source: self.source.as_ref(),
            card: self.card.as_ref(),
            frame: &self.frame,
            first: self.base.first(),
            teacher: &self.deployed,
            deployed: &self.deployed,
            previous: self.previous.as_ref(),
            stage,
            number: self.done + 1,
            seed: self.seed.nth(self.done),
            runtime: &self.runtime,
            followed: &self.followed,
            alone: self.chains.len() == 1,
            archive,
        }
    }

    /// What the policy remembers, or at the first window what was prepared for it.
    fn known(&self, stage: &Stage) -> &State {
        let rows = stage.learn.as_ref().map_or(0, |window| window.len());
        match &self.prepared {
            Some((prepared, state)) if self.policy_state.is_empty() && *prepared == rows => state,
            _ => &self.policy_state,
        }
    }

    /// One stage: every chain aligns, labels and learns; then it is decided what is deployed.
    pub fn take(&mut self, stage: Stage, archive: &dyn Archive) -> Result<Step> {
        let number = self.done + 1;
        let now = self.moment(&stage, archive);
        let attempts = attempts(&self.chains, &now)?;
        let propose = |(chain, attempt)| Proposal::of(chain, attempt);
        let proposals: Vec<Proposal<'_>> = self.chains.iter().zip(&attempts).map(propose).collect();
        let mut judgement = self.policy.decide(&now, self.known(&stage), &proposals)?;
        let (place, version) = match &judgement.decision {
            Decision::Deploy(place) => {
                let chosen = proposals.get(*place).and_then(|chosen| chosen.version);
                let chosen = chosen.ok_or_else(|| {
                    Error::out_of_range("the proposal to deploy", place, "one of those made")
                })?;
                (Some(*place), chosen.clone())
            }
            Decision::Hold { .. } => (None, self.deployed.numbered(number)),
            Decision::RollBack { to, .. } => {
                let mut earlier = archive.version(*to)?.numbered(number);
                if *to == 0 {
                    earlier.model = self.base.clear(&earlier.model);
                }
                (None, earlier)
            }
        };
        let candidate = place.map(|place| proposals[place].candidate.name.clone());
        let recorded = place.or((attempts.len() == 1).then_some(0));
        let labeled = recorded.and_then(|place| attempts[place].labeled.as_ref());
        let labeling = labeled.map(|labeled| labeled.labeling.clone());
        let assessed = assessed(&self.chains, &attempts, &now);
        let back = matches!(judgement.decision, Decision::RollBack { .. });
        let mut chains = self.chains.clone();
        for (chain, attempt) in chains.iter_mut().zip(&attempts) {
            chain.stand_on(attempt, &now);
            if back {
                chain.restart(version.clone(), chain.previous().cloned());
            }
        }
        self.chains = chains;
        self.previous = stage.learn.clone().or(self.previous.take());
        self.policy_state = std::mem::take(&mut judgement.state);
        self.done = number;
        let before = std::mem::replace(&mut self.deployed, version.clone());
        Ok(Step {
            stage,
            labeling,
            judgement,
            candidate,
            before,
            version,
            assessed,
        })
    }
}

/// What every chain makes of the window. Networks use all cores by themselves; the others go side by side.
fn attempts(chains: &[Chain], now: &Context<'_>) -> Result<Vec<Attempt>> {
    let alone = |chain: &Chain| chain.candidate().learner.depends_on_isa();
    let several = |chain: &Chain| match chain.attempt(now) {
        // What cannot be done with these inputs or this model is no choice; the others are.
        Err(Error::NotSupported { .. }) => Ok(Attempt::nothing(chain.version())),
        made => made,
    };
    match chains {
        [only] => Ok(vec![only.attempt(now)?]),
        _ if chains.iter().any(alone) => chains.iter().map(several).collect(),
        _ => chains.par_iter().map(several).collect(),
    }
}

/// A teacher that is the version in use was asked about what is to be learned, in the frame of the new alignment: what it
/// said of the rows that arrived, if they are the same and so is the frame.
fn assessed(
    chains: &[Chain],
    attempts: &[Attempt],
    now: &Context<'_>,
) -> Option<(Labels, Probabilities)> {
    let both = now.stage.learn.as_ref().zip(now.stage.arrived.as_ref());
    both.filter(|(learn, arrived)| learn.inputs.is(&arrived.inputs))?;
    let mut asked = chains.iter().zip(attempts).filter(|(chain, attempt)| {
        chain.version().is(now.deployed) && attempt.alignment == now.deployed.alignment
    });
    asked.find_map(|(_, attempt)| attempt.labeled.as_ref()?.assessed.clone())
}
