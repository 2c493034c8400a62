//! `adapt`: walks a stream from a source model, window by window, into a run folder. The same call goes on where an
//! earlier one stopped.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::bundle::Bundle;
use super::digest::{InputDigest, blake3};
use super::fit::{Fit, Prepared};
use super::predictions;
use super::run::{Manifest, Origin, RUN_FORMAT, RunFolder, StepInput};
use super::settings::AdaptSettings;
use super::stages::{Stage, Stages};
use super::walk::Walk;
use super::watch::Watch;
use super::window::Place;
use crate::error::DataFault;
use crate::models::any::AnyLearner;
use crate::models::network::Runtime;
use crate::random::Seed;
use crate::reading::{Choice, Encoding, FrameSource, NoteCode, Outline, ReadOptions, Rows};
use crate::{Error, Result};

/// How a stream is adapted to, and where the results go.
///
/// ```no_run
/// use driftline::reading::Files;
/// use driftline::service::{Adapt, Bundle, Data, Start};
///
/// # fn main() -> driftline::Result<()> {
/// let model = "model.safetensors".as_ref();
/// let start = Start::Model(Box::new(Bundle::load(model)?), vec![model.to_path_buf()]);
/// let stream = Data::files(Files::new(["stream-*.csv"])?);
/// let run = Adapt::new("run").window(500)?.answers("label").run(start, stream, &())?;
/// for window in run.records() {
///     println!("{} {:.3}", window.window, window.disagreement);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Adapt {
    pub folder: PathBuf,
    pub settings: AdaptSettings,
    pub read: ReadOptions,
    pub runtime: Runtime,
    /// Replace what the folder holds instead of going on with it or refusing.
    pub replace: bool,
    /// What the manifest says about the machine.
    pub environment: BTreeMap<String, String>,
    /// What the manifest names as the command to repeat the run.
    pub command: Vec<String>,
}

/// A table to be read, with the files that it is known by.
pub struct Data {
    pub source: Box<dyn FrameSource>,
    pub inputs: Vec<PathBuf>,
}

impl Data {
    pub fn files(files: crate::reading::Files) -> Self {
        let inputs = files.paths().to_vec();
        Self {
            source: Box::new(files),
            inputs,
        }
    }
}

impl std::fmt::Debug for Data {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Data")
            .field("inputs", &self.inputs)
            .finish_non_exhaustive()
    }
}

/// Where version 0 comes from.
#[derive(Debug)]
pub enum Start {
    /// A labelled source to be fitted.
    Source(Box<Fit>, Data),
    /// A model, and the file that it was read from.
    Model(Box<Bundle>, Vec<PathBuf>),
}

/// Version 0 before it is trained.
enum Ready {
    Source(Box<Fit>, Box<Prepared>),
    Model(Box<Bundle>),
}

impl Ready {
    fn of(start: Start) -> Result<Self> {
        Ok(match start {
            Start::Source(fit, data) => {
                let source = Box::new(fit.read(&*data.source)?);
                Self::Source(fit, source)
            }
            Start::Model(bundle, _) => Self::Model(bundle),
        })
    }

    fn encoding(&self) -> &Encoding {
        match self {
            Self::Source(_, source) => &source.encoding,
            Self::Model(bundle) => &bundle.encoding,
        }
    }

    fn model(self, origin: &Origin) -> Result<Bundle> {
        let (Origin::Source(digests) | Origin::Model(digests)) = origin;
        match self {
            Self::Source(fit, source) => fit.train(*source, digests.clone()),
            Self::Model(bundle) => Ok(Bundle {
                version: 0,
                ..*bundle
            }),
        }
    }
}

