//! The models that are served: of a run the version in use, of a fleet the one of each stream, loaded when it is first
//! asked for. A look at the folder, once a second, tells whether there is a newer one.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use driftline_fleet::{FleetFolder, StreamRow, is_fleet};
use driftline_models::Runtime;
use driftline_runs::{
    ASKED, DecisionKind, ModelFile, RunFolder, RunManifest, Task, Verdict, WindowRecord,
};

use crate::failure::Result;

/// This many models of a fleet are kept in memory.
const KEPT: usize = 2000;

pub struct Models {
    folder: PathBuf,
    state: RwLock<State>,
}

struct State {
    /// What the folder looked like.
    seen: Vec<(PathBuf, u64, Option<std::time::SystemTime>)>,
    served: Served,
    said: Arc<Said>,
    swaps: u64,
}

/// What is said of the run, or how many streams of the fleet each action is said of.
#[derive(Default)]
pub struct Said {
    pub verdict: Option<Verdict>,
    pub tasks: Vec<(Task, usize)>,
    /// The newest window of a run, and how many of its windows were held.
    pub newest: Option<WindowRecord>,
    pub held: usize,
    /// Rows that wait for a label.
    pub open: usize,
}

#[derive(Clone)]
enum Served {
    Run(Arc<ModelFile>),
    Fleet(
        Arc<FleetFolder>,
        Arc<RwLock<HashMap<String, Arc<ModelFile>>>>,
    ),
}

impl Models {
    pub fn open(folder: &Path) -> Result<Self> {
        let seen = look(folder);
        Ok(Self {
            folder: folder.into(),
            state: RwLock::new(State {
                served: load(folder)?,
                said: Arc::new(said(folder)?),
                seen,
                swaps: 0,
            }),
        })
    }

    fn served(&self) -> Served {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        state.served.clone()
    }

    /// The model for a stream, or of the run; none where there is no such stream.
    pub fn model(&self, key: Option<&str>) -> driftline_core::Result<Option<Arc<ModelFile>>> {
        let (fleet, models) = match (self.served(), key) {
            (Served::Run(model_file), None) => return Ok(Some(model_file)),
            (Served::Run(_), Some(_)) | (Served::Fleet(..), None) => return Ok(None),
            (Served::Fleet(fleet, models), Some(_)) => (fleet, models),
        };
        let key = key.unwrap_or_default();
        let known = models.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(model_file) = known.get(key) {
            return Ok(Some(model_file.clone()));
        }
        drop(known);
        if fleet.row(key).is_none_or(|row| row.windows == 0) {
            return Ok(None);
        }
        let model_file = Arc::new(alone(fleet.model(key)?)?);
        let mut known = models.write().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= KEPT
            && let Some(other) = known.keys().next().cloned()
        {
            known.remove(&other);
        }
        known.insert(key.to_owned(), model_file.clone());
        Ok(Some(model_file))
    }

    /// Takes up what was committed since; whether there was anything.
    pub fn refresh(&self) -> bool {
        let seen = look(&self.folder);
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        if state.seen == seen {
            return false;
        }
        drop(state);
        // A writer may be in the middle of something: then the next look finds it.
        let (Ok(served), Ok(said)) = (load(&self.folder), said(&self.folder)) else {
            return false;
        };
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        // Labels that have come change what is said, and not the model.
        let same = match (&state.served, &served) {
            (Served::Run(before), Served::Run(now)) => before.number() == now.number(),
            _ => false,
        };
        state.seen = seen;
        state.served = served;
        state.said = Arc::new(said);
        state.swaps += u64::from(!same);
        !same
    }

    /// What is said of what is served.
    pub fn said(&self) -> Arc<Said> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        state.said.clone()
    }

    pub fn row(&self, key: &str) -> Option<StreamRow> {
        self.fleet()?.row(key)
    }

    pub fn fleet(&self) -> Option<Arc<FleetFolder>> {
        match self.served() {
            Served::Fleet(fleet, _) => Some(fleet),
            Served::Run(_) => None,
        }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Streams, the version of a run, and how often a newer one took over.
    pub fn counts(&self) -> (usize, Option<usize>, u64) {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        match &state.served {
            Served::Run(model_file) => (1, Some(model_file.number()), state.swaps),
            Served::Fleet(fleet, _) => (fleet.tally().streams, None, state.swaps),
        }
    }
}

fn load(folder: &Path) -> Result<Served> {
    if is_fleet(folder) {
        let fleet = Arc::new(FleetFolder::read(folder)?);
        return Ok(Served::Fleet(fleet, Arc::default()));
    }
    RunManifest::read(folder)?;
    let model_file = RunFolder::read(folder)?.model(None)?;
    Ok(Served::Run(Arc::new(alone(model_file)?)))
}

fn said(folder: &Path) -> Result<Said> {
    if is_fleet(folder) {
        let rows = FleetFolder::read(folder)?.rows();
        let tasks = rows.iter().filter_map(|row| row.action.as_ref());
        let tasks: Vec<Task> = tasks.map(|action| action.task()).collect();
        let count = |task: Task| tasks.iter().filter(|own| **own == task).count();
        return Ok(Said {
            tasks: Task::ALL.map(|task| (task, count(task))).into(),
            ..Said::default()
        });
    }
    let run = RunFolder::read(folder)?;
    let verdict = run.verdict()?;
    let own = verdict.as_ref().map(|verdict| verdict.action.task());
    let one = |task: Task| (task, usize::from(own == Some(task)));
    Ok(Said {
        tasks: Task::ALL.map(one).into(),
        verdict,
        newest: run.records().last().cloned(),
        held: run
            .records()
            .iter()
            .filter(|own| own.decision == DecisionKind::Hold)
            .count(),
        open: run.asked()?.open().len(),
    })
}

/// A request is answered by the thread that read it.
fn alone(model_file: ModelFile) -> driftline_core::Result<ModelFile> {
    model_file.with_runtime(&Runtime::default())
}

/// Names, sizes and times of the files that change with every commit.
fn look(folder: &Path) -> Vec<(PathBuf, u64, Option<std::time::SystemTime>)> {
    let packs = std::fs::read_dir(folder.join("packs")).into_iter();
    let packs = packs.flatten().flatten().map(|entry| entry.path());
    let own = ["manifest.json", ASKED].map(|name| folder.join(name));
    let mut files: Vec<PathBuf> = packs.chain(own).collect();
    files.sort();
    let look = |path: PathBuf| {
        let data = std::fs::metadata(&path).ok()?;
        Some((path, data.len(), data.modified().ok()))
    };
    files.into_iter().filter_map(look).collect()
}
