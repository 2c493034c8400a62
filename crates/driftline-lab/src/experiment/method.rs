//! What an experiment compares: anything that turns a task into a sequence of classifiers.

use std::borrow::Borrow;
use std::ops::Deref;

use super::resources::Resources;
use super::work::Sizes;
use driftline_adapt::{
    Candidate, EachStep, Engine, Labeling, MemoryWindows, PolicyOutcome, Step, Version, Windows,
};
use driftline_core::Result;
use driftline_core::data::{
    Domain, Examples, Inputs, LabeledDomain, Labels, Pool, Probabilities, Remainder, Scaling,
    Shape, Stream, Task, Windowing,
};
use driftline_core::random::Seed;
use driftline_models::{AnyLearner, Classifier, Learner};
use driftline_runs::method::Method;

/// A method under test. It is given a task, never the answers, and returns the classifier that is to be scored.
pub trait CustomMethod: Send + Sync {
    /// Everything that determines what [`CustomMethod::run`] does: part of a trial's identity.
    fn settings(&self) -> serde_json::Value;

    /// Runs, calling `report` for the source model and for the model after each stage.
    fn run(
        &self,
        task: &Task,
        seed: Seed,
        resources: &Resources,
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

    /// Whether a policy decides what is deployed; what it decides is then recorded, with balanced accuracies.
    fn judges(&self) -> bool {
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
    /// What was decided about it, and which candidate was deployed; `None` for the source model.
    pub judged: Option<(&'a PolicyOutcome, Option<&'a str>)>,
    pub remainder: Remainder,
}

impl std::fmt::Debug for Observation<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Observation")
            .field("labeling", &self.labeling)
            .finish_non_exhaustive()
    }
}

/// The library's own methods: a source model, and self-training from there.
impl CustomMethod for Method {
    fn settings(&self) -> serde_json::Value {
        let mut all = Method::settings(self);
        // Committed results are known without it: they were made in the legacy form.
        let by_column = self.columns.standardize || self.columns.cleaning.drop;
        if by_column && !self.legacy_one_hot {
            all["one_hot"] = "kept".into();
        }
        all
    }

