//! `fit`: a labelled source into a model that is ready to be adapted.

use super::model_file::{ModelFile, SourceRecord};
use crate::method::{Registry, Settings};
use driftline_adapt::{PartSpec, SourceStats, State, Version};
use driftline_core::data::{Examples, LabeledDomain, Shape};
use driftline_core::random::Seed;
use driftline_core::{Error, Result};
use driftline_io::{
    ColumnChoice, Encoding, InputDigest, NoteCode, Notes, ReadOptions, TableSource,
};
use driftline_models::{AnyLearner, AutoChoice, Learner, Preset, Runtime, validate};

/// How a source model is trained.
///
/// ```no_run
/// use driftline::prelude::*;
///
/// # fn main() -> driftline_core::Result<()> {
/// let model = Fit::new("label").model("mlp").seed(1).run(&Files::new(["source.csv"])?)?;
/// model.save("model.safetensors")?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Fit {
    /// The columns and rows; `label` must be named.
    pub choice: ColumnChoice,
    /// A column of the source whose values are groups of rows, such as patients: no feature, and `auto` holds whole ones out.
    /// Without it, the first of `choice.ids` that repeats.
    pub groups: Option<String>,
    pub read: ReadOptions,
    /// What it leaves out is as in [`Settings::for_own_data`].
    pub settings: Settings,
    pub seed: u64,
    /// Whether rows that stand for the source are stored with the model: without them a guarded run that begins with the
    /// model alone can rehearse nothing.
    pub source_sample: bool,
    /// How much each row of the source counts when the source model is trained; all the same if absent.
    pub weights: Option<Vec<f32>>,
    pub runtime: Runtime,
    pub registry: Registry,
}

/// A source that was read, before anything is trained on it.
#[derive(Clone, Debug)]
pub struct Prepared {
    pub encoding: Encoding,
    pub domain: LabeledDomain,
    /// How much each of these rows counts, where they count differently.
    pub weights: Option<Vec<f32>>,
    pub detected: String,
    pub notes: Notes,
    pub digests: Vec<InputDigest>,
}

impl Fit {
    /// The default model for the classes in the column `label`.
    pub fn new(label: impl Into<String>) -> Self {
        Self {
            choice: ColumnChoice {
                label: Some(label.into()),
                ..ColumnChoice::default()
            },
            groups: None,
            read: ReadOptions::default(),
            settings: Settings::new(),
            seed: 0,
            source_sample: true,
            weights: None,
            runtime: Runtime::all_cores(),
            registry: Registry::default(),
        }
    }

    /// A model by its name: `auto`, `linear`, `knn`, `trees`, `mlp`, `cnn`, `margin`, or one of the registry.
    pub fn model(mut self, name: &str) -> Self {
        self.settings.model = Some(PartSpec::plain(name));
        self
    }

    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    pub fn runtime(self, runtime: Runtime) -> Self {
        Self { runtime, ..self }
    }

    /// Reads `source`, trains, and measures the model on rows held out.
    pub fn run(&self, source: &dyn TableSource) -> Result<ModelFile> {
        self.runtime.install(|| {
            self.expect_columns(source)?;
            self.train(&self.read(source)?)
        })
    }

    /// Where no stream follows that might have them, the columns of time and identifiers must be in the source.
    pub(crate) fn expect_columns(&self, source: &dyn TableSource) -> Result<()> {
        let mut read = self.read.clone();
        read.text.extend(self.choice.ids.clone());
        read.text.extend(self.choice.time.clone());
        let frames = source.open(&read)?;
        self.choice.expect_in(frames.fields(), &frames.files()[0])
    }

