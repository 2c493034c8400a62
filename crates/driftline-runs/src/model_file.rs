//! The MODEL file: a model with all that is needed to use it and to adapt it further — how rows become inputs, the names
//! of the classes, the learner's settings, what it was made from, and rows that stand for that. One safetensors file with a
//! JSON header.

use std::io::Read;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::method::Registry;
use driftline_adapt::{Aligned, SourceStats, State, StoredState, Version};
use driftline_core::data::{Inputs, LabeledDomain, Labels, Probabilities};
use driftline_core::files::write_whole;
use driftline_core::{Error, Result};
use driftline_io::{Cleaning, ColumnChoice, Encoding, InputDigest, Notes, Rows};
use driftline_models::{
    AnyLearner, Array, Arrays, Classifier, Learner, Runtime, Stored, Validation, write_arrays,
};

/// The newest format that this version writes; it reads this one and older ones. A model without source sample, frame of the
/// source, column cleaning, an alignment of the newer kinds, and with nothing but arrays to remember is written in format 2, and in
/// format 1 if it also has no alignment and nothing to remember; only one with an [estimator](ModelFile::estimator) needs format 4.
pub const MODEL_FORMAT: u32 = 4;
/// The newest format without an estimator.
const PLAIN_FORMAT: u32 = 3;

/// A model ready to predict and to be adapted.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ModelFile {
    pub version: Version,
    /// What goes on from it, with every setting fixed on the source.
    pub learner: AnyLearner,
    pub encoding: Encoding,
    pub source: SourceRecord,
    /// The source sample: labelled rows, as the model takes them, that stand for its source. Absent where the source is
    /// private, in older files, and in the checkpoints of a run but the first.
    pub source_sample: Option<LabeledDomain>,
    /// Statistics of the source, for those who follow a drift without it; models of older versions have none.
    pub frame: Option<SourceStats>,
    /// What a front end has noted for itself, such as the order of the columns and the type of the classes that its user has
    /// given. The library passes it on and does not look at it.
    pub estimator: Option<Value>,
    /// What the policy of its run wants to remember, in files of format 2; a run keeps that with its chains.
    pub(crate) policy: State,
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    labeler: Option<StoredState>,
    /// How many rows the source sample has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    card: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    estimator: Option<Value>,
}

impl ModelFile {
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
        let labeler = labeler.store("labeler", &mut arrays)?;
        self.policy.store("policy", &mut arrays)?;
        let old = if arrays.len() == own { 1 } else { 2 };
        let sample = self.source_sample.as_ref().map(LabeledDomain::len);
        let recent = labeler.is_some()
            || sample.is_some()
            || self.frame.is_some()
            || alignment.is_recent()
            || *self.encoding.cleaning() != Cleaning::default();
        arrays.extend(self.source_sample.iter().flat_map(sample_arrays));
        arrays.extend(self.frame.iter().flat_map(SourceStats::arrays));
        let header = Header {
            format: match (&self.estimator, recent) {
                (Some(_), _) => MODEL_FORMAT,
                (None, true) => PLAIN_FORMAT,
                (None, false) => old,
            },
            driftline: env!("CARGO_PKG_VERSION").into(),
            version: *number,
            model: serde_json::json!({ model.kind(): description }),
            learner: serde_json::json!(self.learner),
            encoding: self.encoding.clone(),
            source: self.source.clone(),
            labeler,
            card: sample,
            estimator: self.estimator.clone(),
        };
        Ok(write_arrays(&header, &arrays))
    }

    /// Reads what [`ModelFile::to_bytes`] wrote; the message says what is wrong with anything else.
    pub fn from_bytes(bytes: &[u8], registry: &Registry) -> Result<Self, String> {
        let (header, mut values) = Arrays::open::<Header>(bytes, MODEL_FORMAT)?;
        let Header {
            version,
            model,
            learner,
            encoding,
            source,
            labeler,
            card: sample,
            estimator,
            ..
        } = header;
        let kinds = registry.models();
        let model = kinds.restore(&model, &mut values)?;
        let learner = kinds.stored_learner(&learner)?;
        let version = Version {
            number: version,
            alignment: Aligned::restore(model.shape().size(), &mut values)?,
            labeler: State::restore(labeler, "labeler", &mut values, kinds)?,
            ..Version::source(model)
        };
        let policy = State::restore(None, "policy", &mut values, kinds)?;
        let sample = sample.map(|rows| restore_sample(rows, &version, &mut values));
        let sample = sample.transpose()?;
        let sample = sample.map(|sample| sample.with_layout(encoding.layout()));
        let size = version.shape().size();
        let frame = SourceStats::restore(size, version.n_classes(), &mut values)?;
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
            source_sample: sample,
            frame,
            estimator,
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
        if path.is_file() && !Self::is_at(path) {
            return Err(Error::corrupt(path, "is not a driftline model"));
        }
        Self::from_bytes(&bytes, registry).map_err(|message| Error::corrupt(path, message))
    }

    /// Only the [estimator](ModelFile::estimator) of the file, which may hold a model of a kind of somebody's own.
    pub fn note(path: &Path) -> Result<Option<Value>> {
        let bytes = std::fs::read(path).map_err(Error::io(path))?;
        let opened = Arrays::open::<Header>(&bytes, MODEL_FORMAT);
        let (header, _) = opened.map_err(|message| Error::corrupt(path, message))?;
        Ok(header.estimator)
    }

    /// The same, computing in another way.
    pub fn with_runtime(mut self, runtime: &Runtime) -> Result<Self> {
        self.version = self.version.with_runtime(runtime)?;
        self.learner = self.learner.with_runtime(runtime);
        Ok(self)
    }

    /// The same with another version in it.
    pub(crate) fn at(&self, version: &Version) -> Self {
        Self {
            version: version.clone(),
            policy: State::default(),
            ..self.clone()
        }
    }

    /// The same without the rows of its source.
    pub fn without_source_sample(self) -> Self {
        Self {
            source_sample: None,
            ..self
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

fn sample_arrays(sample: &LabeledDomain) -> [Array; 2] {
    let (rows, size) = (sample.len(), sample.inputs().shape().size());
    let labels = sample.labels().as_slice().iter();
    let labels: Vec<f32> = labels.map(|&class| class as f32).collect();
    [
        Array::single("card.inputs", &[rows, size], &sample.inputs().contiguous()),
        Array::single("card.labels", &[rows], &labels),
    ]
}

fn restore_sample(
    rows: usize,
    version: &Version,
    values: &mut Arrays<'_>,
) -> Result<LabeledDomain, String> {
    let inputs = values.single("card.inputs", &[rows, version.shape().size()])?;
    let labels = values.single("card.labels", &[rows])?;
    let classes: Vec<u32> = labels.iter().map(|&class| class as u32).collect();
    if classes
        .iter()
        .zip(&labels)
        .any(|(&whole, &class)| whole as f32 != class)
    {
        return Err("the labels of the source sample are not classes".into());
    }
    let sample = || {
        let labels = Labels::new(classes, version.n_classes())?;
        LabeledDomain::new(Inputs::new(inputs, version.shape())?, labels)
    };
    sample().map_err(|error| format!("the source sample is damaged: {error}"))
}
