//! The walk along a stream: one self-training step per window, the newest model being the teacher of the next. It knows
//! nothing of files, and takes any learner.

use super::measure::{Measured, Models, measure};
use crate::Result;
use crate::adapt::{Labeling, SelfTraining};
use crate::data::{Domain, Inputs};
use crate::models::Learner;
use crate::random::Seed;
use crate::reading::Answer;

/// A model on its way along a stream.
#[derive(Clone, Debug)]
pub struct Walk<L: Learner> {
    method: SelfTraining<L>,
    unadapted: L::Model,
    before: L::Model,
    current: L::Model,
    /// The version of `before` and of `current`.
    versions: (usize, usize),
    labeling: Option<Labeling>,
    seed: Seed,
}

impl<L: Learner> Walk<L> {
    /// Stands before the first window. The optimiser's memory of the source is cleared.
    pub fn new(method: SelfTraining<L>, source: L::Model, seed: Seed) -> Self {
        let current = method.learner.forget(&source);
        Self {
            method,
            unadapted: source,
            before: current.clone(),
            current,
            versions: (0, 0),
            labeling: None,
            seed,
        }
    }

    /// Goes on from version `version`, which is `current`.
    pub fn resumed(self, current: L::Model, version: usize) -> Self {
        if version == 0 {
            return self;
        }
        Self {
            before: current.clone(),
            current,
            versions: (version, version),
            ..self
        }
    }

    /// The newest model.
    pub fn current(&self) -> &L::Model {
        &self.current
    }

    /// Self-trains on `domain`; the new model is version `number`. Its randomness depends on seed and number alone, so
    /// that a walk may be resumed.
    pub fn step(&mut self, number: usize, domain: &Domain) -> Result<&Labeling> {
        let seed = self.seed.named("adapt").nth(number);
        let teacher = &self.current;
        let step = self.method.step(teacher, Some(teacher), domain, seed)?;
        let model = step.model.unwrap_or_else(|| self.current.clone());
        self.before = std::mem::replace(&mut self.current, model);
        self.versions = (self.versions.1, number);
        Ok(self.labeling.insert(step.labeling))
    }

    /// What the last step did to the predictions for `inputs`; answers are for scoring.
    pub fn measure(
        &self,
        inputs: &Inputs,
        answers: Option<&[Answer]>,
        classes: &[String],
    ) -> Result<Measured> {
        let models = Models {
            unadapted: &self.unadapted,
            before: &self.before,
            after: &self.current,
        };
        let nothing = Labeling {
            seen: 0,
            kept: 0,
            class_counts: vec![],
            held: true,
        };
        let labeling = self.labeling.as_ref().unwrap_or(&nothing);
        let (teacher, version) = self.versions;
        measure(
            version, teacher, &models, labeling, inputs, answers, classes,
        )
    }
}
