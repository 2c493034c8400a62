//! Runs the trials of a plan on several threads. The outcome of a trial depends on its own seed alone, so neither the
//! number of threads nor the order matters.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::identity::ENGINE_REVISION;
use super::plan::{Plan, Selection};
use super::store::Store;
use super::trial::{self, Trial, TrialKey};
use crate::data::Benchmark;
use crate::models::network::Runtime;
use crate::random::Seed;
use crate::{Error, Result};

/// Watches a run from outside: progress, clocks and Ctrl-C live there, not here.
pub trait Observer: Sync {
    /// So many trials are to be run; so many were found finished.
    fn begin(&self, _to_run: usize, _finished: usize) {}
    fn started(&self, _plan: &Plan, _key: &TrialKey) {}
    fn stage(&self, _plan: &Plan, _key: &TrialKey) {}
    fn finished(&self, _plan: &Plan, _key: &TrialKey, _trial: &Trial) {}
    /// Asked between stages; true ends the run with [`Error::Interrupted`].
    fn should_stop(&self) -> bool {
        false
    }
}

/// Nobody is watching.
impl Observer for () {}

/// A plan, the number of trials to run at the same time, and how each of them computes.
#[derive(Debug)]
pub struct Runner<'a> {
    pub plan: &'a Plan,
    pub jobs: NonZeroUsize,
    pub runtime: Runtime,
}

impl Runner<'_> {
    /// Runs the selected trials that `store` does not have yet, and adds each when it is finished.
    pub fn run(
        &self,
        selection: &Selection,
        store: &mut Store,
        observer: &dyn Observer,
    ) -> Result<()> {
        let keys = self.plan.trials(selection)?;
        let mut open: Vec<TrialKey> = Vec::new();
        for key in &keys {
            if !store.contains(&self.plan.trial_id(key)) {
                open.push(*key);
            }
        }
        observer.begin(open.len(), keys.len() - open.len());
        // The first seed of every cell before the second of any: an early look covers the whole table.
        open.sort_by_key(|key| (key.seed, key.data_seed, key.dataset, key.method));
        let shared = Shared {
            queue: Mutex::new(open.into()),
            store: Mutex::new(store),
            data: Mutex::new(Vec::new()),
            failure: Mutex::new(None),
        };
        std::thread::scope(|scope| {
            for _ in 0..self.jobs.get() {
                scope.spawn(|| self.work(&shared, observer));
            }
        });
        shared
            .failure
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
            .map_or(Ok(()), Err)
    }

    /// One thread: takes trials until none is left or one has failed.
    fn work(&self, shared: &Shared<'_>, observer: &dyn Observer) {
        while lock(&shared.failure).is_none() {
            let Some(key) = lock(&shared.queue).pop_front() else {
                return;
            };
            if let Err(error) = self.run_trial(&key, shared, observer) {
                lock(&shared.failure).get_or_insert(error);
            }
        }
    }

    fn run_trial(
        &self,
        key: &TrialKey,
        shared: &Shared<'_>,
        observer: &dyn Observer,
    ) -> Result<()> {
        let go_on = || {
            observer.stage(self.plan, key);
            if observer.should_stop() {
                Err(Error::Interrupted)
            } else {
                Ok(())
            }
        };
        if observer.should_stop() {
            return Err(Error::Interrupted);
        }
        observer.started(self.plan, key);
        let benchmark = shared.benchmark(self.plan, key)?;
        let method = &self.plan.methods[key.method];
        let trial = Trial {
            id: self.plan.trial_id(key),
            dataset: self.plan.datasets[key.dataset].name.clone(),
            method: method.name.clone(),
            data_seed: key.data_seed,
            seed: key.seed,
            engine: ENGINE_REVISION,
            version: env!("CARGO_PKG_VERSION").into(),
            isa: method.method.depends_on_isa().then_some(self.runtime.isa),
            outcome: trial::run(
                &*method.method,
                &benchmark,
                Seed::new(key.seed),
                self.runtime,
                &go_on,
            )?,
        };
        lock(&shared.store).add(trial.clone())?;
        observer.finished(self.plan, key, &trial);
        Ok(())
    }
}

/// A data set and a data seed.
type DataKey = (usize, u64);

/// What the threads share.
struct Shared<'a> {
    queue: Mutex<VecDeque<TrialKey>>,
    store: Mutex<&'a mut Store>,
    /// Data in use: drawn once for all trials that run on them at the same time, and dropped with the last.
    data: Mutex<Vec<(DataKey, Weak<Benchmark>)>>,
    failure: Mutex<Option<Error>>,
}

impl Shared<'_> {
    fn benchmark(&self, plan: &Plan, key: &TrialKey) -> Result<Arc<Benchmark>> {
        let wanted = (key.dataset, key.data_seed);
        // Held while drawing, so that two threads do not draw the same data.
        let mut data = lock(&self.data);
        data.retain(|(_, benchmark)| benchmark.strong_count() > 0);
        let known = data.iter().find(|(key, _)| *key == wanted);
        if let Some(benchmark) = known.and_then(|(_, benchmark)| benchmark.upgrade()) {
            return Ok(benchmark);
        }
        let benchmark = Arc::new(
            plan.datasets[key.dataset]
                .data
                .benchmark(key.data_seed, &plan.raw)?,
        );
        data.push((wanted, Arc::downgrade(&benchmark)));
        Ok(benchmark)
    }
}

/// A thread that panicked has been reported already; its lock is still good.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
