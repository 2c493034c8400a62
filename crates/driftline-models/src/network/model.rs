//! A trained network: weights, batch-norm statistics and the optimiser's memory, which together can be continued.

use super::architecture::Blueprint;
use super::inference;
use super::layers::TensorSpec;
use crate::classifier::mix;
use crate::onnx::{self, Graph, Node};
use crate::optimizer::OptimizerMemory;
use crate::{Classifier, Runtime, Stored};
use driftline_core::data::{Examples, Fraction, Inputs, Probabilities, Shape};
use driftline_core::random::Seed;
use driftline_core::{Error, Result};

/// Everything that training changes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct State {
    /// All learned tensors, one after another.
    pub weights: Vec<f32>,
    /// All moving averages, one after another.
    pub kept: Vec<f32>,
    pub memory: Option<OptimizerMemory>,
}

/// A network that classifies, and that a [`NetworkLearner`](super::NetworkLearner) can train on.
#[derive(Clone, Debug)]
pub struct Network {
    pub(super) blueprint: Blueprint,
    pub(super) state: State,
    pub(super) runtime: Runtime,
}

/// One array of a network, as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedTensor<'a> {
    /// `layer index.layer.tensor`, for example `0.conv.kernel`.
    pub name: String,
    pub dimensions: Vec<usize>,
    pub values: &'a [f32],
}

/// Networks are equal when they would predict and train alike; how fast does not matter.
impl PartialEq for Network {
    fn eq(&self, other: &Self) -> bool {
        self.blueprint == other.blueprint && self.state == other.state
    }
}

impl Network {
    /// A network with given weights, tensor after tensor in the order of [`Network::tensors`], that has not been trained.
    pub fn new(blueprint: Blueprint, weights: Vec<f32>) -> Result<Self> {
        let n = blueprint.n_parameters();
        if weights.len() != n {
            return Err(Error::mismatch(
                "the array of weights",
                format!("{n} numbers"),
                weights.len(),
            ));
        }
        if let Some(at) = weights.iter().position(|weight| !weight.is_finite()) {
            return Err(Error::out_of_range("a weight", weights[at], "finite"));
        }
        let start = |spec: &TensorSpec| match spec.name {
            "moving_variance" => 1.0,
            _ => 0.0,
        };
        let kept = blueprint.kept();
        let kept = kept
            .iter()
            .flat_map(|(_, spec)| vec![start(spec); spec.len()])
            .collect();
        Ok(Self {
            blueprint,
            state: State {
                weights,
                kept,
                memory: None,
            },
            runtime: Runtime::default(),
        })
    }

    /// Glorot-uniform kernels, U[−l, l] with l = √(6/(fan in + fan out)), a convolution's fans being its channels times
    /// its kernel's area; zero biases and shifts; unit scales.
    pub fn initial(blueprint: Blueprint, seed: Seed) -> Result<Self> {
        use rand::RngExt;
        let mut weights = Vec::with_capacity(blueprint.n_parameters());
        for (index, (layer, spec)) in blueprint.learned().iter().enumerate() {
            let mut generator = seed.nth(*layer).nth(index).generator();
            match (spec.name, &spec.dimensions[..]) {
                ("kernel", [area @ .., inputs, outputs]) => {
                    let area: usize = area.iter().product();
                    let fans = area * (inputs + outputs);
                    let limit = (6.0 / fans as f64).sqrt() as f32;
                    weights.extend((0..spec.len()).map(|_| generator.random_range(-limit..=limit)));
                }
                ("scale", _) => weights.extend(vec![1.0; spec.len()]),
                _ => weights.extend(vec![0.0; spec.len()]),
            }
        }
        Self::new(blueprint, weights)
    }

    /// The same network, computing in another way.
    pub fn with_runtime(mut self, runtime: &Runtime) -> Result<Self> {
        runtime.isa.checked()?;
        self.runtime = runtime.clone();
        Ok(self)
    }

    pub fn blueprint(&self) -> &Blueprint {
        &self.blueprint
    }

    /// What the output layer sees of every input.
    pub fn encoded(&self, inputs: &Inputs) -> Result<Inputs> {
        inputs.expect_shape(self.shape())?;
        inference::features(self, inputs)
    }

    /// How many optimiser steps the network's memory counts; 0 where it has none.
    pub fn steps(&self) -> u64 {
        self.state.memory.as_ref().map_or(0, |memory| memory.step)
    }

    /// Everything learned.
    pub fn tensors(&self) -> Vec<NamedTensor<'_>> {
        named(
            &self.blueprint,
            &self.blueprint.learned(),
            &self.state.weights,
        )
    }

    /// The moving averages of batch norms.
    pub fn statistics(&self) -> Vec<NamedTensor<'_>> {
        named(&self.blueprint, &self.blueprint.kept(), &self.state.kept)
    }

    /// The mean loss of `examples` as one batch in training, with dropout off, and its gradient laid out like
    /// [`Network::tensors`].
    pub fn loss_and_gradient(&self, examples: &Examples) -> Result<(f64, Vec<f32>)> {
        super::learner::loss_and_gradient(self, examples)
    }

    /// The gradient of the same loss with respect to the inputs, row after row: what adversarial training moves them by.
    /// The network must begin with a convolution or a dense layer.
    pub fn input_gradient(&self, examples: &Examples) -> Result<Vec<f32>> {
        super::learner::input_gradient(self, examples)
    }
}

/// Cuts `values` into the tensors of `specs`.
pub(super) fn named<'a>(
    blueprint: &Blueprint,
    specs: &[(usize, TensorSpec)],
    values: &'a [f32],
) -> Vec<NamedTensor<'a>> {
    let layers = &blueprint.architecture().layers;
    let mut rest = values;
    let cut = |(layer, spec): &(usize, TensorSpec)| {
        let (own, others) = rest.split_at(spec.len());
        rest = others;
        NamedTensor {
            name: format!("{layer}.{}.{}", layers[*layer].name(), spec.name),
            dimensions: spec.dimensions.clone(),
            values: own,
        }
    };
    specs.iter().map(cut).collect()
}

impl Classifier for Network {
    fn shape(&self) -> Shape {
        self.blueprint.input()
    }

    fn n_classes(&self) -> usize {
        self.blueprint.n_classes()
    }

    fn probabilities(&self, inputs: &Inputs) -> Result<Probabilities> {
        inputs.expect_shape(self.shape())?;
        inference::probabilities(self, inputs)
    }

    fn features(&self, inputs: &Inputs) -> Result<Option<Inputs>> {
        self.encoded(inputs).map(Some)
    }

    fn averaged(&self, other: &Self, share: Fraction) -> Result<Self> {
        if other.blueprint != self.blueprint {
            return Err(Error::NoWarmStart);
        }
        let mut own = self.clone();
        mix(&mut own.state.weights, &other.state.weights, share);
        mix(&mut own.state.kept, &other.state.kept, share);
        Ok(own)
    }

    fn store(&self) -> Result<Stored> {
        Ok(Stored::new(&self.description(), self.arrays("")))
    }

    fn onnx(&self, graph: &mut Graph, input: Node) -> Result<Node> {
        Ok(onnx::network(graph, self, input, ""))
    }

    fn with_runtime(&self, runtime: &Runtime) -> Result<Option<Self>> {
        self.clone().with_runtime(runtime).map(Some)
    }

    fn n_parameters(&self) -> usize {
        self.blueprint.n_parameters()
    }
}
