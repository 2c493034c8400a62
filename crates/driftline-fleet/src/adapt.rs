//! Adapts to every stream of a fleet, or goes on with the fleet that the folder holds. A stream that fails does so alone.

use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::pool::share;
use super::row::StreamRow;
use super::shard::StreamShard;
use super::store::{FLEET_FORMAT, FleetFolder, FleetManifest, Head, is_fleet};
use super::stream_run::StreamRun;
use super::streams::{Streams, as_text, of_key};
use super::watch::FleetWatch;
use driftline_adapt::Windows;
use driftline_core::{Error, Result};
use driftline_io::{ColumnChoice, Files, Partition};
use driftline_models::Runtime;
use driftline_runs::method::Method;
use driftline_runs::{FileRun, ModelFile, Origin, Ready, RunFolder, Session, Start, limited};
use serde::{Deserialize, Serialize};

/// Whether all streams begin with one model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SourceModel {
    #[default]
    Shared,
    /// One for each, trained on the source's rows of the same key.
    Each,
}

/// How a fleet is adapted to.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Fleet {
    /// How each stream is; the folder is the fleet's.
    pub adapt: FileRun,
    /// The column that tells the streams apart; without one every file is a stream.
    pub by: Option<String>,
    pub source_model: SourceModel,
    /// Only these of the streams.
    pub shard: Option<StreamShard>,
}

/// What the runs of a fleet begin with.
pub(super) struct Beginning {
    pub plan: Method,
    pub first: First,
}

pub(super) enum First {
    /// One model, and a session that stands before the first window of any stream.
    Shared {
        ready: Box<Ready>,
        source: Box<ModelFile>,
        session: Box<Session>,
    },
    /// The source by key.
    Each {
        label: String,
        parts: Box<Partition>,
    },
}

impl Beginning {
    /// The model that all streams share, where they do.
    fn shared(&self) -> Option<(&Ready, &ModelFile)> {
        match &self.first {
            First::Shared { ready, source, .. } => Some((ready, source)),
            First::Each { .. } => None,
        }
    }
}

pub(super) const PACK: &str = "streams.pack";

impl Fleet {
    pub fn new(adapt: FileRun) -> Self {
        Self {
            adapt,
            by: None,
            source_model: SourceModel::Shared,
            shard: None,
        }
    }

    /// Adapts to all streams.
    pub fn run(&self, start: Start, streams: Files, watch: &dyn FleetWatch) -> Result<FleetFolder> {
        let own = self.prepared(&start)?;
        let runtime = own.adapt.runtime.clone();
        let (beginning, streams) = runtime.install(|| {
            let beginning = own.beginning(start, watch)?;
            let streams = own.streams(&beginning, &streams)?;
            Ok::<_, Error>((beginning, streams))
        })?;
        let fleet = own.folder(&beginning, &streams)?;
        own.follow(&fleet, &beginning, &streams, watch)?;
        fleet.sync()?;
        Ok(fleet)
    }

    /// As it is run: in a folder that is there and may be written to.
    pub(super) fn prepared(&self, start: &Start) -> Result<Self> {
        let mut own = self.clone();
        own.leave_key_out(start)?;
        own.expect_folder()?;
        let folder = &own.adapt.folder;
        std::fs::create_dir_all(folder).map_err(Error::io(folder))?;
        Ok(own)
    }

    /// A key that the shared source has as well is no feature.
    fn leave_key_out(&mut self, start: &Start) -> Result<()> {
        let (Some(by), Start::Source { data, .. }) = (&self.by, start) else {
            return Ok(());
        };
        let choice = &mut self.adapt.choice;
        let frames = data.open(&self.adapt.read)?;
        let is_there = frames.fields().iter().any(|field| field.name == *by);
        let named = choice.ids.contains(by) || choice.exclude.contains(by);
        if self.source_model == SourceModel::Shared && is_there && !named {
            choice.exclude.push(by.clone());
        }
        Ok(())
    }

