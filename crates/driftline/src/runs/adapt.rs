//! `adapt`: follows a stream from a source model, window by window, into a run folder. The same call goes on where an
//! earlier one stopped.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::fit::{Fit, Prepared, limited};
use super::folder::{Origin, RUN_FORMAT, RunFolder, RunManifest};
use super::model_file::Bundle;
use super::predictions::WindowTable;
use super::same_run::differences;
use super::session::Session;
use super::settings::RunSettings;
use super::stream::FileWindows;
use super::watch::Watch;
use crate::adapt::{MethodPlan, Named, Registry, Settings, Windows};
use crate::data::{Hygiene, LabeledDomain, Windowing};
use crate::models::Runtime;
use crate::reading::{ColumnChoice, Encoding, FrameSource, InputDigest, ReadOptions, blake3};
use crate::{Error, Result};

/// How a stream is adapted to, and where the results go.
///
/// ```no_run
/// use driftline::prelude::*;
///
/// # fn main() -> driftline::Result<()> {
/// let (source, stream) = (Files::new(["labelled.csv"])?, Files::new(["stream-*.csv"])?);
/// let run = Adapt::new("run").window(500).answers("label").run(Start::source("label", source), stream, &())?;
/// for window in run.records() {
///     println!("{} {:.3}", window.window, window.disagreement);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Adapt {
    pub folder: PathBuf,
    /// What they leave out is as in [`Settings::for_own_data`].
    pub settings: Settings,
    /// The columns and rows of the stream, and of the source but for its label.
    pub choice: ColumnChoice,
    pub seed: u64,
    pub read: ReadOptions,
    pub runtime: Runtime,
    pub registry: Registry,
    /// Whether rows that stand for the source are stored with version 0; see [`Fit::card`].
    pub card: bool,
    /// Replace what the folder holds instead of going on with it or refusing.
    pub replace: bool,
    /// What the manifest says about the machine.
    pub environment: BTreeMap<String, String>,
    /// What the manifest names as the command to repeat the run.
    pub command: Vec<String>,
}

/// Where version 0 comes from.
#[non_exhaustive]
pub enum Start {
    /// A labelled source to be fitted.
    Source {
        label: String,
        data: Box<dyn FrameSource>,
    },
    /// A model, and the file that it was read from.
    Model(Box<Bundle>, Vec<PathBuf>),
}

/// Version 0 before it is trained.
pub(super) enum Ready {
    Source(Box<Fit>, Box<Prepared>),
    Model(Box<Bundle>, Vec<InputDigest>),
}

impl Start {
    /// A labelled source; the classes are in the column `label`.
    pub fn source(label: impl Into<String>, data: impl FrameSource + 'static) -> Self {
        Start::Source {
            label: label.into(),
            data: Box::new(data),
        }
    }

    /// A model that was read from this file.
    pub fn model(path: impl Into<PathBuf>) -> Result<Self> {
        let path = path.into();
        Ok(Start::Model(Box::new(Bundle::load(&path)?), vec![path]))
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
            Self::Model(bundle, _) => &bundle.encoding,
        }
    }

    pub(super) fn origin(&self) -> Origin {
        match self {
            Self::Source(_, source) => Origin::Source(source.digests.clone()),
            Self::Model(_, digests) => Origin::Model(digests.clone()),
        }
    }

    /// Everything beside the data that version 0 depends on, as text for the identity.
    fn how(&self) -> Result<String> {
        match self {
            Self::Source(fit, _) => Ok(json!([unscored(&fit.choice), fit.seed]).to_string()),
            Self::Model(bundle, _) => Ok(blake3(&bundle.to_bytes()?)),
        }
    }

    /// The labelled source, where it is at hand.
    pub fn rows(&self) -> Option<LabeledDomain> {
        match self {
            Self::Source(_, source) => Some(source.domain.clone()),
            Self::Model(..) => None,
        }
    }

    pub fn train(&self) -> Result<Bundle> {
        match self {
            Self::Source(fit, source) => fit.train(source),
            Self::Model(bundle, _) => {
                let mut first = Bundle::clone(bundle);
                first.version = first.version.numbered(0);
                Ok(first)
            }
        }
    }
}

