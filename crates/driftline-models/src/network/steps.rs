//! How a network goes on from a model in a step of adaptation, where that is not training on the labels given.

use serde::{Deserialize, Serialize};

use driftline_core::data::{Examples, Positive};
use driftline_core::{Error, Result};

/// What a step changes; the source model is always trained on its labels.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Steps {
    /// Batch-norm adaptation: nothing learned changes; the statistics that batch norms keep become the means over the
    /// window's batches. No label is looked at.
    Statistics,
    /// Entropy minimisation (TENT, Wang et al. 2021): the window's statistics as above, then scales and shifts of batch
    /// norms alone go down the gradient of H(p) = −Σ p·log p. No label is looked at.
    Entropy,
    /// Domain-adversarial training (Ganin et al. 2016): the labels of the replayed source, and features that a linear unit
    /// cannot tell source and window apart by. Labels of the window are not looked at.
    #[serde(rename = "reversal", alias = "dann")]
    #[cfg_attr(feature = "schema", schemars(rename = "dann"))]
    Dann {
        /// λ: how much the reversed gradient of the domain's loss counts.
        weight: Positive,
    },
}

/// What the loss of a batch is about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Objective {
    /// The targets.
    Labels,
    /// Nothing but how sure the network is.
    Entropy,
    /// The targets of examples from `source` on; and which side of it each example is from, counted `weight` times and
    /// reversed.
    Dann { source: usize, weight: f32 },
}

impl Steps {
    pub(super) fn objective(self, examples: &Examples) -> Result<Objective> {
        Ok(match self {
            Steps::Statistics | Steps::Entropy => Objective::Entropy,
            Steps::Dann { weight } => Objective::Dann {
                source: examples.joined_at().ok_or_else(|| {
                    Error::mismatch(
                        "`steps.reversal`",
                        "the labelled source beside the window: set `self-training.replay`",
                        "the window alone",
                    )
                })?,
                weight: weight.get() as f32,
            },
        })
    }
}
