//! Networks in files: every tensor in the safetensors format, and in its header a JSON description of architecture,
//! input shape, classes and the version that wrote it. Reading believes nothing that it has not checked.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;

use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};

use super::architecture::{Architecture, Blueprint};
use super::layers::TensorSpec;
use super::model::{Network, Runtime, State, named};
use crate::data::Shape;
use crate::models::optimizer::OptimizerState;
use crate::{Error, Result};

/// The key of the description in the header.
const KEY: &str = "driftline";
const FORMAT: u32 = 1;

/// What the header says about a network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    format: u32,
    version: String,
    architecture: Architecture,
    input: Shape,
    n_classes: usize,
    /// Steps that the optimiser has made, if its memory is in the file.
    step: Option<u64>,
}

impl Network {
    /// The network as the bytes of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let description = Description {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").into(),
            architecture: self.blueprint.architecture().clone(),
            input: self.blueprint.input(),
            n_classes: self.blueprint.n_classes(),
            step: self.state.memory.as_ref().map(|memory| memory.step),
        };
        let learned = self.blueprint.learned();
        let mut arrays = vec![];
        let mut add = |group: &str, specs: &[(usize, TensorSpec)], values: &[f32]| {
            for tensor in named(&self.blueprint, specs, values) {
                let bytes: Vec<u8> = tensor.values.iter().flat_map(|v| v.to_le_bytes()).collect();
                arrays.push((format!("{group}.{}", tensor.name), tensor.dimensions, bytes));
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
        let views = arrays.iter().map(|(name, dimensions, bytes)| {
            let view = TensorView::new(Dtype::F32, dimensions.clone(), bytes);
            (name, view.expect("the bytes were made for the dimensions"))
        });
        let text = serde_json::to_string(&description).expect("a description has no odd keys");
        let header = HashMap::from([(KEY.to_string(), text)]);
        safetensors::serialize(views, Some(header)).expect("the tensors are in memory already")
    }

    /// Reads what [`Network::to_bytes`] wrote; the message says what is wrong with anything else.
    pub fn from_bytes(bytes: &[u8]) -> std::result::Result<Self, String> {
        let broken = |error| format!("not a whole safetensors file: {error}");
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(broken)?;
        let text = header.metadata().as_ref().and_then(|data| data.get(KEY));
        let text = text.ok_or("a safetensors file, but not one of driftline")?;
        let description: Description = serde_json::from_str(text)
            .map_err(|error| format!("the description cannot be read: {error}"))?;
        if description.format != FORMAT {
            return Err(format!(
                "has format {}, but this version reads format {FORMAT}",
                description.format
            ));
        }
        let blueprint = description
            .architecture
            .build(description.input, description.n_classes)
            .map_err(|error| error.to_string())?;
        let tensors = SafeTensors::deserialize(bytes).map_err(broken)?;
        let mut reader = Reader {
            tensors,
            blueprint: &blueprint,
            taken: 0,
        };
        let learned = blueprint.learned();
        let weights = reader.take("learned", &learned)?;
        let kept = reader.take("kept", &blueprint.kept())?;
        let memory = match description.step {
            None => None,
            Some(step) => Some(OptimizerState {
                first: reader.take("first", &learned)?,
                second: match reader.has("second") {
                    true => reader.take("second", &learned)?,
                    false => vec![],
                },
                step,
            }),
        };
        reader.finish()?;
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

    /// Writes the network to a temporary file beside `path`, then renames it: a reader sees the old file or the new one.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let mut file = tempfile::NamedTempFile::new_in(folder).map_err(Error::io(path))?;
        file.write_all(&self.to_bytes()).map_err(Error::io(path))?;
        file.as_file().sync_all().map_err(Error::io(path))?;
        let persisted = file.persist(path).map_err(|error| error.error);
        persisted.map_err(Error::io(path))?;
        Ok(())
    }

    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let bytes = std::fs::read(path).map_err(Error::io(path))?;
        Self::from_bytes(&bytes).map_err(|message| Error::Corrupt {
            path: path.to_path_buf(),
            message,
        })
    }
}

struct Reader<'a> {
    tensors: SafeTensors<'a>,
    blueprint: &'a Blueprint,
    taken: usize,
}

impl Reader<'_> {
    fn has(&self, group: &str) -> bool {
        let prefix = format!("{group}.");
        self.tensors
            .names()
            .iter()
            .any(|name| name.starts_with(&prefix))
    }

    /// The tensors of one group, one after another.
    fn take(
        &mut self,
        group: &str,
        specs: &[(usize, TensorSpec)],
    ) -> std::result::Result<Vec<f32>, String> {
        let layers = &self.blueprint.architecture().layers;
        let mut values = vec![];
        for (layer, spec) in specs {
            let name = format!("{group}.{layer}.{}.{}", layers[*layer].name(), spec.name);
            let missing = |_| format!("has no tensor `{name}`");
            let tensor = self.tensors.tensor(&name).map_err(missing)?;
            if tensor.dtype() != Dtype::F32 || tensor.shape() != spec.dimensions {
                return Err(format!(
                    "tensor `{name}` is {:?} {:?}, but must be F32 {:?}",
                    tensor.dtype(),
                    tensor.shape(),
                    spec.dimensions
                ));
            }
            let start = values.len();
            let number =
                |bytes: &[u8]| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
            values.extend(tensor.data().chunks_exact(4).map(number));
            let negative = group == "second" || spec.name == "moving_variance";
            let allowed = |v: f32| v.is_finite() && (!negative || v >= 0.0);
            if let Some(bad) = values[start..].iter().find(|&&value| !allowed(value)) {
                return Err(format!("tensor `{name}` holds {bad}"));
            }
            self.taken += 1;
        }
        Ok(values)
    }

    /// Refuses tensors that nobody asked for.
    fn finish(&self) -> std::result::Result<(), String> {
        let found = self.tensors.len();
        if found == self.taken {
            Ok(())
        } else {
            Err(format!(
                "has {found} tensors, but the network it describes has {}",
                self.taken
            ))
        }
    }
}
