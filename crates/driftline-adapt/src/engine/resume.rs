//! Bookkeeping around a step: where the chains stand and what the policy remembers, which is all that a run needs to go on
//! beside the version in use.

use std::borrow::Cow;

use super::Engine;
use super::step::Step;
use crate::candidate::Attempt;
use crate::chain::Chain;
use crate::context::Context;
use crate::curriculum::Stage;
use crate::policy::{Decision, PolicyOutcome};
use crate::state::State;
use crate::version::Version;
use driftline_core::data::{Domain, Examples};
use driftline_core::{Error, Result};
use driftline_models::{AnyLearner, Learner, Runtime};

/// A moment between two windows.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ResumeState {
    pub chains: Vec<ChainState>,
    /// What the policy remembers.
    pub policy: State,
    /// What was learned from last.
    pub previous: Option<Domain>,
}

/// Where one chain stands.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainState {
    /// The candidate's name.
    pub candidate: String,
    pub version: Version,
    /// The learner and the first version of a chain whose model is not the run's.
    pub own: Option<(AnyLearner, Version)>,
}

impl ResumeState {
    /// Nothing but what the policy remembers.
    pub fn of_policy(policy: State) -> Self {
        Self {
            policy,
            ..Self::default()
        }
    }

    /// Where the chain of this candidate stands.
    pub fn of(&self, candidate: &str) -> Option<&ChainState> {
        let mut chains = self.chains.iter();
        chains.find(|chain| chain.candidate == candidate)
    }

    /// The same with all models computing in another way.
    pub fn with_runtime(mut self, runtime: &Runtime) -> Result<Self> {
        for chain in &mut self.chains {
            chain.version = chain.version.clone().with_runtime(runtime)?;
            if let Some((learner, first)) = chain.own.take() {
                chain.own = Some((learner.with_runtime(runtime), first.with_runtime(runtime)?));
            }
        }
        self.policy = self.policy.with_runtime(runtime)?;
        Ok(self)
    }
}

impl Engine {
    /// The chains after their attempts; where an earlier version was taken up again, they begin anew from there, unless the
    /// policy wants them to go on.
    pub(super) fn moved_on(
        &self,
        attempts: &[Attempt],
        ctx: &Context<'_>,
        outcome: &PolicyOutcome,
        version: &Version,
    ) -> Vec<Chain> {
        let anew = matches!(outcome.decision, Decision::RollBack { .. }) && !outcome.chains_go_on;
        let mut chains = self.chains.clone();
        for (chain, attempt) in chains.iter_mut().zip(attempts) {
            chain.stand_on(attempt, ctx);
            if anew {
                chain.restart(version.clone(), chain.previous().cloned());
            }
        }
        chains
    }

    /// Stands behind a stage; the version that was in use, and the outcome without what the policy remembers.
    pub(super) fn stand_on(
        &mut self,
        chains: Vec<Chain>,
        stage: &Stage,
        mut outcome: PolicyOutcome,
        version: Version,
    ) -> (Version, PolicyOutcome) {
        self.chains = chains;
        self.previous = stage.learn.clone().or(self.previous.take());
        self.memory = std::mem::take(&mut outcome.state);
        self.done += 1;
        (std::mem::replace(&mut self.deployed, version), outcome)
    }

    /// Goes on after `done` stages from `version`, the last window learned from being `previous`. Chains that `state` does
    /// not know go on from `version`.
    pub fn resumed(
        mut self,
        mut version: Version,
        done: usize,
        state: Option<ResumeState>,
        previous: Option<Domain>,
    ) -> Self {
        if version.number == 0 {
            version.model = self.base.clear(&version.model);
        }
        let state = state.unwrap_or_default();
        let previous = previous.or(state.previous.clone());
        for chain in &mut self.chains {
            let own = state.of(&chain.candidate().name).map(|own| &own.version);
            let own = own.filter(|own| **own != version).unwrap_or(&version);
            chain.restart(own.clone(), previous.clone());
        }
        Self {
            deployed: version,
            done,
            memory: state.policy,
            previous,
            ..self
        }
    }

    /// Goes back to an earlier version; the chains begin anew from there.
    pub fn rolled_back(mut self, version: Version) -> Self {
        let state = ResumeState::of_policy(std::mem::take(&mut self.memory));
        let (done, previous) = (self.done, self.previous.take());
        self.resumed(version, done, Some(state), previous)
    }

    /// All that is needed to go on, beside the version in use; nothing where that is enough.
    pub fn resume_state(&self) -> Option<ResumeState> {
        let enough = match &self.chains[..] {
            [] => true,
            [only] => {
                only.candidate().name == self.candidate().name && only.version().is(&self.deployed)
            }
            _ => false,
        };
        let state = |chain: &Chain| {
            let learner = &chain.candidate().learner;
            let own = *learner != self.candidate().learner;
            ChainState {
                candidate: chain.candidate().name.clone(),
                version: chain.version().clone(),
                own: own.then(|| (learner.clone(), chain.first().clone())),
            }
        };
        (!enough || !self.memory.is_empty()).then(|| ResumeState {
            chains: self.chains.iter().map(state).collect(),
            policy: self.memory.clone(),
            previous: self.previous.clone(),
        })
    }

    /// A stage with labels from somewhere else, in the frame of the version in use: the run's learner goes on from it with
    /// them, that is deployed, and the chains begin anew from there. `arrived` is what it is measured on.
    pub fn learn(&mut self, examples: &Examples, arrived: Domain) -> Result<Step> {
        let learner = &self.candidate().learner;
        let seed = self.seed.nth(self.done);
        let examples = match (learner.replay_share(), &self.source) {
            (None, _) => Cow::Borrowed(examples),
            (Some(share), Some(source)) => {
                let each = share * examples.len() as f64 / source.len().max(1) as f64;
                Cow::Owned(examples.joined_with(source, each as f32)?)
            }
            (Some(_), None) => return Err(Error::SourceMissing),
        };
        let model = match learner.refit(&self.deployed.model, &examples, seed) {
            // The version in use is of another kind.
            Err(Error::NoWarmStart) => learner.fit(&examples, seed)?,
            made => made?,
        };
        self.done += 1;
        let version = Version {
            model,
            ..self.deployed.numbered(self.done)
        };
        for chain in &mut self.chains {
            chain.restart(version.clone(), self.previous.clone());
        }
        let mut outcome = PolicyOutcome::new(Decision::Deploy(0), State::default());
        outcome.reason = Some("it has learned from labels".into());
        Ok(Step {
            stage: Stage {
                learn: None,
                ..Stage::window(arrived)
            },
            rows: (),
            labeling: None,
            outcome,
            candidate: Some("labels".into()),
            before: std::mem::replace(&mut self.deployed, version.clone()),
            version,
            assessed: None,
        })
    }
}
