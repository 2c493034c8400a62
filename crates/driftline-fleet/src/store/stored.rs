//! The run of one stream as the store keeps it: its manifest, its lines, and the bytes of its files.

use std::collections::BTreeMap;

use super::{Files, FleetFolder, SOURCE};
use driftline_adapt::ResumeState;
use driftline_core::{Error, Result};
use driftline_runs::{
    Checksum, ModelFile, RunManifest, Stopped, WindowRecord, chains_name, checkpoint_name,
    memory_name, resume_state_from_bytes,
};

/// A run without a folder.
pub(crate) struct StoredRun {
    pub manifest: RunManifest,
    pub records: Vec<WindowRecord>,
    pub lines: Vec<u8>,
    pub source: ModelFile,
    /// Checkpoints, predictions, chains; the shared source model is not among them.
    pub files: BTreeMap<String, Vec<u8>>,
    what: std::path::PathBuf,
}

pub(crate) const MANIFEST: &str = "manifest.json";
pub(crate) const LINES: &str = "windows.jsonl";

impl StoredRun {
    /// Puts together what was stored piece by piece; later pieces count.
    pub(super) fn new(fleet: &FleetFolder, key: &str, pieces: Files) -> Result<Self> {
        let what = fleet.folder().join(key);
        let mut lines = vec![];
        let mut files = BTreeMap::new();
        for (name, bytes) in pieces {
            if name == LINES {
                lines.extend(bytes);
            } else {
                files.insert(name, bytes);
            }
        }
        let broken = |error: serde_json::Error| {
            Error::corrupt(&what, format!("is not the run of a stream: {error}"))
        };
        let manifest = files.remove(MANIFEST).unwrap_or_default();
        let manifest: RunManifest = serde_json::from_slice(&manifest).map_err(broken)?;
        let text = String::from_utf8_lossy(&lines);
        let records = text.lines().map(serde_json::from_str);
        let records: Result<Vec<WindowRecord>, _> = records.collect();
        let records = records.map_err(broken)?;
        files.retain(|name, _| !name.starts_with("chains/") || manifest.files.contains_key(name));
        let source = match files.get(&checkpoint_name(0)) {
            Some(bytes) => ModelFile::from_bytes(bytes, fleet.registry())
                .map_err(|message| Error::corrupt(&what, message))?,
            None => {
                let missing = || Error::corrupt(fleet.folder().join(SOURCE), "is missing");
                fleet.source().cloned().ok_or_else(missing)?
            }
        };
        Ok(Self {
            manifest,
            records,
            lines,
            source,
            files,
            what,
        })
    }

    /// The model of a version, or of the one in use.
    pub fn model(&self, fleet: &FleetFolder, version: Option<usize>) -> Result<ModelFile> {
        let version = version.unwrap_or(self.manifest.current);
        if version == 0 {
            return Ok(self.source.clone());
        }
        let name = checkpoint_name(version);
        let bytes = self.file(&name)?;
        let restored = ModelFile::from_bytes(bytes, fleet.registry());
        restored.map_err(|message| Error::corrupt(self.what.join(&name), message))
    }

    pub fn resume_state(&self, fleet: &FleetFolder) -> Result<Option<ResumeState>> {
        let name = chains_name(self.manifest.windows);
        if !self.manifest.files.contains_key(&name) {
            return Ok(None);
        }
        let resume_state = resume_state_from_bytes(self.file(&name)?, fleet.registry());
        let corrupt = |message| Error::corrupt(self.what.join(&name), message);
        resume_state.map(Some).map_err(corrupt)
    }

    /// Where the run stopped, so that it can go on.
    pub fn stopped(&self, fleet: &FleetFolder) -> Result<Stopped> {
        let resume_state = self.resume_state(fleet)?;
        let memory = memory_name(resume_state.is_some(), &self.manifest);
        Ok(Stopped {
            newest: self.model(fleet, None)?,
            done: self.manifest.windows,
            resume_state,
            memory: self.what.join(memory),
            rolled_back: self.manifest.current != self.manifest.windows,
        })
    }

    /// A file that the run names, if it is what the run says.
    fn file(&self, name: &str) -> Result<&[u8]> {
        let sum = self.manifest.files.get(name);
        let sum = sum.or_else(|| self.records.iter().find_map(|r| r.files.get(name)));
        match (self.files.get(name), sum) {
            (Some(bytes), Some(sum)) if Checksum::of(bytes) == *sum => Ok(bytes),
            _ => {
                let message = "is missing in the store, or was changed";
                Err(Error::corrupt(self.what.join(name), message))
            }
        }
    }
}