impl Adapt {
    /// With the default settings, into `folder`.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            settings: AdaptSettings::default(),
            read: ReadOptions::default(),
            runtime: Runtime::default(),
            replace: false,
            environment: BTreeMap::new(),
            command: vec![],
        }
    }

    /// Windows of so many rows.
    pub fn window(mut self, rows: usize) -> Result<Self> {
        let rows = std::num::NonZeroUsize::new(rows);
        let rows = rows.ok_or_else(|| Error::out_of_range("the window", 0, "at least 1 row"))?;
        self.settings.windows = super::settings::Windows::Size(rows);
        Ok(self)
    }

    pub fn method(mut self, method: super::settings::Method) -> Self {
        self.settings.method = method;
        self
    }

    /// Scores every window by this column, which nothing learns from.
    pub fn answers(mut self, column: impl Into<String>) -> Self {
        self.settings.choice.answers = Some(column.into());
        self
    }

    pub fn seed(mut self, seed: u64) -> Self {
        self.settings.seed = seed;
        self
    }

    /// Walks the stream to its end, or goes on with the run that the folder holds.
    pub fn run(&self, start: Start, stream: Data, watch: &dyn Watch) -> Result<RunFolder> {
        self.settings.check()?;
        let existing = self.existing()?;
        let (origin, how) = self.origin(&start)?;
        let ready = Ready::of(start)?;
        // Every row is read before anything is trained or written: a fault in the last one is told now, not after hours,
        // and leaves no half of a run behind.
        let mut stages = self.stages(ready.encoding(), stream.source)?;
        let digests = stages.digests(&stream.inputs)?;
        let identity = self.identity(&how, &origin, &digests);
        let mut run = match existing {
            Some(manifest) if manifest.identity != identity => {
                return Err(Error::corrupt(
                    &self.folder,
                    "holds another run: other settings or other data; give another folder, or --force to replace it",
                ));
            }
            Some(_) => RunFolder::open(&self.folder)?,
            None => {
                let claim = RunFolder::claim(&self.folder, self.replace)?;
                let source = ready.model(&origin)?.with_runtime(self.runtime)?;
                if let Origin::Source(_) = origin {
                    watch.fitted(&source);
                }
                let manifest = Manifest {
                    kind: "run".into(),
                    format: RUN_FORMAT,
                    driftline: String::new(),
                    identity,
                    settings: self.settings.clone(),
                    origin,
                    stream: digests,
                    stated: stages.stated(),
                    notes: stages.notes().clone(),
                    classes: source.classes().to_vec(),
                    planned: stages.planned(),
                    windows: 0,
                    current: 0,
                    steps: vec![],
                    environment: self.environment.clone(),
                    command: self.command.clone(),
                    files: BTreeMap::new(),
                };
                claim.begin(manifest, &source)?
            }
        };
        let (planned, finished) = (run.manifest().planned, run.manifest().windows);
        watch.noted(&run.manifest().notes);
        watch.begin(planned, finished.min(planned));
        if finished >= planned {
            return Ok(run);
        }
        let mut walker = Walker::new(&run, self.runtime)?;
        stages.start_after(finished)?;
        while let Some(stage) = stages.next()? {
            if watch.should_stop() {
                return Err(Error::Interrupted);
            }
            walker.advance(&mut run, stage, None)?;
            let record = run.records().last().expect("a window was just added");
            watch.window(record, planned);
        }
        Ok(run)
    }

    fn stages(&self, encoding: &Encoding, stream: Box<dyn FrameSource>) -> Result<Stages> {
        Stages::open(stream, encoding, &self.settings, &self.read)
    }

    /// The run that the folder holds, which may be another one.
    fn existing(&self) -> Result<Option<Manifest>> {
        if self.replace {
            return Ok(None);
        }
        if Manifest::kind_of(&self.folder).is_none_or(|kind| kind != "run") {
            RunFolder::expect_free(&self.folder)?;
            return Ok(None);
        }
        Manifest::read(&self.folder).map(Some)
    }

    /// What version 0 is made from, and how, as text for the identity.
    fn origin(&self, start: &Start) -> Result<(Origin, String)> {
        match start {
            Start::Source(fit, data) => {
                let how = (&fit.choice, fit.model, fit.epochs, fit.seed);
                let how = serde_json::to_string(&how).expect("settings have string keys only");
                Ok((Origin::Source(InputDigest::of_all(&data.inputs)?), how))
            }
            Start::Model(bundle, inputs) => {
                let how = blake3(&bundle.to_bytes());
                Ok((Origin::Model(InputDigest::of_all(inputs)?), how))
            }
        }
    }

    fn identity(&self, how: &str, origin: &Origin, stream: &[InputDigest]) -> String {
        let hashes = |inputs: &[InputDigest]| -> Vec<String> {
            inputs.iter().map(|input| input.blake3.clone()).collect()
        };
        let origin = match origin {
            Origin::Source(inputs) | Origin::Model(inputs) => hashes(inputs),
        };
        let all = (RUN_FORMAT, &self.settings, how, origin, hashes(stream));
        let text = serde_json::to_string(&all).expect("settings have string keys only");
        blake3(text.as_bytes())[..16].to_owned()
    }
}

