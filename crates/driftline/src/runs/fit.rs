//! `fit`: a labelled source into a model that is ready to be adapted.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use super::bundle::{Bundle, SourceRecord};
use super::digest::InputDigest;
use super::model_choice::ModelChoice;
use super::validation::validate;
use crate::Result;
use crate::data::{Examples, LabeledDomain};
use crate::models::Learner;
use crate::models::network::Runtime;
use crate::random::Seed;
use crate::reading::{
    Choice, EncodeOptions, Encoding, FrameSource, LabeledRows, Notes, ReadOptions,
};

/// How a source model is trained.
///
/// ```no_run
/// use driftline::reading::Files;
/// use driftline::service::{Fit, ModelChoice};
///
/// # fn main() -> driftline::Result<()> {
/// let source = Files::new(["source.csv"])?;
/// let model = Fit::new("label").model(ModelChoice::Mlp).seed(1).run(&source, source.paths())?;
/// model.save("model.safetensors".as_ref())?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Fit {
    /// The columns and rows; `label` must be named.
    pub choice: Choice,
    pub read: ReadOptions,
    pub model: ModelChoice,
    /// Passes of a network over the source and over each window; 20 if none are given.
    pub epochs: Option<NonZeroUsize>,
    pub seed: u64,
    pub runtime: Runtime,
}

/// A source that was read, before anything is trained on it.
pub(super) struct Prepared {
    pub encoding: Encoding,
    pub rows: LabeledRows,
    pub notes: Notes,
}

impl Fit {
    /// The default model for the classes in the column `label`.
    pub fn new(label: impl Into<String>) -> Self {
        Self {
            choice: Choice {
                label: Some(label.into()),
                ..Choice::default()
            },
            read: ReadOptions::default(),
            model: ModelChoice::Auto,
            epochs: None,
            seed: 0,
            runtime: Runtime::default(),
        }
    }

    pub fn model(self, model: ModelChoice) -> Self {
        Self { model, ..self }
    }

    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Reads `source`, trains, and measures the model on rows held out. `inputs` are the files to be recorded by their
    /// hashes; a source that has none gives an empty list.
    pub fn run(&self, source: &dyn FrameSource, inputs: &[PathBuf]) -> Result<Bundle> {
        self.expect_columns(source)?;
        let inputs = InputDigest::of_all(inputs)?;
        self.train(self.read(source)?, inputs)
    }

    /// Where no stream follows that might have them, the columns of time and identifiers must be in the source.
    pub(super) fn expect_columns(&self, source: &dyn FrameSource) -> Result<()> {
        let frames = source.open(&self.read)?;
        self.choice.expect_in(frames.fields(), &frames.files()[0])
    }

    /// The source, encoded. Nothing is trained yet.
    pub(super) fn read(&self, source: &dyn FrameSource) -> Result<Prepared> {
        let mut notes = Notes::new();
        let options = EncodeOptions { standardize: true };
        let (encoding, rows) =
            Encoding::fit(source, &self.choice, &self.read, options, &mut notes)?;
        Ok(Prepared {
            encoding,
            rows,
            notes,
        })
    }

    pub(super) fn train(&self, source: Prepared, inputs: Vec<InputDigest>) -> Result<Bundle> {
        let Prepared {
            encoding,
            rows,
            notes,
        } = source;
        let class_counts = rows.labels.counts();
        let domain = LabeledDomain::new(rows.inputs, rows.labels)?;
        domain.expect_two_classes()?;
        let seed = Seed::new(self.seed).named("fit");
        let examples = Examples::from(&domain);
        let learner = self
            .model
            .learner(&examples, self.epochs, seed.named("settings"))?
            .with_runtime(self.runtime);
        let validation = validate(&learner, &domain, seed)?;
        let model = learner.fit(&examples, seed.named("model"))?;
        let record = SourceRecord {
            model: self.model.resolved(encoding.shape()),
            rows: domain.len(),
            class_counts,
            seed: self.seed,
            validation,
            inputs,
            choice: self.choice.clone(),
            stated: rows.stated,
            notes,
        };
        Ok(Bundle {
            model,
            learner,
            encoding,
            source: record,
            version: 0,
        })
    }
}
