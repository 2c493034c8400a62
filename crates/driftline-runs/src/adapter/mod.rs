//! The door for arrays: fit, adapt window by window, predict, score, save and load, all in memory. It goes through the
//! same encoding, loop and measurements as `adapt`; a run folder is a sink that can be added.

mod begin;
mod reader;
mod stream;
mod write;

use std::path::{Path, PathBuf};

use super::asked::AskedRows;
use super::file_run::{FileRun, is_run};
use super::fit::limited;
use super::folder::RunFolder;
use super::measure::right;
use super::model_file::ModelFile;
use super::predictions::WindowTable;
use super::record::WindowRecord;
use super::session::Session;
use super::settings::RunSettings;
use super::walk::Keep;
use crate::method::{Registry, Settings};
use driftline_adapt::{Archive, Engine, Version};
use driftline_core::data::{LabeledDomain, Labels, Probabilities, Proportion};
use driftline_core::{Error, Result};
use driftline_io::{
    Answer, ColumnChoice, InputDigest, Notes, ReadOptions, Rows, Table, TableSource,
    read_all_hashed,
};
use driftline_models::{Classifier, Runtime};
pub use reader::Reader;
use serde_json::Value;

/// The column that labels and answers are put into.
const LABEL: &str = "label";

/// What an [`Adapter`] is made with. What is left out is as in [`Settings::for_own_data`].
#[derive(Clone, Debug)]
pub struct AdapterBuilder {
    adapt: FileRun,
    /// Whether a run folder is written too.
    in_folder: bool,
    estimator: Option<Value>,
    weights: Option<Vec<f32>>,
    groups: Option<String>,
}

/// A model in memory that follows a drift.
///
/// ```
/// use driftline::prelude::*;
///
/// # fn main() -> driftline::Result<()> {
/// // Two classes, four apart, that move to the right as time goes by.
/// let row = |i: usize| [(i % 2 * 4) as f32 + (i * 7 % 13) as f32 / 13.0 + i as f32 / 500.0, (i * 5 % 11) as f32];
/// let rows = |range: std::ops::Range<usize>| Inputs::new(range.flat_map(row).collect(), Shape::Vector(2));
/// let labels: Vec<u32> = (0..300).map(|i| i % 2).collect();
/// let mut adapter = Adapter::auto().window(200).fit(&rows(0..300)?, &labels)?;
/// adapter.adapt(&rows(300..2300)?)?;
/// println!("{}", adapter.score(&rows(2300..2600)?, &labels)?);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Adapter {
    session: Session,
    settings: RunSettings,
    kept: Kept,
    runtime: Runtime,
    registry: Registry,
    /// The labelled source, where it is at hand.
    rows: Option<LabeledDomain>,
    /// The folder held this run already, and its stream has not been asked for again yet.
    found: bool,
}

/// The windows so far.
#[derive(Debug)]
struct Kept {
    records: Vec<WindowRecord>,
    store: Store,
    /// Those who look on while the run goes on.
    reader: Option<Reader>,
    /// What was asked for, where there is no folder.
    asked: AskedRows,
}

/// Where versions are kept.
#[derive(Debug)]
enum Store {
    Memory(Vec<ModelFile>),
    Folder(Box<RunFolder>),
}

/// Classes and probabilities of some rows.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Prediction {
    pub labels: Labels,
    pub probabilities: Probabilities,
    /// The names of the classes.
    pub classes: Vec<String>,
}

impl Prediction {
    /// The class of each row by its name.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        let classes = self.labels.as_slice().iter();
        classes.map(|&class| &*self.classes[class as usize])
    }
}

impl AdapterBuilder {
    /// Windows of so many rows for [`Adapter::adapt`].
    pub fn window(self, rows: usize) -> Self {
        self.with(|adapt| adapt.window(rows))
    }

    /// Another curriculum for [`Adapter::adapt`]: `gradual`, `target`, `pooled`, `accumulate`, `source-only`.
    pub fn method(self, name: &str) -> Self {
        self.with(|adapt| adapt.method(name))
    }