/// Takes a run from its current version to the next.
pub(super) struct Walker {
    walk: Walk<AnyLearner>,
    source: Bundle,
    runtime: Runtime,
}

impl Walker {
    pub fn new(run: &RunFolder, runtime: Runtime) -> Result<Self> {
        let source = run.model(Some(0))?.with_runtime(runtime)?;
        let settings = &run.manifest().settings;
        let method = settings.self_training(source.learner.clone());
        let seed = Seed::new(settings.seed);
        let current = run.manifest().current;
        let newest = run.model(Some(current))?.with_runtime(runtime)?;
        let walk = Walk::new(method, source.model.clone(), seed).resumed(newest.model, current);
        Ok(Self {
            walk,
            source,
            runtime,
        })
    }

    /// One self-training step, measured and stored.
    pub fn advance(
        &mut self,
        run: &mut RunFolder,
        stage: Stage,
        step: Option<StepInput>,
    ) -> Result<()> {
        let Stage {
            number,
            learn,
            rows,
            span,
            mut notes,
            last,
        } = stage;
        let labeling = self.walk.step(number, &learn)?.clone();
        if labeling.held {
            let window = number.to_string();
            notes.add(NoteCode::WindowHeld, &window, 1, || held(&labeling, number));
        }
        let answers = rows.answers.as_deref();
        let measured = self
            .walk
            .measure(&rows.inputs, answers, self.source.classes())?;
        let mut record = measured.record;
        record.notes = notes;
        (record.from, record.to) = span.unzip();
        (record.first, record.last) = (place(&rows, 0), place(&rows, rows.inputs.len() - 1));
        record.isa = self
            .source
            .learner
            .depends_on_isa()
            .then(|| self.runtime.isa.to_string());
        let table = last.then(|| {
            let (labels, probabilities) = (&measured.labels, &measured.probabilities);
            predictions::window_csv(&rows, self.source.classes(), labels, probabilities)
        });
        let bundle = Bundle {
            model: self.walk.current().clone(),
            version: number,
            ..self.source.clone()
        };
        run.add_window(record, &bundle, table.as_deref(), step)
    }
}

/// Refuses answers of which not one is a class of the model.
pub(super) fn expect_known_answers(
    outline: &Outline,
    choice: &Choice,
    encoding: &Encoding,
) -> Result<()> {
    match outline.answers {
        Some(answers) if answers.unknown > 0 && answers.known == 0 => {
            let path = outline.digests.first().map(|digest| &*digest.path);
            let path = path.unwrap_or(Path::new("the stream"));
            Err(no_known_answer(choice, encoding, path))
        }
        _ => Ok(()),
    }
}

/// Answers that no model of these classes can give.
pub(super) fn no_known_answer(choice: &Choice, encoding: &Encoding, path: &Path) -> Error {
    let classes = encoding.classes().join("`, `");
    DataFault::new(path, "none of the answers is a class of the model")
        .column(choice.answers.as_deref().unwrap_or_default())
        .help(format!(
            "the classes are `{classes}`; name the column that has them with --answers"
        ))
        .into()
}

fn held(labeling: &crate::adapt::Labeling, number: usize) -> String {
    let what = match labeling.kept {
        0 => "no row".to_owned(),
        kept => format!("{kept} rows of one class only"),
    };
    format!(
        "window {number} was held: the filter left {what}, so the model before it was kept as it is"
    )
}

fn place(rows: &Rows, index: usize) -> Option<Place> {
    (index < rows.inputs.len()).then(|| {
        let (file, row) = rows.origins.get(index);
        Place {
            file: file.display().to_string(),
            row,
        }
    })
}
