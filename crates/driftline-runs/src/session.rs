//! A model on its way along one stream: the loop with what stands around it, whether rows come from files or arrays and
//! whether results go to a folder or stay in memory.

use std::path::PathBuf;
use std::sync::Arc;

use super::asked::{AskedRecord, LateLabels, TakenLabel};
use super::folder::checkpoint_name;
use super::measure::{Measured, measure};
use super::model_file::ModelFile;
use super::moved::moved;
use super::record::Place;
use super::settings::RunSettings;
use super::walk::{Keep, Recorder};
use super::watch::Watch;
use crate::method::Registry;
use driftline_adapt::{Candidate, Engine, Expert, ResumeState, Sink, Stages, Step, Windows};
use driftline_core::data::{Domain, Examples, LabeledDomain, Windowing};
use driftline_core::random::Seed;
use driftline_core::{Error, Result};
use driftline_io::{InputDigest, NoteCode, Rows, Window};
use driftline_models::{AnyLearner, Learner, Runtime};

/// Where a run stopped: the version in use, the windows it has gone through, and where its chains stand.
#[derive(Clone, Debug)]
pub struct Stopped {
    pub newest: ModelFile,
    pub done: usize,
    pub resume_state: Option<ResumeState>,
    /// The file that holds what the policy remembers.
    pub memory: PathBuf,
    /// Whether somebody has gone back to an earlier version since: the chains begin anew from there.
    pub rolled_back: bool,
}

/// The loop, and the source model that everything is compared with.
#[derive(Clone, Debug)]
pub struct Session {
    source: ModelFile,
    engine: Engine,
    /// Labels that the next decision takes as evidence.
    taken: Vec<TakenLabel>,
}

impl Session {
    /// Stands before the first window. `rows` is the labelled source, where it is at hand.
    pub fn new(
        source: ModelFile,
        rows: Option<LabeledDomain>,
        settings: &RunSettings,
        registry: &Registry,
        runtime: &Runtime,
    ) -> Result<Self> {
        Self::with_chains(source, rows, settings, registry, runtime, None)
    }

    fn with_chains(
        source: ModelFile,
        rows: Option<LabeledDomain>,
        settings: &RunSettings,
        registry: &Registry,
        runtime: &Runtime,
        earlier: Option<&ResumeState>,
    ) -> Result<Self> {
        let source = source.with_runtime(runtime)?;
        let plan = settings.resolve(registry)?.with_runtime(runtime);
        let candidate = Candidate {
            learner: source.learner.clone(),
            ..plan.candidate.clone()
        };
        let seed = Seed::new(settings.seed);
        let first = source.version.clone();
        let mut engine = Engine::from_version(candidate, first, seed.named("self-training"))
            .with_runtime(runtime.clone());
        let rows = rows.or_else(|| source.source_sample.clone());
        let tuned = |learner: &AnyLearner, examples: &Examples| {
            learner.tuned(examples, seed.named("tuning"))
        };
        let base = engine.base();
        let chains = plan.chains(base, rows.as_ref(), earlier, &tuned, seed)?;
        engine = engine.with_policy(plan.policy, chains);
        if let Some(rows) = rows {
            engine = engine.with_source(rows);
        }
        if let Some(frame) = source.frame.clone() {
            engine = engine.with_frame(frame);
        }
        Ok(Self {
            source,
            engine,
            taken: vec![],
        })
    }

    /// With what the policy makes of the source alone worked out, where windows are of so many rows: for many streams of one
    /// source.
    pub fn prepared(self) -> Result<Self> {
        let curriculum = &self.engine.candidate().curriculum;
        let rows = match curriculum.windowing() {
            Some(Windowing::Size(rows, _)) => rows.get(),
            _ => return Ok(self),
        };
        Ok(Self {
            engine: self.engine.prepared(rows)?,
            ..self
        })
    }

