//! The folder of a run: `manifest.json`, `windows.jsonl`, a checkpoint and predictions per window, and a report. A window
//! is written file by file and counts once the manifest that names it has been renamed into place.

mod asked;
mod check;
mod claim;
mod commit;
mod manifest;

use std::path::{Path, PathBuf};

pub use check::FileState;
pub use commit::line;
pub(super) use manifest::FROM_ARRAYS;
pub use manifest::{Origin, RUN_FORMAT, RunManifest};

use self::commit::{Finished, Log, Writer};
use super::asked::AskedRows;
use super::chains_file::{self, chains_name};
use super::model_file::ModelFile;
use super::predictions::WindowTable;
use super::record::{Checksum, WindowRecord};
use super::session::{Session, Stopped};
use super::verdict::{Verdict, original};
use super::walk::Keep;
use crate::method::Registry;
use driftline_adapt::{Archive, Engine, ResumeState, Version, Windows};
use driftline_core::data::LabeledDomain;
use driftline_core::files::{FolderLock, write_whole};
use driftline_core::{Error, Result};
use driftline_io::{InputDigest, Notes};
use driftline_models::Runtime;

/// An open folder.
#[derive(Debug)]
pub struct RunFolder {
    folder: PathBuf,
    manifest: RunManifest,
    records: Vec<WindowRecord>,
    registry: Registry,
    /// The finished part of `windows.jsonl`.
    log: Log,
    /// Held for as long as the folder may be written to.
    lock: Option<FolderLock>,
    /// Writes windows while the next ones are worked on.
    writer: Option<Writer>,
    /// Whether lines of format 1 must be written anew before more are added.
    old_lines: bool,
}

const MANIFEST: &str = "manifest.json";
const WINDOWS: &str = "windows.jsonl";
/// Lines that are to take their place, from before the manifest names them until it is done.
const WINDOWS_NEXT: &str = "windows.next.jsonl";
const REPORT: &str = "report.html";
const FOLDERS: [&str; 2] = ["checkpoints", "predictions"];
/// Where the newest window's chains are kept; made when there are any.
const CHAINS: &str = "chains";
/// Where the store of asked rows is; made when there are any.
const LABELS: &str = "labels";

/// The place of a version's model in its folder; 0 is the source model.
pub fn checkpoint_name(version: usize) -> String {
    format!("checkpoints/window-{version:04}.safetensors")
}

/// The place of what the policy remembers: with the chains, or in files of format 2 with the version.
pub fn memory_name(chains: bool, manifest: &RunManifest) -> String {
    match chains {
        true => chains_name(manifest.windows),
        false => checkpoint_name(manifest.current),
    }
}

pub fn predictions_name(window: usize) -> String {
    format!("predictions/window-{window:04}.csv")
}

impl RunFolder {
    /// Reads `folder` without the right to write to it.
    pub fn read(folder: &Path) -> Result<Self> {
        Self::read_with(folder, &Registry::default())
    }

    /// The same for a run with parts of your own.
    pub fn read_with(folder: &Path, registry: &Registry) -> Result<Self> {
        let (manifest, steps) = RunManifest::read_with_steps(folder)?;
        let path = folder.join(WINDOWS);
        let lines = check::finished_lines(folder, &manifest)?;
        let mut records: Vec<WindowRecord> = vec![];
        for (number, line) in lines.lines().enumerate() {
            let record = serde_json::from_str(line).map_err(|error| {
                let message = format!("line {} cannot be read: {error}", number + 1);
                Error::corrupt(&path, message)
            })?;
            records.push(record);
        }
        if records.len() != manifest.windows {
            let (found, named) = (records.len(), manifest.windows);
            let message = format!("has {found} windows, but {MANIFEST} names {named}");
            return Err(Error::corrupt(&path, message));
        }
        let mut run = Self {
            folder: folder.into(),
            log: Log::of(lines.as_bytes()),
            old_lines: manifest.format == 1,
            manifest,
            records,
            registry: registry.clone(),
            lock: None,
            writer: None,
        };
        if run.old_lines {
            run.sort_files_into_lines(steps);
        }
        Ok(run)
    }

