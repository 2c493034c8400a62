//! The door for arrays: fit, adapt window by window, predict, score, save and load, all in memory. It goes through the
//! same encoding, loop and measurements as `adapt`; a run folder is a sink that can be added.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::adapt::is_run;
use super::fit::{Fit, Prepared, limited};
use super::folder::{Origin, RUN_FORMAT, RunFolder, RunManifest};
use super::measure::right;
use super::model_file::Bundle;
use super::predictions::WindowTable;
use super::record::WindowRecord;
use super::session::Session;
use super::settings::RunSettings;
use crate::adapt::{Archive, MemoryWindows, Named, Registry, Settings, Step, Version};
use crate::data::{LabeledDomain, Labels, Probabilities, Proportion};
use crate::models::{Classifier, Runtime};
use crate::reading::{
    Answer, ColumnChoice, InputDigest, Notes, ReadOptions, Rows, Table, blake3, read_all_hashed,
};
use crate::{Error, Result};

/// The column that labels and answers are put into.
const LABEL: &str = "label";

/// What an [`Adapter`] is made with. What is left out is as in [`Settings::for_own_data`].
#[derive(Clone, Debug)]
pub struct AdapterBuilder {
    settings: Settings,
    seed: u64,
    runtime: Runtime,
    registry: Registry,
    folder: Option<PathBuf>,
    card: bool,
}

/// A model in memory that follows a drift.
///
/// ```
/// use driftline::prelude::*;
///
/// # fn main() -> driftline::Result<()> {
/// let drift = MovingGaussians::paper().scaled_down(4).draw(Seed::new(0))?;
/// let source = &drift.task.source;
/// let mut adapter = Adapter::auto().window(100).fit(source.inputs(), source.labels().as_slice())?;
/// adapter.adapt(drift.task.intermediate.inputs())?;
/// let target = &drift.answers.target;
/// println!("{:?}", adapter.score(target.inputs(), target.labels().as_slice())?.estimate());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Adapter {
    session: Session,
    settings: RunSettings,
    records: Vec<WindowRecord>,
    store: Store,
    runtime: Runtime,
}

/// Where versions are kept.
#[derive(Debug)]
enum Store {
    Memory(Vec<Bundle>),
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
    pub fn window(mut self, rows: usize) -> Self {
        self.settings = self.settings.with_window(rows);
        self
    }

    /// Another curriculum for [`Adapter::adapt`]: `gradual`, `target`, `pooled`, `accumulate`, `source-only`.
    pub fn method(mut self, name: &str) -> Self {
        self.settings = self.settings.with_method(name);
        self
    }

    /// `auto`, `linear`, `mlp`, `cnn`, `margin`, or one of the registry.
    pub fn model(mut self, name: &str) -> Self {
        self.settings.model = Some(Named::plain(name));
        self
    }

    /// What becomes of a step: `guarded`, which it is unless something else is said, `always`, `never`, or one of the
    /// registry.
    pub fn policy(mut self, name: &str) -> Self {
        self.settings.policy = Some(Named::plain(name));
        self
    }