    /// `auto`, `linear`, `mlp`, `cnn`, `margin`, or one of the registry.
    pub fn model(self, name: &str) -> Self {
        self.with(|adapt| adapt.model(name))
    }

    /// What becomes of a step: `guarded` by default, `always`, `never`, or one of the registry.
    pub fn policy(self, name: &str) -> Self {
        self.with(|adapt| adapt.policy(name))
    }

    /// Everything that a file of settings can say.
    pub fn settings(mut self, settings: Settings) -> Self {
        self.adapt.settings = settings.or(&self.adapt.settings);
        self
    }

    pub fn seed(self, seed: u64) -> Self {
        self.with(|adapt| adapt.seed(seed))
    }

    /// Threads, memory, and a token to stop by.
    pub fn runtime(self, runtime: Runtime) -> Self {
        self.with(|adapt| adapt.runtime(runtime))
    }

    /// Parts of your own.
    pub fn registry(mut self, registry: Registry) -> Self {
        self.adapt.registry = registry;
        self
    }

    /// Whether rows that stand for the source are stored with the model, for runs that begin with the model alone; they
    /// are unless the source is private.
    pub fn source_sample(mut self, sample: bool) -> Self {
        self.adapt.source_sample = sample;
        self
    }

    /// Also writes a run folder, as `driftline adapt` does.
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.adapt.folder = folder.into();
        self.in_folder = true;
        self
    }

    /// What a front end wants to find again with the model ([`ModelFile::estimator`]).
    pub fn estimator(self, note: Value) -> Self {
        Self {
            estimator: Some(note),
            ..self
        }
    }

    /// How much each row of the source counts when its model is trained.
    pub fn weights(self, weights: Vec<f32>) -> Self {
        Self {
            weights: Some(weights),
            ..self
        }
    }

    /// The columns of the source and the stream that play a part, but for the label.
    pub fn choice(mut self, choice: ColumnChoice) -> Self {
        self.adapt.choice = choice;
        self
    }

    /// The column of the source whose values are groups of rows, such as patients: no feature, and `auto` holds whole groups
    /// out when it compares models.
    pub fn groups(self, column: impl Into<String>) -> Self {
        let groups = Some(column.into());
        Self { groups, ..self }
    }

    fn with(self, change: impl FnOnce(FileRun) -> FileRun) -> Self {
        Self {
            adapt: change(self.adapt),
            ..self
        }
    }

    /// Trains the source model. Labels are numbers or names, one for each row.
    pub fn fit<T: ToString>(
        self,
        source: impl Into<Table>,
        labels: impl IntoIterator<Item = T>,
    ) -> Result<Adapter> {
        let source = source.into().with_texts(LABEL, labels)?;
        self.fit_from(&source, LABEL)
    }

    /// The same for whatever can be read; the classes are in the column `label`. With a folder that holds this run
    /// already, nothing is trained: the run goes on.
    pub fn fit_from(self, source: &dyn TableSource, label: &str) -> Result<Adapter> {
        let runtime = self.adapt.runtime.clone();
        runtime.install(|| self.fit_rows(source, label))
    }

    /// Goes on from a model file, with these settings; its labelled source is not at hand.
    pub fn load(self, path: impl AsRef<Path>) -> Result<Adapter> {
        let model_file = ModelFile::load_with(path, &self.adapt.registry)?;
        self.start(model_file)
    }

    /// The same from a model at hand.
    pub fn start(self, mut model_file: ModelFile) -> Result<Adapter> {
        model_file.version = model_file.version.numbered(0);
        self.begin(model_file, None, vec![])
    }
}

impl Adapter {
    /// The defaults of `driftline adapt`: the model that suits the data, scaled columns, one window after the other.
    pub fn auto() -> AdapterBuilder {
        AdapterBuilder {
            adapt: FileRun::new(PathBuf::new()),
            in_folder: false,
            estimator: None,
            weights: None,
            groups: None,
        }
    }

