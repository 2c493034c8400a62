//! One trial: a method on a data set, with a seed for the data and one for training; and what came of it.

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};

use super::method::{CustomMethod, Observation};
use super::resources::Resources;
use driftline_adapt::{Decision, Estimate, Labeling, PolicyOutcome};
use driftline_core::Result;
use driftline_core::data::{AnswerKey, Benchmark, LabeledDomain, Remainder, Stream, Windowing};
use driftline_core::random::Seed;
use driftline_models::Classifier;
use driftline_models::evaluate::{Confusion, accuracy, kendall_tau};
use driftline_models::network::Isa;

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
    /// Where windows were put in an order: Kendall's τ of it with that of the stream.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order_tau: Option<f64>,
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
    /// The same two windows with every class counting alike, where a policy decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub balanced_window: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub balanced_next_window: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged: Option<PolicyRecord>,
}

/// What a policy decided about a stage, and the numbers that it gave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PolicyRecord {
    pub decision: Decision,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidate: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub distrusted: bool,
    /// Of the version deployed after it, and before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate: Option<Estimate>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate_before: Option<Estimate>,
}

impl PolicyRecord {
    fn of(outcome: &PolicyOutcome, candidate: Option<&str>) -> Self {
        // Recalls of every class in every window would be most of the file.
        let short = |estimate: &Estimate| Estimate {
            recalls: vec![],
            ..estimate.clone()
        };
        Self {
            decision: outcome.decision.clone(),
            candidate: candidate.map(String::from),
            reason: outcome.reason.clone(),
            distrusted: outcome.distrusted,
            estimate: outcome.estimate.as_ref().map(short),
            estimate_before: outcome.estimate_before.as_ref().map(short),
        }
    }
}

/// Runs `method` on the task and scores it with the answers. `go_on` is asked after each stage.
pub(super) fn run(
    method: &dyn CustomMethod,
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
    let judges = method.judges();
    let balanced = |model: &dyn Classifier, window: Option<&LabeledDomain>| {
        let confusion = |window| Confusion::of(model, window);
        let confusion = window.filter(|_| judges).map(confusion).transpose()?;
        Ok::<_, driftline_core::Error>(confusion.map(|confusion| confusion.balanced_accuracy()))
    };
    let mut stages = Vec::new();
    let mut places = Vec::new();
    let mut held_out_source = None;
    let mut remainder = Remainder::None;
    let model = method.run(task, seed, resources, &mut |seen: Observation<'_>| {
        let t = stages.len();
        let placed = seen.labeling.and_then(|labeling| labeling.place);
        places.extend(placed);
        let window = placed.or(t.checked_sub(1)).and_then(|at| windows.get(at));
        // Which window comes next in an order of its own, nobody knows here.
        let next = windows.get(t).filter(|_| placed.is_none());
        let judged = seen.judged.filter(|_| judges);
        stages.push(StageOutcome {
            target: accuracy(seen.model, &answers.target)?,
            window: score(seen.model, window)?,
            next_window: score(seen.model, next)?,
            labeling: seen.labeling.cloned(),
            balanced_window: balanced(seen.model, window)?,
            balanced_next_window: balanced(seen.model, next)?,
            judged: judged.map(|(outcome, candidate)| PolicyRecord::of(outcome, candidate)),
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
        order_tau: kendall_tau(&places),
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
