//! How long and in which order a model sees its examples: shared by every model that learns in mini-batches.

use std::num::NonZeroUsize;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::optimizer::{Adam, Optimizer};
use crate::data::Positive;
use crate::random::{Seed, permutation};

/// Mini-batch training.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Training {
    pub epochs: NonZeroUsize,
    pub batch_size: NonZeroUsize,
    pub optimizer: Optimizer,
    /// Sharpness-aware minimisation: the gradient is taken at p + ρ·g/‖g‖ instead of at p. The paper does without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sharpness: Option<Positive>,
}

impl Training {
    /// Batches of 32 and Adam, as in every experiment of the paper; only the number of epochs differs.
    pub fn paper(epochs: NonZeroUsize) -> Self {
        Self {
            epochs,
            batch_size: NonZeroUsize::new(32).expect("32 is not 0"),
            optimizer: Adam::paper().into(),
            sharpness: None,
        }
    }

    /// The order in which `n` examples are seen in one epoch, to be cut into batches (the last may be smaller).
    pub fn epoch_order(&self, n: usize, epoch: usize, seed: Seed) -> Vec<usize> {
        permutation(n, seed.named("batches").nth(epoch))
    }
}
