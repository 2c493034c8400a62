//! One trial: a method on a data set, with a seed for the data and one for training; and what came of it.

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};

use super::method::{Method, Observation};
use super::resources::Resources;
use crate::Result;
use crate::adapt::Labeling;
use crate::data::{AnswerKey, Benchmark, LabeledDomain, Remainder, Stream, Windowing};
use crate::evaluate::{Confusion, accuracy};
use crate::models::Classifier;
use crate::models::network::Isa;
use crate::random::Seed;

/// The parts of the stream that a final model is scored on, one by one.
const PARTS: usize = 20;

/// Which trial of a plan. The order is that of the stored file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TrialKey {
    /// Index into the plan's data sets.
    pub dataset: usize,
    /// Index into the plan's methods.
    pub method: usize,
    pub data_seed: u64,
    pub seed: u64,
}

/// A finished trial: one line of `trials.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// The hash of everything that determines the outcome.
    pub id: String,
    pub dataset: String,
    pub method: String,
    pub data_seed: u64,
    pub seed: u64,
    /// The revision of the arithmetic, and the version of the library that ran it.
    pub engine: u32,
    pub version: String,
    /// Where roundings depend on it: the instruction set that ran it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub isa: Option<Isa>,
    pub outcome: Outcome,
}

/// What a method achieved; accuracies are fractions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Of the last model, on the target.
    pub accuracy: f64,
    pub balanced_accuracy: f64,
    pub confusion: Confusion,
    /// Of the source model, on source examples that it was not trained on.
    pub held_out_source: Option<f64>,
    /// The source model, then the model after each stage.
    pub stages: Vec<StageOutcome>,
    /// Of the last model, along the stream, in equal parts.
    pub along_stream: Vec<f64>,
    pub remainder: Remainder,
}

/// One model on the way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StageOutcome {
    pub target: f64,
    /// On the window that it has just learned from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<f64>,
    /// On the window that comes next, which it has not seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_window: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labeling: Option<Labeling>,
}

/// Runs `method` on the task and scores it with the answers. `go_on` is asked after each stage.
pub(super) fn run(
    method: &dyn Method,
    benchmark: &Benchmark,
    seed: Seed,
    resources: &Resources,
    go_on: &dyn Fn() -> Result<()>,
) -> Result<Outcome> {
    let Benchmark { task, answers } = benchmark;
    let windows = match method.windowing() {
        Some(windowing) => pieces(&task.intermediate, answers, windowing)?,
        None => Vec::new(),
    };
    let score = |model: &dyn Classifier, window: Option<&LabeledDomain>| {
        window.map(|window| accuracy(model, window)).transpose()
    };
    let mut stages = Vec::new();
    let mut held_out_source = None;
    let mut remainder = Remainder::None;
    let model = method.run(task, seed, resources, &mut |seen: Observation<'_>| {
        let t = stages.len();
        stages.push(StageOutcome {
            target: accuracy(seen.model, &answers.target)?,
            window: score(seen.model, t.checked_sub(1).and_then(|t| windows.get(t)))?,
            next_window: score(seen.model, windows.get(t))?,
            labeling: seen.labeling.cloned(),
        });
        if held_out_source.is_none() {
            held_out_source = Some(accuracy(seen.model, &answers.held_out_source)?);
        }
        remainder = seen.remainder;
        go_on()
    })?;
    let confusion = Confusion::of(&*model, &answers.target)?;
    Ok(Outcome {
        accuracy: confusion.accuracy(),
        balanced_accuracy: confusion.balanced_accuracy(),
        confusion,
        held_out_source,
        stages,
        along_stream: along_stream(&*model, &task.intermediate, answers)?,
        remainder,
    })
}

/// The windows of the stream with their labels.
fn pieces(
    stream: &Stream,
    answers: &AnswerKey,
    windowing: &Windowing,
) -> Result<Vec<LabeledDomain>> {
    let Some(labels) = &answers.intermediate else {
        return Ok(Vec::new());
    };
    let labeled = LabeledDomain::new(stream.inputs().clone(), labels.clone())?;
    let windows = stream.split(windowing)?.windows;
    Ok(windows
        .into_iter()
        .map(|window| labeled.slice(window))
        .collect())
}

fn along_stream(model: &dyn Classifier, stream: &Stream, answers: &AnswerKey) -> Result<Vec<f64>> {
    let Some(parts) = NonZeroUsize::new(PARTS.min(stream.len())) else {
        return Ok(Vec::new());
    };
    let parts = pieces(stream, answers, &Windowing::Count(parts))?;
    parts.iter().map(|part| accuracy(model, part)).collect()
}
