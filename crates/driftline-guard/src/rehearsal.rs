//! Rehearsals on the labelled source, where the truth is known and nothing was moved: on rows drawn at random, where every
//! change is a cost, and on its later half in the order of time, where the source may drift by itself.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::profile::seed;
use super::score::Score;
use driftline_adapt::chain::Chain;
use driftline_adapt::{Candidate, Context, Stage, Version};
use driftline_core::Result;
use driftline_core::data::{Examples, LabeledDomain, Labels, Probabilities};
use driftline_core::random::permutation;
use driftline_drift::draw;
use driftline_models::{AnyLearner, AnyModel, Classifier, Learner};

/// Most blocks that the later half is cut into.
const BLOCKS: usize = 4;
/// Fewer rows are not rehearsed on.
const LEAST_ROWS: usize = 40;

/// What a candidate gains in accuracy over the model that it begins from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rehearsed {
    /// On rows drawn at random.
    pub drawn: f64,
    /// On later rows, in their order.
    pub in_order: f64,
}

impl Rehearsed {
    /// What to add to a gain that scenarios expect: all of what time has shown, and what is lost without any drift.
    pub fn gain(&self) -> f64 {
        self.in_order + self.drawn.min(0.0)
    }
}

/// Models of a part of the source, one for each learner.
struct Beginnings {
    known: LabeledDomain,
    models: Vec<(AnyLearner, AnyModel)>,
}

impl Beginnings {
    fn new(known: LabeledDomain, candidates: &[&Candidate]) -> Result<Self> {
        let mut models: Vec<(AnyLearner, AnyModel)> = vec![];
        for candidate in candidates {
            if models
                .iter()
                .all(|(learner, _)| *learner != candidate.learner)
            {
                let model = candidate.learner.fit(&Examples::from(&known), seed())?;
                models.push((candidate.learner.clone(), model));
            }
        }
        Ok(Self { known, models })
    }

    fn model(&self, candidate: &Candidate) -> &AnyModel {
        let found = self
            .models
            .iter()
            .find(|(own, _)| *own == candidate.learner);
        &found.expect("every candidate has a model").1
    }

    /// What each candidate gains in accuracy, on average over the parts, which it meets one after the other.
    fn gains(
        &self,
        ctx: &Context<'_>,
        candidates: &[&Candidate],
        parts: &[LabeledDomain],
    ) -> Result<Vec<f64>> {
        let one = |candidate: &&Candidate| {
            let first = Version::source(self.model(candidate).clone());
            let mut chain = Chain::new((*candidate).clone(), first.clone());
            let mut gain = 0.0;
            for part in parts {
                let stage = Stage::window(part.unlabeled());
                let moment = Context {
                    source: Some(&self.known),
                    source_sample: Some(&self.known),
                    deployed: &first,
                    previous: None,
                    ..ctx.at(&stage)
                };
                chain.advance(&moment)?;
                let score = |decided: Labels| Score::of(&decided, part.labels()).accuracy;
                let held = score(self.model(candidates[0]).predict(part.inputs())?);
                gain += score(chain.version().predict(part.inputs())?) - held;
            }
            Ok(gain / parts.len().max(1) as f64)
        };
        candidates.iter().map(one).collect()
    }
}

/// What the source says of models, candidates and scenarios.
pub(super) struct Rehearsal {
    /// Probabilities of every row of the sample by a model that has not seen it.
    pub held_out: Probabilities,
    /// What every candidate gains.
    pub gains: BTreeMap<String, Rehearsed>,
    /// How well every scenario foresaw the later half.
    pub history: BTreeMap<String, f64>,
    /// What the model of the earlier half says of the later rows whose classes it knows, and their classes.
    pub forward: Option<(Probabilities, Vec<u32>)>,
}

/// A part of the sample, where every training costs a call: nothing else is looked at.
pub(super) fn thinned(
    sample: &LabeledDomain,
    candidates: &[&Candidate],
    most: usize,
) -> Option<LabeledDomain> {
    let is_foreign = candidates.first()?.learner.is_foreign();
    let rows = || draw(sample.len(), most, seed().named("thinned"));
    (is_foreign && sample.len() > most).then(|| sample.pick(&rows()))
}

