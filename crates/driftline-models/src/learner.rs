//! What trains: the second of the two traits that a model of your own implements.

use std::fmt;

use serde::Serialize;
use serde_json::Value;

use super::any::AnyLearner;
use super::arrays::Arrays;
use super::classifier::Classifier;
use super::runtime::Runtime;
use driftline_core::data::{Examples, Positive, Shape};
use driftline_core::random::Seed;
use driftline_core::{Error, Result};

/// A way to train classifiers. All randomness comes from the seed: same examples and same seed, same bytes. Serialised, it
/// is everything that decides what is learned: part of an experiment's identity and of a model file.
pub trait Learner: Clone + Send + Sync + fmt::Debug + Serialize + 'static {
    /// The name that files and flags know its models by.
    const KIND: &'static str;

    type Model: Classifier + Clone + 'static;

    /// Trains a new model.
    fn fit(&self, examples: &Examples, seed: Seed) -> Result<Self::Model>;

    /// Trains on from `start`, whose optimiser state (if it has one) is carried on.
    fn refit(&self, start: &Self::Model, examples: &Examples, seed: Seed) -> Result<Self::Model>;

    /// The same, held to `start`: the loss gains anchor·‖θ − θ_start‖² over all weights and biases.
    fn refit_anchored(
        &self,
        _start: &Self::Model,
        _examples: &Examples,
        _anchor: Positive,
        _seed: Seed,
    ) -> Result<Self::Model> {
        Err(Error::NotSupported {
            what: format!("a model of kind `{}`", self.kind()),
            how: "anchored to the last weights".into(),
        })
    }

    /// The same model with the optimiser's memory cleared.
    fn forget(&self, model: &Self::Model) -> Self::Model {
        model.clone()
    }

    /// What the labelled source weighs in all beside a window's examples, where a step says nothing of it: for models that
    /// are fitted anew in every step, of which a window alone would keep nothing of the source.
    fn replay_share(&self) -> Option<f64> {
        None
    }

    /// This learner with every setting that is chosen by looking at data chosen on the labelled source, once and for
    /// all: pseudo-labels never decide a setting.
    fn tuned(&self, _source: &Examples, _seed: Seed) -> Result<AnyLearner> {
        Ok(AnyLearner::of(self.clone()))
    }

    /// The same learner, computing in another way: threads, instruction set, a token to stop by.
    fn with_runtime(self, _runtime: &Runtime) -> Self {
        self
    }

    /// The model that was stored so; the message says what is wrong otherwise.
    fn restore(_description: &Value, _arrays: &mut Arrays<'_>) -> Result<Self::Model, String> {
        Err(format!("models of kind `{}` are not stored", Self::KIND))
    }

    /// Whether roundings depend on the instruction set.
    fn depends_on_isa(&self) -> bool {
        false
    }

    /// About how many multiply-adds a whole training takes per example: for estimates of time.
    fn work(&self, shape: Shape, n_classes: usize) -> f64 {
        3.0 * (shape.size() * n_classes) as f64
    }

    /// Whether software of somebody else's trains its models, so that every training and every question costs a call: what
    /// only rehearses it takes fewer rows and candidates.
    fn is_foreign(&self) -> bool {
        false
    }

    /// [`Learner::KIND`], but for learners that stand for others.
    fn kind(&self) -> &str {
        Self::KIND
    }
}