    /// Goes on with a model file, or with the current version of a run folder, which is then written to.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        Self::load_with(path, Registry::default(), Runtime::all_cores())
    }

    /// The same with parts of your own.
    pub fn load_with(path: impl AsRef<Path>, registry: Registry, runtime: Runtime) -> Result<Self> {
        let path = path.as_ref();
        if !is_run(path) {
            let builder = Self::auto().registry(registry).runtime(runtime);
            return builder.load(path);
        }
        let run = RunFolder::open_with(path, &registry)?;
        Self::resumed(run, None, registry, runtime)
    }

    /// Goes on with a run, writing to its folder.
    fn resumed(
        run: RunFolder,
        rows: Option<LabeledDomain>,
        registry: Registry,
        runtime: Runtime,
    ) -> Result<Self> {
        Ok(Self {
            session: run.session(rows.clone(), &runtime, None)?,
            settings: run.manifest().settings.clone(),
            kept: Kept {
                asked: run.asked()?,
                records: run.records().to_vec(),
                store: Store::Folder(Box::new(run)),
                reader: None,
            },
            runtime,
            registry,
            rows,
            found: true,
        })
    }

    fn encode(
        &self,
        table: &dyn TableSource,
        answers: Option<&str>,
    ) -> Result<(Rows, Vec<InputDigest>)> {
        let choice = ColumnChoice {
            answers: answers.map(String::from),
            impute: self.imputes(),
            ..ColumnChoice::default()
        };
        let encoding = &self.session.source().encoding;
        let read = limited(&ReadOptions::default(), &self.runtime);
        read_all_hashed(table, encoding, &choice, &read, &mut Notes::new())
    }

    fn imputes(&self) -> bool {
        self.settings.choice.impute || self.session.source().source.choice.impute
    }

    /// A run folder or a model file read into memory: nothing is locked, and nothing is written.
    pub fn read_with(path: impl AsRef<Path>, registry: Registry, runtime: Runtime) -> Result<Self> {
        let path = path.as_ref();
        if !is_run(path) {
            return Self::load_with(path, registry, runtime);
        }
        let run = RunFolder::read_with(path, &registry)?;
        let versions = (0..=run.manifest().windows).map(|version| run.model(Some(version)));
        let versions = versions.collect::<Result<Vec<ModelFile>>>()?;
        let mut adapter = Self::resumed(run, None, registry, runtime)?;
        adapter.kept.store = Store::Memory(versions);
        adapter.found = false;
        Ok(adapter)
    }

    /// Class and probabilities of every row, by the version in use.
    pub fn predict(&self, rows: impl Into<Table>) -> Result<Prediction> {
        self.predict_from(&rows.into())
    }

    /// The same for whatever can be read.
    pub fn predict_from(&self, rows: &dyn TableSource) -> Result<Prediction> {
        self.runtime.install(|| {
            let (rows, _) = self.encode(rows, None)?;
            let (labels, probabilities) = self.version().assess(&rows.inputs)?;
            Ok(Prediction {
                labels,
                probabilities,
                classes: self.classes().to_vec(),
            })
        })
    }

    /// How many rows the version in use gets right, by answers that nothing learns from. Classes that the source lacks
    /// are always wrong.
    pub fn score<T: ToString>(
        &self,
        rows: impl Into<Table>,
        answers: impl IntoIterator<Item = T>,
    ) -> Result<Proportion> {
        let rows = rows.into().with_texts(LABEL, answers)?;
        self.runtime.install(|| {
            let (rows, _) = self.encode(&rows, Some(LABEL))?;
            let (labels, _) = self.version().assess(&rows.inputs)?;
            let answers: &[Answer] = rows.answers.as_deref().unwrap_or_default();
            Ok(right(&labels, answers))
        })
    }

    /// The version in use. It takes encoded inputs; [`Adapter::predict`] takes rows as they are.
    pub fn version(&self) -> &Version {
        self.session.engine().deployed()
    }

    /// The names of the classes, by number.
    pub fn classes(&self) -> &[String] {
        self.session.source().classes()
    }

    /// How the columns of a table become inputs.
    pub fn encoding(&self) -> &driftline_io::Encoding {
        &self.session.source().encoding
    }

    /// Threads, memory, and the token to stop by.
    pub fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// One for each window so far.
    pub fn records(&self) -> &[WindowRecord] {
        &self.kept.records
    }

    pub fn settings(&self) -> &RunSettings {
        &self.settings
    }

    /// Goes back to version `to`; 0 is the source model. Nothing is deleted.
    pub fn roll_back(&mut self, to: usize) -> Result<()> {
        let earlier = match &mut self.kept.store {
            Store::Memory(versions) => memory(versions, to)?.clone(),
            Store::Folder(run) => {
                run.roll_back(to)?;
                run.model(None)?
            }
        };
        self.session.roll_back(earlier)?;
        if let Some(reader) = &self.kept.reader {
            reader.show(self.session.current())?;
        }
        Ok(())
    }

    /// The rows whose labels the policy wants, with those that are known.
    pub fn asked(&mut self) -> Result<AskedRows> {
        match &mut self.kept.store {
            Store::Memory(_) => Ok(self.kept.asked.clone()),
            Store::Folder(run) => {
                run.settle()?;
                run.asked()
            }
        }
    }

    /// Labels of rows that were asked for, each by its window and its place in it, both from 1. The next decision takes
    /// them as evidence. Either all are kept or none.
    pub fn label<T: ToString>(
        &mut self,
        rows: &[(usize, usize)],
        labels: impl IntoIterator<Item = T>,
    ) -> Result<()> {
        let labels: Vec<String> = labels.into_iter().map(|label| label.to_string()).collect();
        let labels: Vec<&str> = labels.iter().map(|label| &**label).collect();
        let mut asked = self.asked()?;
        let (records, classes) = (&self.kept.records, self.session.source().classes());
        asked.label(rows, &labels, records, classes)?;
        if let Store::Folder(run) = &mut self.kept.store {
            run.keep_asked(&asked)?;
        }
        self.kept.asked = asked;
        Ok(())
    }

    /// Tells the policy the labels that have come.
    fn take_labels(&mut self) -> Result<()> {
        let asked = self.asked()?;
        let late = asked.late(&self.kept.records, self.session.source().classes());
        self.session.take_labels(&late)
    }

    /// Writes the version in use as a model file.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        self.session.current().save(path)
    }

    /// The model with all that is needed to use it elsewhere.
    pub fn model(&self) -> ModelFile {
        self.session.current()
    }

    /// Waits until a run folder has everything; in memory there is nothing to wait for.
    pub fn settle(&mut self) -> Result<()> {
        match &mut self.kept.store {
            Store::Memory(_) => Ok(()),
            Store::Folder(run) => run.settle(),
        }
    }
}

