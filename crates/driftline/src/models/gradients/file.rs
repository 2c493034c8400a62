//! The model in files and as ONNX nodes: how images become histograms, and the head's arrays.

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::histograms::Histograms;
use super::learner::GradientsLearner;
use super::model::GradientsModel;
use crate::data::{Fraction, Shape};
use crate::models::linear::{LinearLearner, LinearModel};
use crate::models::onnx::{self, Graph, Node};
use crate::models::{AnyModel, Arrays, Classifier, Model, NamedLearner, Stored};
use crate::{Error, Result};

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    input: Shape,
    cell: NonZeroUsize,
    bins: NonZeroUsize,
    head: Value,
}

/// Where the head's arrays stand.
const HEAD: &str = "head.";

impl GradientsModel {
    pub(super) fn restore(description: &Value, arrays: &mut Arrays<'_>) -> Result<Self, String> {
        let Description {
            input,
            cell,
            bins,
            head,
        } = Description::deserialize(description)
            .map_err(|error| format!("the description cannot be read: {error}"))?;
        let histograms = Histograms { cell, bins };
        input
            .checked_size()
            .ok_or_else(|| format!("takes {input}, which is beyond reason"))?;
        let made = histograms.size(input).map_err(|error| error.to_string())?;
        let head: LinearModel =
            arrays.within(HEAD, |arrays| LinearLearner::restore(&head, arrays))?;
        if head.shape() != Shape::Vector(made) {
            return Err(format!(
                "its images become {made} features, and its head takes {}",
                head.shape()
            ));
        }
        Ok(Self {
            input,
            histograms,
            head,
        })
    }
}

impl Model for GradientsModel {
    fn kind(&self) -> &str {
        GradientsLearner::KIND
    }

    fn store(&self) -> Result<Stored> {
        let head = self.head.store()?;
        let Histograms { cell, bins } = self.histograms;
        let description = Description {
            input: self.input,
            cell,
            bins,
            head: head.description,
        };
        let arrays = head.arrays.into_iter().map(|array| array.under(HEAD));
        Ok(Stored {
            description: serde_json::to_value(description).expect("a description has string keys"),
            arrays: arrays.collect(),
        })
    }

    fn onnx(&self, graph: &mut Graph, input: Node) -> Result<Node> {
        let features = onnx::gradients(graph, &self.histograms, self.input, input)?;
        Ok(onnx::linear(graph, &self.head, features))
    }

    fn averaged(&self, other: &AnyModel, share: Fraction) -> Result<AnyModel> {
        let other: &Self = other
            .downcast()
            .filter(|other: &&Self| other.histograms == self.histograms)
            .ok_or(Error::NoWarmStart)?;
        let head = self
            .head
            .averaged(&AnyModel::new(other.head.clone()), share)?;
        let head: &LinearModel = head.downcast().ok_or(Error::NoWarmStart)?;
        Ok(AnyModel::new(Self {
            head: head.clone(),
            ..self.clone()
        }))
    }

    fn n_parameters(&self) -> usize {
        self.head.n_parameters()
    }
}
