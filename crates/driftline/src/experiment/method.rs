//! What an experiment compares: anything that turns a task into a sequence of classifiers.

use std::num::NonZeroUsize;

use serde::Serialize;

use super::resources::Resources;
use super::work::Sizes;
use crate::Result;
use crate::adapt::{
    Accumulate, Curriculum, Gradual, Labeling, OptimizerState, Pooled, PseudoLabeling, Replay,
    SelfTraining, SourceOnly, StudentStart, TargetOnly,
};
use crate::data::{Examples, LabeledDomain, Positive, Remainder, Stream, Task, Windowing};
use crate::models::any::{AnyLearner, AnyModel};
use crate::models::{Classifier, Learner};
use crate::random::Seed;

/// A method under test. It is given a task, never the answers, and returns the classifier that is to be scored.
pub trait Method: Send + Sync {
    /// Everything that determines what [`Method::run`] does: part of a trial's identity.
    fn settings(&self) -> serde_json::Value;

    /// Runs, calling `report` for the source model and for the model after each stage.
    fn run(
        &self,
        task: &Task,
        seed: Seed,
        resources: Resources<'_>,
        report: &mut dyn FnMut(Observation<'_>) -> Result<()>,
    ) -> Result<Box<dyn Classifier>>;

    /// How the stream is cut, if it is, for accuracies window by window.
    fn windowing(&self) -> Option<&Windowing> {
        None
    }

    /// Whether roundings depend on the instruction set, which is then recorded.
    fn depends_on_isa(&self) -> bool {
        false
    }

    /// About how many multiply-adds a run takes, for estimates of time.
    fn work(&self, _sizes: &Sizes) -> Option<f64> {
        None
    }
}

/// What an evaluator may look at after a stage.
#[derive(Clone, Copy)]
pub struct Observation<'a> {
    pub model: &'a dyn Classifier,
    /// What the stage learned from; `None` for the source model.
    pub labeling: Option<&'a Labeling>,
    pub remainder: Remainder,
}

impl std::fmt::Debug for Observation<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Observation")
            .field("labeling", &self.labeling)
            .finish_non_exhaustive()
    }
}

/// The library's own methods: self-training along a curriculum.
#[derive(Clone, Debug, Serialize)]
pub struct SelfTrainingMethod {
    pub source_learner: AnyLearner,
    pub curriculum: CurriculumPlan,
    /// `None` for a curriculum without stages.
    pub student: Option<StudentPlan>,
    /// Then go back from the end of the stream to its beginning, by pseudo-labels alone.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub there_and_back: bool,
}

/// How the students of a self-training method come about.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StudentPlan {
    pub learner: AnyLearner,
    pub pseudo_labeling: PseudoLabeling,
    pub start: StudentStart,
    pub optimizer_state: OptimizerState,
    pub replay: Option<Positive>,
}

/// A curriculum chosen at run time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CurriculumPlan {
    SourceOnly,
    Target {
        repeats: NonZeroUsize,
    },
    Pooled {
        repeats: NonZeroUsize,
        and_target: bool,
    },
    Gradual {
        windowing: Windowing,
        then_target: bool,
    },
    Accumulate {
        windowing: Windowing,
    },
}

impl CurriculumPlan {
    pub fn curriculum(&self) -> Box<dyn Curriculum> {
        match self.clone() {
            CurriculumPlan::SourceOnly => Box::new(SourceOnly),
            CurriculumPlan::Target { repeats } => Box::new(TargetOnly { repeats }),
            CurriculumPlan::Pooled {
                repeats,
                and_target,
            } => Box::new(Pooled {
                repeats,
                and_target,
            }),
            CurriculumPlan::Gradual {
                windowing,
                then_target,
            } => Box::new(Gradual {
                windowing,
                then_target,
            }),
            CurriculumPlan::Accumulate { windowing } => Box::new(Accumulate { windowing }),
        }
    }

