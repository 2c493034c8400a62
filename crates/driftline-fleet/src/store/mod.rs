//! The folder of a fleet: `manifest.json`, the shared source model, and a few packs that hold thousands of runs. A run in
//! it can be read, gone on with, or written out as the folder that `adapt` alone would have made.

mod archive;
mod extract;
mod manifest;
mod pack;
mod stored;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

pub(super) use archive::{Files, Packing};
pub use manifest::{FLEET_FORMAT, FleetManifest, is_fleet};
pub(super) use pack::{Head, PackWriter, Place};
pub(super) use stored::{LINES, MANIFEST, StoredRun};

use super::row::{StreamRow, Tally};
use driftline_core::{Error, Result};
use driftline_io::natural_order;
use driftline_runs::method::Registry;
use driftline_runs::{Checksum, ModelFile};

const PACKS: &str = "packs";
const SOURCE: &str = "source.safetensors";

/// A fleet that can be read, and written to where it was opened for that.
pub struct FleetFolder {
    folder: PathBuf,
    manifest: FleetManifest,
    registry: Registry,
    source: Option<ModelFile>,
    /// What its file is known by.
    source_sum: Option<Checksum>,
    packing: Packing,
    index: Mutex<Index>,
    writer: Option<Mutex<PackWriter>>,
}

/// Where the run of every stream is.
#[derive(Default)]
struct Index(HashMap<String, Entry>);

/// One stream.
#[derive(Clone)]
pub(super) struct Entry {
    /// Its windows, one piece after another.
    pub pieces: Vec<Place>,
    pub windows: usize,
    pub done: bool,
    pub identity: String,
    pub row: StreamRow,
}

impl Entry {
    /// Whether this says that it failed after what is known of it.
    fn fails_with(&self, head: &Head) -> bool {
        head.identity.is_empty() && (!self.done || head.from == self.windows)
    }

    fn goes_on_with(&self, head: &Head) -> bool {
        let goes_on = head.from == self.windows && (head.to > head.from || !self.done);
        goes_on && (self.identity.is_empty() || self.identity == head.identity)
    }
}

impl FleetFolder {
    /// Reads `folder` without the right to write to it.
    pub fn read(folder: &Path) -> Result<Self> {
        Self::read_with(folder, &Registry::default())
    }

    /// The same for runs with parts of your own.
    pub fn read_with(folder: &Path, registry: &Registry) -> Result<Self> {
        let manifest = FleetManifest::read(folder)?;
        let (source, bytes) = read_source(folder, registry)?.unzip();
        let index = Index::read(&folder.join(PACKS))?;
        Ok(Self {
            packing: packing(source.as_ref())?,
            folder: folder.into(),
            manifest,
            registry: registry.clone(),
            source,
            source_sum: bytes.map(|bytes: Vec<u8>| Checksum::of(&bytes)),
            index: Mutex::new(index),
            writer: None,
        })
    }

    /// The shared source model of a folder, where it has one.
    pub(super) fn source_in(folder: &Path, registry: &Registry) -> Result<Option<ModelFile>> {
        Ok(read_source(folder, registry)?.map(|(source, _)| source))
    }

    /// Opens it to go on with it: new windows go to the pack of this name. Refuses one that another process writes to.
    pub(super) fn open_with(folder: &Path, registry: &Registry, pack: &str) -> Result<Self> {
        FleetManifest::read(folder)?;
        let writer = PackWriter::open(&folder.join(PACKS).join(pack))?;
        let mut fleet = Self::read_with(folder, registry)?;
        fleet.writer = Some(Mutex::new(writer));
        Ok(fleet)
    }

