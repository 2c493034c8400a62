//! Experiments for a cluster: one process keeps the store and gives trials out, others run them and give back the lines.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Instant;

use driftline_core::{Cancel, Error};
use driftline_lab::experiment::{
    Batch, BatchPart, Experiment, Observer, Resources, Selection, Store, Trial, TrialKey,
};
use driftline_models::Runtime;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{told, wrong};
use crate::experiment::{Results, plan_of, results, spec_of};
use crate::interrupt::{locked, work};

/// Data set, method, seed of the data, seed: the first two by their places in the plan.
type Key = (usize, usize, u64, u64);

/// The store of an experiment whose trials others run.
#[pyclass(frozen, module = "driftline._driftline")]
#[derive(Debug)]
pub struct Trials {
    plan: Experiment,
    keys: Vec<TrialKey>,
    spec: String,
    store: Mutex<Store>,
}

#[pymethods]
impl Trials {
    #[new]
    #[pyo3(signature = (path, spec, folder, methods, models, smoke, seeds=None, cache_folder=None))]
    #[expect(
        clippy::too_many_arguments,
        reason = "the Python side has them by name"
    )]
    fn new(
        path: Option<PathBuf>,
        spec: Option<&str>,
        folder: PathBuf,
        methods: &Bound<'_, PyDict>,
        models: &Bound<'_, PyDict>,
        smoke: bool,
        seeds: Option<Vec<u64>>,
        cache_folder: Option<PathBuf>,
    ) -> PyResult<Self> {
        let (spec, expected) = spec_of(path, spec)?;
        let text = serde_json::to_string(&spec).map_err(wrong("the experiment"))?;
        let plan = plan_of(&spec, expected, methods, models, smoke, cache_folder)?;
        let selection = Selection {
            seeds,
            ..Selection::default()
        };
        let keys = plan.trials(&selection).map_err(told)?;
        let store = Store::open(&folder, &plan).map_err(told)?;
        Ok(Self {
            plan,
            keys,
            spec: text,
            store: Mutex::new(store),
        })
    }

    /// The whole experiment as JSON, for workers.
    fn spec(&self) -> String {
        self.spec.clone()
    }

    fn wanted(&self) -> usize {
        self.keys.len()
    }

    /// Trials that the store does not have; those with the same data stand together.
    fn missing(&self) -> Vec<Key> {
        let store = locked(&self.store);
        let ids = store.ids();
        let missing = |key: &&TrialKey| !ids.contains(&*self.plan.trial_id(key));
        let mut open: Vec<&TrialKey> = self.keys.iter().filter(missing).collect();
        open.sort_by_key(|key| (key.dataset, key.data_seed, key.seed, key.method));
        let key = |key: &TrialKey| (key.dataset, key.method, key.data_seed, key.seed);
        open.into_iter().map(key).collect()
    }

    /// Adds lines of `trials.jsonl` that a worker gave back, except those that are here already. How many were new.
    fn add(&self, lines: Vec<String>) -> PyResult<usize> {
        let read = lines.iter().map(|line| serde_json::from_str(line));
        let trials = read.collect::<Result<Vec<Trial>, _>>();
        let mut trials = trials.map_err(wrong("a trial"))?;
        let mut store = locked(&self.store);
        let wanted = self.keys.iter().map(|key| self.plan.trial_id(key));
        let wanted: std::collections::HashSet<String> = wanted.collect();
        if let Some(other) = trials.iter().find(|trial| !wanted.contains(&trial.id)) {
            let what = format!("of another plan than the store's was run: {}", other.id);
            return Err(told(Error::corrupt("a trial", what)));
        }
        trials.retain(|trial| !store.contains(&trial.id));
        let new = trials.len();
        if new > 0 {
            store.add_all(trials).map_err(told)?;
        }
        Ok(new)
    }

    fn results(&self) -> PyResult<Results> {
        results(&locked(&self.store)).map_err(told)
    }
}

/// Stops, and takes the times.
pub struct Clocks {
    cancel: Cancel,
    begun: Mutex<HashMap<TrialKey, Instant>>,
    took: Mutex<Vec<(Trial, f64)>>,
}

impl Clocks {
    pub fn new(cancel: &Cancel) -> Self {
        Self {
            cancel: cancel.clone(),
            begun: Mutex::default(),
            took: Mutex::default(),
        }
    }
}

impl Observer for Clocks {
    fn may_start(&self, _plan: &Experiment, key: &TrialKey) -> bool {
        locked(&self.begun).insert(*key, Instant::now());
        !self.cancel.is_cancelled()
    }

    fn finished(&self, _plan: &Experiment, key: &TrialKey, trial: &Trial) {
        let begun = locked(&self.begun).remove(key);
        let took = begun.map_or(0.0, |begun| begun.elapsed().as_secs_f64());
        locked(&self.took).push((trial.clone(), took));
    }

    fn should_stop(&self) -> bool {
        self.cancel.is_cancelled()
    }
}

/// Runs these trials. The line of each, and the seconds that it took.
#[pyfunction]
#[pyo3(signature = (spec, methods, models, smoke, keys, threads, cache_folder=None))]
#[expect(
    clippy::too_many_arguments,
    reason = "the Python side has them by name"
)]
pub fn run_trials(
    py: Python<'_>,
    spec: &str,
    methods: &Bound<'_, PyDict>,
    models: &Bound<'_, PyDict>,
    smoke: bool,
    keys: Vec<Key>,
    threads: NonZeroUsize,
    cache_folder: Option<PathBuf>,
) -> PyResult<Vec<(String, f64)>> {
    let (spec, expected) = spec_of(None, Some(spec))?;
    let plan = plan_of(&spec, expected, methods, models, smoke, cache_folder)?;
    let keys = keys.into_iter();
    let keys = keys.map(|(dataset, method, data_seed, seed)| TrialKey {
        dataset,
        method,
        data_seed,
        seed,
    });
    let keys: Vec<TrialKey> = keys.collect();
    let cancel = Cancel::new();
    let clocks = Clocks::new(&cancel);
    let runtime = Runtime::default().with_threads(threads);
    let resources = Resources {
        runtime: runtime.with_cancel(cancel.clone()),
        memo: None,
    };
    work(py, &cancel, || {
        let aside = tempfile::tempdir().map_err(Error::io(std::env::temp_dir()))?;
        let mut store = Store::open(&aside.path().join("trials"), &plan)?;
        let part = BatchPart {
            plan: &plan,
            keys,
            store: &mut store,
        };
        let batch = Batch {
            parts: vec![part],
            jobs: NonZeroUsize::MIN,
            resources,
        };
        batch.run(&clocks)
    })?;
    let took = std::mem::take(&mut *locked(&clocks.took)).into_iter();
    let lines = took.map(|(trial, took)| Ok((serde_json::to_string(&trial)?, took)));
    let lines = lines.collect::<Result<Vec<_>, serde_json::Error>>();
    lines.map_err(wrong("a trial"))
}