    pub fn windowing(&self) -> Option<&Windowing> {
        match self {
            CurriculumPlan::Gradual { windowing, .. }
            | CurriculumPlan::Accumulate { windowing } => Some(windowing),
            _ => None,
        }
    }
}

impl Method for SelfTrainingMethod {
    fn settings(&self) -> serde_json::Value {
        serde_json::to_value(self).expect("settings have string keys only")
    }

    fn run(
        &self,
        task: &Task,
        seed: Seed,
        resources: Resources<'_>,
        report: &mut dyn FnMut(Observation<'_>) -> Result<()>,
    ) -> Result<Box<dyn Classifier>> {
        if !self.there_and_back {
            return Ok(Box::new(self.adapt(task, seed, resources, report)?));
        }
        let there = self.adapt(task, seed.named("there"), resources, &mut |_| Ok(()))?;
        let back = way_back(task, &there)?;
        Ok(Box::new(self.adapt(
            &back,
            seed.named("back"),
            resources,
            report,
        )?))
    }

    fn windowing(&self) -> Option<&Windowing> {
        // Stages on the way back are not those of the stream.
        self.curriculum.windowing().filter(|_| !self.there_and_back)
    }

    fn depends_on_isa(&self) -> bool {
        let student = self.student.iter().map(|student| &student.learner);
        student
            .chain([&self.source_learner])
            .any(AnyLearner::depends_on_isa)
    }

    fn work(&self, sizes: &Sizes) -> Option<f64> {
        let ways = if self.there_and_back { 2.0 } else { 1.0 };
        Some(ways * self.multiply_adds(sizes))
    }
}

impl SelfTrainingMethod {
    /// The source model, then one self-training step per stage; the last model.
    fn adapt(
        &self,
        task: &Task,
        seed: Seed,
        resources: Resources<'_>,
        report: &mut dyn FnMut(Observation<'_>) -> Result<()>,
    ) -> Result<AnyModel> {
        let source = Examples::from(&task.source);
        let tune = seed.named("tuning");
        let teacher = resources
            .learner(&self.source_learner)
            .tuned(&source, tune)?
            .fit(&source, seed.named("source"))?;
        let stages = self
            .curriculum
            .curriculum()
            .stages(task, seed.named("curriculum"))?;
        let remainder = stages.remainder;
        report(Observation {
            model: &teacher,
            labeling: None,
            remainder,
        })?;
        let Some(student) = &self.student else {
            return Ok(teacher);
        };
        let method = SelfTraining {
            learner: resources.learner(&student.learner).tuned(&source, tune)?,
            pseudo_labeling: student.pseudo_labeling,
            start: student.start,
            optimizer_state: student.optimizer_state,
            replay: student.replay.map(|weight| Replay {
                source: task.source.clone(),
                weight,
            }),
        };
        let seed = seed.named("self-training");
        let models = match student.start {
            StudentStart::Teacher => method.models(&teacher, stages, seed),
            _ => method.models_from(&teacher, stages, seed)?,
        };
        let mut last = teacher.clone();
        for step in models {
            let step = step?;
            report(Observation {
                model: &step.model,
                labeling: Some(&step.labeling),
                remainder,
            })?;
            last = step.model;
        }
        Ok(last)
    }
}

/// The task of going back: its source is the end of the stream as `there` labels it, its stream the same stream from
/// the end to the beginning, its target the labelled source, whose labels it does not hold.
fn way_back(task: &Task, there: &AnyModel) -> Result<Task> {
    let stream = task.intermediate.inputs();
    let n = stream.len();
    let end = stream.slice(n.saturating_sub(task.source.len())..n);
    let labels = there.predict(&end)?;
    let backwards: Vec<usize> = (0..n).rev().collect();
    Ok(Task {
        source: LabeledDomain::new(end, labels)?,
        intermediate: Stream::new(stream.pick(&backwards)),
        target_pool: task.source.unlabeled().into(),
    })
}
