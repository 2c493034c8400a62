//! A model on its way along one stream: the loop with what stands around it, whether rows come from files or arrays and
//! whether results go to a folder or stay in memory.

use super::measure::{Measured, measure};
use super::model_file::Bundle;
use super::moved::moved;
use super::record::Place;
use super::settings::RunSettings;
use crate::Result;
use crate::adapt::{Adaptation, Archive, Candidate, Registry, Stage, Standing, Step, Windows};
use crate::data::{Domain, Examples, Inputs, LabeledDomain, Windowing};
use crate::models::{AnyLearner, Learner, Runtime};
use crate::random::Seed;
use crate::reading::{NoteCode, Notes, Rows};

/// Where a run stopped: the version in use, the windows it has gone through, and where its chains stand.
#[derive(Clone, Debug)]
pub(crate) struct Stopped {
    pub newest: Bundle,
    pub done: usize,
    pub standing: Option<Standing>,
    /// Whether somebody has gone back to an earlier version since: the chains begin anew from there.
    pub rolled_back: bool,
}

/// The loop, and the source model that everything is compared with.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    source: Bundle,
    adaptation: Adaptation,
    runtime: Runtime,
}

impl Session {
    /// Stands before the first window. `rows` is the labelled source, where it is at hand.
    pub fn new(
        source: Bundle,
        rows: Option<LabeledDomain>,
        settings: &RunSettings,
        registry: &Registry,
        runtime: &Runtime,
    ) -> Result<Self> {
        Self::with_chains(source, rows, settings, registry, runtime, None)
    }

    fn with_chains(
        source: Bundle,
        rows: Option<LabeledDomain>,
        settings: &RunSettings,
        registry: &Registry,
        runtime: &Runtime,
        earlier: Option<&Standing>,
    ) -> Result<Self> {
        let source = source.with_runtime(runtime)?;
        let plan = settings.resolve(registry)?.with_runtime(runtime);
        let candidate = Candidate {
            learner: source.learner.clone(),
            ..plan.candidate.clone()
        };
        let seed = Seed::new(settings.seed);
        let first = source.version.clone();
        let mut adaptation =
            Adaptation::from_version(candidate, first, seed.named("self-training"))
                .with_runtime(runtime.clone());
        let rows = rows.or_else(|| source.card.clone());
        let tuned = |learner: &AnyLearner, examples: &Examples| {
            learner.tuned(examples, seed.named("tuning"))
        };
        let base = adaptation.base();
        let chains = plan.chains(base, rows.as_ref(), earlier, &tuned, seed)?;
        adaptation = adaptation.with_policy(plan.policy, chains);
        if let Some(rows) = rows {
            adaptation = adaptation.with_source(rows);
        }
        if let Some(frame) = source.frame.clone() {
            adaptation = adaptation.with_frame(frame);
        }
        Ok(Self {
            source,
            adaptation,
            runtime: runtime.clone(),
        })
    }

    /// With what the policy makes of the source alone worked out, where windows are of so many rows: for many streams of one
    /// source.
    pub fn prepared(self) -> Result<Self> {
        let curriculum = &self.adaptation.candidate().curriculum;
        let rows = match curriculum.windowing() {
            Some(Windowing::Size(rows, _)) => rows.get(),
            _ => return Ok(self),
        };
        Ok(Self {
            adaptation: self.adaptation.prepared(rows)?,
            ..self
        })
    }