    fn run(
        &self,
        task: &Task,
        seed: Seed,
        resources: &Resources,
        report: &mut dyn FnMut(Observation<'_>) -> Result<()>,
    ) -> Result<Box<dyn Classifier>> {
        let fit = match self.legacy_one_hot {
            true => Scaling::legacy,
            false => Scaling::fit,
        };
        let Some(scaling) = fit(&task.source, self.columns) else {
            return Ok(Box::new(there(self, task, seed, resources, report)?));
        };
        let task = scaled_task(task, &scaling)?;
        let model = there(self, &task, seed, resources, &mut |seen| {
            report(Observation {
                model: &Scaled(&scaling, seen.model),
                ..seen
            })
        })?;
        Ok(Box::new(Scaled(scaling, Box::new(model))))
    }

    fn windowing(&self) -> Option<&Windowing> {
        // Stages on the way back are not those of the stream.
        let windowing = self.candidate.curriculum.windowing();
        windowing.filter(|_| !self.round_trip)
    }

    fn depends_on_isa(&self) -> bool {
        Method::depends_on_isa(self)
    }

    fn judges(&self) -> bool {
        self.policy.name() != "always"
    }

    fn work(&self, sizes: &Sizes) -> Option<f64> {
        let ways = if self.round_trip { 2.0 } else { 1.0 };
        Some(ways * sizes.multiply_adds(self))
    }
}

/// Along the stream, and back again where that is asked for.
fn there(
    plan: &Method,
    task: &Task,
    seed: Seed,
    resources: &Resources,
    report: &mut dyn FnMut(Observation<'_>) -> Result<()>,
) -> Result<Version> {
    if !plan.round_trip {
        return adapt(plan, task, seed, resources, report);
    }
    let there = adapt(plan, task, seed.named("there"), resources, &mut |_| Ok(()))?;
    let back = way_back(task, &there)?;
    adapt(plan, &back, seed.named("back"), resources, report)
}

/// The source model, then one step per stage; the last model.
fn adapt(
    plan: &Method,
    task: &Task,
    seed: Seed,
    resources: &Resources,
    report: &mut dyn FnMut(Observation<'_>) -> Result<()>,
) -> Result<Version> {
    let source = Examples::from(&task.source);
    let tuned = |learner| resources.tuned(learner, &source, seed.named("tuning"));
    let source_learner = tuned(&plan.source_learner)?;
    let source_model = source_learner.fit(&source, seed.named("source"))?;
    let candidate = Candidate {
        learner: match plan.candidate.learner == plan.source_learner {
            true => source_learner,
            false => tuned(&plan.candidate.learner)?,
        },
        ..plan.candidate.clone()
    };
    let mut stream = MemoryWindows::of_task(task, candidate.curriculum.windowing())?;
    let remainder = stream.remainder();
    report(Observation {
        model: &source_model,
        labeling: None,
        judged: None,
        remainder,
    })?;
    let mut engine = Engine::new(candidate, source_model, seed.named("self-training"))
        .with_source(task.source.clone())
        .with_runtime(resources.runtime.clone());
    let tuned = |learner: &AnyLearner, source: &Examples| {
        resources.tuned(learner, source, seed.named("tuning"))
    };
    let chains = plan.chains(engine.base(), Some(&task.source), None, &tuned, seed)?;
    engine = engine.with_policy(plan.policy.clone(), chains);
    let mut sink = EachStep::new(&engine, |step: &Step| {
        report(Observation {
            model: &step.version,
            labeling: step.labeling.as_ref(),
            judged: Some((&step.outcome, step.candidate.as_deref())),
            remainder,
        })
    });
    engine.run(&mut stream, &mut sink)?;
    Ok(engine.deployed().clone())
}

/// A classifier of scaled inputs that takes them as they are.
struct Scaled<S, M>(S, M);

impl<S, M> Classifier for Scaled<S, M>
where
    S: Borrow<Scaling> + Send + Sync,
    M: Deref<Target: Classifier> + Send + Sync,
{
    fn shape(&self) -> Shape {
        self.0.borrow().shape()
    }

    fn n_classes(&self) -> usize {
        self.1.n_classes()
    }

    fn probabilities(&self, inputs: &Inputs) -> Result<Probabilities> {
        self.1.probabilities(&self.0.borrow().apply(inputs)?)
    }

    fn assess(&self, inputs: &Inputs) -> Result<(Labels, Probabilities)> {
        self.1.assess(&self.0.borrow().apply(inputs)?)
    }

    fn features(&self, inputs: &Inputs) -> Result<Option<Inputs>> {
        self.1.features(&self.0.borrow().apply(inputs)?)
    }
}

fn scaled_task(task: &Task, scaling: &Scaling) -> Result<Task> {
    let source = scaling.apply_to_source(task.source.inputs())?;
    let shape = source.shape();
    let (pool, own) = (task.target_pool.clone(), scaling.clone());
    let pool = move || Ok(Domain::new(own.apply(&pool.domain()?.inputs)?));
    Ok(Task {
        source: LabeledDomain::new(source, task.source.labels().clone())?
            .with_layout(scaling.layout()),
        intermediate: Stream::new(scaling.apply(task.intermediate.inputs())?),
        target_pool: Pool::later(shape, pool),
    })
}

/// The task of going back: its source is the end of the stream as `there` labels it, its stream the same stream from
/// the end to the beginning, its target the labelled source, whose labels it does not hold.
fn way_back(task: &Task, there: &dyn Classifier) -> Result<Task> {
    let stream = task.intermediate.inputs();
    let n = stream.len();
    let end = stream.slice(n.saturating_sub(task.source.len())..n);
    let labels = there.predict(&end)?;
    let backwards: Vec<usize> = (0..n).rev().collect();
    Ok(Task {
        source: LabeledDomain::new(end, labels)?.with_layout((**task.source.layout()).clone()),
        intermediate: Stream::new(stream.pick(&backwards)),
        target_pool: task.source.unlabeled().into(),
    })
}