    /// Goes on where a run stopped; the stream is asked for what was learned from last.
    pub fn resumed(
        source: ModelFile,
        rows: Option<LabeledDomain>,
        settings: &RunSettings,
        registry: &Registry,
        runtime: &Runtime,
        stopped: Stopped,
        stream: Option<&mut dyn Windows>,
    ) -> Result<Self> {
        let Stopped {
            newest,
            done,
            resume_state,
            memory,
            rolled_back,
        } = stopped;
        let newest = newest.with_runtime(runtime)?;
        let resume_state = resume_state.map(|resume_state| resume_state.with_runtime(runtime));
        let resume_state = resume_state.transpose()?;
        let mut session = Self::with_chains(
            source,
            rows,
            settings,
            registry,
            runtime,
            resume_state.as_ref(),
        )?;
        let curriculum = &session.engine.candidate().curriculum;
        let previous = match stream {
            Some(stream) if (1..=curriculum.stages(stream.count())).contains(&done) => {
                curriculum.next(done - 1, stream, &newest.version)?
            }
            _ => None,
        };
        let previous = previous.and_then(|stage| stage.learn);
        let ModelFile {
            version, policy, ..
        } = newest;
        // Files of format 2 have it with the version.
        let mut resume_state = resume_state.unwrap_or_else(|| ResumeState::of_policy(policy));
        let policy = session.engine.policy();
        policy.check_memory(&resume_state.policy).map_err(|error| {
            let message = format!(
                "the memory of the policy `{}` is damaged, so the run cannot go on: {error}; a new run can begin with the model in {}",
                policy.name(),
                checkpoint_name(version.number)
            );
            Error::corrupt(memory, message)
        })?;
        if rolled_back {
            resume_state.chains.clear();
        }
        let engine = session.engine;
        session.engine = engine.resumed(version, done, Some(resume_state), previous);
        Ok(session)
    }

    /// Goes back to an earlier version.
    pub fn roll_back(&mut self, earlier: ModelFile) -> Result<()> {
        let version = earlier.with_runtime(self.engine.runtime())?.version;
        self.engine = self.engine.clone().rolled_back(version);
        Ok(())
    }

    /// The same, computing in another way.
    pub fn with_runtime(&self, runtime: &Runtime) -> Self {
        Self {
            source: self.source.clone(),
            engine: self.engine.clone().with_runtime(runtime.clone()),
            taken: self.taken.clone(),
        }
    }

    /// The source model with the version in use in it.
    pub fn current(&self) -> ModelFile {
        self.source.at(self.engine.deployed())
    }

    pub fn source(&self) -> &ModelFile {
        &self.source
    }

    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Goes along `stream` to its end; the steps go to `sink`.
    pub fn run<S: Stages>(&mut self, stream: &mut S, sink: &mut dyn Sink<S::Rows>) -> Result<()> {
        self.engine.run(stream, sink)
    }

    /// The same with every window measured and kept. `last` is the number of the last one, `inputs` what the stream is
    /// known by where the run does not know it yet.
    pub fn record(
        &mut self,
        stream: &mut impl Stages<Rows = Arc<Window>>,
        last: usize,
        inputs: Vec<InputDigest>,
        kept: &mut impl Keep,
        watch: &dyn Watch,
    ) -> Result<()> {
        let source = &self.source;
        let mut recorder = Recorder {
            source,
            kept,
            watch,
            last,
            inputs,
            taken: self.taken.clone(),
        };
        let result = self.engine.run(stream, &mut recorder);
        self.taken = recorder.taken;
        result
    }

    /// Tells the policy labels that it has not heard of.
    pub(super) fn take_labels(&mut self, late: &LateLabels) -> Result<()> {
        let (known, taken) = (&self.taken, late.taken());
        let fresh = late.rows.iter().zip(&taken);
        let fresh = fresh.filter(|(_, taken)| !known.contains(taken));
        let rows: Vec<_> = fresh.map(|(row, _)| row.clone()).collect();
        self.engine.learn_labels(&rows)?;
        self.taken = taken;
        Ok(())
    }

