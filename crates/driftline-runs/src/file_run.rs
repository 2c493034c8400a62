//! `adapt`: follows a stream from a source model, window by window, into a run folder. The same call goes on where an
//! earlier one stopped.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;

use super::asked::GivenLabels;
use super::fit::{Fit, Prepared, limited};
use super::folder::{Origin, RUN_FORMAT, RunFolder, RunManifest};
use super::model_file::ModelFile;
use super::same_run::differences;
use super::session::Session;
use super::settings::RunSettings;
use super::stream::FileWindows;
use super::watch::Watch;
use crate::method::{Method, Registry, Settings};
use driftline_adapt::PartSpec;
use driftline_core::data::{ColumnCleaning, LabeledDomain, Windowing};
use driftline_core::{Error, Result};
use driftline_io::{
    AsMemory, ColumnChoice, Encoding, Files, InputDigest, ReadOptions, TableSource, blake3,
};
use driftline_models::Runtime;

/// How a stream is adapted to, and where the results go.
///
/// ```no_run
/// use driftline::prelude::*;
///
/// # fn main() -> driftline_core::Result<()> {
/// let (source, stream) = (Files::new(["labelled.csv"])?, Files::new(["stream-*.csv"])?);
/// let run = FileRun::new("run").window(500).answers("label").run(Start::source("label", source), stream, &())?;
/// for window in run.records() {
///     println!("{} {:.3}", window.window, window.disagreement);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FileRun {
    pub folder: PathBuf,
    /// What they leave out is as in [`Settings::for_own_data`].
    pub settings: Settings,
    /// The columns and rows of the stream, and of the source but for its label.
    pub choice: ColumnChoice,
    pub seed: u64,
    pub read: ReadOptions,
    pub runtime: Runtime,
    pub registry: Registry,
    /// Whether rows that stand for the source are stored with version 0; see [`Fit::source_sample`].
    pub source_sample: bool,
    /// Labels of rows of the stream, in the column `label`: they answer what the policy asks, and nothing else sees them.
    pub labels: Option<Files>,
    /// Replace what the folder holds instead of going on with it or refusing.
    pub replace: bool,
    /// What the manifest says about the machine.
    pub environment: BTreeMap<String, String>,
    /// What the manifest names as the command to repeat the run.
    pub command: Vec<String>,
}

/// The column of a file of labels.
const LABEL: &str = "label";

/// Where version 0 comes from.
pub enum Start {
    /// A labelled source to be fitted.
    Source {
        label: String,
        data: Box<dyn TableSource>,
    },
    /// A model, and the file that it was read from.
    Model(Box<ModelFile>, Vec<PathBuf>),
}

/// Version 0 before it is trained.
pub enum Ready {
    Source(Box<Fit>, Box<Prepared>),
    Model(Box<ModelFile>, Vec<InputDigest>),
}

impl Start {
    /// A labelled source; the classes are in the column `label`.
    pub fn source(label: impl Into<String>, data: impl TableSource + 'static) -> Self {
        Start::Source {
            label: label.into(),
            data: Box::new(data),
        }
    }

    /// A model that was read from this file.
    pub fn model(path: impl Into<PathBuf>) -> Result<Self> {
        let path = path.into();
        Ok(Start::Model(Box::new(ModelFile::load(&path)?), vec![path]))
    }
}

impl std::fmt::Debug for Start {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Start::Source { label, .. } => write!(f, "Source({label})"),
            Start::Model(_, paths) => write!(f, "Model({paths:?})"),
        }
    }
}

impl Ready {
    pub fn encoding(&self) -> &Encoding {
        match self {
            Self::Source(_, source) => &source.encoding,
            Self::Model(model_file, _) => &model_file.encoding,
        }
    }

    pub fn origin(&self) -> Origin {
        match self {
            Self::Source(_, source) => Origin::Source(source.digests.clone()),
            Self::Model(_, digests) => Origin::Model(digests.clone()),
        }
    }

    /// Everything beside the data that version 0 depends on, as text for the identity.
    fn how(&self) -> Result<String> {
        match self {
            Self::Source(fit, _) => Ok(json!([unscored(&fit.choice), fit.seed]).to_string()),
            Self::Model(model_file, _) => Ok(blake3(&model_file.to_bytes()?)),
        }
    }

    /// The labelled source, where it is at hand.
    pub fn rows(&self) -> Option<LabeledDomain> {
        match self {
            Self::Source(_, source) => Some(source.domain.clone()),
            Self::Model(..) => None,
        }
    }

    pub fn train(&self) -> Result<ModelFile> {
        match self {
            Self::Source(fit, source) => fit.train(source),
            Self::Model(model_file, _) => {
                let mut first = ModelFile::clone(model_file);
                first.version = first.version.numbered(0);
                Ok(first)
            }
        }
    }
}

