//! Training: the encoder once, on the source and with an output of its own; then, and in every later step, the head alone.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::model::FrozenEncoder;
use crate::kinds::written;
use crate::network::{Architecture, ArchitectureSpec, NetworkLearner};
use crate::training::Training;
use crate::{AnyLearner, Arrays, Learner, Runtime};
use driftline_core::data::{Examples, NonNegative, Shape};
use driftline_core::random::Seed;
use driftline_core::{Error, Result};

/// A frozen encoder with a head, as a file says it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct FrozenEncoderSpec {
    /// The network whose layers before the last are kept.
    pub encoder: ArchitectureSpec,
    /// What learns on its features; one output layer if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<ArchitectureSpec>,
}

/// Trains [`FrozenEncoder`]s.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FrozenEncoderLearner {
    pub encoder: Architecture,
    pub head: Architecture,
    pub training: Training,
    /// Not part of what is learned, hence not of any file.
    #[serde(skip)]
    pub runtime: Runtime,
}

impl FrozenEncoderSpec {
    pub(crate) fn learner(settings: &Value, training: &Training) -> Result<AnyLearner> {
        let spec: Self = written(FrozenEncoderLearner::KIND, settings)?;
        let linear = || Architecture::linear(NonNegative::new(0.0).expect("0 is not negative"));
        let head = spec
            .head
            .map_or_else(linear, ArchitectureSpec::architecture);
        let learner = FrozenEncoderLearner::new(spec.encoder.architecture(), head, *training);
        Ok(learner.into())
    }
}

impl FrozenEncoderLearner {
    pub fn new(encoder: Architecture, head: Architecture, training: Training) -> Self {
        Self {
            encoder,
            head,
            training,
            runtime: Runtime::default(),
        }
    }

    fn network(&self, architecture: &Architecture) -> NetworkLearner {
        let learner = NetworkLearner::new(architecture.clone(), self.training);
        Learner::with_runtime(learner, &self.runtime)
    }

    /// The examples as the head sees them.
    fn encoded(start: &FrozenEncoder, examples: &Examples) -> Result<Examples> {
        let features = start.encoded(examples.inputs())?.into_owned();
        examples.with_inputs(features)
    }
}

impl Learner for FrozenEncoderLearner {
    const KIND: &'static str = "frozen-encoder";

    type Model = FrozenEncoder;

    fn fit(&self, examples: &Examples, seed: Seed) -> Result<FrozenEncoder> {
        let encoder = self.network(&self.encoder);
        let encoder = encoder.fit(examples, seed.named("encoder"))?;
        let encoder = self.network(&self.encoder).forget(&encoder);
        let features = encoder.encoded(examples.inputs())?;
        if features.shape() == examples.inputs().shape() && features != *examples.inputs() {
            return Err(Error::out_of_range(
                "the encoder's number of features",
                features.shape(),
                "another than that of its inputs, so that the two can be told apart: give its last hidden layer more or fewer units",
            ));
        }
        let head = self.network(&self.head);
        let head = head.fit(&examples.with_inputs(features)?, seed.named("head"))?;
        Ok(FrozenEncoder { encoder, head })
    }

    fn refit(
        &self,
        start: &FrozenEncoder,
        examples: &Examples,
        seed: Seed,
    ) -> Result<FrozenEncoder> {
        if *start.encoder.blueprint().architecture() != self.encoder {
            return Err(Error::NoWarmStart);
        }
        let examples = Self::encoded(start, examples)?;
        let head = self.network(&self.head);
        Ok(FrozenEncoder {
            encoder: start.encoder.clone(),
            head: head.refit(&start.head, &examples, seed)?,
        })
    }

    fn forget(&self, model: &FrozenEncoder) -> FrozenEncoder {
        FrozenEncoder {
            encoder: model.encoder.clone(),
            head: self.network(&self.head).forget(&model.head),
        }
    }

    fn with_runtime(self, runtime: &Runtime) -> Self {
        let runtime = runtime.clone();
        Self { runtime, ..self }
    }

    fn restore(description: &Value, arrays: &mut Arrays<'_>) -> Result<FrozenEncoder, String> {
        FrozenEncoder::restore(description, arrays)
    }

    fn depends_on_isa(&self) -> bool {
        true
    }

    /// As if the encoder, too, were trained in every step: true of the source, and above what a step takes.
    fn work(&self, shape: Shape, n_classes: usize) -> f64 {
        self.network(&self.encoder).work(shape, n_classes)
    }
}