    /// The source, encoded. Nothing is trained yet.
    pub(crate) fn read(&self, source: &dyn TableSource) -> Result<Prepared> {
        let mut notes = Notes::new();
        let settings = self.settings();
        if settings.legacy_one_hot {
            let message = "is for experiments whose results were made so; leave it out";
            return Err(Error::experiment("legacy-one-hot", message));
        }
        let mut options = settings.columns();
        let mut choice = self.choice.clone();
        choice.ids.splice(0..0, self.groups.clone());
        let read = limited(&self.read, &self.runtime);
        let fitted = Encoding::fit(source, &choice, &read, options, &mut notes)?;
        let few = matches!(fitted.0.shape(), Shape::Vector(n) if n <= Preset::FEW_COLUMNS);
        // Clusters of few columns are followed wherever they go: nothing may hold them back unless it was asked for.
        let (encoding, rows) =
            match few && self.is_auto() && self.settings.column_cleaning.is_none() {
                false => fitted,
                true => {
                    notes = Notes::new();
                    options.cleaning.clip = false;
                    Encoding::fit(source, &choice, &read, options, &mut notes)?
                }
            };
        let layout = encoding.layout();
        let domain = LabeledDomain::new(rows.inputs, rows.labels)?.with_layout(layout);
        let domain = domain.with_order(rows.order);
        // What is held out for being the newest must be.
        let by_time = domain.order().and_then(|order| order.by_time());
        let mut weights = self.weights.clone();
        let domain = match by_time {
            None => domain,
            Some(order) => {
                if let Some(own) = weights.as_mut().filter(|own| own.len() == order.len()) {
                    *own = order.iter().map(|&row| own[row]).collect();
                }
                notes.add(NoteCode::Unsorted, "", 1, || {
                    "the source's times do not ascend: its rows were sorted by them".into()
                });
                domain.pick(&order)
            }
        };
        Ok(Prepared {
            encoding,
            domain,
            weights,
            detected: rows.detected,
            notes,
            digests: rows.digests,
        })
    }

    fn settings(&self) -> Settings {
        self.settings.clone().or_for_own_data()
    }

    /// The name of the model, once the form of its inputs is known.
    pub(crate) fn model_name(&self, encoding: &Encoding) -> String {
        let named = self.settings().model;
        let name = named.as_ref().map_or("auto", |named| &*named.name);
        match name.parse::<Preset>() {
            Ok(preset) => preset.resolved(encoding.shape()).to_string(),
            Err(_) => name.to_owned(),
        }
    }

    /// The model that `auto` takes for a table.
    fn chosen(&self, source: &Examples, seed: Seed) -> Result<Option<AutoChoice>> {
        let settings = self.settings();
        if !self.is_auto()
            || settings.source_model.is_some()
            || !matches!(source.inputs().shape(), Shape::Vector(_))
        {
            return Ok(None);
        }
        let training = settings.trained(false)?;
        Preset::choose(source, training, &self.runtime, seed).map(Some)
    }

    /// Whether the source decides what the model is.
    pub(crate) fn is_auto(&self) -> bool {
        let named = self.settings().model;
        named.is_none_or(|named| named.name == "auto")
    }

    pub(crate) fn train(&self, source: &Prepared) -> Result<ModelFile> {
        let plan = self.settings().resolve("plain", &self.registry, None)?;
        let plan = plan.with_runtime(&self.runtime);
        let domain = &source.domain;
        domain.expect_two_classes()?;
        let seed = Seed::new(self.seed);
        let mut examples = Examples::from(domain);
        if let Some(weights) = &source.weights {
            examples = examples.with_weights(weights.clone())?;
        }
        let tuned = |learner: &AnyLearner| learner.tuned(&examples, seed.named("tuning"));
        let choice = self.chosen(&examples, seed.named("tuning"))?;
        let learner = match &choice {
            Some(choice) => choice.learner.clone(),
            None => tuned(&plan.source_learner)?,
        };
        let mut notes = source.notes.clone();
        if let Some(sentence) = choice.as_ref().and_then(AutoChoice::sentence) {
            notes.add(NoteCode::ModelChosen, "", 1, || sentence);
        }
        let student = match plan.candidate.learner == plan.source_learner {
            true => learner.clone(),
            false => tuned(&plan.candidate.learner)?,
        };
        let validation = validate(&learner, domain, seed)?;
        let model = learner.fit(&examples, seed.named("source"))?;
        let record = SourceRecord {
            model: match choice {
                Some(choice) => choice.name.into(),
                None => self.model_name(&source.encoding),
            },
            rows: domain.len(),
            class_counts: domain.labels().counts(),
            seed: self.seed,
            validation,
            inputs: source.digests.clone(),
            // What a stream is scored by is nothing of the model.
            choice: ColumnChoice {
                answers: None,
                ..self.choice.clone()
            },
            detected: source.detected.clone(),
            notes,
        };
        Ok(ModelFile {
            version: Version::source(model),
            learner: student,
            encoding: source.encoding.clone(),
            source: record,
            source_sample: self.source_sample.then(|| domain.source_sample()),
            frame: Some(SourceStats::of(domain)),
            estimator: None,
            policy: State::default(),
        })
    }
}

/// How files are read, within what `runtime` allows.
pub fn limited(read: &ReadOptions, runtime: &Runtime) -> ReadOptions {
    read.limited(runtime.memory(), runtime.cancel())
}