impl FileRun {
    /// With the default settings, into `folder`.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            settings: Settings::new(),
            choice: ColumnChoice::default(),
            seed: 0,
            read: ReadOptions::default(),
            runtime: Runtime::all_cores(),
            registry: Registry::default(),
            source_sample: true,
            labels: None,
            replace: false,
            environment: BTreeMap::new(),
            command: vec![],
        }
    }

    /// Windows of so many rows, one after the other; the tail is merged into the last.
    pub fn window(mut self, rows: usize) -> Self {
        self.settings = self.settings.with_window(rows);
        self
    }

    /// Another curriculum: `gradual`, `target`, `pooled`, `accumulate`, `source-only`, or one of the registry.
    pub fn method(mut self, name: &str) -> Self {
        self.settings = self.settings.with_method(name);
        self
    }

    pub fn model(mut self, name: &str) -> Self {
        self.settings.model = Some(PartSpec::plain(name));
        self
    }

    /// What becomes of a step: `guarded`, which it is unless something else is said, `always`, `never`, or one of the
    /// registry.
    pub fn policy(mut self, name: &str) -> Self {
        self.settings.policy = Some(PartSpec::plain(name));
        self
    }

    /// Scores every window by this column, which nothing learns from.
    pub fn answers(mut self, column: impl Into<String>) -> Self {
        self.choice.answers = Some(column.into());
        self
    }

    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    pub fn runtime(mut self, runtime: Runtime) -> Self {
        self.runtime = runtime;
        self
    }

    /// Adapts to the stream to its end, or goes on with the run that the folder holds.
    pub fn run(
        &self,
        start: Start,
        stream: impl TableSource + 'static,
        watch: &dyn Watch,
    ) -> Result<RunFolder> {
        let stream: Box<dyn TableSource> = Box::new(stream);
        self.runtime.install(|| self.follow(start, stream, watch))
    }

    fn follow(
        &self,
        start: Start,
        stream: Box<dyn TableSource>,
        watch: &dyn Watch,
    ) -> Result<RunFolder> {
        let existing = self.existing()?;
        if let Some(manifest) = &existing
            && manifest.settings.method.column_cleaning.is_none()
            && self.settings.column_cleaning.is_none()
        {
            // A run from before columns were cleaned goes on without it.
            let mut own = self.clone();
            own.settings.column_cleaning = Some(ColumnCleaning::OFF);
            return own.follow(start, stream, watch);
        }
        if let Some(manifest) = &existing
            && manifest.settings.method.policy.is_none()
            && self.settings.policy.is_none()
        {
            // And one from before there was a guard goes on without that.
            let own = self.clone().policy("always");
            return own.follow(start, stream, watch);
        }
        let plan = self.plan()?;
        let (start, stream) = match &existing {
            Some(manifest) if manifest.is_from_arrays() => as_arrays(start, stream),
            _ => (start, stream),
        };
        let ready = self.ready(start)?;
        // Every row is read before anything is trained or written: a fault in the last one is told now, not after hours,
        // and leaves no half of a run behind.
        let stream = self.windows(ready.encoding(), stream, &plan)?;
        let labels = self.labels.as_ref().map(|file| {
            let classes = ready.encoding().classes();
            GivenLabels::read(file, LABEL, classes, &self.read).map(Arc::new)
        });
        let labels = labels.transpose()?;
        let mut stream = stream.with_labels(labels.clone());
        let digests = stream.outline().digests.clone();
        let mut run = match existing {
            Some(manifest) => {
                let others = differences(self, &plan, &ready, &digests, &manifest)?;
                if !others.is_empty() {
                    return Err(Error::Occupied {
                        path: self.folder.clone(),
                        what: format!("holds another run: {}", others.join("; ")),
                    });
                }
                let mut run = RunFolder::open_with(&self.folder, &self.registry)?;
                run.expect_own_report()?;
                if self.has_new_answers(&run) {
                    self.score(&mut run, &plan, &mut stream)?;
                }
                fill(&mut run, labels.as_deref())?;
                run
            }
            None => {
                let claim = RunFolder::claim(&self.folder, self.replace)?;
                let source = ready.train()?;
                if let Ready::Source(..) = ready {
                    watch.fitted(&source);
                }
                let manifest = self.manifest(&plan, &ready, &stream, source.classes())?;
                claim.begin(manifest, &source, &self.registry)?
            }
        };
        let (planned, done) = (run.manifest().planned, run.manifest().windows);
        watch.noted(&run.manifest().notes);
        watch.begin(planned, done.min(planned));
        if done >= planned {
            return Ok(run);
        }
        let rows = ready.rows();
        let mut session = match done {
            0 => {
                let source = run.model(Some(0))?;
                let settings = &run.manifest().settings;
                Session::new(source, rows, settings, &self.registry, &self.runtime)?
            }
            _ => run.session(rows, &self.runtime, Some(&mut stream))?,
        };
        session.record(&mut stream, planned, vec![], &mut run, watch)?;
        run.settle()?;
        fill(&mut run, labels.as_deref())?;
        Ok(run)
    }

    /// What the run is, before its first window.
    pub fn manifest(
        &self,
        plan: &Method,
        ready: &Ready,
        stream: &FileWindows,
        classes: &[String],
    ) -> Result<RunManifest> {
        let outline = stream.outline();
        let identity = self.identity(plan, ready, &outline.digests)?;
        Ok(RunManifest {
            stream: outline.digests.clone(),
            detected: outline.detected.clone(),
            notes: stream.notes(),
            planned: plan.candidate.curriculum.stages(outline.windows.len()),
            environment: self.environment.clone(),
            command: self.command.clone(),
            ..RunManifest::new(identity, self.run_settings(), ready.origin(), classes)
        })
    }

    fn method_settings(&self) -> Settings {
        self.settings.clone().or_for_own_data()
    }

    pub fn run_settings(&self) -> RunSettings {
        RunSettings::new(self.seed, self.choice.clone(), self.method_settings())
    }

    pub fn plan(&self) -> Result<Method> {
        self.run_settings().resolve(&self.registry)
    }

    /// The source, read and encoded, or the model; nothing is trained yet.
    pub fn ready(&self, start: Start) -> Result<Ready> {
        Ok(match start {
            Start::Source { label, data } => {
                let fit = self.fit(label);
                let source = Box::new(fit.read(&*data)?);
                Ready::Source(Box::new(fit), source)
            }
            Start::Model(model_file, paths) => {
                Ready::Model(model_file, InputDigest::of_all(&paths)?)
            }
        })
    }

    /// How the source is fitted: what is no feature in the stream is none there either.
    pub(crate) fn fit(&self, label: String) -> Fit {
        let mut fit = Fit::new(label);
        fit.choice = ColumnChoice {
            label: fit.choice.label,
            ..self.choice.clone()
        };
        fit.read = self.read.clone();
        fit.settings = self.settings.clone();
        fit.seed = self.seed;
        fit.source_sample = self.source_sample;
        fit.runtime = self.runtime.clone();
        fit.registry = self.registry.clone();
        fit
    }

    /// The stream, read once and cut as the curriculum wants it.
    pub fn windows(
        &self,
        encoding: &Encoding,
        stream: Box<dyn TableSource>,
        plan: &Method,
    ) -> Result<FileWindows> {
        let windowing = plan.candidate.curriculum.windowing();
        let whole = Windowing::Count(std::num::NonZeroUsize::MIN);
        let read = limited(&self.read, &self.runtime);
        FileWindows::open(
            stream,
            encoding,
            &self.choice,
            windowing.unwrap_or(&whole),
            &read,
        )
    }

    /// The run that the folder holds, which may be another one.
    fn existing(&self) -> Result<Option<RunManifest>> {
        if self.replace {
            return Ok(None);
        }
        if RunManifest::kind_of(&self.folder).is_none_or(|kind| kind != "run") {
            RunFolder::expect_free(&self.folder)?;
            return Ok(None);
        }
        RunManifest::read(&self.folder).map(Some)
    }

    pub fn identity(&self, plan: &Method, ready: &Ready, stream: &[InputDigest]) -> Result<String> {
        let hashes = |inputs: &[InputDigest]| -> Vec<String> {
            inputs.iter().map(|input| input.blake3.clone()).collect()
        };
        let origin = match ready.origin() {
            Origin::Source(inputs) | Origin::Model(inputs) => hashes(&inputs),
        };
        let all = json!([
            RUN_FORMAT,
            plan.settings(),
            self.seed,
            unscored(&self.choice),
            ready.how()?,
            origin,
            hashes(stream)
        ]);
        Ok(blake3(all.to_string().as_bytes())[..16].to_owned())
    }
}

/// Puts the labels that are at hand to the rows that were asked for.
fn fill(run: &mut RunFolder, labels: Option<&GivenLabels>) -> Result<()> {
    labels.map_or(Ok(()), |labels| run.fill_asked(labels, false).map(|_| ()))
}

/// Source and stream of a run that began with arrays.
fn as_arrays(start: Start, stream: Box<dyn TableSource>) -> (Start, Box<dyn TableSource>) {
    let start = match start {
        Start::Source { label, data } => Start::source(label, AsMemory(data)),
        model => model,
    };
    (start, Box::new(AsMemory(stream)))
}

/// What decides a run: answers are for scoring only.
fn unscored(choice: &ColumnChoice) -> ColumnChoice {
    ColumnChoice {
        answers: None,
        ..choice.clone()
    }
}

/// The run in a folder, if it holds one.
pub fn is_run(folder: &Path) -> bool {
    RunManifest::kind_of(folder).is_some_and(|kind| kind == "run")
}
