//! A run that was in memory so far, written as a folder: what `driftline adapt` would have left, but for predictions.

use std::path::Path;

use super::begin::of_arrays;
use super::{Adapter, Store};
use crate::folder::RunFolder;
use crate::model_file::ModelFile;
use crate::verdict::Verdict;
use driftline_core::{Error, Result};

impl Adapter {
    /// Writes every version and record to a new folder. A run that has a folder is there already.
    pub fn write_run(&self, folder: impl AsRef<Path>) -> Result<RunFolder> {
        let folder = folder.as_ref();
        let Store::Memory(versions) = &self.kept.store else {
            return Err(Error::Occupied {
                path: folder.into(),
                what: "cannot be written: the run has a folder of its own".into(),
            });
        };
        let first = &versions[0];
        let identity = driftline_io::blake3(&first.to_bytes()?)[..16].to_owned();
        let inputs = first.source.inputs.clone();
        let mut manifest = of_arrays(identity, &self.settings, inputs, first.classes());
        manifest.planned = self.kept.records.len();
        let mut run = RunFolder::claim(folder, false)?.begin(manifest, first, &self.registry)?;
        let newest = self.kept.records.last().map_or(0, |record| record.window);
        for record in &self.kept.records {
            let version = super::memory(versions, record.window)?.clone();
            let last = record.window == newest;
            let resume_state = last.then(|| self.session.engine().resume_state()).flatten();
            run.add_window(record.clone(), version, resume_state, None)?;
        }
        run.settle()?;
        if !self.kept.asked.is_empty() {
            run.keep_asked(&self.kept.asked)?;
        }
        let current = self.session.current().number();
        if current != newest {
            run.roll_back(current)?;
        }
        Ok(run)
    }

    /// What a report needs of a run in memory: its source model and records in a new folder, without the versions between, which
    /// take long to write.
    pub fn write_outline(&self, folder: impl AsRef<Path>) -> Result<RunFolder> {
        let first = self.model_at(0)?;
        let inputs = first.source.inputs.clone();
        let mut manifest = of_arrays(String::new(), &self.settings, inputs, first.classes());
        manifest.planned = self.kept.records.len();
        let run = RunFolder::claim(folder.as_ref(), false)?;
        let run = run.begin(manifest, &first, &self.registry)?;
        let mut run = run.showing(self.kept.records.clone(), self.version().number);
        if !self.kept.asked.is_empty() {
            run.keep_asked(&self.kept.asked)?;
        }
        Ok(run)
    }

    /// What is said of the run; `None` before the first window.
    pub fn verdict(&mut self) -> Result<Option<Verdict>> {
        self.settle()?;
        if let Store::Folder(run) = &self.kept.store {
            return run.verdict();
        }
        let (first, records) = (self.model_at(0)?, &self.kept.records);
        let mut manifest = of_arrays(String::new(), &self.settings, vec![], first.classes());
        (manifest.planned, manifest.windows) = (records.len(), records.len());
        manifest.current = self.version().number;
        let asked = &self.kept.asked;
        Ok(Verdict::of(&manifest, records, &first.source, asked))
    }

    /// The parts that it was made with.
    pub fn registry(&self) -> &crate::method::Registry {
        &self.registry
    }

    /// The folder of the run, where it has one.
    pub fn folder(&self) -> Option<&RunFolder> {
        match &self.kept.store {
            Store::Memory(_) => None,
            Store::Folder(run) => Some(run),
        }
    }

    /// The same, to write a report to.
    pub fn folder_mut(&mut self) -> Option<&mut RunFolder> {
        match &mut self.kept.store {
            Store::Memory(_) => None,
            Store::Folder(run) => Some(run),
        }
    }

    /// A version as a model of its own; 0 is the source model.
    pub fn model_at(&self, version: usize) -> Result<ModelFile> {
        match &self.kept.store {
            Store::Memory(versions) => super::memory(versions, version).cloned(),
            Store::Folder(run) => run.model(Some(version)),
        }
    }
}