    /// Refuses a folder that holds something else.
    fn expect_folder(&self) -> Result<()> {
        let folder = &self.adapt.folder;
        match is_fleet(folder) {
            true if self.adapt.replace => {
                let packs = folder.join("packs");
                std::fs::remove_dir_all(&packs).map_err(Error::io(&packs))?;
                let path = folder.join("manifest.json");
                std::fs::remove_file(&path).map_err(Error::io(&path))
            }
            true => Ok(()),
            false if folder.join("packs").is_dir() => Ok(()),
            false => RunFolder::expect_free(folder),
        }
    }

    pub(super) fn beginning(&self, start: Start, watch: &dyn FleetWatch) -> Result<Beginning> {
        let adapt = &self.adapt;
        let plan = adapt.plan()?;
        let first = match (self.source_model, start) {
            (SourceModel::Each, Start::Source { label, data }) => {
                let Some(by) = &self.by else {
                    return Err(Error::empty("the column that tells the streams apart"));
                };
                let read = limited(&adapt.read, &adapt.runtime);
                let choice = ColumnChoice {
                    label: Some(label.clone()),
                    ..adapt.choice.clone()
                };
                let read = as_text(&read, &choice);
                let parts = Partition::split(&*data, by, &read, &adapt.folder)?;
                First::Each {
                    label,
                    parts: Box::new(parts),
                }
            }
            (SourceModel::Each, Start::Model(..)) => return Err(Error::SourceMissing),
            (SourceModel::Shared, start) => {
                let ready = adapt.ready(start)?;
                let source = match self.trained(&ready)? {
                    Some(source) => source,
                    None => {
                        let source = ready.train()?;
                        watch.fitted(&source);
                        source
                    }
                };
                let alone = adapt.runtime.clone().with_threads(NonZeroUsize::MIN);
                let (registry, settings) = (&adapt.registry, adapt.run_settings());
                let rows = ready.rows();
                let session = Session::new(source.clone(), rows, &settings, registry, &alone)?;
                let session = session.prepared()?;
                First::Shared {
                    ready: Box::new(ready),
                    source: Box::new(source),
                    session: Box::new(session),
                }
            }
        };
        Ok(Beginning { plan, first })
    }

    /// The source model of the folder, where it holds this fleet.
    fn trained(&self, ready: &Ready) -> Result<Option<ModelFile>> {
        let folder = &self.adapt.folder;
        if !is_fleet(folder) {
            return Ok(None);
        }
        let manifest = self.manifest(Some(ready.origin()), 0);
        match manifest.differences(&FleetManifest::read(folder)?).len() {
            0 => FleetFolder::source_in(folder, &self.adapt.registry),
            _ => Ok(None),
        }
    }

    /// What the runs have in common.
    fn manifest(&self, origin: Option<Origin>, streams: usize) -> FleetManifest {
        let adapt = &self.adapt;
        FleetManifest {
            kind: "fleet".into(),
            format: FLEET_FORMAT,
            driftline: env!("CARGO_PKG_VERSION").into(),
            by: self.by.clone(),
            source_model: self.source_model,
            settings: adapt.run_settings(),
            origin,
            streams,
            environment: adapt.environment.clone(),
            command: adapt.command.clone(),
        }
    }

    pub(super) fn streams(&self, beginning: &Beginning, files: &Files) -> Result<Streams> {
        let adapt = &self.adapt;
        let Some(by) = &self.by else {
            return Ok(Streams::files(files.paths()));
        };
        let encoding = beginning.shared().map(|(ready, _)| ready.encoding());
        let read = limited(&adapt.read, &adapt.runtime);
        Streams::parts(files, by, encoding, &adapt.choice, &read, &adapt.folder)
    }