impl Adapt {
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
            card: true,
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
        self.settings.model = Some(Named::plain(name));
        self
    }

    /// What becomes of a step: `guarded`, which it is unless something else is said, `always`, `never`, or one of the
    /// registry.
    pub fn policy(mut self, name: &str) -> Self {
        self.settings.policy = Some(Named::plain(name));
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
        stream: impl FrameSource + 'static,
        watch: &dyn Watch,
    ) -> Result<RunFolder> {
        let stream: Box<dyn FrameSource> = Box::new(stream);
        self.runtime.install(|| self.follow(start, stream, watch))
    }

    fn follow(
        &self,
        start: Start,
        stream: Box<dyn FrameSource>,
        watch: &dyn Watch,
    ) -> Result<RunFolder> {
        let existing = self.existing()?;
        if let Some(manifest) = &existing
            && manifest.settings.method.hygiene.is_none()
            && self.settings.hygiene.is_none()
        {
            // A run from before there was hygiene goes on without it.
            let mut own = self.clone();
            own.settings.hygiene = Some(Hygiene::OFF);
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
        let ready = self.ready(start)?;
        // Every row is read before anything is trained or written: a fault in the last one is told now, not after hours,
        // and leaves no half of a run behind.
        let mut stream = self.windows(ready.encoding(), stream, &plan)?;
        let digests = stream.outline().digests.clone();
        let identity = self.identity(&plan, &ready, &digests)?;
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
                run
            }
            None => {
                let claim = RunFolder::claim(&self.folder, self.replace)?;
                let source = ready.train()?;
                if let Ready::Source(..) = ready {
                    watch.fitted(&source);
                }
                let planned = plan.candidate.curriculum.stages(stream.count());
                let manifest = RunManifest {
                    kind: "run".into(),
                    format: RUN_FORMAT,
                    driftline: String::new(),
                    identity,
                    settings: self.run_settings(),
                    origin: ready.origin(),
                    stream: digests,
                    detected: stream.outline().detected.clone(),
                    notes: stream.notes(),
                    classes: source.classes().to_vec(),
                    planned,
                    windows: 0,
                    current: 0,
                    environment: self.environment.clone(),
                    command: self.command.clone(),
                    files: BTreeMap::new(),
                };
                claim.begin(manifest, &source, &self.registry)?
            }
        };
        let (planned, done) = (run.manifest().planned, run.manifest().windows);
        watch.noted(&run.manifest().notes);
        watch.begin(planned, done.min(planned));
        if done >= planned {
            return Ok(run);
        }
        let settings = run.manifest().settings.clone();
        let source = run.model(Some(0))?;
        let (registry, runtime) = (&self.registry, &self.runtime);
        let mut session = match done {
            0 => Session::new(source, ready.rows(), &settings, registry, runtime)?,
            _ => {
                let (rows, stopped) = (ready.rows(), run.stopped()?);
                let stream: &mut dyn Windows = &mut stream;
                Session::resumed(
                    source,
                    rows,
                    &settings,
                    registry,
                    runtime,
                    stopped,
                    Some(stream),
                )?
            }
        };
        let repeats = plan.candidate.curriculum.repeats();
        while let Some(step) = session.advance(&mut stream, &run)? {
            let Some(window) = stream.arrived() else {
                return Err(Error::empty("the window that arrived"));
            };
            let span = window.span;
            let span = span.map(|(from, to)| (from.to_string(), to.to_string()));
            let measured = session.measure(&step, &window.rows, span, window.notes.clone())?;
            watch.window(&measured.record, planned);
            // Rows that come again are predicted for the last time only.
            let table = (!repeats || step.version.number == planned).then(|| WindowTable {
                rows: window.rows.clone(),
                classes: session.source().classes().to_vec(),
                labels: measured.labels,
                probabilities: measured.probabilities,
            });
            let standing = session.standing();
            run.add_window(measured.record, session.current(), standing, table)?;
        }
        run.settle()?;
        Ok(run)
    }

    fn method_settings(&self) -> Settings {
        self.settings.clone().or_for_own_data()
    }

    fn run_settings(&self) -> RunSettings {
        RunSettings::new(self.seed, self.choice.clone(), self.method_settings())
    }

    pub(super) fn plan(&self) -> Result<MethodPlan> {
        self.run_settings().resolve(&self.registry)
    }

    /// The source, read and encoded, or the model; nothing is trained yet.
    pub(super) fn ready(&self, start: Start) -> Result<Ready> {
        Ok(match start {
            Start::Source { label, data } => {
                let fit = self.fit(label);
                let source = Box::new(fit.read(&*data)?);
                Ready::Source(Box::new(fit), source)
            }
            Start::Model(bundle, paths) => Ready::Model(bundle, InputDigest::of_all(&paths)?),
        })
    }

    /// How the source is fitted: what is no feature in the stream is none there either.
    pub(super) fn fit(&self, label: String) -> Fit {
        let mut fit = Fit::new(label);
        fit.choice = ColumnChoice {
            label: fit.choice.label,
            ..self.choice.clone()
        };
        fit.read = self.read.clone();
        fit.settings = self.settings.clone();
        fit.seed = self.seed;
        fit.card = self.card;
        fit.runtime = self.runtime.clone();
        fit.registry = self.registry.clone();
        fit
    }

    /// The stream, read once and cut as the curriculum wants it.
    pub(super) fn windows(
        &self,
        encoding: &Encoding,
        stream: Box<dyn FrameSource>,
        plan: &MethodPlan,
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

    fn identity(&self, plan: &MethodPlan, ready: &Ready, stream: &[InputDigest]) -> Result<String> {
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
