//! Which assumptions of Theorem 3.2 a drift meets, as far as its data can tell, and what the bound then says.
//!
//! The theorem holds for any P and Q, so also for the windows themselves as finite distributions; with an answer key
//! everything about them is known. Without labels, ρ can only be bounded from below: *violated* or *not refuted*.

mod measure;
mod separation;
mod subject;

use serde::{Deserialize, Serialize};

pub use separation::Separation;
pub use subject::{Subject, featurize};

use crate::atoms::Atoms;
use crate::bounds::{Bound, BoundStep, one_step};
use driftline_core::Result;
use driftline_core::data::{Benchmark, LabeledDomain, Labels, Windowing};
use driftline_core::random::Seed;
use driftline_drift::transport::WInfinity;
use driftline_models::linear::{BiasRule, MarginLearner, MarginModel, NormBall};
use driftline_models::loss::margin::MarginLoss;

/// What can be said of an assumption.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AssumptionVerdict {
    /// It holds for the windows as finite distributions.
    Holds,
    Violated,
    /// Nothing seen contradicts it, and without labels nothing more can be said.
    NotRefuted,
    /// The theory does not speak of such models or data.
    NotApplicable,
}

/// One step of the drift, from a window (or the source) to the next.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Shift {
    /// The window that is reached, from 1.
    pub window: usize,
    pub examples: usize,
    /// W∞ between all inputs, labels aside: at most ρ if P(Y) stays.
    pub unlabeled: WInfinity,
    /// W∞ between two halves of the earlier window, within classes where its labels are known: what the distance shows
    /// where nothing shifts at all.
    pub floor: WInfinity,
    /// The distance of the means less three standard errors: below the ρ of the populations where P(Y) stays, almost
    /// surely where features are uncorrelated.
    pub certain: f64,
    /// How far the mean of one window lies outside the other: below the windows' ρ whatever happened to P(Y).
    #[serde(default)]
    pub beyond: f64,
    /// ρ, the largest W∞ within a class, where the answer key has the labels.
    pub rho: Option<WInfinity>,
    /// The largest change of a class's share.
    pub label_shift: Option<f64>,
    /// L_r of the model before and after the step, on the earlier and the later window.
    pub loss_before: Option<f64>,
    pub loss_after: Option<f64>,
    /// The smallest ramp loss found in the class on the later window: α* is at most this.
    pub best: Option<f64>,
    /// What bounds α* from below.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub separation: Option<Separation>,
    pub bound: Option<Bound>,
}

impl Shift {
    /// A ρ that the windows cannot be below: from their labels where they are known.
    fn least_rho(&self) -> f64 {
        self.rho.map_or(self.beyond, |rho| rho.lower)
    }

    /// The measured loss beside a bound that it can exceed.
    fn compared(&self) -> Option<(f64, f64)> {
        let bound = self.bound.as_ref().filter(|bound| !bound.vacuous)?;
        Some((self.loss_after?, bound.value))
    }
}

/// The summary of a drift.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Assumptions {
    /// R, the largest ‖w‖ of the models, where they are linear in two classes.
    pub radius: Option<f64>,
    /// 1/R.
    pub margin: Option<f64>,
    /// B, from the largest E‖X‖² of a window.
    pub b: f64,
    pub steps: Vec<Shift>,
    pub gradual_shift: AssumptionVerdict,
    pub no_label_shift: AssumptionVerdict,
    /// Whether every window has a classifier that is better than a constant: the theorem then holds with α* = `best`, whose
    /// size says the rest. Violated where none of the class can be.
    pub separation: AssumptionVerdict,
    pub best: Option<f64>,
    /// Steps whose bound is below 1.
    pub telling_bounds: usize,
    /// Of the steps of [`Self::bounds_compared`], those whose loss is above the bound: none where students minimise the ramp loss, as the theorem has it.
    pub bounds_exceeded: usize,
    /// What a reader should know, in sentences.
    pub notes: Vec<String>,
}

impl Assumptions {
    /// Steps with a bound below 1 and a measured loss beside it: only these can exceed theirs.
    pub fn bounds_compared(&self) -> usize {
        self.steps.iter().filter_map(Shift::compared).count()
    }
}

