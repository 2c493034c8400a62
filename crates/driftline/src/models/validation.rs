//! How well the source model does on source rows that it was not trained on: the level that adaptation starts from.

use serde::{Deserialize, Serialize};

use crate::Result;
use crate::data::{Examples, LabeledDomain};
use crate::evaluate::Proportion;
use crate::models::any::AnyLearner;
use crate::models::{Classifier, Learner};
use crate::random::{Seed, permutation};

/// Rows are cut into so many folds at random.
const FOLDS: usize = 5;
/// Up to here a linear model is scored on all folds; else on one, which then has enough rows.
const SCORE_ALL_BELOW: usize = 10_000;

/// Accuracy on held-out source rows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Validation {
    pub accuracy: f64,
    /// 90 % interval.
    pub low: f64,
    pub high: f64,
    /// Rows scored.
    pub n: usize,
    /// How many of five folds were held out, each from a model trained on the other four.
    pub folds: usize,
    /// The mean of the highest probability on the same rows.
    pub confidence: f64,
}

/// Trains on four fifths and scores on the fifth held out, for one fold or for all. `None` with fewer than ten rows.
pub(super) fn validate(
    learner: &AnyLearner,
    source: &LabeledDomain,
    seed: Seed,
) -> Result<Option<Validation>> {
    let n = source.len();
    if n < 2 * FOLDS {
        return Ok(None);
    }
    let cheap = matches!(learner, AnyLearner::Linear(_)) && n <= SCORE_ALL_BELOW;
    let folds = if cheap { FOLDS } else { 1 };
    let order = permutation(n, seed.named("validation"));
    let (mut hits, mut scored, mut confidence) = (0, 0, 0.0);
    for fold in 0..folds {
        let part = |held_out: bool| -> Vec<usize> {
            let rows = order.iter().enumerate();
            rows.filter(|(place, _)| (place % FOLDS == fold) == held_out)
                .map(|(_, &row)| row)
                .collect()
        };
        let training = Examples::from(&source.pick(&part(false)));
        let model = learner.fit(&training, seed.named("fold").nth(fold))?;
        let held_out = source.pick(&part(true));
        let (labels, probabilities) = model.assess(held_out.inputs())?;
        let right = held_out.labels().as_slice();
        hits += labels
            .as_slice()
            .iter()
            .zip(right)
            .filter(|(a, b)| a == b)
            .count();
        confidence += probabilities
            .iter()
            .map(|row| f64::from(row.iter().copied().fold(0.0, f32::max)))
            .sum::<f64>();
        scored += held_out.len();
    }
    let share = Proportion::new(hits, scored);
    let (low, high) = share.interval();
    Ok(Some(Validation {
        accuracy: share.estimate().unwrap_or(0.0),
        low,
        high,
        n: scored,
        folds,
        confidence: confidence / scored as f64,
    }))
}
