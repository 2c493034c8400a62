//! Self-training, the paper's Algorithm 1: θ₁ = ST(θ₀, S₁), θ₂ = ST(θ₁, S₂), …, one step per domain.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Labeling, PseudoLabeling, Stages};
use crate::data::{Domain, LabeledDomain, Positive};
use crate::models::{Classifier, Learner};
use crate::random::Seed;
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

/// Labelled source examples mixed into every step; without it the source is not needed after the first model.
#[derive(Clone, Debug)]
pub struct Replay {
    pub source: LabeledDomain,
    /// How much a source example counts against a pseudo-labelled one.
    pub weight: Positive,
}

/// The method: how to label, how to learn, where to start.
#[derive(Clone, Debug)]
pub struct SelfTraining<L> {
    pub learner: L,
    pub pseudo_labeling: PseudoLabeling,
    pub start: StudentStart,
    pub optimizer_state: OptimizerState,
    pub replay: Option<Replay>,
}

/// The outcome of one step: the student, and what its teacher made of the domain.
#[derive(Clone, Debug)]
pub struct Step<M> {
    pub model: M,
    pub labeling: Labeling,
}

impl<L: Learner> SelfTraining<L> {
    /// One self-training step, `ST(θ, S)`: the teacher labels the domain, a student learns from those labels.
    ///
    /// The teacher may be any classifier; no student yet means a fresh one. A held window leaves the student as it
    /// is: `None` where there is none yet.
    pub fn step(
        &self,
        teacher: &dyn Classifier,
        student: Option<&L::Model>,
        domain: &Domain,
        seed: Seed,
    ) -> Result<Step<Option<L::Model>>> {
        let (examples, labeling) = self.pseudo_labeling.label(teacher, domain)?;
        let Some(mut examples) = examples else {
            return Ok(Step {
                model: student.cloned(),
                labeling,
            });
        };
        if let Some(Replay { source, weight }) = &self.replay {
            examples = examples.joined_with(source, weight.get() as f32)?;
        }
        let model = match (student, self.optimizer_state) {
            (Some(start), OptimizerState::Carried) => self.learner.refit(start, &examples, seed)?,
            (Some(start), OptimizerState::Fresh) => {
                self.learner
                    .refit(&self.learner.forget(start), &examples, seed)?
            }
            (None, _) => self.learner.fit(&examples, seed)?,
        };
        Ok(Step {
            model: Some(model),
            labeling,
        })
    }

    /// The models after each stage, from a source model of the student's own kind; its optimiser state is cleared.
    pub fn models<'a>(
        &'a self,
        source: &L::Model,
        stages: Stages<'a>,
        seed: Seed,
    ) -> Adaptation<'a, L> {
        let source = self.learner.forget(source);
        let student = (self.start == StudentStart::Teacher).then(|| source.clone());
        self.adaptation(Teacher::Own(source), student, stages, seed)
    }

    /// The models after each stage, from any first teacher; the first student is fresh.
    pub fn models_from<'a>(
        &'a self,
        teacher: &'a dyn Classifier,
        stages: Stages<'a>,
        seed: Seed,
    ) -> Result<Adaptation<'a, L>> {
        if self.start == StudentStart::Teacher {
            return Err(Error::NoWarmStart);
        }
        Ok(self.adaptation(Teacher::Other(teacher), None, stages, seed))
    }

    /// `ST(θ₀, (S₁, …, S_T))`: the last model, or the source model where there are no stages.
    pub fn adapt(&self, source: &L::Model, stages: Stages<'_>, seed: Seed) -> Result<L::Model> {
        let mut model = source.clone();
        for step in self.models(source, stages, seed) {
            model = step?.model;
        }
        Ok(model)
    }

    fn adaptation<'a>(
        &'a self,
        teacher: Teacher<'a, L::Model>,
        student: Option<L::Model>,
        stages: Stages<'a>,
        seed: Seed,
    ) -> Adaptation<'a, L> {
        Adaptation {
            method: self,
            teacher,
            student,
            stages: stages.enumerate(),
            seed,
        }
    }
}

/// The run of Algorithm 1: an iterator over the models θ₁, θ₂, …
pub struct Adaptation<'a, L: Learner> {
    method: &'a SelfTraining<L>,
    teacher: Teacher<'a, L::Model>,
    /// Where the next student begins; `None` means fresh.
    student: Option<L::Model>,
    stages: std::iter::Enumerate<Stages<'a>>,
    seed: Seed,
}

enum Teacher<'a, M> {
    Own(M),
    Other(&'a dyn Classifier),
}

impl<M: Classifier> Teacher<'_, M> {
    fn as_classifier(&self) -> &dyn Classifier {
        match self {
            Teacher::Own(model) => model,
            Teacher::Other(teacher) => *teacher,
        }
    }
}

impl<L: Learner> Iterator for Adaptation<'_, L> {
    type Item = Result<Step<L::Model>>;

    fn next(&mut self) -> Option<Self::Item> {
        let (t, domain) = self.stages.next()?;
        Some(domain.and_then(|domain| self.advance(t, &domain)))
    }
}

impl<L: Learner> Adaptation<'_, L> {
    fn advance(&mut self, t: usize, domain: &Domain) -> Result<Step<L::Model>> {
        let teacher = self.teacher.as_classifier();
        let step = self
            .method
            .step(teacher, self.student.as_ref(), domain, self.seed.nth(t))?;
        let labeling = step.labeling;
        // A window that was held before there was any student leaves none behind.
        if let Some(model) = &step.model {
            self.student = (self.method.start != StudentStart::Scratch).then(|| model.clone());
        }
        let model = match (step.model, &self.teacher) {
            (Some(model), _) => model,
            (None, Teacher::Own(model)) => model.clone(),
            // The first window was held and there is no student yet to hand out.
            (None, Teacher::Other(_)) => {
                return Err(Error::Starved {
                    seen: labeling.seen,
                    kept: labeling.kept,
                    class: labeling.only_class(),
                });
            }
        };
        self.teacher = Teacher::Own(model.clone());
        Ok(Step { model, labeling })
    }
}

impl<L: Learner> std::fmt::Debug for Adaptation<'_, L> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Adaptation")
            .field("seed", &self.seed)
            .finish_non_exhaustive()
    }
}