    /// Goes on where a run stopped; the stream is asked for what was learned from last.
    pub fn resumed(
        source: Bundle,
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
            standing,
            rolled_back,
        } = stopped;
        let newest = newest.with_runtime(runtime)?;
        let standing = standing.map(|standing| standing.with_runtime(runtime));
        let standing = standing.transpose()?;
        let mut session =
            Self::with_chains(source, rows, settings, registry, runtime, standing.as_ref())?;
        let curriculum = &session.adaptation.candidate().curriculum;
        let previous = match stream {
            Some(stream) if (1..=curriculum.stages(stream.count())).contains(&done) => {
                curriculum.next(done - 1, stream, &newest.version)?
            }
            _ => None,
        };
        let previous = previous.and_then(|stage| stage.learn);
        let Bundle {
            version, policy, ..
        } = newest;
        // Files of format 2 have it with the version.
        let mut standing = standing.unwrap_or_else(|| Standing::of_policy(policy));
        if rolled_back {
            standing.chains.clear();
        }
        let adaptation = session.adaptation;
        session.adaptation = adaptation.resumed(version, done, Some(standing), previous);
        Ok(session)
    }

    /// The next version learns from labelled examples, which are in the frame of the version in use; `inputs` are the
    /// rows that they come from.
    pub fn learn(&mut self, examples: &Examples, inputs: &Inputs) -> Result<Step> {
        self.adaptation.learn(examples, Domain::new(inputs.clone()))
    }

    /// Goes back to an earlier version.
    pub fn roll_back(&mut self, earlier: Bundle) -> Result<()> {
        let version = earlier.with_runtime(&self.runtime)?.version;
        self.adaptation = self.adaptation.clone().rolled_back(version);
        Ok(())
    }

    /// The same, computing in another way.
    pub fn with_runtime(&self, runtime: &Runtime) -> Self {
        let mut other = self.clone();
        other.adaptation = other.adaptation.with_runtime(runtime.clone());
        other.runtime = runtime.clone();
        other
    }

    /// Where the chains stand, where the version in use does not say it all.
    pub fn standing(&self) -> Option<Standing> {
        self.adaptation.standing()
    }

    /// The source model with the version in use in it.
    pub fn current(&self) -> Bundle {
        self.source.at(self.adaptation.deployed())
    }

    pub fn source(&self) -> &Bundle {
        &self.source
    }

    pub fn adaptation(&self) -> &Adaptation {
        &self.adaptation
    }

    /// The next stage of a stream.
    pub fn advance(
        &mut self,
        stream: &mut dyn Windows,
        archive: &dyn Archive,
    ) -> Result<Option<Step>> {
        self.runtime.cancel().check()?;
        self.adaptation.advance(stream, archive)
    }

    /// The same for a stream that begins after `first` stages.
    pub fn advance_from(
        &mut self,
        first: usize,
        stream: &mut dyn Windows,
        archive: &dyn Archive,
    ) -> Result<Option<Step>> {
        self.runtime.cancel().check()?;
        let adaptation = &mut self.adaptation;
        let place = adaptation.done() - first;
        let curriculum = &adaptation.candidate().curriculum;
        let stage = curriculum.next(place, stream, adaptation.deployed())?;
        stage
            .map(|stage| adaptation.take(stage, archive))
            .transpose()
    }

    /// Windows so far.
    pub fn done(&self) -> usize {
        self.adaptation.done()
    }

    /// One window that comes by itself.
    pub fn arrive(&mut self, rows: &Rows, archive: &dyn Archive) -> Result<Step> {
        let window = Domain::new(rows.inputs.clone());
        let stage: Stage = self.adaptation.candidate().curriculum.arriving(window);
        self.adaptation.take(stage, archive)
    }

    /// What the step did, measured on the rows that arrived with it.
    pub fn measure(
        &self,
        step: &Step,
        rows: &Rows,
        span: Option<(String, String)>,
        mut notes: Notes,
    ) -> Result<Measured> {
        let number = step.version.number;
        if let Some(labeling) = step.labeling.as_ref().filter(|labeling| labeling.held) {
            let window = number.to_string();
            notes.add(NoteCode::WindowHeld, &window, 1, || {
                let what = match labeling.kept {
                    0 => "no row".to_owned(),
                    kept => format!("{kept} rows of one class only"),
                };
                format!("window {number} was held: the filter left {what}, so the model before it was kept as it is")
            });
        }
        let learned = step.labeling.as_ref().is_some_and(|l| l.kept > 0);
        if step.candidate.is_some() && learned && step.version.model == step.before.model {
            let message = || {
                format!(
                    "window {number} changed nothing: what its model learned from agrees with the model before it in every digit"
                )
            };
            notes.add(NoteCode::NothingLearned, &number.to_string(), 1, message);
        }
        let answers = rows.answers.as_deref();
        let unadapted = &self.source.version;
        let classes = self.source.classes();
        let mut measured = measure(step, unadapted, &rows.inputs, answers, classes)?;
        let record = &mut measured.record;
        record.notes = notes;
        if self.adaptation.policy().name() != "always"
            && let Some(card) = self.adaptation.card()
        {
            record.moved = moved(card, &rows.inputs, &self.source.encoding);
        }
        (record.from, record.to) = span.unzip();
        record.first = place(rows, 0);
        record.last = rows.len().checked_sub(1).and_then(|last| place(rows, last));
        let isa = self.runtime.isa.to_string();
        record.isa = self.source.learner.depends_on_isa().then_some(isa);
        Ok(measured)
    }
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