    /// Begins a new one.
    pub(super) fn begin(
        folder: &Path,
        registry: &Registry,
        manifest: &FleetManifest,
        source: Option<&ModelFile>,
        pack: &str,
    ) -> Result<Self> {
        let packs = folder.join(PACKS);
        std::fs::create_dir_all(&packs).map_err(Error::io(&packs))?;
        if let Some(source) = source {
            source.save(folder.join(SOURCE))?;
        }
        manifest.write(folder)?;
        Self::open_with(folder, registry, pack)
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn manifest(&self) -> &FleetManifest {
        &self.manifest
    }

    pub(super) fn registry(&self) -> &Registry {
        &self.registry
    }

    /// The shared source model.
    pub fn source(&self) -> Option<&ModelFile> {
        self.source.as_ref()
    }

    pub(super) fn source_sum(&self) -> Option<&Checksum> {
        self.source_sum.as_ref()
    }

    /// A row for every stream, in the natural order of the keys.
    pub fn rows(&self) -> Vec<StreamRow> {
        let mut rows: Vec<StreamRow> = self.index().0.values().map(|e| e.row.clone()).collect();
        rows.sort_by(|a, b| natural_order(&a.key, &b.key));
        rows
    }

    /// How one stream stands.
    pub fn row(&self, key: &str) -> Option<StreamRow> {
        self.entry(key).map(|entry| entry.row)
    }

    pub fn tally(&self) -> Tally {
        Tally::of(self.index().0.values().map(|entry| &entry.row))
    }

    pub(super) fn entry(&self, key: &str) -> Option<Entry> {
        self.index().0.get(key).cloned()
    }

    /// Whether a stream came to its end.
    pub(super) fn is_done(&self, key: &str) -> bool {
        self.index().0.get(key).is_some_and(|entry| entry.done)
    }

    /// The stored run of a stream.
    pub(super) fn run(&self, key: &str) -> Result<StoredRun> {
        let entry = self.entry(key).filter(|entry| !entry.pieces.is_empty());
        let Some(entry) = entry else {
            let rows = self.rows();
            let known = rows.iter().take(20).map(|row| &*row.key);
            let known: Vec<&str> = known.collect();
            return Err(Error::unknown_name("stream of this fleet", key, &known));
        };
        let mut files = vec![];
        for place in &entry.pieces {
            files.extend(self.unpacked(place)?);
        }
        StoredRun::new(self, key, files)
    }

    pub(super) fn unpacked(&self, place: &Place) -> Result<Files> {
        let damaged = || Error::corrupt(&place.pack, "holds a run that cannot be unpacked");
        self.packing.unpack(&place.read()?).ok_or_else(damaged)
    }

    /// Stores some windows of a run, or that it failed.
    pub(super) fn add(&self, head: Head, files: &Files) -> Result<Place> {
        let packed = match &files[..] {
            [] => vec![],
            files => self.packing.pack(files)?,
        };
        self.append(head, &packed)
    }

    /// Stores what another machine has stored in a pack of its own, but for what is here already. The streams that came to
    /// their end or failed.
    pub(super) fn add_pack(&self, pack: &Path) -> Result<Vec<StreamRow>> {
        let mut found = vec![];
        pack::visit(pack, |head, place| found.push((head, place)))?;
        let mut rows = vec![];
        for (head, place) in found {
            if self.index().takes(&head) {
                let ended = head.done || head.identity.is_empty();
                rows.extend(ended.then(|| head.row.clone()));
                self.append(head, &place.read()?)?;
            }
        }
        self.sync()?;
        Ok(rows)
    }

    /// What is stored of a stream, as a pack of its own would have it.
    pub(super) fn stored_bytes(&self, key: &str) -> Result<Vec<u8>> {
        let pieces = self.entry(key).map_or(vec![], |entry| entry.pieces);
        let whole = pieces.iter().map(Place::whole);
        Ok(whole.collect::<Result<Vec<_>>>()?.concat())
    }

    fn append(&self, head: Head, packed: &[u8]) -> Result<Place> {
        let Some(writer) = &self.writer else {
            return Err(Error::corrupt(&self.folder, "is open for reading only"));
        };
        let mut writer = writer.lock().unwrap_or_else(PoisonError::into_inner);
        let place = writer.append(&head, packed)?;
        drop(writer);
        self.index().add(head, place.clone());
        Ok(place)
    }

    /// Waits until everything is safely stored.
    pub(super) fn sync(&self) -> Result<()> {
        match &self.writer {
            Some(writer) => writer.lock().unwrap_or_else(PoisonError::into_inner).sync(),
            None => Ok(()),
        }
    }

    fn index(&self) -> std::sync::MutexGuard<'_, Index> {
        // An entry is replaced whole.
        self.index.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for FleetFolder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "FleetFolder({})", self.folder.display())
    }
}

fn read_source(folder: &Path, registry: &Registry) -> Result<Option<(ModelFile, Vec<u8>)>> {
    let path = folder.join(SOURCE);
    if !path.exists() {
        return Ok(None);
    }
    let bytes = std::fs::read(&path).map_err(Error::io(&path))?;
    let source = ModelFile::from_bytes(&bytes, registry);
    let source = source.map_err(|message| Error::corrupt(&path, message))?;
    Ok(Some((source, bytes)))
}

/// Checkpoints resemble the source model, without the rows that version 0 alone has.
fn packing(source: Option<&ModelFile>) -> Result<Packing> {
    let like = source.map(|source| source.clone().without_source_sample().to_bytes());
    Ok(Packing::like(&like.transpose()?.unwrap_or_default()))
}

impl Index {
    /// Everything in the packs of a folder; which of two that hold the same windows is read makes no difference.
    fn read(packs: &Path) -> Result<Self> {
        let entries = std::fs::read_dir(packs).map_err(Error::io(packs))?;
        let paths = entries.flatten().map(|entry| entry.path());
        let mut paths: Vec<PathBuf> = paths.collect();
        paths.retain(|path| path.extension().is_some_and(|e| e == "pack"));
        paths.sort();
        let mut all = vec![];
        for path in paths {
            pack::visit(&path, |head, place| all.push((head, place)))?;
        }
        // Stable, so that what failed and was tried again counts as it ended.
        all.sort_by_key(|(head, _)| head.from);
        let mut index = Self::default();
        for (head, place) in all {
            index.add(head, place);
        }
        Ok(index)
    }

    /// Whether it says something new.
    fn takes(&self, head: &Head) -> bool {
        match self.0.get(&head.row.key) {
            None => true,
            Some(entry) if head.identity.is_empty() => {
                entry.fails_with(head) && entry.row != head.row
            }
            Some(entry) => entry.goes_on_with(head),
        }
    }

    fn add(&mut self, head: Head, place: Place) {
        let entry = self.0.entry(head.row.key.clone());
        let entry = entry.or_insert_with(|| Entry {
            pieces: vec![],
            windows: 0,
            done: false,
            identity: String::new(),
            row: head.row.clone(),
        });
        if head.identity.is_empty() {
            if entry.fails_with(&head) {
                entry.row = head.row;
            }
        } else if entry.goes_on_with(&head) {
            entry.pieces.push(place);
            entry.windows = head.to;
            entry.done = head.done;
            entry.identity = head.identity;
            entry.row = head.row;
        }
    }
}