/// Measures a drift. `subject` is the source model and, where there are any, the models after each window.
pub fn check_assumptions(
    benchmark: &Benchmark,
    windowing: &Windowing,
    subject: &Subject<'_>,
    seed: Seed,
) -> Result<Assumptions> {
    let windows = benchmark.task.intermediate.split(windowing)?.windows;
    let source = &benchmark.task.source;
    let mut notes = Vec::new();
    let models = match subject {
        Subject::Linear(models) => models,
        Subject::Opaque(reason) => {
            notes.push(format!(
                "R, the margin and the bounds: not applicable ({reason})"
            ));
            &[][..]
        }
    };
    let n_classes = source.labels().n_classes();
    if n_classes > 2 && !models.is_empty() {
        notes.push(format!(
            "the theory speaks of two classes, not of {n_classes}"
        ));
    }
    let models = if n_classes == 2 { models } else { &[] };
    let radius = models.iter().map(MarginModel::norm).fold(None, larger);
    let answers = benchmark.answers.intermediate.as_ref();
    if answers.is_none() {
        notes.push("the stream has no labels: ρ is bounded from below only".into());
    }
    let mut steps: Vec<Shift> = Vec::new();
    let mut b = measure::second_moment(source.inputs());
    let mut earlier = Window {
        inputs: source.inputs().clone(),
        labels: Some(source.labels().clone()),
    };
    for (t, range) in windows.into_iter().enumerate() {
        let later = Window {
            inputs: benchmark.task.intermediate.inputs().slice(range.clone()),
            labels: answers.map(|labels| labels.slice(range)),
        };
        b = b.max(measure::second_moment(&later.inputs));
        let seed = seed.nth(t);
        let mut step = Shift {
            window: t + 1,
            examples: later.inputs.len(),
            unlabeled: measure::between(&earlier.inputs, &later.inputs, seed)?,
            floor: measure::floor(
                &earlier.inputs,
                earlier.labels.as_ref(),
                seed.named("floor"),
            )?,
            certain: measure::certain_shift(&earlier.inputs, &later.inputs),
            beyond: measure::beyond(&earlier.inputs, &later.inputs),
            rho: None,
            label_shift: None,
            loss_before: None,
            loss_after: None,
            best: None,
            separation: None,
            bound: None,
        };
        if let (Some(before), Some(after)) = (&earlier.labels, &later.labels) {
            let pair = (&earlier.inputs, before, &later.inputs, after);
            step.rho = measure::rho(pair, seed.named("classes"))?;
            step.label_shift = Some(measure::label_shift(before, after));
        }
        if let Some(radius) = radius {
            judge(&mut step, models, radius, &earlier, &later, seed)?;
        }
        steps.push(step);
        earlier = later;
    }
    Ok(summary(radius, b.sqrt(), steps, notes))
}

/// A window with its labels, where they are known.
struct Window {
    inputs: driftline_core::data::Inputs,
    labels: Option<Labels>,
}

impl Window {
    fn atoms(&self) -> Result<Option<Atoms>> {
        let Some(labels) = &self.labels else {
            return Ok(None);
        };
        let domain = LabeledDomain::new(self.inputs.clone(), labels.clone())?;
        Atoms::from_sample(&domain).map(Some)
    }
}

