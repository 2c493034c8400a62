//! How a model of nearest neighbours comes about: it keeps the examples, and `k` is given or chosen on the source.

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::choice;
use super::model::NeighboursModel;
use crate::{AnyLearner, Arrays, Classifier, Learner};
use driftline_core::data::{Examples, Shape};
use driftline_core::random::Seed;
use driftline_core::{Error, Result};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct NeighboursLearner {
    /// How many neighbours vote; if absent, the number that does best on source rows left out one at a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub k: Option<NonZeroUsize>,
}

impl NeighboursLearner {
    pub fn new(k: NonZeroUsize) -> Self {
        Self { k: Some(k) }
    }

    fn chosen(&self, examples: &Examples, seed: Seed) -> Result<NonZeroUsize> {
        self.k.map_or_else(|| choice::choose(examples, seed), Ok)
    }
}

impl Learner for NeighboursLearner {
    const KIND: &'static str = "knn";

    type Model = NeighboursModel;

    fn fit(&self, examples: &Examples, seed: Seed) -> Result<NeighboursModel> {
        examples.expect_trainable()?;
        NeighboursModel::new(examples, self.chosen(examples, seed)?)
    }

    /// The examples of `start` are let go.
    fn refit(
        &self,
        start: &NeighboursModel,
        examples: &Examples,
        seed: Seed,
    ) -> Result<NeighboursModel> {
        examples.inputs().expect_shape(start.shape())?;
        if examples.n_classes() != start.n_classes() {
            return Err(Error::mismatch(
                "the examples",
                format!("{} classes", start.n_classes()),
                examples.n_classes(),
            ));
        }
        self.fit(examples, seed)
    }

    fn tuned(&self, source: &Examples, seed: Seed) -> Result<AnyLearner> {
        Ok(Self::new(self.chosen(source, seed)?).into())
    }

    fn restore(description: &Value, arrays: &mut Arrays<'_>) -> Result<NeighboursModel, String> {
        NeighboursModel::restored(description, arrays)
    }

    /// Nothing is learned; the search costs as much as one pass over the examples for every few hundred rows.
    fn work(&self, shape: Shape, _: usize) -> f64 {
        200.0 * shape.size() as f64
    }
}
