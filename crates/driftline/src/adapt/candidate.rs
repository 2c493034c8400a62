//! A candidate: a named set of the parts that make one step, and the step itself, `ST(θ, S)`.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::adaptation::Context;
use super::alignment::{Aligned, Alignment, NoAlignment};
use super::curriculum::{Curriculum, Stage};
use super::labeler::{Labeled, Labeler, PseudoLabeling};
use super::parts::Chosen;
use super::policy::Proposal;
use super::version::Version;
use crate::data::{Domain, Fraction, Positive};
use crate::models::{AnyLearner, AnyModel, Learner};
use crate::{Error, Result};

/// Where a student begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StudentStart {
    /// As a copy of its teacher.
    Teacher,
    /// Fresh, in every step.
    Scratch,
    /// Fresh in the first step, then as a copy of its teacher: for a first teacher of another kind.
    ScratchThenTeacher,
}

/// Whether a student goes on with its teacher's optimiser state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OptimizerState {
    /// Moments and step count run through all steps, as in the paper's code.
    Carried,
    /// Cleared before every step.
    Fresh,
}

/// One way to follow a drift, every number fixed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Candidate {
    pub name: String,
    pub curriculum: Chosen<dyn Curriculum>,
    pub alignment: Chosen<dyn Alignment>,
    pub labeler: Chosen<dyn Labeler>,
    pub learner: AnyLearner,
    pub start: StudentStart,
    pub optimizer_state: OptimizerState,
    /// Mix the labelled source into every step, each example with this weight.
    pub replay: Option<Positive>,
}

/// What one step came to.
#[derive(Clone, Debug)]
pub(super) struct Attempt {
    /// Nothing where there was nothing to learn from.
    pub proposal: Option<Proposal>,
    /// Nothing where nothing was to be learned.
    pub labeled: Option<Labeled>,
    pub alignment: Aligned,
}

impl Candidate {
    /// The paper's: hard labels of the teacher without the least confident fraction, the optimiser carried on.
    pub fn paper(
        learner: impl Into<AnyLearner>,
        curriculum: impl Curriculum + 'static,
        drop: Fraction,
    ) -> Self {
        Self {
            name: "plain".into(),
            curriculum: Chosen::new("own", Arc::new(curriculum)),
            alignment: Chosen::new("none", Arc::new(NoAlignment)),
            labeler: Chosen::new("teacher", Arc::new(PseudoLabeling::paper(drop))),
            learner: learner.into(),
            start: StudentStart::Teacher,
            optimizer_state: OptimizerState::Carried,
            replay: None,
        }
    }

    pub fn with_labeler(self, labeler: impl Labeler + 'static) -> Self {
        let labeler = Chosen::new("own", Arc::new(labeler) as Arc<dyn Labeler>);
        Self { labeler, ..self }
    }

    pub fn with_alignment(self, alignment: impl Alignment + 'static) -> Self {
        let alignment = Chosen::new("own", Arc::new(alignment) as Arc<dyn Alignment>);
        Self { alignment, ..self }
    }

    pub fn with_start(self, start: StudentStart) -> Self {
        Self { start, ..self }
    }

    pub fn with_optimizer_state(self, optimizer_state: OptimizerState) -> Self {
        Self {
            optimizer_state,
            ..self
        }
    }

    pub fn with_replay(self, weight: Positive) -> Self {
        Self {
            replay: Some(weight),
            ..self
        }
    }

    /// One self-training step, `ST(θ, S)`: align the window, label it, and let a student learn from the labels.
    pub(super) fn step(&self, now: &Context<'_>, student: Option<&AnyModel>) -> Result<Attempt> {
        let Stage { learn, .. } = now.stage;
        let Some(window) = learn else {
            return Ok(Attempt {
                proposal: None,
                labeled: None,
                alignment: now.deployed.alignment.clone(),
            });
        };
        let alignment = self.alignment.fit(now)?;
        let aligned = Domain::new(alignment.apply(&window.inputs)?);
        let mut labeled = self.labeler.label(now, &aligned)?;
        let proposal = match labeled.examples.take() {
            None => None,
            Some(examples) => {
                let examples = match (self.replay, now.source) {
                    (None, _) => examples,
                    (Some(weight), Some(source)) => {
                        examples.joined_with(source, weight.get() as f32)?
                    }
                    (Some(_), None) => return Err(Error::SourceMissing),
                };
                let model = match (student, self.optimizer_state) {
                    (Some(start), OptimizerState::Carried) => {
                        self.learner.refit(start, &examples, now.seed)?
                    }
                    (Some(start), OptimizerState::Fresh) => {
                        let start = self.learner.forget(start);
                        self.learner.refit(&start, &examples, now.seed)?
                    }
                    (None, _) => self.learner.fit(&examples, now.seed)?,
                };
                Some(Proposal {
                    candidate: self.name.clone(),
                    version: Version {
                        number: now.number,
                        alignment: alignment.clone(),
                        model,
                        labeler: labeled.state.clone(),
                    },
                })
            }
        };
        Ok(Attempt {
            proposal,
            labeled: Some(labeled),
            alignment,
        })
    }
}
