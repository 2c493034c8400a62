//! The model: the encoder is a network without its last layer, the head a network on what that layer would have seen.
//! Inputs may also be features already; the head then takes them as they are.

use std::borrow::Cow;

use serde_json::{Value, json};

use crate::network::{Network, NetworkLearner};
use crate::onnx::{self, Graph, Node};
use crate::{Arrays, Classifier, Learner, Runtime, Stored};
use driftline_core::Result;
use driftline_core::data::{Inputs, Labels, Probabilities, Shape};

/// A frozen encoder and a head.
#[derive(Clone, Debug, PartialEq)]
pub struct FrozenEncoder {
    pub(super) encoder: Network,
    pub(super) head: Network,
}

/// Where the arrays of the two stand in a file.
const PARTS: [&str; 2] = ["encoder.", "head."];

impl FrozenEncoder {
    /// What the head sees of `inputs`, which may be that already.
    pub(super) fn encoded<'a>(&self, inputs: &'a Inputs) -> Result<Cow<'a, Inputs>> {
        if inputs.shape() == self.head.shape() {
            return Ok(Cow::Borrowed(inputs));
        }
        self.encoder.encoded(inputs).map(Cow::Owned)
    }

    pub fn encoder(&self) -> &Network {
        &self.encoder
    }

    pub fn head(&self) -> &Network {
        &self.head
    }

    pub(super) fn restore(description: &Value, arrays: &mut Arrays<'_>) -> Result<Self, String> {
        let mut part = |index: usize| {
            let name = PARTS[index].trim_end_matches('.');
            let own = description.get(name);
            let own = own.ok_or_else(|| format!("the description names no {name}"))?;
            arrays.within(PARTS[index], |arrays| NetworkLearner::restore(own, arrays))
        };
        let (encoder, head) = (part(0)?, part(1)?);
        let (made, taken) = (encoder.blueprint().features(), head.shape());
        if taken != Shape::Vector(made) || encoder.n_classes() != head.n_classes() {
            return Err(format!(
                "its encoder makes {made} features, and its head takes {taken}"
            ));
        }
        Ok(Self { encoder, head })
    }
}

impl Classifier for FrozenEncoder {
    fn shape(&self) -> Shape {
        self.encoder.shape()
    }

    fn n_classes(&self) -> usize {
        self.head.n_classes()
    }

    fn probabilities(&self, inputs: &Inputs) -> Result<Probabilities> {
        self.head.probabilities(&*self.encoded(inputs)?)
    }

    fn assess(&self, inputs: &Inputs) -> Result<(Labels, Probabilities)> {
        self.head.assess(&*self.encoded(inputs)?)
    }

    /// What the head sees: it, too, may have layers before its last.
    fn features(&self, inputs: &Inputs) -> Result<Option<Inputs>> {
        self.encoded(inputs)
            .map(|features| Some(features.into_owned()))
    }

    fn takes(&self, shape: Shape) -> bool {
        shape == self.encoder.shape() || shape == self.head.shape()
    }

    fn store(&self) -> Result<Stored> {
        let (encoder, head) = (self.encoder.store()?, self.head.store()?);
        let parts = [encoder.arrays, head.arrays].into_iter().zip(PARTS);
        Ok(Stored {
            description: json!({ "encoder": encoder.description, "head": head.description }),
            arrays: parts
                .flat_map(|(arrays, part)| arrays.into_iter().map(move |array| array.under(part)))
                .collect(),
        })
    }

    fn onnx(&self, graph: &mut Graph, input: Node) -> Result<Node> {
        let features = onnx::network_layers(graph, &self.encoder, input, PARTS[0], 1);
        Ok(onnx::network(graph, &self.head, features, PARTS[1]))
    }

    fn with_runtime(&self, runtime: &Runtime) -> Result<Option<Self>> {
        Ok(Some(Self {
            encoder: self.encoder.clone().with_runtime(runtime)?,
            head: self.head.clone().with_runtime(runtime)?,
        }))
    }

    fn n_parameters(&self) -> usize {
        let output = (self.encoder.blueprint().features() + 1) * self.encoder.n_classes();
        self.encoder.n_parameters() - output + self.head.n_parameters()
    }
}