    /// A new fleet, or the one that the folder holds, if it is this one.
    pub(super) fn folder(&self, beginning: &Beginning, streams: &Streams) -> Result<FleetFolder> {
        let adapt = &self.adapt;
        let shared = beginning.shared();
        let origin = shared.map(|(ready, _)| ready.origin());
        let manifest = self.manifest(origin, streams.len());
        let pack = self.shard.map_or(PACK.into(), StreamShard::pack);
        let source = shared.map(|(_, source)| source);
        if !is_fleet(&adapt.folder) {
            return FleetFolder::begin(&adapt.folder, &adapt.registry, &manifest, source, &pack);
        }
        let others = manifest.differences(&FleetManifest::read(&adapt.folder)?);
        if !others.is_empty() {
            return Err(Error::Occupied {
                path: adapt.folder.clone(),
                what: format!("holds another fleet: {}", others.join("; ")),
            });
        }
        FleetFolder::open_with(&adapt.folder, &adapt.registry, &pack)
    }

    /// Takes up one stream after another, the largest first.
    pub(super) fn follow(
        &self,
        fleet: &FleetFolder,
        beginning: &Beginning,
        streams: &Streams,
        watch: &dyn FleetWatch,
    ) -> Result<()> {
        let keys = streams.keys();
        let own = |place: &usize| self.shard.is_none_or(|shard| shard.has(*place));
        let mut open: Vec<usize> = (0..keys.len()).filter(own).collect();
        let all = open.len();
        open.retain(|&place| !fleet.entry(&keys[place].0).is_some_and(|entry| entry.done));
        self.expect_same(fleet, beginning, streams, &keys, &open)?;
        watch.begin(all, all - open.len());
        open.sort_by_key(|&place| std::cmp::Reverse(keys[place].1));
        let fault = std::sync::Mutex::new(None);
        share(&self.adapt.runtime, open.len(), |at, runtime| {
            let (place, key) = (open[at], &*keys[open[at]].0);
            watch.started(key);
            let result = guarded(|| self.stream(fleet, beginning, streams, place, key, runtime));
            let row = match result {
                Ok(row) => row,
                Err(Error::Interrupted) => return,
                Err(error) => {
                    let row = StreamRow::failed(key, told(&error));
                    // A store that takes nothing more is no fault of the stream.
                    let stored = match error.is_full_disk() {
                        true => Err(error),
                        false => fleet.add(Head::failed(&row), &vec![]).map(drop),
                    };
                    if let Err(error) = stored {
                        runtime.cancel().cancel();
                        *fault.lock().unwrap_or_else(|e| e.into_inner()) = Some(error);
                        return;
                    }
                    row
                }
            };
            watch.ended(&row);
        });
        if let Some(error) = fault.into_inner().unwrap_or_else(|e| e.into_inner()) {
            return Err(error);
        }
        fleet.sync()?;
        self.adapt.runtime.cancel().check()
    }

    /// Refuses to go on where a finished stream has other contents than it had.
    pub(super) fn expect_same(
        &self,
        fleet: &FleetFolder,
        beginning: &Beginning,
        streams: &Streams,
        keys: &[(String, u64)],
        open: &[usize],
    ) -> Result<()> {
        let open: std::collections::HashSet<&usize> = open.iter().collect();
        let finished = (0..keys.len()).filter(|place| !open.contains(place));
        let finished = finished.filter_map(|place| {
            let entry = fleet.entry(&keys[place].0).filter(|entry| entry.done)?;
            Some((place, entry.identity))
        });
        let First::Shared { ready, .. } = &beginning.first else {
            return Ok(());
        };
        for (place, identity) in finished {
            let key = &keys[place].0;
            let mut adapt = self.adapt.clone();
            adapt.runtime.cancel().check()?;
            adapt.choice = streams.choice(key, &adapt.choice);
            let digests = streams.digests(place)?;
            if adapt.identity(&beginning.plan, ready, &digests)? != identity {
                return Err(Error::Occupied {
                    path: fleet.folder().into(),
                    what: format!(
                        "holds another fleet: the stream `{key}` has other contents than it had (`fleet step` brings new rows)"
                    ),
                });
            }
        }
        Ok(())
    }

