//! A run that was in memory so far, written as a folder: what `driftline adapt` would have left, but for predictions.

use std::collections::BTreeMap;
use std::path::Path;

use super::{Adapter, Store};
use crate::reading::Notes;
use crate::runs::folder::{FROM_ARRAYS, Origin, RUN_FORMAT, RunFolder, RunManifest};
use crate::runs::model_file::Bundle;
use crate::{Error, Result};

impl Adapter {
    /// Writes every version and record to a new folder. A run that has a folder is there already.
    pub fn write_run(&self, folder: impl AsRef<Path>) -> Result<RunFolder> {
        let folder = folder.as_ref();
        let Store::Memory(versions) = &self.store else {
            return Err(Error::Occupied {
                path: folder.into(),
                what: "cannot be written: the run has a folder of its own".into(),
            });
        };
        let first = &versions[0];
        let manifest = RunManifest {
            kind: "run".into(),
            format: RUN_FORMAT,
            driftline: String::new(),
            identity: crate::reading::blake3(&first.to_bytes()?)[..16].to_owned(),
            settings: self.settings.clone(),
            origin: Origin::Source(first.source.inputs.clone()),
            stream: vec![],
            detected: FROM_ARRAYS.into(),
            notes: Notes::new(),
            classes: first.classes().to_vec(),
            planned: self.records.len(),
            windows: 0,
            current: 0,
            environment: BTreeMap::new(),
            command: vec![],
            files: BTreeMap::new(),
        };
        let mut run = RunFolder::claim(folder, false)?.begin(manifest, first, &self.registry)?;
        let newest = self.records.last().map_or(0, |record| record.window);
        for record in &self.records {
            let version = super::memory(versions, record.window)?.clone();
            let last = record.window == newest;
            let standing = last.then(|| self.session.standing()).flatten();
            run.add_window(record.clone(), version, standing, None)?;
        }
        run.settle()?;
        let current = self.session.current().number();
        if current != newest {
            run.roll_back(current)?;
        }
        Ok(run)
    }

    /// The parts that it was made with.
    pub fn registry(&self) -> &crate::adapt::Registry {
        &self.registry
    }

    /// The folder of the run, where it has one.
    pub fn folder(&self) -> Option<&RunFolder> {
        match &self.store {
            Store::Memory(_) => None,
            Store::Folder(run) => Some(run),
        }
    }

    /// The same, to write a report to.
    pub fn folder_mut(&mut self) -> Option<&mut RunFolder> {
        match &mut self.store {
            Store::Memory(_) => None,
            Store::Folder(run) => Some(run),
        }
    }

    /// A version as a model of its own; 0 is the source model.
    pub fn model_at(&self, version: usize) -> Result<Bundle> {
        match &self.store {
            Store::Memory(versions) => super::memory(versions, version).cloned(),
            Store::Folder(run) => run.model(Some(version)),
        }
    }
}
