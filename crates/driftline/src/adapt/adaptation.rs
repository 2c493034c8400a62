//! The loop, the paper's Algorithm 1: θ₁ = ST(θ₀, S₁), θ₂ = ST(θ₁, S₂), … Experiments, runs on one's own data, single
//! steps and arrays in memory all go through it. Nothing here logs, measures or holds an answer.

use std::sync::Arc;

use super::candidate::{Attempt, Candidate, StudentStart};
use super::curriculum::Stage;
use super::labeler::Labeling;
use super::parts::Chosen;
use super::policy::{Always, Decision, Policy, Proposal};
use super::version::{Archive, State, Version};
use super::windows::Windows;
use crate::Result;
use crate::data::{Domain, LabeledDomain, Labels, Probabilities};
use crate::models::{AnyModel, Learner, Runtime};
use crate::random::Seed;

/// What a part may look at. No answer is in reach.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Context<'a> {
    /// The labelled source, where it is at hand.
    pub source: Option<&'a LabeledDomain>,
    /// Version 0.
    pub first: &'a Version,
    /// The model that labels.
    pub teacher: &'a Version,
    /// The version in use.
    pub deployed: &'a Version,
    /// What was learned from before.
    pub previous: Option<&'a Domain>,
    pub stage: &'a Stage,
    /// Counts the stages from 1: the version that this one leads to.
    pub number: usize,
    /// The seed of this step alone.
    pub seed: Seed,
    pub runtime: &'a Runtime,
}

/// One turn of the loop.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Step {
    pub stage: Stage,
    /// What was kept of the window; nothing where nothing was to be learned.
    pub labeling: Option<Labeling>,
    pub decision: Decision,
    /// Which candidate was deployed, if one was.
    pub candidate: Option<String>,
    /// The version that was deployed before.
    pub before: Version,
    /// The version that is deployed now.
    pub version: Version,
    /// What `before` thinks of the rows that arrived, where somebody has asked it already.
    pub assessed: Option<(Labels, Probabilities)>,
}

/// A model on its way along a stream.
#[derive(Clone, Debug)]
pub struct Adaptation {
    candidate: Candidate,
    policy: Chosen<dyn Policy>,
    source: Option<LabeledDomain>,
    first: Version,
    /// The first model without the optimiser's memory: the one that is in use until something was learned.
    cleared: AnyModel,
    deployed: Version,
    /// Stages so far; more than the deployed version's number where an earlier one was taken up again.
    done: usize,
    previous: Option<Domain>,
    policy_state: State,
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
        let cleared = candidate.learner.forget(&first.model);
        let deployed = Version {
            model: cleared.clone(),
            ..first.clone()
        };
        Self {
            first,
            cleared,
            deployed,
            done: 0,
            candidate,
            policy: Chosen::new("always", Arc::new(Always)),
            source: None,
            previous: None,
            policy_state: State::default(),
            seed,
            runtime: Runtime::default(),
        }
    }

    pub fn with_policy(self, policy: Chosen<dyn Policy>) -> Self {
        Self { policy, ..self }
    }

    /// With the labelled source at hand, for parts that look back at it.
    pub fn with_source(self, source: LabeledDomain) -> Self {
        Self {
            source: Some(source),
            ..self
        }
    }

    pub fn with_runtime(self, runtime: Runtime) -> Self {
        Self { runtime, ..self }
    }

    /// Goes on after `done` stages from `version`, the last window learned from being `previous`.
    pub fn resumed(
        self,
        mut version: Version,
        done: usize,
        policy_state: State,
        previous: Option<Domain>,
    ) -> Self {
        if version.number == 0 {
            version.model = self.clear(&version.model);
        }
        Self {
            deployed: version,
            done,
            policy_state,
            previous,
            ..self
        }
    }

    pub fn candidate(&self) -> &Candidate {
        &self.candidate
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
        &self.first
    }

    /// What the policy wants to remember.
    pub fn policy_state(&self) -> &State {
        &self.policy_state
    }

    /// Whether the next student begins as a copy of the deployed model. A first student that is to be fresh stays due
    /// while the source model is still in use.
    fn begins_as_copy(&self) -> bool {
        match self.candidate.start {
            StudentStart::Teacher => true,
            StudentStart::Scratch => false,
            StudentStart::ScratchThenTeacher => self.deployed.model != self.cleared,
        }
    }

    /// A model without the optimiser's memory. The first one stays one object, so that it is known again even if it
    /// cannot be stored.
    fn clear(&self, model: &AnyModel) -> AnyModel {
        match *model == self.first.model {
            true => self.cleared.clone(),
            false => self.candidate.learner.forget(model),
        }
    }

    /// The next stage of the curriculum, or none at its end.
    pub fn advance(
        &mut self,
        stream: &mut dyn Windows,
        archive: &dyn Archive,
    ) -> Result<Option<Step>> {
        let done = self.done;
        let stage = self
            .candidate
            .curriculum
            .next(done, stream, &self.deployed)?;
        stage.map(|stage| self.take(stage, archive)).transpose()
    }

    /// All stages to the end; the version deployed there.
    pub fn run(mut self, stream: &mut dyn Windows) -> Result<Version> {
        let mut versions = vec![self.first.clone()];
        while let Some(step) = self.advance(stream, &versions)? {
            versions.push(step.version);
        }
        Ok(self.deployed)
    }

    /// One stage: align, label, learn, decide.
    pub fn take(&mut self, stage: Stage, archive: &dyn Archive) -> Result<Step> {
        let done = self.done;
        let now = Context {
            source: self.source.as_ref(),
            first: &self.first,
            teacher: &self.deployed,
            deployed: &self.deployed,
            previous: self.previous.as_ref(),
            stage: &stage,
            number: done + 1,
            seed: self.seed.nth(done),
            runtime: &self.runtime,
        };
        let student = self.begins_as_copy().then_some(&self.deployed.model);
        let Attempt {
            proposal,
            labeled,
            alignment,
        } = self.candidate.step(&now, student)?;
        let proposals: Vec<Proposal> = proposal.into_iter().collect();
        let (decision, policy_state) = self.policy.decide(&now, &self.policy_state, &proposals)?;
        let (candidate, version) = match &decision {
            Decision::Deploy(place) => {
                let chosen = proposals.get(*place).ok_or_else(|| {
                    crate::Error::out_of_range("the proposal to deploy", place, "one of those made")
                })?;
                (Some(chosen.candidate.clone()), chosen.version.clone())
            }
            Decision::Hold { .. } => (None, self.deployed.numbered(done + 1)),
            Decision::RollBack { to, .. } => {
                let mut earlier = archive.version(*to)?.numbered(done + 1);
                if *to == 0 {
                    earlier.model = self.clear(&earlier.model);
                }
                (None, earlier)
            }
        };
        // The teacher was asked about what is to be learned, in the frame of the new alignment.
        let both = stage.learn.as_ref().zip(stage.arrived.as_ref());
        let same = both.is_some_and(|(learn, arrived)| learn.inputs.is(&arrived.inputs))
            && alignment == self.deployed.alignment;
        let (labeling, assessed) = labeled.map_or((None, None), |labeled| {
            (Some(labeled.labeling), labeled.assessed.filter(|_| same))
        });
        self.previous = stage.learn.clone().or(self.previous.take());
        self.policy_state = policy_state;
        self.done += 1;
        let before = std::mem::replace(&mut self.deployed, version.clone());
        Ok(Step {
            stage,
            labeling,
            decision,
            candidate,
            before,
            version,
            assessed,
        })
    }
}
