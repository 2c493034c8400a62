//! How long and in which order a model sees its examples: shared by every model that learns in mini-batches.

use std::num::NonZeroUsize;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::augmentation::Augmentation;
use super::optimizer::{Adam, Optimizer};
use crate::data::{Fraction, Positive};
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
    /// Images are moved a little, anew in every epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub augment: Option<Augmentation>,
    /// Examples are mixed: λ·x + (1−λ)·x′ with targets likewise, x′ another of the batch, λ uniform in [1 − this, 1].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mixing: Option<Fraction>,
    /// The gradient is taken at x + this·sign(∂L/∂x) instead of at x: adversarial training.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adversarial: Option<Positive>,
    /// The model that comes out, and teaches the next, is the running average of the weights on the way:
    /// w̄ ← this·w̄ + (1 − this)·w after every step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub average: Option<Fraction>,
}

impl Training {
    /// Batches of 32 and Adam, as in every experiment of the paper; only the number of epochs differs.
    pub fn paper(epochs: NonZeroUsize) -> Self {
        Self {
            epochs,
            batch_size: NonZeroUsize::new(32).expect("32 is not 0"),
            optimizer: Adam::paper().into(),
            sharpness: None,
            augment: None,
            mixing: None,
            adversarial: None,
            average: None,
        }
    }

    /// The first setting that only networks know, if any is on.
    pub(crate) fn for_networks_only(&self) -> Option<&'static str> {
        let settings = [
            ("sharpness", self.sharpness.is_some()),
            ("augment", self.augment.is_some()),
            ("mixing", self.mixing.is_some()),
            ("adversarial", self.adversarial.is_some()),
            ("average", self.average.is_some()),
        ];
        settings.iter().find(|(_, on)| *on).map(|(name, _)| *name)
    }

    /// The order in which `n` examples are seen in one epoch, to be cut into batches (the last may be smaller).
    pub fn epoch_order(&self, n: usize, epoch: usize, seed: Seed) -> Vec<usize> {
        permutation(n, seed.named("batches").nth(epoch))
    }
}
