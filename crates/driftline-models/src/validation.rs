//! How well the source model does on source rows that it was not trained on: the level that adaptation starts from.

use serde::{Deserialize, Serialize};

use super::{AnyLearner, Classifier, Learner};
use driftline_core::Result;
use driftline_core::data::{Examples, Folds, LabeledDomain, Proportion};
use driftline_core::random::Seed;

/// Rows are cut into so many folds at random.
const FOLDS: usize = 5;
/// Up to here a linear model is scored on all folds; else on one, which then has enough rows.
const SCORE_ALL_BELOW: usize = 10_000;

/// Accuracy on held-out source rows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
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
pub fn validate(
    learner: &AnyLearner,
    source: &LabeledDomain,
    seed: Seed,
) -> Result<Option<Validation>> {
    let n = source.len();
    if n < 2 * FOLDS {
        return Ok(None);
    }
    let cheap = learner.kind() == "linear" && n <= SCORE_ALL_BELOW;
    let folds = if cheap { FOLDS } else { 1 };
    let split = Folds::new(n, FOLDS, seed.named("validation"));
    let (mut share, mut confidence) = (Proportion::new(0, 0), 0.0);
    for fold in 0..folds {
        let (kept, held_out) = split.split(fold);
        let training = Examples::from(&source.pick(&kept));
        let model = learner.fit(&training, seed.named("fold").nth(fold))?;
        let held_out = source.pick(&held_out);
        let (labels, probabilities) = model.assess(held_out.inputs())?;
        share += labels.agreement(held_out.labels());
        confidence += probabilities.mean_top() * held_out.len() as f64;
    }
    let (low, high) = share.interval();
    Ok(Some(Validation {
        accuracy: share.estimate().unwrap_or(0.0),
        low,
        high,
        n: share.n,
        folds,
        confidence: confidence / share.n as f64,
    }))
}
