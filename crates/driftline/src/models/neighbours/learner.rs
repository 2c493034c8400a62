//! How a model of nearest neighbours comes about: it keeps the examples, and `k` is given or chosen on the source.

use std::num::NonZeroUsize;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::choice;
use super::model::NeighboursModel;
use crate::data::Examples;
use crate::models::{Classifier, Learner};
use crate::random::Seed;
use crate::{Error, Result};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
}

impl Learner for NeighboursLearner {
    type Model = NeighboursModel;

    fn fit(&self, examples: &Examples, seed: Seed) -> Result<NeighboursModel> {
        examples.expect_trainable()?;
        let k = match self.k {
            Some(k) => k,
            None => choice::choose(examples, seed)?,
        };
        NeighboursModel::new(examples, k)
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

    fn tuned(&self, source: &Examples, seed: Seed) -> Result<Self> {
        Ok(match self.k {
            Some(_) => *self,
            None => Self::new(choice::choose(source, seed)?),
        })
    }
}
