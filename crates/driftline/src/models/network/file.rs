//! Networks in files: every tensor under its name, and a description of architecture, input shape and classes.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::NetworkLearner;
use super::architecture::{Architecture, Blueprint};
use super::layers::TensorSpec;
use super::model::{Network, State, named};
use crate::data::{Fraction, Shape};
use crate::files::write_whole;
use crate::models::any::mix;
use crate::models::arrays::{self, Array, Arrays};
use crate::models::onnx::{self, Graph, Node};
use crate::models::optimizer::OptimizerMemory;
use crate::models::{AnyModel, Model, NamedLearner, Runtime, Stored};
use crate::{Error, Result};

const FORMAT: u32 = 1;

/// The header of a file that holds a network and nothing else.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    format: u32,
    version: String,
    network: Description,
}

/// What the numbers of a network are to be taken for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Description {
    architecture: Architecture,
    input: Shape,
    n_classes: usize,
    /// Steps that the optimiser has made, if its memory is stored.
    step: Option<u64>,
}

impl Model for Network {
    fn kind(&self) -> &str {
        NetworkLearner::KIND
    }

    fn averaged(&self, other: &AnyModel, share: Fraction) -> Result<AnyModel> {
        let other: &Self = other
            .downcast()
            .filter(|other: &&Self| other.blueprint == self.blueprint)
            .ok_or(Error::NoWarmStart)?;
        let mut own = self.clone();
        mix(&mut own.state.weights, &other.state.weights, share);
        mix(&mut own.state.kept, &other.state.kept, share);
        Ok(AnyModel::new(own))
    }

    fn store(&self) -> Result<Stored> {
        let description = serde_json::to_value(self.description());
        Ok(Stored {
            description: description.expect("a description has string keys only"),
            arrays: self.arrays(""),
        })
    }

    fn onnx(&self, graph: &mut Graph, input: Node) -> Result<Node> {
        Ok(onnx::network(graph, self, input, ""))
    }

    fn with_runtime(&self, runtime: &Runtime) -> Result<Option<AnyModel>> {
        let other = Network::with_runtime(self.clone(), runtime)?;
        Ok(Some(AnyModel::new(other)))
    }

    fn n_parameters(&self) -> usize {
        self.blueprint.n_parameters()
    }
}

impl NamedLearner for NetworkLearner {
    const KIND: &'static str = "network";

    fn restore(
        description: &Value,
        arrays: &mut Arrays<'_>,
    ) -> std::result::Result<Network, String> {
        let description = Description::deserialize(description)
            .map_err(|error| format!("the description cannot be read: {error}"))?;
        Network::restore(description, arrays, "")
    }

    fn depends_on_isa(&self) -> bool {
        true
    }

    fn work(&self, shape: Shape, n_classes: usize) -> f64 {
        let built = self.architecture.build(shape, n_classes);
        let once = built.map_or(0.0, |built| built.training_multiply_adds() as f64);
        // A sharpness-aware step computes its gradient once more, and so does an adversarial one.
        let training = &self.training;
        let more = [training.sharpness.is_some(), training.adversarial.is_some()];
        let gradients = 1 + more.iter().filter(|on| **on).count();
        gradients as f64 * once * training.epochs.get() as f64
    }
}

impl Network {
    pub(super) fn description(&self) -> Description {
        Description {
            architecture: self.blueprint.architecture().clone(),
            input: self.blueprint.input(),
            n_classes: self.blueprint.n_classes(),
            step: self.state.memory.as_ref().map(|memory| memory.step),
        }
    }

    /// Everything in it, under names that begin with `prefix`.
    pub(super) fn arrays(&self, prefix: &str) -> Vec<Array> {
        let learned = self.blueprint.learned();
        let mut arrays = vec![];
        let mut add = |group: &str, specs: &[(usize, TensorSpec)], values: &[f32]| {
            for tensor in named(&self.blueprint, specs, values) {
                let name = format!("{prefix}{group}.{}", tensor.name);
                arrays.push(Array::single(name, &tensor.dimensions, tensor.values));
            }
        };
        add("learned", &learned, &self.state.weights);
        add("kept", &self.blueprint.kept(), &self.state.kept);
        if let Some(memory) = &self.state.memory {
            add("first", &learned, &memory.first);
            if !memory.second.is_empty() {
                add("second", &learned, &memory.second);
            }
        }
        arrays
    }

    /// The network that `description` and `arrays` stand for; the message says what is wrong with them.
    pub(super) fn restore(
        description: Description,
        arrays: &mut Arrays<'_>,
        prefix: &str,
    ) -> std::result::Result<Self, String> {
        let Description {
            architecture,
            input,
            n_classes,
            step,
        } = description;
        let blueprint = architecture
            .build(input, n_classes)
            .map_err(|error| error.to_string())?;
        let learned = blueprint.learned();
        let mut own = |group: &str, specs: &[(usize, TensorSpec)]| {
            take(arrays, &blueprint, [prefix, group], specs)
        };
        let weights = own("learned", &learned)?;
        let kept = own("kept", &blueprint.kept())?;
        let memory = match step {
            None => None,
            Some(step) => Some(OptimizerMemory {
                step: arrays::checked_step(step)?,
                first: own("first", &learned)?,
                second: match arrays.has(&format!("{prefix}second.")) {
                    true => take(arrays, &blueprint, [prefix, "second"], &learned)?,
                    false => vec![],
                },
            }),
        };
        Ok(Self {
            state: State {
                weights,
                kept,
                memory,
            },
            blueprint,
            runtime: Runtime::default(),
        })
    }

    /// The network as the bytes of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let header = Header {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").into(),
            network: self.description(),
        };
        arrays::write(&header, &self.arrays(""))
    }

    /// Reads what [`Network::to_bytes`] wrote; the message says what is wrong with anything else.
    pub fn from_bytes(bytes: &[u8]) -> std::result::Result<Self, String> {
        let (header, mut arrays) = Arrays::open::<Header>(bytes, FORMAT)?;
        let network = Self::restore(header.network, &mut arrays, "")?;
        arrays.finish()?;
        Ok(network)
    }

    /// Writes the network beside `path`, then renames: a reader sees the old file or the new one.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        write_whole(path.as_ref(), &self.to_bytes())
    }

    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let bytes = std::fs::read(path).map_err(Error::io(path))?;
        Self::from_bytes(&bytes).map_err(|message| Error::corrupt(path, message))
    }
}

/// The tensors of one group, one after another.
fn take(
    arrays: &mut Arrays<'_>,
    blueprint: &Blueprint,
    [prefix, group]: [&str; 2],
    specs: &[(usize, TensorSpec)],
) -> std::result::Result<Vec<f32>, String> {
    let layers = &blueprint.architecture().layers;
    let mut values = vec![];
    for (layer, spec) in specs {
        let name = format!(
            "{prefix}{group}.{layer}.{}.{}",
            layers[*layer].name(),
            spec.name
        );
        let taken = arrays.single(&name, &spec.dimensions)?;
        let is_square = group == "second" || spec.name == "moving_variance";
        if let Some(bad) = taken.iter().find(|&&value| is_square && value < 0.0) {
            return Err(format!("array `{name}` holds {bad}"));
        }
        values.extend(taken);
    }
    Ok(values)
}