    /// One window that comes by itself.
    pub fn arrive(
        &mut self,
        window: Window,
        inputs: Vec<InputDigest>,
        kept: &mut impl Keep,
    ) -> Result<()> {
        self.arrive_with(Arc::new(window), inputs, None, kept)
    }

    /// The same with somebody who may be asked about its rows; without one its own answers are.
    pub(super) fn arrive_with(
        &mut self,
        window: Arc<Window>,
        inputs: Vec<InputDigest>,
        expert: Option<Arc<dyn Expert>>,
        kept: &mut impl Keep,
    ) -> Result<()> {
        let own = || crate::expert::of(&window);
        self.engine.set_expert(expert.or_else(own));
        let rows = Domain::new(window.rows.inputs.clone());
        let stage = self.engine.candidate().curriculum.arriving(rows);
        let step = self.engine.process(stage, window, &*kept)?;
        let mut recorder = Recorder {
            source: &self.source,
            kept,
            watch: &(),
            last: step.version.number,
            inputs,
            taken: self.taken.clone(),
        };
        recorder.accept(&self.engine, step)?;
        self.taken = recorder.taken;
        Ok(())
    }

    /// The next version learns from labelled examples, which are in the frame of the version in use; `window` is what
    /// they come from.
    pub fn learn(&mut self, examples: &Examples, window: &Window) -> Result<Measured> {
        let rows = Domain::new(window.rows.inputs.clone());
        let step = self.engine.learn(examples, rows)?;
        let mut measured = measured(&self.source, &self.engine, &step, window)?;
        measured.record.labels_taken = std::mem::take(&mut self.taken);
        Ok(measured)
    }
}

/// What a step did, measured on the rows that arrived with it.
pub(super) fn measured<R: Sync>(
    source: &ModelFile,
    engine: &Engine,
    step: &Step<R>,
    window: &Window,
) -> Result<Measured> {
    let number = step.version.number;
    let mut notes = window.notes.clone();
    if let Some(labeling) = step.labeling.as_ref().filter(|labeling| labeling.held) {
        notes.add(NoteCode::WindowHeld, &number.to_string(), 1, || {
            let what = match labeling.kept {
                0 => "no row".to_owned(),
                kept => format!("{kept} rows of one class only"),
            };
            format!(
                "window {number} was held: the filter left {what}, so the model was not changed"
            )
        });
    }
    let learned = step.labeling.as_ref().is_some_and(|l| l.kept > 0);
    if step.candidate.is_some() && learned && step.version.model == step.before.model {
        let message = || {
            format!(
                "window {number} changed nothing: its training labels are exactly the predictions of the model before it"
            )
        };
        notes.add(NoteCode::NothingLearned, &number.to_string(), 1, message);
    }
    let rows = &window.rows;
    let answers = rows.answers.as_deref();
    let mut measured = measure(
        step,
        &source.version,
        &rows.inputs,
        answers,
        source.classes(),
    )?;
    let record = &mut measured.record;
    record.notes = notes;
    let asked = step.outcome.asked.iter().cloned();
    record.asked = asked.map(|own| AskedRecord::of(own, rows)).collect();
    if engine.policy().name() != "always"
        && let Some(sample) = engine.source_sample()
    {
        record.moved = moved(sample, &rows.inputs, &source.encoding, &step.version)?;
    }
    let span = window.span.as_ref();
    (record.from, record.to) = span
        .map(|(from, to)| (from.to_string(), to.to_string()))
        .unzip();
    record.first = place(rows, 0);
    record.last = rows.len().checked_sub(1).and_then(|last| place(rows, last));
    let isa = engine.runtime().isa.to_string();
    record.isa = source.learner.depends_on_isa().then_some(isa);
    Ok(measured)
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