fn memory(versions: &[ModelFile], number: usize) -> Result<&ModelFile> {
    let newest = versions.last().map_or(0, ModelFile::number);
    let found = versions
        .iter()
        .find(|model_file| model_file.number() == number);
    found.ok_or_else(|| {
        let allowed = format!("from 0 (the source model) to {newest}");
        Error::out_of_range("the version", number, allowed)
    })
}

impl Archive for Kept {
    fn version(&self, number: usize) -> Result<Version> {
        match &self.store {
            Store::Memory(versions) => memory(versions, number).map(|b| b.version.clone()),
            Store::Folder(run) => run.version(number),
        }
    }
}

impl Keep for Kept {
    fn keep(
        &mut self,
        record: WindowRecord,
        model_file: ModelFile,
        engine: &Engine,
        predictions: Option<WindowTable>,
    ) -> Result<()> {
        self.records.push(record.clone());
        if let Some(reader) = &self.reader {
            reader.add(record.clone(), model_file.clone())?;
        }
        match &mut self.store {
            Store::Memory(versions) => {
                self.asked.add(&record, model_file.classes());
                versions.push(model_file.without_source_sample());
                Ok(())
            }
            Store::Folder(run) => run.keep(record, model_file, engine, predictions),
        }
    }

    fn keeps_predictions(&self) -> bool {
        matches!(self.store, Store::Folder(_))
    }
}
