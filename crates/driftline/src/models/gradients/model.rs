//! The model: softmax(W·h(x) + b), h being the histograms. Inputs may also be features already.

use std::borrow::Cow;

use super::histograms::Histograms;
use crate::data::{Inputs, Probabilities, Shape};
use crate::models::Classifier;
use crate::models::linear::LinearModel;
use crate::{Error, Result};

/// A linear model on histograms of gradients.
#[derive(Clone, Debug, PartialEq)]
pub struct GradientsModel {
    pub(super) input: Shape,
    pub(super) histograms: Histograms,
    pub(super) head: LinearModel,
}

impl GradientsModel {
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

impl Classifier for GradientsModel {
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
}
