//! Images, whose worlds cannot be made by moving pixels: the paper's condition instead. The plain chain is deployed once the
//! source model is clearly less sure of the window than of its source, as long as every step so far was small against the
//! distance of the classes and the chain is at least as sure of the window before it learns from it.

use serde_json::json;

use super::evidence;
use crate::Result;
use crate::adapt::policy::{Decision, Judgement, Proposal};
use crate::adapt::{Context, State};
use crate::data::{Inputs, LabeledDomain};
use crate::drift::{Change, Known, PointFrame, class_distance};
use crate::models::Classifier;

/// The source model is less sure if its confidence falls below this part.
const LESS_SURE: f64 = 0.9;
/// The part of the distance between classes that a step may be.
const SMALL: f64 = 0.25;
/// Rows that are looked at.
const ROWS: usize = 300;

pub(super) fn decide(
    now: &Context<'_>,
    mut state: State,
    card: &LabeledDomain,
    frame: &PointFrame,
    (window, rows): (&Inputs, &[usize]),
    proposals: &[Proposal<'_>],
) -> Result<Judgement> {
    let inputs = &window.pick(rows);
    let seed = evidence::seed();
    let some = |inputs: &Inputs| inputs.pick(&crate::drift::draw(inputs.len(), ROWS, seed));
    let (window, known) = (some(inputs), some(card.inputs()));
    let sure = |model: &dyn Classifier, rows: &Inputs| {
        model
            .probabilities(rows)
            .map(|probabilities| probabilities.mean_top())
    };
    let (at_home, here) = (sure(now.first, &known)?, sure(now.first, &window)?);
    let points = |inputs: &Inputs| frame.points(&some(inputs));
    let last = now.previous.map(|last| points(&last.inputs));
    let (source, there) = (points(card.inputs()), points(inputs));
    let scale = match state
        .value("class-distance")
        .and_then(serde_json::Value::as_f64)
    {
        Some(scale) => scale,
        None => {
            let labels = card.labels();
            class_distance(
                &frame.points(card.inputs()),
                labels.as_slice(),
                labels.n_classes(),
                seed,
            )
        }
    };
    state.set_value("class-distance", json!(scale));
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
    let jumped = state.value("jumped").is_some() || step > SMALL * scale;
    let findings = json!({
        "drift": change, "confidence": { "source": at_home, "window": here }, "step": step,
        "small-step": SMALL * scale,
    });
    let hold = |state: State, why: &str, distrusted: bool| {
        let mut judgement = Judgement::new(Decision::Hold { why: why.into() }, state);
        judgement.distrusted = distrusted;
        judgement.findings = findings.clone();
        Ok(judgement)
    };
    if jumped {
        state.set_value("jumped", json!(true));
        let why = "a step was large against the distance of the classes: self-training may have followed the wrong ones";
        return hold(state, why, true);
    }
    let Some((place, plain)) = proposals
        .iter()
        .enumerate()
        .find(|(_, one)| one.version.is_some())
    else {
        return hold(state, "no candidate has learned from this window", false);
    };
    let chain = sure(plain.before, &window)?;
    let in_use = state.value("in-use").is_some_and(|name| !name.is_null());
    if !in_use && here >= LESS_SURE * at_home {
        return hold(
            state,
            "the source model is about as sure of this window as of its source",
            false,
        );
    }
    if chain < here {
        return hold(
            state,
            "self-training is less sure of this window than the source model is",
            true,
        );
    }
    state.set_value("in-use", json!(plain.candidate.name));
    let mut judgement = Judgement::new(Decision::Deploy(place), state);
    judgement.reason = Some(format!(
        "the source model is {:.0} % sure of this window and was {:.0} % sure of its source, and every step was small against \
         the distance of the classes",
        100.0 * here,
        100.0 * at_home
    ));
    judgement.findings = findings;
    Ok(judgement)
}
