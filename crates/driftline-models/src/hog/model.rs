//! The model: softmax(W·h(x) + b), h being the histograms. Inputs may also be features already.

use std::borrow::Cow;

use super::histograms::Histograms;
use crate::linear::LinearModel;
use crate::onnx::{self, Graph, Node};
use crate::{Classifier, Stored};
use driftline_core::data::{Fraction, Inputs, Probabilities, Shape};
use driftline_core::{Error, Result};

/// A linear model on histograms of gradients.
#[derive(Clone, Debug, PartialEq)]
pub struct HogModel {
    pub(super) input: Shape,
    pub(super) histograms: Histograms,
    pub(super) head: LinearModel,
}

impl HogModel {
    pub fn head(&self) -> &LinearModel {
        &self.head
    }

    /// Refuses what is neither an image nor the features of one.
    pub(super) fn expect(&self, shape: Shape) -> Result<()> {
        match self.takes(shape) {
            true => Ok(()),
            false => Err(Error::mismatch("one example", self.input, shape)),
        }
    }

    /// What the head sees of `inputs`.
    fn encoded<'a>(&self, inputs: &'a Inputs) -> Result<Cow<'a, Inputs>> {
        self.expect(inputs.shape())?;
        if inputs.shape() == self.head.shape() {
            return Ok(Cow::Borrowed(inputs));
        }
        self.histograms.encode(inputs).map(Cow::Owned)
    }
}

impl Classifier for HogModel {
    fn shape(&self) -> Shape {
        self.input
    }

    fn n_classes(&self) -> usize {
        self.head.n_classes()
    }

    fn probabilities(&self, inputs: &Inputs) -> Result<Probabilities> {
        self.head.probabilities(&*self.encoded(inputs)?)
    }

    fn features(&self, inputs: &Inputs) -> Result<Option<Inputs>> {
        self.encoded(inputs)
            .map(|features| Some(features.into_owned()))
    }

    fn takes(&self, shape: Shape) -> bool {
        shape == self.input || shape == self.head.shape()
    }

    fn store(&self) -> Result<Stored> {
        self.stored()
    }

    fn onnx(&self, graph: &mut Graph, input: Node) -> Result<Node> {
        let features = onnx::hog(graph, &self.histograms, self.input, input)?;
        Ok(onnx::linear(graph, &self.head, features))
    }

    fn averaged(&self, other: &Self, share: Fraction) -> Result<Self> {
        if other.histograms != self.histograms {
            return Err(Error::NoWarmStart);
        }
        Ok(Self {
            head: self.head.averaged(&other.head, share)?,
            ..self.clone()
        })
    }

    fn n_parameters(&self) -> usize {
        self.head.n_parameters()
    }
}
