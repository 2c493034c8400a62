//! The output folder of an experiment: `manifest.json` (what was planned) and `trials.jsonl` (one line per finished
//! trial, no clock times). Files are written aside and renamed, so that a stopped run loses nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::expected::ExpectedCell;
use super::identity::ENGINE_REVISION;
use super::resolved::{Experiment, Scale};
use super::spec::CheckSpec;
use super::trial::Trial;
use driftline_core::files::{FolderLock, is_leftover, remove_files, write_whole};
use driftline_core::{Error, Result};

/// What a folder holds, so that reports need nothing else.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExperimentManifest {
    /// Always `experiment`: tells these folders from others.
    pub kind: String,
    pub name: String,
    pub title: String,
    pub table: Option<String>,
    pub notes: Vec<String>,
    pub scale: Scale,
    /// The plan's identity.
    pub plan: String,
    pub engine: u32,
    pub version: String,
    pub seeds: Vec<u64>,
    pub data_seeds: Vec<u64>,
    pub datasets: Vec<NamedSettings>,
    pub methods: Vec<NamedSettings>,
    pub checks: Vec<CheckSpec>,
    pub expected: Vec<ExpectedCell>,
}

/// A name in tables and the settings behind it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NamedSettings {
    pub name: String,
    pub settings: serde_json::Value,
}

/// Something that was mended while opening a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreWarning {
    /// A line that cannot be read, as a killed run may leave behind; its trial is run again.
    UnreadableLine { path: PathBuf, line: usize },
}

/// In the order of the file: data set, method, data seed, seed.
type Trials = BTreeMap<(usize, usize, u64, u64), Trial>;

/// An open folder with all its finished trials.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    manifest: ExperimentManifest,
    trials: Trials,
    pub warnings: Vec<StoreWarning>,
    /// Held for as long as the store may write.
    _lock: Option<FolderLock>,
}

impl ExperimentManifest {
    pub fn of(plan: &Experiment) -> Self {
        let named = |name: &str, settings| NamedSettings {
            name: name.into(),
            settings,
        };
        let json = |data| serde_json::to_value(data).expect("settings have string keys only");
        Self {
            kind: "experiment".into(),
            name: plan.name.clone(),
            title: plan.title.clone(),
            table: plan.table.clone(),
            notes: plan.notes.clone(),
            scale: plan.scale,
            plan: plan.identity(),
            engine: ENGINE_REVISION,
            version: env!("CARGO_PKG_VERSION").into(),
            seeds: plan.seeds.clone(),
            data_seeds: plan.data_seeds.clone(),
            datasets: plan
                .datasets
                .iter()
                .map(|d| named(&d.name, json(&d.data)))
                .collect(),
            methods: plan
                .methods
                .iter()
                .map(|m| named(&m.name, m.method.settings()))
                .collect(),
            checks: plan.checks.clone(),
            expected: plan.expected.cells.clone(),
        }
    }
}

impl Store {
    /// Opens or makes `folder` for `plan`; refuses a folder that holds another plan's results, or that another
    /// process is writing to.
    pub fn open(folder: &Path, plan: &Experiment) -> Result<Self> {
        Self::with_manifest(folder, ExperimentManifest::of(plan))
    }

    /// Reads what `folder` has of `plan`, without the right to write to it. Nothing is there yet: an empty store.
    pub fn view(folder: &Path, plan: &Experiment) -> Result<Self> {
        let manifest = ExperimentManifest::of(plan);
        let (trials, warnings) = if folder.join("manifest.json").exists() {
            let stored = Self::read(folder)?;
            expect_same_plan(folder, &stored.manifest, &manifest)?;
            (stored.trials, stored.warnings)
        } else {
            Default::default()
        };
        Ok(Self {
            folder: folder.into(),
            manifest,
            trials,
            warnings,
            _lock: None,
        })
    }

    fn with_manifest(folder: &Path, manifest: ExperimentManifest) -> Result<Self> {
        let path = folder.join("manifest.json");
        let read = || -> Result<Option<Self>> {
            let existing = path.exists().then(|| Self::read(folder)).transpose()?;
            match &existing {
                Some(existing) => expect_same_plan(folder, &existing.manifest, &manifest)?,
                None if folder.join("trials.jsonl").exists() => {
                    let what = "has a trials.jsonl but no manifest.json; choose another folder";
                    return Err(Error::corrupt(folder, what));
                }
                None => {}
            }
            Ok(existing)
        };
        // A folder that holds something else gets no lock of ours.
        read()?;
        fs::create_dir_all(folder).map_err(Error::io(folder))?;
        let lock = FolderLock::take(folder)?;
        remove_files(folder, is_leftover)?;
        // Read again under the lock: another writer may have come in between.
        let existing = read()?;
        let (trials, warnings) =
            existing.map_or_else(Default::default, |store| (store.trials, store.warnings));
        let store = Self {
            folder: folder.into(),
            manifest,
            trials,
            warnings,
            _lock: Some(lock),
        };
        let json =
            serde_json::to_string_pretty(&store.manifest).expect("a manifest has string keys only");
        write_whole(&path, (json + "\n").as_bytes())?;
        store.write_trials()?;
        Ok(store)
    }

