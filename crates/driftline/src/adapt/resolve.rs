//! From settings to a method with every number fixed. Every fault that is more than a misspelt key is found here.

use std::num::NonZeroUsize;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::alignment::{Alignment, NoAlignment};
use super::candidate::{Candidate, OptimizerState, StudentStart};
use super::labeler::{Labeler, PseudoLabeling, Starvation};
use super::parts::Chosen;
use super::policy::{Always, Policy};
use super::registry::Registry;
use super::settings::{SelfTrainingSpec, Settings, TrainingSpec};
use crate::data::Fraction;
use crate::models::training::Training;
use crate::models::{AnyLearner, Learner, Runtime};
use crate::{Error, Result};

/// A source model and a way to go on from it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MethodPlan {
    pub source_learner: AnyLearner,
    pub candidate: Candidate,
    pub policy: Chosen<dyn Policy>,
    pub scaling: bool,
    pub there_and_back: bool,
}

impl MethodPlan {
    /// Everything that decides what comes out. What is off stays out, so that what is added later changes no identity.
    pub fn settings(&self) -> Value {
        let Candidate {
            curriculum,
            alignment,
            labeler,
            learner,
            start,
            optimizer_state,
            replay,
            ..
        } = &self.candidate;
        let student = curriculum.learns().then(|| {
            let mut student = json!({
                "learner": learner, "start": start, "optimizer_state": optimizer_state, "replay": replay,
            });
            match labeler.as_pseudo_labeling() {
                Some(own) => student["pseudo_labeling"] = json!(own),
                None => student["labeler"] = labeler.to_value(),
            }
            if alignment.name() != "none" {
                student["alignment"] = alignment.to_value();
            }
            if self.policy.name() != "always" {
                student["policy"] = self.policy.to_value();
            }
            student
        });
        let mut all = Map::from_iter([
            ("source_learner".to_owned(), json!(self.source_learner)),
            ("curriculum".to_owned(), curriculum.to_value()),
            ("student".to_owned(), json!(student)),
        ]);
        for (name, on) in [
            ("scaling", self.scaling),
            ("there_and_back", self.there_and_back),
        ] {
            if on {
                all.insert(name.into(), true.into());
            }
        }
        Value::Object(all)
    }

    /// Whether roundings depend on the instruction set.
    pub fn depends_on_isa(&self) -> bool {
        self.source_learner.depends_on_isa() || self.candidate.learner.depends_on_isa()
    }

    /// The same method, computing so.
    pub fn with_runtime(mut self, runtime: &Runtime) -> Self {
        self.source_learner = self.source_learner.with_runtime(runtime);
        self.candidate.learner = self.candidate.learner.with_runtime(runtime);
        self
    }
}

impl Settings {
    /// What these settings mean. `smaller` makes a quick look of it: windows smaller by so much, at most two epochs and
    /// repeats.
    pub fn resolve(
        &self,
        name: &str,
        registry: &Registry,
        smaller: Option<usize>,
    ) -> Result<MethodPlan> {
        let named = self
            .curriculum
            .as_ref()
            .ok_or_else(|| missing("curriculum"))?;
        let mut curriculum = registry.curriculum(named)?;
        if let Some(divisor) = smaller
            && let Some(part) = curriculum.scaled_down(divisor)
        {
            curriculum = Chosen::new(curriculum.name(), part);
        }
        let model = self.model.as_ref().ok_or_else(|| missing("model"))?;
        let training = self.training.as_ref().ok_or_else(|| missing("training"))?;
        let training = training.resolve(smaller.is_some());
        let source_model = self.source_model.as_ref().unwrap_or(model);
        let alignment = match &self.alignment {
            Some(named) => registry.alignment(named)?,
            None => Chosen::new("none", Arc::new(NoAlignment) as Arc<dyn Alignment>),
        };
        let policy = match &self.policy {
            Some(named) => registry.policy(named)?,
            None => Chosen::new("always", Arc::new(Always) as Arc<dyn Policy>),
        };
        let learns = curriculum.learns();
        let own = &self.self_training;
        let labeler = match &self.labeler {
            Some(named) if named.name != "teacher" || !named.settings.is_null() => {
                registry.labeler(named)?
            }
            _ => {
                let teacher = match own.teacher() {
                    Err(_) if !learns => PseudoLabeling::paper(Fraction::new(0.0)?),
                    given => given?,
                };
                Chosen::new("teacher", Arc::new(teacher) as Arc<dyn Labeler>)
            }
        };
        fn given<T>(own: Option<T>, idle: T, key: &str, learns: bool) -> Result<T> {
            match own {
                Some(own) => Ok(own),
                // Where nothing is learned it does not matter.
                None if !learns => Ok(idle),
                None => Err(given_in(key)),
            }
        }
        let candidate = Candidate {
            name: name.into(),
            curriculum,
            alignment,
            labeler,
            learner: registry.learner(model, &training)?,
            start: given(own.start, StudentStart::Teacher, "start", learns)?,
            optimizer_state: given(
                own.optimizer_state,
                OptimizerState::Carried,
                "optimizer-state",
                learns,
            )?,
            replay: own.replay,
        };
        Ok(MethodPlan {
            source_learner: registry.learner(source_model, &training)?,
            candidate,
            policy,
            scaling: self.scaling.unwrap_or(false),
            there_and_back: self.there_and_back,
        })
    }
}

impl SelfTrainingSpec {
    /// The teacher's labels; what decides results must be given.
    fn teacher(&self) -> Result<PseudoLabeling> {
        Ok(PseudoLabeling {
            kind: self.labels.ok_or_else(|| given_in("labels"))?,
            confidence: self.confidence.ok_or_else(|| given_in("confidence"))?,
            filter: self.filter.ok_or_else(|| given_in("filter"))?,
            starvation: self.starvation.unwrap_or(Starvation::Proceed),
        })
    }
}

impl TrainingSpec {
    fn resolve(&self, quick: bool) -> Training {
        let two = NonZeroUsize::new(2).expect("not 0");
        let epochs = if quick {
            self.epochs.min(two)
        } else {
            self.epochs
        };
        let paper = Training::paper(epochs);
        Training {
            batch_size: self.batch_size,
            optimizer: self.optimizer.unwrap_or(paper.optimizer),
            sharpness: self.sharpness,
            ..paper
        }
    }
}

fn missing(key: &str) -> Error {
    Error::Experiment {
        field: String::new(),
        message: format!("`{key}` must be given"),
    }
}

fn given_in(key: &str) -> Error {
    Error::Experiment {
        field: "self-training".into(),
        message: format!("`{key}` must be given, here or in [self-training]"),
    }
}
