//! The choice of a model at run time, in one place: a serialisable learner and the model it makes.

use serde::{Deserialize, Serialize};

use super::linear::{LinearLearner, LinearModel};
use super::{Classifier, Learner};
use crate::Result;
use crate::data::{Examples, Inputs, Labels, Probabilities, Shape};
use crate::random::Seed;

/// Any learner of the library.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AnyLearner {
    Linear(LinearLearner),
}

/// A model made by an [`AnyLearner`].
#[derive(Clone, Debug, PartialEq)]
pub enum AnyModel {
    Linear(LinearModel),
}

impl AnyModel {
    fn classifier(&self) -> &dyn Classifier {
        match self {
            AnyModel::Linear(model) => model,
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
}

impl Learner for AnyLearner {
    type Model = AnyModel;

    fn fit(&self, examples: &Examples, seed: Seed) -> Result<AnyModel> {
        match self {
            AnyLearner::Linear(learner) => learner.fit(examples, seed).map(AnyModel::Linear),
        }
    }

    fn refit(&self, start: &AnyModel, examples: &Examples, seed: Seed) -> Result<AnyModel> {
        match (self, start) {
            (AnyLearner::Linear(learner), AnyModel::Linear(start)) => {
                learner.refit(start, examples, seed).map(AnyModel::Linear)
            }
        }
    }

    fn forget(&self, model: &AnyModel) -> AnyModel {
        match (self, model) {
            (AnyLearner::Linear(learner), AnyModel::Linear(model)) => {
                AnyModel::Linear(learner.forget(model))
            }
        }
    }

    fn tuned(&self, source: &Examples, seed: Seed) -> Result<Self> {
        match self {
            AnyLearner::Linear(learner) => learner.tuned(source, seed).map(AnyLearner::Linear),
        }
    }
}
