//! The MODEL file: a model with all that is needed to use it and to adapt it further — how rows become inputs, the names
//! of the classes, the learner's settings, and what it was made from. One safetensors file with a JSON header.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::digest::InputDigest;
use super::model_choice::ModelChoice;
use super::validation::Validation;
use crate::data::{Labels, Probabilities};
use crate::files::write_whole;
use crate::models::Classifier;
use crate::models::any::{AnyLearner, AnyModel, ModelDescription};
use crate::models::arrays::{self, Arrays};
use crate::models::network::Runtime;
use crate::reading::{Choice, Encoding, Notes, Rows};
use crate::{Error, Result};

/// The format that this version writes; it reads this one and older ones.
pub const MODEL_FORMAT: u32 = 1;

/// A model ready to predict and to be adapted.
#[derive(Clone, Debug, PartialEq)]
pub struct Bundle {
    pub model: AnyModel,
    /// What trained it, with every setting fixed on the source.
    pub learner: AnyLearner,
    pub encoding: Encoding,
    pub source: SourceRecord,
    /// Windows adapted to since the source: 0 for the source model itself.
    pub version: usize,
}

/// What a source model was made from, and how well it did there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceRecord {
    /// Never `auto`: what it came to.
    pub model: ModelChoice,
    pub rows: usize,
    /// How many rows of each class.
    pub class_counts: Vec<usize>,
    pub seed: u64,
    /// Accuracy on source rows that were kept out of training; absent where there were too few rows.
    pub validation: Option<Validation>,
    pub inputs: Vec<InputDigest>,
    /// The columns and rows chosen.
    pub choice: Choice,
    /// What was detected about the files.
    pub stated: String,
    pub notes: Notes,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    format: u32,
    /// The version that wrote the file.
    driftline: String,
    version: usize,
    model: ModelDescription,
    learner: AnyLearner,
    encoding: Encoding,
    source: SourceRecord,
}

impl Bundle {
    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let (model, values) = self.model.store();
        let header = Header {
            format: MODEL_FORMAT,
            driftline: env!("CARGO_PKG_VERSION").into(),
            version: self.version,
            model,
            learner: self.learner.clone(),
            encoding: self.encoding.clone(),
            source: self.source.clone(),
        };
        arrays::write(&header, &values)
    }

    /// Reads what [`Bundle::to_bytes`] wrote; the message says what is wrong with anything else.
    pub fn from_bytes(bytes: &[u8]) -> std::result::Result<Self, String> {
        let (header, mut values) = Arrays::open::<Header>(bytes, MODEL_FORMAT)?;
        let Header {
            version,
            model,
            learner,
            encoding,
            source,
            ..
        } = header;
        let model = AnyModel::restore(model, &mut values)?;
        values.finish()?;
        if model.shape() != encoding.shape() {
            return Err(format!(
                "the model takes {}, but the columns make {}",
                model.shape(),
                encoding.shape()
            ));
        }
        let classes = encoding.classes().len();
        if model.n_classes() != classes || source.class_counts.len() != classes {
            return Err(format!(
                "the model tells {} classes apart, but {classes} are named",
                model.n_classes()
            ));
        }
        let fits = matches!(
            (&learner, &model),
            (AnyLearner::Linear(_), AnyModel::Linear(_))
                | (AnyLearner::Network(_), AnyModel::Network(_))
                | (AnyLearner::Margin(_), AnyModel::Margin(_))
        );
        if !fits {
            return Err("the learner's settings are for another kind of model".into());
        }
        Ok(Self {
            model,
            learner,
            encoding,
            source,
            version,
        })
    }

    /// Writes the file whole or not at all.
    pub fn save(&self, path: &Path) -> Result<()> {
        write_whole(path, &self.to_bytes())
    }

    pub fn load(path: &Path) -> Result<Self> {
        let bytes = std::fs::read(path).map_err(Error::io(path))?;
        Self::from_bytes(&bytes).map_err(|message| Error::corrupt(path, message))
    }

    /// The same, computing in another way.
    pub fn with_runtime(self, runtime: Runtime) -> Result<Self> {
        Ok(Self {
            model: self.model.with_runtime(runtime)?,
            learner: self.learner.with_runtime(runtime),
            ..self
        })
    }

    /// The names of the classes, by number.
    pub fn classes(&self) -> &[String] {
        self.encoding.classes()
    }

    /// The class and the probabilities of every row.
    pub fn predict(&self, rows: &Rows) -> Result<(Labels, Probabilities)> {
        self.model.assess(&rows.inputs)
    }
}