    /// Everything that a file of settings can say.
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings.or(&self.settings);
        self
    }

    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Threads, memory, and a token to stop by.
    pub fn runtime(self, runtime: Runtime) -> Self {
        Self { runtime, ..self }
    }

    /// Parts of your own.
    pub fn registry(self, registry: Registry) -> Self {
        Self { registry, ..self }
    }

    /// Whether rows that stand for the source are stored with the model, for runs that begin with the model alone; they
    /// are unless the source is private.
    pub fn source_card(self, card: bool) -> Self {
        Self { card, ..self }
    }

    /// Also writes a run folder, as `driftline adapt` does.
    pub fn folder(self, folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: Some(folder.into()),
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
        let runtime = self.runtime.clone();
        runtime.install(|| self.fit_table(source))
    }

    /// Goes on from a model file, with these settings; its labelled source is not at hand.
    pub fn load(self, path: impl AsRef<Path>) -> Result<Adapter> {
        let mut bundle = Bundle::load_with(path, &self.registry)?;
        bundle.version = bundle.version.numbered(0);
        self.begin(bundle, None, vec![])
    }

    fn fit_table(self, source: Table) -> Result<Adapter> {
        let mut fit = Fit::new(LABEL);
        fit.settings = self.settings.clone();
        fit.seed = self.seed;
        fit.card = self.card;
        fit.runtime = self.runtime.clone();
        fit.registry = self.registry.clone();
        let source = fit.read(&source)?;
        let bundle = fit.train(&source)?;
        let Prepared {
            domain, digests, ..
        } = source;
        self.begin(bundle, Some(domain), digests)
    }

    fn begin(
        self,
        bundle: Bundle,
        rows: Option<LabeledDomain>,
        digests: Vec<InputDigest>,
    ) -> Result<Adapter> {
        let method = self.settings.clone().or_for_own_data();
        let settings = RunSettings::new(self.seed, ColumnChoice::default(), method);
        let session = Session::new(bundle, rows, &settings, &self.registry, &self.runtime)?;
        let source = session.source().clone();
        let store = match &self.folder {
            None => Store::Memory(vec![source]),
            Some(folder) => {
                let plan = settings.resolve(&self.registry)?;
                let hashes: Vec<&String> = digests.iter().map(|digest| &digest.blake3).collect();
                let identity = serde_json::json!([RUN_FORMAT, plan.settings(), self.seed, hashes]);
                let manifest = RunManifest {
                    kind: "run".into(),
                    format: RUN_FORMAT,
                    driftline: String::new(),
                    identity: blake3(identity.to_string().as_bytes())[..16].to_owned(),
                    settings: settings.clone(),
                    origin: Origin::Source(digests),
                    stream: vec![],
                    detected: "arrays in memory".into(),
                    notes: Notes::new(),
                    classes: source.classes().to_vec(),
                    planned: 0,
                    windows: 0,
                    current: 0,
                    environment: BTreeMap::new(),
                    command: vec![],
                    files: BTreeMap::new(),
                };
                let claim = RunFolder::claim(folder, false)?;
                Store::Folder(Box::new(claim.begin(manifest, &source, &self.registry)?))
            }
        };
        Ok(Adapter {
            session,
            settings,
            records: vec![],
            store,
            runtime: self.runtime,
        })
    }
}

