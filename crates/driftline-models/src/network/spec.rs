//! A network as an experiment file says it.

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Architecture, NetworkLearner, Steps};
use crate::kinds::written;
use crate::training::Training;
use crate::{AnyLearner, Learner};
use driftline_core::Result;

/// A neural network.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct NetworkSpec {
    pub architecture: ArchitectureSpec,
    /// How a step goes on from a model; it learns the labels given if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<Steps>,
}

/// An architecture by its name, or layer by layer.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ArchitectureSpec {
    /// Three convolutions of 32 channels, dropout, batch norm.
    PaperConv,
    /// The same without dropout and batch norm.
    UnregularizedConv,
    /// A fourth convolution.
    DeeperConv,
    /// This many channels in each convolution.
    WiderConv(NonZeroUsize),
    /// A dense layer of this many units before the output.
    ExtraDense(NonZeroUsize),
    /// Two dense layers of 32, dropout, batch norm.
    Mlp,
    /// Convolutions with batch norm, two residual blocks, the mean over all pixels.
    Residual,
    Layers(Architecture),
}

impl NetworkSpec {
    pub(crate) fn learner(settings: &Value, training: &Training) -> Result<AnyLearner> {
        let spec: Self = written(NetworkLearner::KIND, settings)?;
        Ok(spec.network(training).into())
    }

    pub(super) fn network(self, training: &Training) -> NetworkLearner {
        NetworkLearner {
            steps: self.steps,
            ..NetworkLearner::new(self.architecture.architecture(), *training)
        }
    }
}

impl ArchitectureSpec {
    pub(crate) fn architecture(self) -> Architecture {
        match self {
            ArchitectureSpec::PaperConv => Architecture::paper_conv(),
            ArchitectureSpec::UnregularizedConv => Architecture::unregularized_conv(),
            ArchitectureSpec::DeeperConv => Architecture::deeper_conv(),
            ArchitectureSpec::WiderConv(channels) => Architecture::wider_conv(channels),
            ArchitectureSpec::ExtraDense(units) => Architecture::extra_dense(units),
            ArchitectureSpec::Mlp => Architecture::mlp(),
            ArchitectureSpec::Residual => Architecture::residual(),
            ArchitectureSpec::Layers(architecture) => architecture,
        }
    }
}