    /// Opens an existing run to go on with it. Refuses one that another process is writing to.
    pub fn open(folder: &Path) -> Result<Self> {
        Self::open_with(folder, &Registry::default())
    }

    /// The same for a run with parts of your own.
    pub fn open_with(folder: &Path, registry: &Registry) -> Result<Self> {
        RunManifest::read(folder)?;
        let lock = FolderLock::take(folder)?;
        // Read under the lock: the writer before us may have added windows in the meantime.
        let mut run = Self::read_with(folder, registry)?;
        claim::clear_leftovers(folder)?;
        commit::clear_old_chains(folder, &run.manifest)?;
        check::settle_lines(folder, &run.manifest)?;
        run.lock = Some(lock);
        Ok(run)
    }

    /// Format 1 names all files in the manifest; here every window names its own.
    fn sort_files_into_lines(&mut self, steps: Vec<manifest::StepV1>) {
        for record in &mut self.records {
            let own = [
                checkpoint_name(record.window),
                predictions_name(record.window),
            ];
            for name in own {
                let sum = self.manifest.files.remove(&name);
                record.files.extend(sum.map(|sum| (name, sum)));
            }
        }
        for step in steps {
            if let Some(record) = self.records.iter_mut().find(|r| r.window == step.window) {
                record.inputs = step.inputs;
            }
        }
        self.manifest.format = RUN_FORMAT;
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn registry(&self) -> &Registry {
        &self.registry
    }

    pub fn manifest(&self) -> &RunManifest {
        &self.manifest
    }

    /// One for each finished window.
    pub fn records(&self) -> &[WindowRecord] {
        &self.records
    }

    /// What is said of the run; `None` before the first window.
    pub fn verdict(&self) -> Result<Option<Verdict>> {
        let source = self.model(Some(0))?.source;
        let asked = self.asked()?;
        Ok(Verdict::of(&self.manifest, &self.records, &source, &asked))
    }

    /// The number under which the model of `version` was made: a window that was held gives an earlier model a new number.
    pub fn made_as(&self, version: usize) -> usize {
        original(&self.records, version)
    }

    /// The model of a version, or of the current one. Its checksum is compared.
    pub fn model(&self, version: Option<usize>) -> Result<ModelFile> {
        let version = version.unwrap_or(self.manifest.current);
        if version > self.manifest.windows {
            return Err(Error::out_of_range(
                "the version",
                version,
                format!(
                    "from 0 (the source model) to {}, the newest of {}",
                    self.manifest.windows,
                    self.folder.display()
                ),
            ));
        }
        let name = checkpoint_name(version);
        let bytes = self.load(&name)?;
        let model_file = ModelFile::from_bytes(&bytes, &self.registry)
            .map_err(|message| Error::corrupt(self.folder.join(&name), message))?;
        match model_file.number() == version && model_file.classes() == self.manifest.classes {
            true => Ok(model_file),
            false => Err(Error::corrupt(
                self.folder.join(&name),
                format!("is version {} of some other run", model_file.number()),
            )),
        }
    }

    /// Where the chains stand and what the policy remembers; nothing where the version in use says it all.
    pub fn resume_state(&self) -> Result<Option<ResumeState>> {
        let name = chains_name(self.manifest.windows);
        if !self.manifest.files.contains_key(&name) {
            return Ok(None);
        }
        let resume_state = chains_file::from_bytes(&self.load(&name)?, &self.registry);
        let corrupt = |message| Error::corrupt(self.folder.join(&name), message);
        resume_state.map(Some).map_err(corrupt)
    }

    /// Where the run stopped, so that it can go on.
    fn stopped(&self) -> Result<Stopped> {
        let resume_state = self.resume_state()?;
        let memory = memory_name(resume_state.is_some(), &self.manifest);
        Ok(Stopped {
            newest: self.model(None)?,
            done: self.manifest.windows,
            resume_state,
            memory: self.folder.join(memory),
            rolled_back: self.manifest.current != self.manifest.windows,
        })
    }

    /// The run on its way again; the policy has heard of all labels that have come. `rows` is the labelled source, where it is at hand; the stream is asked for what was
    /// learned from last.
    pub(super) fn session(
        &self,
        rows: Option<LabeledDomain>,
        runtime: &Runtime,
        stream: Option<&mut dyn Windows>,
    ) -> Result<Session> {
        let (source, stopped) = (self.model(Some(0))?, self.stopped()?);
        let settings = &self.manifest.settings;
        let registry = &self.registry;
        let mut session =
            Session::resumed(source, rows, settings, registry, runtime, stopped, stream)?;
        session.take_labels(&self.late_labels()?)?;
        Ok(session)
    }

    /// Notes which stream the windows to come are of.
    pub(super) fn begin_stream(
        &mut self,
        stream: Vec<InputDigest>,
        planned: usize,
        notes: Notes,
    ) -> Result<()> {
        self.manifest.stream = stream;
        self.manifest.planned = planned;
        self.manifest.notes = notes;
        self.commit()
    }

    /// The same as if these windows were in it.
    pub(crate) fn showing(mut self, records: Vec<WindowRecord>, current: usize) -> Self {
        self.manifest.windows = records.len();
        self.manifest.current = current;
        self.records = records;
        self
    }

    /// Where data with exactly these contents have been seen, if all of them have: the latest window that came by
    /// itself, or 0 for the stream.
    pub fn window_of(&self, inputs: &[InputDigest]) -> Option<usize> {
        window_of(&self.manifest, &self.records, inputs)
    }

    /// Adds a finished window: checkpoint, predictions, record, then the manifest. It is written while the caller goes
    /// on; whatever goes wrong is told by the next call, and nothing after it counts.
    pub(super) fn add_window(
        &mut self,
        record: WindowRecord,
        model_file: ModelFile,
        resume_state: Option<ResumeState>,
        predictions: Option<WindowTable>,
    ) -> Result<()> {
        self.renew_old_lines()?;
        self.manifest.windows = record.window;
        self.manifest.current = record.window;
        self.records.push(record.clone());
        let rows = record.rows;
        let mut asked = vec![];
        if self.writer.is_none() {
            let before = &self.records[..self.records.len() - 1];
            asked = AskedRows::read(&self.folder, before, &self.manifest.classes)?.lines;
        }
        let writer = self.writer.get_or_insert_with(|| {
            let (manifest, log) = (self.manifest.clone(), self.log.clone());
            Writer::begin(self.folder.clone(), manifest, log, asked, rows)
        });
        let taken = writer.add(Finished {
            record,
            // The rows of the source are with version 0.
            model_file: model_file.without_source_sample(),
            resume_state,
            predictions,
        });
        match taken {
            true => Ok(()),
            // The writer has given up, and says why.
            false => self.settle(),
        }
    }

    /// Waits until everything that was added is safely stored.
    pub fn settle(&mut self) -> Result<()> {
        let Some(writer) = self.writer.take() else {
            return Ok(());
        };
        let (progress, result) = writer.finish()?;
        let stored = progress.records.len();
        let first = self.records.iter().position(|record| {
            let begun = progress.records.first().map(|first| first.window);
            Some(record.window) == begun
        });
        if let Some(first) = first {
            self.records.truncate(first);
            self.records.extend(progress.records);
        }
        if let Err(error) = result {
            // What was to come after it must not be written over the gap: only what is stored counts, and whoever goes
            // on has to open the folder anew.
            self.lock = None;
            if stored == 0 {
                let counted = RunManifest::read(&self.folder).map_or(0, |stored| stored.windows);
                self.records.truncate(counted);
            }
            if let Ok(stored) = RunManifest::read(&self.folder) {
                self.manifest = stored;
            }
            return Err(error);
        }
        self.manifest = progress.manifest;
        self.log = progress.log;
        Ok(())
    }

    /// Makes version `to` the current one. Nothing is deleted.
    pub fn roll_back(&mut self, to: usize) -> Result<()> {
        self.settle()?;
        self.model(Some(to))?;
        self.manifest.current = to;
        self.commit()
    }

    /// Refuses to go on where the report could not be written in the end.
    pub(super) fn expect_own_report(&self) -> Result<()> {
        claim::expect_own_report(&self.folder, Some(&self.manifest))
    }

    /// Writes the report beside the results. A page in its place that is not ours is left alone.
    pub fn write_report(&mut self, html: &str) -> Result<PathBuf> {
        self.settle()?;
        self.expect_lock()?;
        self.expect_own_report()?;
        let path = self.folder.join(REPORT);
        write_whole(&path, html.as_bytes())?;
        let sum = Checksum::of(html.as_bytes());
        self.manifest.files.insert(REPORT.into(), sum);
        self.commit()?;
        Ok(path)
    }

    fn commit(&mut self) -> Result<()> {
        self.expect_lock()?;
        self.renew_old_lines()?;
        commit::write_manifest(&self.folder, &mut self.manifest)
    }

    /// Lines of format 1 do not name their files; from now on they do.
    fn renew_old_lines(&mut self) -> Result<()> {
        self.expect_lock()?;
        if !std::mem::take(&mut self.old_lines) {
            return Ok(());
        }
        self.rewrite_lines()
    }

    /// Puts other scores into the records of windows that are finished, and notes which column they come from.
    pub(super) fn rescored(
        &mut self,
        records: Vec<WindowRecord>,
        answers: Option<String>,
    ) -> Result<()> {
        self.settle()?;
        self.expect_lock()?;
        self.records = records;
        self.manifest.settings.choice.answers = answers;
        self.old_lines = false;
        self.rewrite_lines()
    }

    /// Writes all lines anew. Until the manifest names them the old ones count, and from then on these, wherever a kill
    /// leaves them.
    fn rewrite_lines(&mut self) -> Result<()> {
        let lines: String = self.records.iter().map(line).collect();
        write_whole(&self.folder.join(WINDOWS_NEXT), lines.as_bytes())?;
        self.log = Log::of(lines.as_bytes());
        self.manifest.files.insert(WINDOWS.into(), self.log.sum());
        commit::write_manifest(&self.folder, &mut self.manifest)?;
        check::settle_lines(&self.folder, &self.manifest)
    }

    fn expect_lock(&self) -> Result<()> {
        match self.lock {
            Some(_) => Ok(()),
            None => Err(Error::corrupt(
                &self.folder,
                "is open for reading only: it was opened so, or a window could not be stored",
            )),
        }
    }
}

/// The latest window that came by itself with data of exactly these contents, or 0 for the stream.
pub fn window_of(
    manifest: &RunManifest,
    records: &[WindowRecord],
    inputs: &[InputDigest],
) -> Option<usize> {
    let has = |all: &[InputDigest], input: &InputDigest| {
        all.iter().any(|known| known.blake3 == input.blake3)
    };
    let seen = |input: &InputDigest| {
        let step = records.iter().rfind(|r| has(&r.inputs, input));
        step.map(|record| record.window)
            .or_else(|| has(&manifest.stream, input).then_some(0))
    };
    let windows = inputs.iter().map(seen).collect::<Option<Vec<usize>>>();
    windows?.into_iter().max()
}

/// A commit under way is finished, also when an error ends the run.
impl Drop for RunFolder {
    fn drop(&mut self) {
        // There is nobody left to tell; what was not stored does not count.
        let _ = self.settle();
    }
}

impl Archive for RunFolder {
    fn version(&self, number: usize) -> Result<Version> {
        match self
            .writer
            .as_ref()
            .and_then(|writer| writer.recent(number))
        {
            Some(version) => Ok(version.clone()),
            // Written by this very process, so it needs no checksum to be believed.
            None if self.writer.is_some() => {
                let path = self.folder.join(checkpoint_name(number));
                let bytes = std::fs::read(&path).map_err(Error::io(&path))?;
                let model_file = ModelFile::from_bytes(&bytes, &self.registry);
                let model_file = model_file.map_err(|message| Error::corrupt(&path, message))?;
                Ok(model_file.version)
            }
            None => self
                .model(Some(number))
                .map(|model_file| model_file.version),
        }
    }
}

impl Keep for RunFolder {
    fn keep(
        &mut self,
        record: WindowRecord,
        model_file: ModelFile,
        engine: &Engine,
        predictions: Option<WindowTable>,
    ) -> Result<()> {
        self.add_window(record, model_file, engine.resume_state(), predictions)
    }
}