/// The first candidate has the model of the run. `window` is how many rows a window has.
pub(super) fn rehearse(
    ctx: &Context<'_>,
    sample: &LabeledDomain,
    candidates: &[&Candidate],
    window: usize,
) -> Result<Rehearsal> {
    let n_classes = sample.labels().n_classes();
    let order = permutation(sample.len(), seed().named("halves"));
    let (left, right) = order.split_at(order.len() / 2);
    let mut held_out = vec![0.0; sample.len() * n_classes];
    let mut drawn = vec![0.0; candidates.len()];
    for (own, other) in [(left, right), (right, left)] {
        let beginnings = Beginnings::new(sample.pick(own), candidates)?;
        let part = sample.pick(other);
        let said = match candidates.first() {
            Some(candidate) => beginnings.model(candidate).probabilities(part.inputs())?,
            None => ctx.first.probabilities(part.inputs())?,
        };
        for (&row, p) in other.iter().zip(said.iter()) {
            held_out[row * n_classes..(row + 1) * n_classes].copy_from_slice(p);
        }
        if part.len() >= LEAST_ROWS {
            let gains = beginnings.gains(ctx, candidates, &[part])?;
            drawn
                .iter_mut()
                .zip(gains)
                .for_each(|(sum, gain)| *sum += gain / 2.0);
        }
    }
    let (early, later) = (
        sample.slice(0..left.len()),
        sample.slice(left.len()..sample.len()),
    );
    let held_out = Probabilities::new(held_out, n_classes)?;
    let mut history = BTreeMap::new();
    let mut forward = None;
    let mut in_order = vec![0.0; candidates.len()];
    if is_in_time(&early, &later) && later.len() >= LEAST_ROWS {
        let blocks = (later.len() / window.max(1)).clamp(1, BLOCKS);
        let block =
            |at: usize| later.slice(at * later.len() / blocks..(at + 1) * later.len() / blocks);
        let parts: Vec<LabeledDomain> = (0..blocks).map(block).collect();
        let rows: Vec<usize> = (0..early.len()).collect();
        let known = held_out.pick(&rows);
        let beginnings = Beginnings::new(early, candidates)?;
        if let Some(candidate) = candidates.first() {
            let model = beginnings.model(candidate);
            history = super::history::history(ctx, &beginnings.known, &known, model, &parts)?;
            forward = foretold(model, &beginnings.known, &later)?;
        }
        in_order = beginnings.gains(ctx, candidates, &parts)?;
    }
    let gains = drawn.into_iter().zip(in_order);
    let named = candidates
        .iter()
        .zip(gains)
        .map(|(candidate, (drawn, in_order))| {
            (candidate.name.clone(), Rehearsed { drawn, in_order })
        });
    Ok(Rehearsal {
        held_out,
        gains: named.collect(),
        history,
        forward,
    })
}

/// Whether the rows may be in the order of time: sorted by class they are not, and the later half tells nothing.
fn is_in_time(early: &LabeledDomain, later: &LabeledDomain) -> bool {
    let counts = early.labels().counts();
    let labels = later.labels().as_slice();
    let known = labels.iter().filter(|&&class| counts[class as usize] > 0);
    early.labels().only_class().is_none() && 2 * known.count() >= labels.len()
}

/// What a model of the rows before says of later rows, where their class is one of those before.
fn foretold(
    model: &AnyModel,
    known: &LabeledDomain,
    later: &LabeledDomain,
) -> Result<Option<(Probabilities, Vec<u32>)>> {
    let counts = known.labels().counts();
    let labels = later.labels().as_slice();
    let rows: Vec<usize> = (0..labels.len())
        .filter(|&row| counts[labels[row] as usize] > 0)
        .collect();
    if rows.len() < LEAST_ROWS {
        return Ok(None);
    }
    let said = model.probabilities(&later.inputs().pick(&rows))?;
    let classes = rows.iter().map(|&row| labels[row]).collect();
    Ok(Some((said, classes)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use driftline_core::data::{Inputs, Shape};

    fn rows(classes: &[u32]) -> LabeledDomain {
        let inputs = Inputs::new(vec![0.0; classes.len()], Shape::Vector(1)).unwrap();
        LabeledDomain::new(inputs, Labels::new(classes.to_vec(), 3).unwrap()).unwrap()
    }

    #[test]
    fn rows_that_are_sorted_by_class_are_in_no_order_of_time() {
        assert!(is_in_time(&rows(&[0, 1, 0]), &rows(&[1, 0, 2])));
        assert!(!is_in_time(&rows(&[0, 0, 1]), &rows(&[1, 2, 2])));
        assert!(!is_in_time(&rows(&[0, 0]), &rows(&[0, 0])));
    }
}
