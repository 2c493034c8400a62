//! The choice of a model at run time, in one place: a serialisable learner and the model it makes.

use serde::{Deserialize, Serialize};

use super::arrays::{Array, Arrays};
use super::linear::{
    LinearDescription, LinearLearner, LinearModel, MarginDescription, MarginLearner, MarginModel,
};
use super::network::{Description as NetworkDescription, Network, NetworkLearner, Runtime};
use super::{Classifier, Learner};
use crate::data::{Examples, Inputs, Labels, Probabilities, Shape};
use crate::random::Seed;
use crate::{Error, Result};

/// Any learner of the library.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AnyLearner {
    Linear(LinearLearner),
    Network(NetworkLearner),
    Margin(MarginLearner),
}

/// A model made by an [`AnyLearner`].
#[derive(Clone, Debug, PartialEq)]
pub enum AnyModel {
    Linear(LinearModel),
    Network(Network),
    Margin(MarginModel),
}

/// What the arrays of a stored model are to be taken for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ModelDescription {
    Linear(LinearDescription),
    Network(NetworkDescription),
    Margin(MarginDescription),
}

impl AnyLearner {
    /// The same learner, computing in another way.
    pub fn with_runtime(mut self, runtime: Runtime) -> Self {
        match &mut self {
            AnyLearner::Linear(_) | AnyLearner::Margin(_) => {}
            AnyLearner::Network(learner) => learner.runtime = runtime,
        }
        self
    }

    /// Whether roundings depend on the instruction set.
    pub fn depends_on_isa(&self) -> bool {
        match self {
            AnyLearner::Linear(_) | AnyLearner::Margin(_) => false,
            AnyLearner::Network(_) => true,
        }
    }
}

impl AnyModel {
    /// The same model, computing in another way.
    pub fn with_runtime(self, runtime: Runtime) -> Result<Self> {
        match self {
            AnyModel::Network(model) => model.with_runtime(runtime).map(AnyModel::Network),
            other => Ok(other),
        }
    }

    /// `linear`, `network` or `margin`.
    pub fn kind(&self) -> &'static str {
        match self {
            AnyModel::Linear(_) => "linear",
            AnyModel::Network(_) => "network",
            AnyModel::Margin(_) => "margin",
        }
    }

    pub(crate) fn store(&self) -> (ModelDescription, Vec<Array>) {
        match self {
            AnyModel::Linear(model) => (
                ModelDescription::Linear(model.description()),
                model.arrays(),
            ),
            AnyModel::Network(model) => (
                ModelDescription::Network(model.description()),
                model.arrays(),
            ),
            AnyModel::Margin(model) => (
                ModelDescription::Margin(model.description()),
                model.arrays(),
            ),
        }
    }

    /// The model that was stored so; the message says what is wrong otherwise.
    pub(crate) fn restore(
        description: ModelDescription,
        arrays: &mut Arrays<'_>,
    ) -> std::result::Result<Self, String> {
        match description {
            ModelDescription::Linear(linear) => {
                LinearModel::restore(linear, arrays).map(AnyModel::Linear)
            }
            ModelDescription::Network(network) => {
                Network::restore(network, arrays).map(AnyModel::Network)
            }
            ModelDescription::Margin(margin) => {
                MarginModel::restore(margin, arrays).map(AnyModel::Margin)
            }
        }
    }

    fn classifier(&self) -> &dyn Classifier {
        match self {
            AnyModel::Linear(model) => model,
            AnyModel::Network(model) => model,
            AnyModel::Margin(model) => model,
        }
    }
}

impl Classifier for AnyModel {
    fn shape(&self) -> Shape {
        self.classifier().shape()
    }

    fn n_classes(&self) -> usize {
        self.classifier().n_classes()
    }

    fn probabilities(&self, inputs: &Inputs) -> Result<Probabilities> {
        self.classifier().probabilities(inputs)
    }

    fn assess(&self, inputs: &Inputs) -> Result<(Labels, Probabilities)> {
        self.classifier().assess(inputs)
    }

    fn margin(&self) -> Option<MarginModel> {
        self.classifier().margin()
    }
}

impl Learner for AnyLearner {
    type Model = AnyModel;

    fn fit(&self, examples: &Examples, seed: Seed) -> Result<AnyModel> {
        match self {
            AnyLearner::Linear(learner) => learner.fit(examples, seed).map(AnyModel::Linear),
            AnyLearner::Network(learner) => learner.fit(examples, seed).map(AnyModel::Network),
            AnyLearner::Margin(learner) => learner.fit(examples, seed).map(AnyModel::Margin),
        }
    }

    fn refit(&self, start: &AnyModel, examples: &Examples, seed: Seed) -> Result<AnyModel> {
        match (self, start) {
            (AnyLearner::Linear(learner), AnyModel::Linear(start)) => {
                learner.refit(start, examples, seed).map(AnyModel::Linear)
            }
            (AnyLearner::Network(learner), AnyModel::Network(start)) => {
                learner.refit(start, examples, seed).map(AnyModel::Network)
            }
            (AnyLearner::Margin(learner), AnyModel::Margin(start)) => {
                learner.refit(start, examples, seed).map(AnyModel::Margin)
            }
            _ => Err(Error::NoWarmStart),
        }
    }

    fn forget(&self, model: &AnyModel) -> AnyModel {
        match (self, model) {
            (AnyLearner::Linear(learner), AnyModel::Linear(model)) => {
                AnyModel::Linear(learner.forget(model))
            }
            (AnyLearner::Network(learner), AnyModel::Network(model)) => {
                AnyModel::Network(learner.forget(model))
            }
            // Margin models carry no optimiser state, and a model of another kind has none to clear here.
            _ => model.clone(),
        }
    }

    fn tuned(&self, source: &Examples, seed: Seed) -> Result<Self> {
        match self {
            AnyLearner::Linear(learner) => learner.tuned(source, seed).map(AnyLearner::Linear),
            AnyLearner::Network(_) => Ok(self.clone()),
            AnyLearner::Margin(learner) => learner.tuned(source, seed).map(AnyLearner::Margin),
        }
    }
}
