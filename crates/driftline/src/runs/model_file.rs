//! The MODEL file: a model with all that is needed to use it and to adapt it further — how rows become inputs, the names
//! of the classes, the learner's settings, and what it was made from. One safetensors file with a JSON header.

use std::io::Read;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::adapt::{Aligned, Registry, State, Version};
use crate::data::{Labels, Probabilities};
use crate::files::write_whole;
use crate::models::{
    AnyLearner, Arrays, Classifier, Learner, Runtime, Stored, Validation, write_arrays,
};
use crate::reading::{ColumnChoice, Encoding, InputDigest, Notes, Rows};
use crate::{Error, Result};

/// The newest format that this version writes; it reads this one and older ones. Models without an alignment and without
/// anything to remember are written in format 1.
pub const MODEL_FORMAT: u32 = 2;

/// A model ready to predict and to be adapted.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Bundle {
    pub version: Version,
    /// What goes on from it, with every setting fixed on the source.
    pub learner: AnyLearner,
    pub encoding: Encoding,
    pub source: SourceRecord,
    /// What the policy of its run wants to remember.
    pub policy: State,
}

/// What a source model was made from, and how well it did there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SourceRecord {
    /// Never `auto`: what it came to.
    pub model: String,
    pub rows: usize,
    /// How many rows of each class.
    pub class_counts: Vec<usize>,
    pub seed: u64,
    /// Accuracy on source rows that were kept out of training; absent where there were too few rows.
    pub validation: Option<Validation>,
    pub inputs: Vec<InputDigest>,
    /// The columns and rows chosen.
    pub choice: ColumnChoice,
    /// What was detected about the files.
    #[serde(rename = "stated")]
    pub detected: String,
    pub notes: Notes,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    format: u32,
    /// The version of driftline that wrote the file.
    driftline: String,
    version: usize,
    model: Value,
    learner: Value,
    encoding: Encoding,
    source: SourceRecord,
}

impl Bundle {
    /// The bytes of the file.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let Version {
            number,
            alignment,
            model,
            labeler,
            ..
        } = &self.version;
        let Stored {
            description,
            mut arrays,
        } = model.store()?;
        let own = arrays.len();
        arrays.extend(alignment.arrays());
        arrays.extend(labeler.arrays("labeler."));
        arrays.extend(self.policy.arrays("policy."));
        let header = Header {
            format: if arrays.len() == own { 1 } else { MODEL_FORMAT },
            driftline: env!("CARGO_PKG_VERSION").into(),
            version: *number,
            model: serde_json::json!({ model.kind(): description }),
            learner: serde_json::json!(self.learner),
            encoding: self.encoding.clone(),
            source: self.source.clone(),
        };
        Ok(write_arrays(&header, &arrays))
    }

    /// Reads what [`Bundle::to_bytes`] wrote; the message says what is wrong with anything else.
    pub fn from_bytes(bytes: &[u8], registry: &Registry) -> Result<Self, String> {
        let (header, mut values) = Arrays::open::<Header>(bytes, MODEL_FORMAT)?;
        let Header {
            version,
            model,
            learner,
            encoding,
            source,
            ..
        } = header;
        let kinds = registry.models();
        let model = kinds.restore(&model, &mut values)?;
        let learner = kinds.stored_learner(&learner)?;
        let version = Version {
            number: version,
            alignment: Aligned::restore(model.shape().size(), &mut values)?,
            labeler: State::restore("labeler.", &mut values)?,
            ..Version::source(model)
        };
        let policy = State::restore("policy.", &mut values)?;
        values.finish()?;
        if version.shape() != encoding.shape() {
            return Err(format!(
                "the model takes {}, but the columns make {}",
                version.shape(),
                encoding.shape()
            ));
        }
        let classes = encoding.classes().len();
        if version.n_classes() != classes || source.class_counts.len() != classes {
            return Err(format!(
                "the model tells {} classes apart, but {classes} are named",
                version.n_classes()
            ));
        }
        Ok(Self {
            version,
            learner,
            encoding,
            source,
            policy,
        })
    }

    /// Whether the file at `path` begins as ours do, sound or not: only such a one may be replaced by another.
    pub fn is_at(path: &Path) -> bool {
        const START: &[u8] = b"{\"__metadata__\":{\"driftline\":";
        let mut start = [0; 8 + START.len()];
        let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut start));
        read.is_ok() && start[8..] == *START
    }

    /// Writes the file whole or not at all.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        write_whole(path.as_ref(), &self.to_bytes()?)
    }

    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        Self::load_with(path, &Registry::default())
    }

    /// The same for a model of a kind of your own.
    pub fn load_with(path: impl AsRef<Path>, registry: &Registry) -> Result<Self> {
        let path = path.as_ref();
        let bytes = std::fs::read(path).map_err(Error::io(path))?;
        Self::from_bytes(&bytes, registry).map_err(|message| Error::corrupt(path, message))
    }

    /// The same, computing in another way.
    pub fn with_runtime(mut self, runtime: &Runtime) -> Result<Self> {
        self.version.model = self.version.model.with_runtime(runtime)?;
        self.learner = self.learner.with_runtime(runtime);
        Ok(self)
    }

    /// The same with another version in it.
    pub(super) fn at(&self, version: &Version, policy: &State) -> Self {
        Self {
            version: version.clone(),
            policy: policy.clone(),
            ..self.clone()
        }
    }

    /// Windows adapted to since the source: 0 for the source model itself.
    pub fn number(&self) -> usize {
        self.version.number
    }

    /// The names of the classes, by number.
    pub fn classes(&self) -> &[String] {
        self.encoding.classes()
    }

    /// The class and the probabilities of every row.
    pub fn predict(&self, rows: &Rows) -> Result<(Labels, Probabilities)> {
        self.version.assess(&rows.inputs)
    }
}