impl Adapter {
    /// The defaults of `driftline adapt`: the model that suits the data, scaled columns, one window after the other.
    pub fn auto() -> AdapterBuilder {
        AdapterBuilder {
            settings: Settings::new(),
            seed: 0,
            runtime: Runtime::all_cores(),
            registry: Registry::default(),
            folder: None,
            card: true,
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
        let settings = run.manifest().settings.clone();
        let (source, stopped) = (run.model(Some(0))?, run.stopped()?);
        Ok(Self {
            session: Session::resumed(source, None, &settings, &registry, &runtime, stopped, None)?,
            settings,
            records: run.records().to_vec(),
            store: Store::Folder(Box::new(run)),
            runtime,
        })
    }

    /// Adapts to one window.
    pub fn step(&mut self, window: impl Into<Table>) -> Result<&WindowRecord> {
        let window = window.into();
        let runtime = self.runtime.clone();
        runtime.install(|| {
            let (rows, digests) = self.encode(&window, None)?;
            let step = self.session.arrive(&rows, &self.store)?;
            self.keep(step, rows, digests)
        })
    }

    /// Adapts to a stream, cut into windows as the curriculum wants it; fewer rows than a window are one window. The
    /// records of its windows.
    pub fn adapt(&mut self, stream: impl Into<Table>) -> Result<&[WindowRecord]> {
        let stream = stream.into();
        let before = self.records.len();
        let runtime = self.runtime.clone();
        runtime.install(|| self.follow(&stream))?;
        Ok(&self.records[before..])
    }

    fn follow(&mut self, stream: &Table) -> Result<()> {
        let (rows, _) = self.encode(stream, None)?;
        let curriculum = self.session.adaptation().candidate().curriculum.clone();
        let windows = MemoryWindows::new(rows.inputs.clone(), curriculum.windowing());
        let mut windows = match windows {
            Err(Error::WindowTooLarge { .. }) => {
                let step = self.session.arrive(&rows, &self.store)?;
                return self.keep(step, rows, vec![]).map(drop);
            }
            other => other?.with_source(self.session.adaptation().source()),
        };
        // A later stream begins anew: its windows are counted from its own first.
        let first = self.session.done();
        while let Some(step) = self
            .session
            .advance_from(first, &mut windows, &self.store)?
        {
            self.runtime.cancel().check()?;
            let arrived = step.stage.arrived.clone().or(step.stage.learn.clone());
            let inputs = arrived.map_or_else(|| rows.inputs.clone(), |domain| domain.inputs);
            self.keep(step, Rows::of(inputs), vec![])?;
        }
        Ok(())
    }

    fn keep(&mut self, step: Step, rows: Rows, digests: Vec<InputDigest>) -> Result<&WindowRecord> {
        let mut measured = self.session.measure(&step, &rows, None, Notes::new())?;
        measured.record.inputs = digests;
        self.records.push(measured.record.clone());
        match &mut self.store {
            Store::Memory(versions) => versions.push(self.session.current().without_card()),
            Store::Folder(run) => {
                let table = WindowTable {
                    rows,
                    classes: self.session.source().classes().to_vec(),
                    labels: measured.labels,
                    probabilities: measured.probabilities,
                };
                let standing = self.session.standing();
                let bundle = self.session.current();
                run.add_window(measured.record, bundle, standing, Some(table))?;
            }
        }
        Ok(self.records.last().expect("a record was just added"))
    }

    fn encode(&self, table: &Table, answers: Option<&str>) -> Result<(Rows, Vec<InputDigest>)> {
        let choice = ColumnChoice {
            answers: answers.map(String::from),
            impute: self.settings.choice.impute || self.session.source().source.choice.impute,
            ..ColumnChoice::default()
        };
        let encoding = &self.session.source().encoding;
        let read = limited(&ReadOptions::default(), &self.runtime);
        read_all_hashed(table, encoding, &choice, &read, &mut Notes::new())
    }

    /// Class and probabilities of every row, by the version in use.
    pub fn predict(&self, rows: impl Into<Table>) -> Result<Prediction> {
        let rows = rows.into();
        self.runtime.install(|| {
            let (rows, _) = self.encode(&rows, None)?;
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
        self.session.adaptation().deployed()
    }

    /// The names of the classes, by number.
    pub fn classes(&self) -> &[String] {
        self.session.source().classes()
    }

    /// One for each window so far.
    pub fn records(&self) -> &[WindowRecord] {
        &self.records
    }

    pub fn settings(&self) -> &RunSettings {
        &self.settings
    }

    /// Goes back to version `to`; 0 is the source model. Nothing is deleted.
    pub fn roll_back(&mut self, to: usize) -> Result<()> {
        let earlier = match &mut self.store {
            Store::Memory(versions) => memory(versions, to)?.clone(),
            Store::Folder(run) => {
                run.roll_back(to)?;
                run.model(None)?
            }
        };
        self.session.roll_back(earlier)
    }

    /// Writes the version in use as a model file.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        self.session.current().save(path)
    }

    /// The model with all that is needed to use it elsewhere.
    pub fn model(&self) -> Bundle {
        self.session.current()
    }

    /// Waits until a run folder has everything; in memory there is nothing to wait for.
    pub fn settle(&mut self) -> Result<()> {
        match &mut self.store {
            Store::Memory(_) => Ok(()),
            Store::Folder(run) => run.settle(),
        }
    }
}

fn memory(versions: &[Bundle], number: usize) -> Result<&Bundle> {
    let newest = versions.last().map_or(0, Bundle::number);
    let found = versions.iter().find(|bundle| bundle.number() == number);
    found.ok_or_else(|| {
        let allowed = format!("from 0 (the source model) to {newest}");
        Error::out_of_range("the version", number, allowed)
    })
}

impl Archive for Store {
    fn version(&self, number: usize) -> Result<Version> {
        match self {
            Store::Memory(versions) => memory(versions, number).map(|b| b.version.clone()),
            Store::Folder(run) => run.version(number),
        }
    }
}
