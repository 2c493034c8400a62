//! A model on its way along one stream: the loop with what stands around it, whether rows come from files or arrays and
//! whether results go to a folder or stay in memory.

use super::measure::{Measured, measure};
use super::model_file::Bundle;
use super::record::Place;
use super::settings::RunSettings;
use crate::Result;
use crate::adapt::{Adaptation, Archive, Candidate, Registry, Stage, Step, Windows};
use crate::data::LabeledDomain;
use crate::models::Runtime;
use crate::random::Seed;
use crate::reading::{NoteCode, Notes, Rows};

/// The loop, and the source model that everything is compared with.
#[derive(Clone, Debug)]
pub(super) struct Session {
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
        let source = source.with_runtime(runtime)?;
        let plan = settings.resolve(registry)?;
        let candidate = Candidate {
            learner: source.learner.clone(),
            ..plan.candidate
        };
        let seed = Seed::new(settings.seed).named("self-training");
        let mut adaptation = Adaptation::from_version(candidate, source.version.clone(), seed)
            .with_policy(plan.policy)
            .with_runtime(runtime.clone());
        if let Some(rows) = rows {
            adaptation = adaptation.with_source(rows);
        }
        Ok(Self {
            source,
            adaptation,
            runtime: runtime.clone(),
        })
    }

    /// Goes on after `done` windows from `newest`, the version in use; the stream is asked for what was learned from
    /// last.
    pub fn resumed(
        mut self,
        newest: Bundle,
        done: usize,
        stream: Option<&mut dyn Windows>,
    ) -> Result<Self> {
        let newest = newest.with_runtime(&self.runtime)?;
        let curriculum = &self.adaptation.candidate().curriculum;
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
        self.adaptation = self.adaptation.resumed(version, done, policy, previous);
        Ok(self)
    }

    /// The source model with the version in use in it.
    pub fn current(&self) -> Bundle {
        let adaptation = &self.adaptation;
        self.source
            .at(adaptation.deployed(), adaptation.policy_state())
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
        let window = crate::data::Domain::new(rows.inputs.clone());
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
        if step.candidate.is_some() && step.version.model == step.before.model {
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
