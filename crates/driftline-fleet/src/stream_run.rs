//! A run of a fleet while it is made: windows gather in memory and go to the store together, a few dozen at a time, so that
//! thousands of short runs cost one write each and a long one loses little when it is killed.

use std::fmt;

use super::row::StreamRow;
use super::store::{Files, FleetFolder, Head, LINES, MANIFEST, Place, StoredRun};
use driftline_adapt::{Archive, Engine, ResumeState, Version};
use driftline_core::{Error, Result};
use driftline_runs::{
    Checksum, Keep, ModelFile, RunManifest, WindowRecord, WindowTable, chains_name,
    checkpoint_name, line, predictions_name, resume_state_to_bytes,
};

/// So many windows, or so many bytes, are stored together.
const WINDOWS: usize = 32;
const BYTES: usize = 8 << 20;

/// The run of one stream.
pub(super) struct StreamRun<'a> {
    fleet: &'a FleetFolder,
    key: &'a str,
    manifest: RunManifest,
    records: Vec<WindowRecord>,
    source: ModelFile,
    /// The hash of all lines.
    lines: blake3::Hasher,
    /// What is not stored yet.
    new_lines: String,
    files: Files,
    resume_state: Option<ResumeState>,
    /// The windows that are stored, and their places.
    stored: usize,
    places: Vec<Place>,
    /// The versions of windows that are not.
    recent: Vec<Version>,
}

impl<'a> StreamRun<'a> {
    /// Before the first window. `own` says whether the source model is the stream's own and stored with it.
    pub fn begin(
        fleet: &'a FleetFolder,
        key: &'a str,
        mut manifest: RunManifest,
        source: &ModelFile,
        own: bool,
    ) -> Result<Self> {
        let name = checkpoint_name(0);
        let mut files = vec![];
        let sum = match fleet.source_sum().filter(|_| !own) {
            Some(sum) => sum.clone(),
            None => {
                let bytes = source.to_bytes()?;
                let sum = Checksum::of(&bytes);
                files.push((name.clone(), bytes));
                sum
            }
        };
        manifest.files.insert(name, sum);
        Ok(Self {
            files,
            ..Self::new(fleet, key, manifest, source.clone())
        })
    }

    /// Where it was stored last.
    pub fn resume(fleet: &'a FleetFolder, key: &'a str, run: StoredRun) -> Self {
        let mut ongoing = Self {
            stored: run.manifest.windows,
            places: fleet.entry(key).map_or(vec![], |entry| entry.pieces),
            records: run.records,
            ..Self::new(fleet, key, run.manifest, run.source)
        };
        ongoing.lines.update(&run.lines);
        ongoing
    }

    fn new(fleet: &'a FleetFolder, key: &'a str, manifest: RunManifest, source: ModelFile) -> Self {
        Self {
            fleet,
            key,
            manifest,
            records: vec![],
            source,
            lines: blake3::Hasher::new(),
            new_lines: String::new(),
            files: vec![],
            resume_state: None,
            stored: 0,
            places: vec![],
            recent: vec![],
        }
    }

    /// Stores what is not stored yet.
    pub fn store(&mut self, done: bool) -> Result<StreamRow> {
        let (manifest, source) = (&self.manifest, &self.source.source);
        let row = StreamRow::of(self.key, manifest, &self.records, source, done);
        let lines = Checksum {
            bytes: self.lines.count(),
            blake3: self.lines.finalize().to_hex().to_string(),
        };
        self.manifest.files.insert(LINES.into(), lines);
        if let Some(resume_state) = self.resume_state.take() {
            let name = chains_name(self.manifest.windows);
            let bytes = resume_state_to_bytes(&resume_state)?;
            let files = &mut self.manifest.files;
            files.retain(|name, _| !name.starts_with("chains/"));
            files.insert(name.clone(), Checksum::of(&bytes));
            self.files.push((name, bytes));
        }
        let mut files = std::mem::take(&mut self.files);
        let lines = std::mem::take(&mut self.new_lines).into_bytes();
        files.push((LINES.into(), lines));
        files.push((MANIFEST.into(), self.manifest.to_bytes()));
        let head = Head {
            from: self.stored,
            to: self.manifest.windows,
            done,
            identity: self.manifest.identity.clone(),
            row: row.clone(),
        };
        self.places.push(self.fleet.add(head, &files)?);
        self.stored = self.manifest.windows;
        self.recent.clear();
        Ok(row)
    }

    fn keep_file(&mut self, name: String, bytes: Vec<u8>, record: &mut WindowRecord) {
        record.files.insert(name.clone(), Checksum::of(&bytes));
        self.files.push((name, bytes));
    }
}

impl Keep for StreamRun<'_> {
    fn keep(
        &mut self,
        mut record: WindowRecord,
        model_file: ModelFile,
        engine: &Engine,
        predictions: Option<WindowTable>,
    ) -> Result<()> {
        let number = record.window;
        // The rows of the source are with version 0.
        let model_file = model_file.without_source_sample();
        self.keep_file(checkpoint_name(number), model_file.to_bytes()?, &mut record);
        if let Some(table) = predictions {
            self.keep_file(predictions_name(number), table.to_csv(), &mut record);
        }
        let line = line(&record);
        self.lines.update(line.as_bytes());
        self.new_lines += &line;
        self.manifest.windows = number;
        self.manifest.current = number;
        self.records.push(record);
        self.resume_state = engine.resume_state();
        self.recent.push(model_file.version);
        let bytes: usize = self.files.iter().map(|(_, bytes)| bytes.len()).sum();
        if number - self.stored >= WINDOWS || bytes > BYTES {
            self.store(false)?;
        }
        Ok(())
    }
}

impl Archive for StreamRun<'_> {
    fn version(&self, number: usize) -> Result<Version> {
        if number == 0 {
            return Ok(self.source.version.clone());
        }
        if let Some(version) = self.recent.iter().find(|v| v.number == number) {
            return Ok(version.clone());
        }
        let name = checkpoint_name(number);
        for place in &self.places {
            let files = self.fleet.unpacked(place)?;
            if let Some((_, bytes)) = files.iter().find(|(own, _)| *own == name) {
                let model_file = ModelFile::from_bytes(bytes, self.fleet.registry());
                let corrupt = |message| Error::corrupt(self.fleet.folder().join(&name), message);
                return Ok(model_file.map_err(corrupt)?.version);
            }
        }
        let newest = self.manifest.windows;
        let allowed = format!("from 0 (the source model) to {newest}");
        Err(Error::out_of_range("the version", number, allowed))
    }
}

impl fmt::Debug for StreamRun<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let windows = self.manifest.windows;
        write!(f, "StreamRun({}, {windows} windows)", self.key)
    }
}