    /// Adapts to one stream, from where it was stored last.
    fn stream(
        &self,
        fleet: &FleetFolder,
        beginning: &Beginning,
        streams: &Streams,
        place: usize,
        key: &str,
        runtime: &Runtime,
    ) -> Result<StreamRow> {
        let mut adapt = self.adapt.clone();
        adapt.choice = streams.choice(key, &adapt.choice);
        adapt.runtime = runtime.clone();
        let own = match &beginning.first {
            First::Shared { .. } => None,
            First::Each { label, parts } => Some(self.own_source(key, label, parts, runtime)?),
        };
        let (ready, source) = match (&beginning.first, &own) {
            (First::Shared { ready, source, .. }, _) => (&**ready, &**source),
            (_, Some((ready, source))) => (ready, source),
            (First::Each { .. }, None) => return Err(Error::SourceMissing),
        };
        let plan = &beginning.plan;
        let mut windows = adapt.windows(ready.encoding(), streams.data(place)?, plan)?;
        let manifest = adapt.manifest(plan, ready, &windows, source.classes())?;
        let stored = fleet.entry(key).filter(|entry| entry.windows > 0);
        let settings = manifest.settings.clone();
        let planned = manifest.planned;
        let (mut session, mut run) = match stored {
            Some(entry) if entry.identity != manifest.identity => {
                return Err(Error::Occupied {
                    path: fleet.folder().join(key),
                    what: "has changed since it was begun".into(),
                });
            }
            Some(_) => {
                let run = fleet.run(key)?;
                let stopped = run.stopped(fleet)?;
                let windows: &mut dyn Windows = &mut windows;
                let session = Session::resumed(
                    source.clone(),
                    ready.rows(),
                    &settings,
                    &adapt.registry,
                    runtime,
                    stopped,
                    Some(windows),
                )?;
                (session, StreamRun::resume(fleet, key, run))
            }
            None => {
                let session = match &beginning.first {
                    First::Shared { session, .. } => session.with_runtime(runtime),
                    First::Each { .. } => {
                        let rows = ready.rows();
                        Session::new(source.clone(), rows, &settings, &adapt.registry, runtime)?
                    }
                };
                let own = own.is_some();
                (
                    session,
                    StreamRun::begin(fleet, key, manifest, source, own)?,
                )
            }
        };
        let walked = session.record(&mut windows, planned, vec![], &mut run, &());
        match walked {
            Ok(()) => run.store(true),
            Err(error) => {
                // What is finished is kept, and the error is told whatever becomes of that.
                let _ = run.store(false);
                Err(error)
            }
        }
    }

    /// The source model of one key.
    fn own_source(
        &self,
        key: &str,
        label: &str,
        parts: &Partition,
        runtime: &Runtime,
    ) -> Result<(Ready, ModelFile)> {
        let by = self.by.as_deref().unwrap_or_default();
        let Some(part) = parts.find(key) else {
            return Err(Error::empty(format!("the source of the key `{key}`")));
        };
        let mut adapt = self.adapt.clone();
        adapt.runtime = runtime.clone();
        adapt.choice = of_key(by, key, &adapt.choice);
        let ready = adapt.ready(Start::source(label, part))?;
        let source = ready.train()?;
        Ok((ready, source))
    }
}

/// A panic over one stream is a fault of that stream.
pub(super) fn guarded<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let said = panic.downcast_ref::<String>().map(String::as_str);
        let said = said.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(Error::NotSupported {
            what: "the stream".into(),
            how: format!("adapted to: {}", said.unwrap_or("something panicked")),
        })
    })
}

/// The error in one line, with what to do about it where that is known.
pub(super) fn told(error: &Error) -> String {
    match error.help() {
        Some(help) => format!(
            "{error} ({})",
            help.words(|setting| format!("--{}", setting.name()))
        ),
        None => error.to_string(),
    }
}
