//! Networks in files: every tensor under its name, and a description of architecture, input shape and classes.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::architecture::{Architecture, Blueprint};
use super::layers::TensorSpec;
use super::model::{Network, State, named};
use crate::Runtime;
use crate::arrays;
use crate::arrays::{Array, Arrays};
use crate::optimizer::OptimizerMemory;
use driftline_core::data::Shape;
use driftline_core::files::write_whole;
use driftline_core::{Error, Result};

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
    ) -> Result<Self, String> {
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
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
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
) -> Result<Vec<f32>, String> {
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