    /// Reads `folder` without the right to write to it.
    pub fn read(folder: &Path) -> Result<Self> {
        let path = folder.join("manifest.json");
        let text = fs::read_to_string(&path).map_err(Error::io(&path))?;
        let manifest: ExperimentManifest = serde_json::from_str(&text).map_err(|error| {
            Error::corrupt(
                &path,
                format!("is not the manifest of an experiment: {error}"),
            )
        })?;
        let mut store = Self {
            folder: folder.into(),
            manifest,
            trials: Trials::new(),
            warnings: Vec::new(),
            _lock: None,
        };
        let path = folder.join("trials.jsonl");
        let text = match fs::read(&path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(Error::io(&path)(error)),
        };
        for (number, line) in text.lines().enumerate() {
            let trial = serde_json::from_str::<Trial>(line).ok();
            match trial.and_then(|trial| store.place(&trial).map(|place| (place, trial))) {
                Some((place, trial)) => drop(store.trials.insert(place, trial)),
                None => store.warnings.push(StoreWarning::UnreadableLine {
                    path: path.clone(),
                    line: number + 1,
                }),
            }
        }
        Ok(store)
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn manifest(&self) -> &ExperimentManifest {
        &self.manifest
    }

    pub fn trials(&self) -> impl Iterator<Item = &Trial> {
        self.trials.values()
    }

    /// Those of one method on one data set.
    pub fn trials_of<'a>(
        &'a self,
        dataset: &'a str,
        method: &'a str,
    ) -> impl Iterator<Item = &'a Trial> {
        let here = move |trial: &&Trial| trial.dataset == dataset && trial.method == method;
        self.trials().filter(here)
    }

    pub fn contains(&self, id: &str) -> bool {
        self.trials.values().any(|trial| trial.id == id)
    }

    /// The identities of all finished trials.
    pub fn ids(&self) -> BTreeSet<&str> {
        self.trials.values().map(|trial| &*trial.id).collect()
    }

    /// Adds a finished trial and writes the whole file anew.
    pub fn add(&mut self, trial: Trial) -> Result<()> {
        self.add_all([trial])
    }

    /// The same for several, written together.
    pub fn add_all(&mut self, trials: impl IntoIterator<Item = Trial>) -> Result<()> {
        for trial in trials {
            let place = self
                .place(&trial)
                .ok_or_else(|| Error::corrupt(&self.folder, "has no such data set or method"))?;
            self.trials.insert(place, trial);
        }
        self.write_trials()
    }

    /// Joins the shards of one experiment into `folder`.
    pub fn join(parts: &[PathBuf], folder: &Path) -> Result<Store> {
        let parts = parts
            .iter()
            .map(|part| Self::read(part))
            .collect::<Result<Vec<_>>>()?;
        let first = parts
            .first()
            .ok_or_else(|| Error::empty("the list of folders to join"))?;
        // All of it is checked before anything is written.
        let mut trials = Trials::new();
        for part in &parts {
            if part.manifest.plan != first.manifest.plan {
                return Err(Error::corrupt(
                    part.folder(),
                    format!("holds another plan than {}", first.folder().display()),
                ));
            }
            join(&mut trials, &part.trials, part.folder())?;
        }
        let mut joined = Self::with_manifest(folder, first.manifest.clone())?;
        join(&mut joined.trials, &trials, folder)?;
        joined.write_trials()?;
        Ok(joined)
    }

    fn place(&self, trial: &Trial) -> Option<(usize, usize, u64, u64)> {
        let position =
            |list: &[NamedSettings], name: &str| list.iter().position(|named| named.name == name);
        let dataset = position(&self.manifest.datasets, &trial.dataset)?;
        let method = position(&self.manifest.methods, &trial.method)?;
        Some((dataset, method, trial.data_seed, trial.seed))
    }

    fn write_trials(&self) -> Result<()> {
        let mut text = String::new();
        for trial in self.trials.values() {
            text += &serde_json::to_string(trial).expect("a trial has string keys only");
            text.push('\n');
        }
        write_whole(&self.folder.join("trials.jsonl"), text.as_bytes())
    }
}

fn expect_same_plan(
    folder: &Path,
    stored: &ExperimentManifest,
    wanted: &ExperimentManifest,
) -> Result<()> {
    if stored.plan == wanted.plan {
        return Ok(());
    }
    Err(Error::corrupt(
        folder,
        format!(
            "holds the results of another plan (`{}`, {:?} scale, identity {} instead of {}); choose another folder",
            stored.name, stored.scale, stored.plan, wanted.plan
        ),
    ))
}

/// Adds trials to those known; one that both have must be the same. `folder` is named where it is not.
fn join(known: &mut Trials, more: &Trials, folder: &Path) -> Result<()> {
    for (place, trial) in more {
        if known.entry(*place).or_insert_with(|| trial.clone()) != trial {
            let id = &trial.id;
            let what = format!("has other results for trial {id} than the other folders");
            return Err(Error::corrupt(folder, what));
        }
    }
    Ok(())
}
