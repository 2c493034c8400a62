//! Images, whose worlds cannot be made by moving pixels: the paper's condition instead. The plain chain is deployed once the
//! source model is clearly less sure of the window than of its source, as long as every step so far was small against the
//! distance of the classes and the chain is at least as sure of the window before it learns from it.

use super::findings::{ImageConfidence, ImageFindings};
use super::memory::Memory;
use super::source_profile;
use driftline_adapt::Context;
use driftline_adapt::policy::{Decision, PolicyOutcome, Proposal};
use driftline_core::Result;
use driftline_core::data::{Inputs, LabeledDomain};
use driftline_drift::{Change, Known, Standardizer, class_distance};
use driftline_models::Classifier;

/// The source model is less sure if its confidence falls below this part.
const LESS_SURE: f64 = 0.9;
/// The part of the distance between classes that a step may be.
const SMALL: f64 = 0.25;
/// Rows that are looked at.
const ROWS: usize = 300;

pub(super) fn decide(
    ctx: &Context<'_>,
    mut memory: Memory,
    sample: &LabeledDomain,
    frame: &Standardizer,
    (window, rows): (&Inputs, &[usize]),
    proposals: &[Proposal<'_>],
) -> Result<PolicyOutcome> {
    let inputs = &window.pick(rows);
    let seed = source_profile::seed();
    let some = |inputs: &Inputs| inputs.pick(&driftline_drift::draw(inputs.len(), ROWS, seed));
    let (window, known) = (some(inputs), some(sample.inputs()));
    let sure = |model: &dyn Classifier, rows: &Inputs| {
        model
            .probabilities(rows)
            .map(|probabilities| probabilities.mean_top())
    };
    let (at_home, here) = (sure(ctx.first, &known)?, sure(ctx.first, &window)?);
    let points = |inputs: &Inputs| frame.points(&some(inputs));
    let last = ctx.previous.map(|last| points(&last.inputs));
    let (source, there) = (points(sample.inputs()), points(inputs));
    let scale = match memory.class_distance {
        Some(scale) => scale,
        None => {
            let labels = sample.labels();
            class_distance(
                &frame.points(sample.inputs()),
                labels.as_slice(),
                labels.n_classes(),
                seed,
            )
        }
    };
    memory.class_distance = Some(scale);
    let change = Change::of(
        frame,
        &source,
        last.as_ref(),
        &there,
        Known {
            explained: true,
            ..Known::default()
        },
        Some(scale),
        seed,
    );
    let step = change.from_last.unwrap_or(change.from_source).distance;
    memory.jumped |= step > SMALL * scale;
    let findings = ImageFindings {
        drift: change,
        confidence: ImageConfidence {
            source: at_home,
            window: here,
        },
        step,
        small_step: SMALL * scale,
    };
    let hold = |memory: Memory, why: &str, distrusted: bool| {
        let decision = Decision::Hold { why: why.into() };
        let mut outcome = PolicyOutcome::new(decision, memory.store());
        outcome.distrusted = distrusted;
        Ok(outcome.with_findings(&findings))
    };
    if memory.jumped {
        let why = "a step was large against the distance of the classes: self-training may have followed the wrong ones";
        return hold(memory, why, true);
    }
    let Some((place, plain)) = proposals
        .iter()
        .enumerate()
        .find(|(_, one)| one.version.is_some())
    else {
        return hold(memory, "no candidate has learned from this window", false);
    };
    let chain = sure(plain.before, &window)?;
    if memory.in_use.is_none() && here >= LESS_SURE * at_home {
        return hold(
            memory,
            "the source model is about as sure of this window as of its source",
            false,
        );
    }
    if chain < here {
        return hold(
            memory,
            "self-training is less sure of this window than the source model is",
            true,
        );
    }
    memory.in_use = Some(plain.candidate.name.clone());
    let mut outcome = PolicyOutcome::new(Decision::Deploy(place), memory.store());
    outcome.reason = Some(format!(
        "the source model is {:.0} % sure of this window and was {:.0} % sure of its source, and every step was small against \
         the distance of the classes",
        100.0 * here,
        100.0 * at_home
    ));
    Ok(outcome.with_findings(&findings))
}