/// Losses, α* and the bound of one step, where labels and models allow.
fn judge(
    step: &mut Shift,
    models: &[MarginModel],
    radius: f64,
    earlier: &Window,
    later: &Window,
    seed: Seed,
) -> Result<()> {
    let (Some(before), Some(after)) = (earlier.atoms()?, later.atoms()?) else {
        return Ok(());
    };
    // Without a trace, every step is judged for the source model.
    let teacher = models.get(step.window - 1).or(models.first());
    let student = models.get(step.window);
    let class = NormBall::new(driftline_core::data::Positive::new(radius)?, BiasRule::Free);
    // Any member of the class bounds α* from above; on the line the ramp minimiser itself is cheap.
    let loss = if after.dimension() == 1 {
        MarginLoss::Ramp
    } else {
        MarginLoss::Hinge
    };
    let fitted = match MarginLearner::new(loss, class).minimize(after.points(), teacher, seed) {
        Ok(fitted) => Some(fitted),
        // The models at hand bound α* as well, only less tightly.
        Err(driftline_core::Error::NotConverged { .. }) => None,
        Err(error) => return Err(error),
    };
    let known = [fitted.as_ref(), teacher, student];
    step.best = known
        .into_iter()
        .flatten()
        .map(|m| after.ramp_loss(m))
        .reduce(f64::min);
    step.separation = Some(Separation::of(&after, radius));
    step.loss_before = teacher.map(|model| before.ramp_loss(model));
    step.loss_after = student.map(|model| after.ramp_loss(model));
    if let (Some(rho), Some(label_shift), Some(loss), Some(best)) =
        (step.rho, step.label_shift, step.loss_before, step.best)
    {
        let known = BoundStep {
            rho: rho.upper,
            label_shift,
        };
        step.bound = Some(one_step(&class, &known, loss, best, None));
    }
    Ok(())
}

fn larger(so_far: Option<f64>, value: f64) -> Option<f64> {
    Some(so_far.map_or(value, |so_far: f64| so_far.max(value)))
}

/// Whether ρ < 1/R in every step. The distance of the means decides nothing: it is below ρ only where P(Y) stays.
fn gradual_shift(margin: f64, steps: &[Shift], notes: &mut Vec<String>) -> AssumptionVerdict {
    let far = |step: &&Shift| step.least_rho() >= margin;
    if steps.iter().filter(far).count() > 0 {
        if steps.iter().filter(far).any(|step| step.rho.is_some()) {
            notes.push(
                "ρ between the windows is at least 1/R; part of it is sampling (compare `floor`), so the populations may \
                 still shift gradually"
                    .into(),
            );
        }
        return AssumptionVerdict::Violated;
    }
    let unlabeled = |step: &&Shift| step.rho.is_none() && step.certain >= margin;
    let moved = steps.iter().filter(unlabeled).count();
    if moved > 0 {
        notes.push(format!(
            "in {moved} steps without labels the means move by at least 1/R: the shift is not gradual, or class shares change"
        ));
    }
    let within = |step: &Shift| step.rho.is_some_and(|rho| rho.upper < margin);
    if steps.iter().all(within) {
        AssumptionVerdict::Holds
    } else {
        AssumptionVerdict::NotRefuted
    }
}

fn summary(radius: Option<f64>, b: f64, steps: Vec<Shift>, mut notes: Vec<String>) -> Assumptions {
    let margin = radius.map(|r| 1.0 / r);
    let gradual_shift = match margin {
        None => AssumptionVerdict::NotApplicable,
        Some(margin) => gradual_shift(margin, &steps, &mut notes),
    };
    let shifts: Option<Vec<f64>> = steps.iter().map(|s| s.label_shift).collect();
    let no_label_shift = match shifts {
        None => AssumptionVerdict::NotRefuted,
        Some(shifts) if shifts.iter().all(|&s| s < 1e-9) => AssumptionVerdict::Holds,
        Some(_) => AssumptionVerdict::Violated,
    };
    let best = steps.iter().filter_map(|s| s.best).fold(None, larger);
    let separation = match radius {
        None => AssumptionVerdict::NotApplicable,
        Some(_) => separation::verdict(steps.iter().map(|s| s.separation.zip(s.best))),
    };
    let exceeded = |s: &&Shift| {
        s.compared()
            .is_some_and(|(loss, bound)| loss > bound + 1e-6)
    };
    let telling = |s: &&Shift| s.bound.as_ref().is_some_and(|bound| !bound.vacuous);
    Assumptions {
        radius,
        margin,
        b,
        gradual_shift,
        no_label_shift,
        separation,
        best,
        telling_bounds: steps.iter().filter(telling).count(),
        bounds_exceeded: steps.iter().filter(exceeded).count(),
        steps,
        notes,
    }
}
