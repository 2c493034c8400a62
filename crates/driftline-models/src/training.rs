//! How long and in which order a model sees its examples: shared by every model that learns in mini-batches.

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};

use super::augmentation::Augmentation;
use super::optimizer::{Adam, Optimizer};
use driftline_core::data::{Fraction, Positive};
use driftline_core::random::{Seed, permutation};
use driftline_core::{Error, Result};

/// Mini-batch training.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        rename = "mixing",
        alias = "mixup"
    )]
    pub mixup: Option<Fraction>,
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
            mixup: None,
            adversarial: None,
            average: None,
        }
    }

    /// Refuses the settings that only networks know, for a `model` that is none.
    pub(crate) fn refuse_for_networks_only(&self, model: &str) -> Result<()> {
        let settings = [
            ("sharpness", self.sharpness.is_some()),
            ("augment", self.augment.is_some()),
            ("mixup", self.mixup.is_some()),
            ("adversarial", self.adversarial.is_some()),
            ("average", self.average.is_some()),
        ];
        match settings.iter().find(|(_, on)| *on) {
            None => Ok(()),
            Some((setting, _)) => Err(Error::Experiment {
                field: format!("training.{setting}"),
                message: format!("goes with networks only; {model} has no such step"),
            }),
        }
    }

    /// The order in which `n` examples are seen in one epoch, to be cut into batches (the last may be smaller).
    pub fn epoch_order(&self, n: usize, epoch: usize, seed: Seed) -> Vec<usize> {
        permutation(n, seed.named("batches").nth(epoch))
    }
}
