//! One more window for every stream of a fleet that has new rows: what next month brings.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::adapt::{PACK, guarded, told};
use super::pool::share;
use super::row::StreamRow;
use super::store::{FleetFolder, Head};
use super::stream_run::StreamRun;
use super::streams::{Streams, of_key};
use super::watch::FleetWatch;
use driftline_core::{Error, Result};
use driftline_io::{Files, Notes, ReadOptions, blake3, read_all_hashed};
use driftline_models::Runtime;
use driftline_runs::method::Registry;
use driftline_runs::{ModelFile, RunManifest, Session, by_itself, limited, step_choice, window_of};

/// How new rows are read.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FleetStep {
    /// A column to score by; else the fleet's own where the data have it.
    pub answers: Option<String>,
    pub read: ReadOptions,
    pub runtime: Runtime,
    pub registry: Registry,
}

/// What became of the new rows.
#[derive(Debug)]
#[non_exhaustive]
pub struct FleetStepped {
    pub fleet: FleetFolder,
    /// Streams that have one more window, or failed.
    pub rows: Vec<StreamRow>,
    /// Streams whose rows were there already, and those that had no rows.
    pub known: usize,
    pub absent: usize,
}

impl FleetStep {
    pub fn new(runtime: Runtime) -> Self {
        Self {
            answers: None,
            read: ReadOptions::default(),
            runtime,
            registry: Registry::default(),
        }
    }

    /// Adapts every stream to its rows in `data`, as one window. A stream that the fleet does not know yet begins here.
    pub fn run(&self, folder: &Path, data: &Files, watch: &dyn FleetWatch) -> Result<FleetStepped> {
        let fleet = FleetFolder::open_with(folder, &self.registry, PACK)?;
        let read = limited(&self.read, &self.runtime);
        let streams = match &fleet.manifest().by {
            None => Streams::files(data.paths()),
            Some(by) => {
                let mut choice = fleet.manifest().settings.choice.clone();
                if choice.answers.is_some() || self.answers.is_some() {
                    choice = step_choice(&choice, data, self.answers.as_deref(), &read)?;
                }
                let encoding = fleet.source().map(|source| &source.encoding);
                let split = || Streams::parts(data, by, encoding, &choice, &read, folder);
                self.runtime.install(split)?
            }
        };
        let keys = streams.keys();
        watch.begin(keys.len(), 0);
        let before: Vec<String> = fleet.rows().into_iter().map(|row| row.key).collect();
        let done = Mutex::new((vec![], 0));
        let fault = Mutex::new(None);
        share(&self.runtime, keys.len(), |place, runtime| {
            let key = &*keys[place].0;
            watch.started(key);
            let stepped = guarded(|| self.stream(&fleet, &streams, place, key, runtime));
            let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
            match stepped {
                Ok(Some(row)) => {
                    watch.ended(&row);
                    done.0.push(row);
                }
                Ok(None) => done.1 += 1,
                Err(Error::Interrupted) => {}
                Err(error) => {
                    // What it had come to stays, and the next good step clears the fault.
                    let known = fleet.row(key).unwrap_or_else(|| StreamRow {
                        key: key.into(),
                        ..StreamRow::default()
                    });
                    let row = known.failing(told(&error));
                    let stored = match error.is_full_disk() {
                        true => Err(error),
                        false => fleet.add(Head::failed(&row), &vec![]).map(drop),
                    };
                    if let Err(error) = stored {
                        runtime.cancel().cancel();
                        *fault.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                        return;
                    }
                    watch.ended(&row);
                    done.0.push(row);
                }
            }
        });
        if let Some(error) = fault.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        fleet.sync()?;
        self.runtime.cancel().check()?;
        let (mut rows, known) = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        rows.sort_by(|a: &StreamRow, b| driftline_io::natural_order(&a.key, &b.key));
        let came: std::collections::BTreeSet<&str> = keys.iter().map(|(key, _)| &**key).collect();
        let absent = before.iter().filter(|key| !came.contains(&***key)).count();
        Ok(FleetStepped {
            fleet,
            rows,
            known,
            absent,
        })
    }

    /// None if the run has seen these rows.
    fn stream(
        &self,
        fleet: &FleetFolder,
        streams: &Streams,
        place: usize,
        key: &str,
        runtime: &Runtime,
    ) -> Result<Option<StreamRow>> {
        let entry = fleet.entry(key).filter(|entry| !entry.pieces.is_empty());
        let stored = entry.map(|_| fleet.run(key)).transpose()?;
        let (manifest, source) = match &stored {
            Some(run) => (run.manifest.clone(), run.source.clone()),
            None => fleet.newcomer(key)?,
        };
        let data = streams.data(place)?;
        let read = limited(&self.read, runtime);
        let own = &manifest.settings.choice;
        let choice = step_choice(own, &*data, self.answers.as_deref(), &read)?;
        let mut notes = Notes::new();
        let (rows, inputs) = read_all_hashed(&*data, &source.encoding, &choice, &read, &mut notes)?;
        notes.add_small_windows(&[rows.len()], source.classes().len());
        let seen = stored
            .as_ref()
            .and_then(|run| window_of(&run.manifest, &run.records, &inputs));
        if seen.is_some() {
            return Ok(None);
        }
        let (finished, planned) = (manifest.windows, manifest.planned);
        if finished < planned {
            return Err(Error::Unfinished {
                path: fleet.folder().join(key),
                finished,
                planned,
            });
        }
        let (settings, registry) = (manifest.settings.clone(), fleet.registry());
        let (mut session, mut run) = match stored {
            Some(run) => {
                let stopped = run.stopped(fleet)?;
                let session =
                    Session::resumed(source, None, &settings, registry, runtime, stopped, None)?;
                (session, StreamRun::resume(fleet, key, run))
            }
            None => {
                let session = Session::new(source.clone(), None, &settings, registry, runtime)?;
                (
                    session,
                    StreamRun::begin(fleet, key, manifest, &source, false)?,
                )
            }
        };
        session.arrive(by_itself(rows, notes), inputs, &mut run)?;
        run.store(true).map(Some)
    }
}

impl FleetFolder {
    /// What a stream begins with that comes after the others.
    fn newcomer(&self, key: &str) -> Result<(RunManifest, ModelFile)> {
        let (Some(source), Some(origin)) = (self.source(), &self.manifest().origin) else {
            return Err(Error::empty(format!("the source of the key `{key}`")));
        };
        let mut settings = self.manifest().settings.clone();
        if let Some(by) = &self.manifest().by {
            settings.choice = of_key(by, key, &settings.choice);
        }
        let determines = serde_json::json!([self.manifest().settings, origin, key, "newcomer"]);
        let identity = blake3(determines.to_string().as_bytes())[..16].to_owned();
        let manifest = RunManifest {
            environment: self.manifest().environment.clone(),
            command: self.manifest().command.clone(),
            ..RunManifest::new(identity, settings, origin.clone(), source.classes())
        };
        Ok((manifest, source.clone()))
    }
}
