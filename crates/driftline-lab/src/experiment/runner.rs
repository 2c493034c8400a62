//! Runs trials on several threads, of one experiment or of several from one queue. The outcome of a trial depends on
//! its own seed alone, so neither the number of threads nor the order matters.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::arrival;
use super::dataset::{Dataset, RawData};
use super::identity::ENGINE_REVISION;
use super::resolved::{Experiment, Selection};
use super::resources::Resources;
use super::store::Store;
use super::trial::{self, Trial, TrialKey};
use driftline_core::data::Benchmark;
use driftline_core::random::Seed;
use driftline_core::{Error, Result};

/// Watches a run from outside: progress, clocks and Ctrl-C live there, not here.
pub trait Observer: Sync {
    /// So many trials are to be run; so many were found finished.
    fn begin(&self, _to_run: usize, _finished: usize) {}
    /// Asked before each trial; false ends the run without an error, once the trials at work are finished.
    fn may_start(&self, _plan: &Experiment, _key: &TrialKey) -> bool {
        true
    }
    fn started(&self, _plan: &Experiment, _key: &TrialKey) {}
    fn stage(&self, _plan: &Experiment, _key: &TrialKey) {}
    /// Before [`Observer::finished`], where some of the training was not run but found: its time says nothing.
    fn recalled(&self, _plan: &Experiment, _key: &TrialKey) {}
    fn finished(&self, _plan: &Experiment, _key: &TrialKey, _trial: &Trial) {}
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
    pub plan: &'a Experiment,
    pub jobs: NonZeroUsize,
    pub resources: Resources,
}

impl Runner<'_> {
    /// Runs the selected trials that `store` does not have yet, and adds each when it is finished.
    pub fn run(
        &self,
        selection: &Selection,
        store: &mut Store,
        observer: &dyn Observer,
    ) -> Result<()> {
        let part = BatchPart {
            plan: self.plan,
            keys: self.plan.trials(selection)?,
            store,
        };
        Batch {
            parts: vec![part],
            jobs: self.jobs,
            resources: self.resources.clone(),
        }
        .run(observer)
    }
}

/// Several experiments in one queue, so that no core waits for the end of one of them.
#[derive(Debug)]
pub struct Batch<'a> {
    pub parts: Vec<BatchPart<'a>>,
    pub jobs: NonZeroUsize,
    pub resources: Resources,
}

/// The trials wanted of one experiment, and the store that has or gets them.
#[derive(Debug)]
pub struct BatchPart<'a> {
    pub plan: &'a Experiment,
    pub keys: Vec<TrialKey>,
    pub store: &'a mut Store,
}

impl Batch<'_> {
    /// Runs the trials that their stores do not have yet: the first of every cell of every experiment, then the second,
    /// and so on, so that an early look covers everything.
    pub fn run(self, observer: &dyn Observer) -> Result<()> {
        let queue = self.queue();
        let wanted: usize = self.parts.iter().map(|part| part.keys.len()).sum();
        observer.begin(queue.len(), wanted - queue.len());
        let plans: Vec<&Experiment> = self.parts.iter().map(|part| part.plan).collect();
        let stores = self.parts.into_iter().map(|part| Mutex::new(part.store));
        let shared = Shared {
            plans,
            stores: stores.collect(),
            resources: self.resources,
            observer,
            queue: Mutex::new(queue),
            data: Mutex::new(Vec::new()),
            failure: Mutex::new(None),
        };
        std::thread::scope(|scope| {
            for _ in 0..self.jobs.get() {
                scope.spawn(|| shared.work());
            }
        });
        shared
            .failure
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
            .map_or(Ok(()), Err)
    }

    /// The open trials by rank within their cell; equal ranks by data, so that data are made seldom.
    fn queue(&self) -> VecDeque<(usize, TrialKey)> {
        let mut data: Vec<&Dataset> = Vec::new();
        let mut open = Vec::new();
        for (index, part) in self.parts.iter().enumerate() {
            let finished = part.store.ids();
            for key in &part.keys {
                let dataset = &part.plan.datasets[key.dataset].data;
                let place = data.iter().position(|known| *known == dataset);
                let place = place.unwrap_or_else(|| {
                    data.push(dataset);
                    data.len() - 1
                });
                if !finished.contains(&*part.plan.trial_id(key)) {
                    let same_cell = |other: &&TrialKey| {
                        (other.dataset, other.method) == (key.dataset, key.method)
                            && (other.seed, other.data_seed) < (key.seed, key.data_seed)
                    };
                    let rank = part.keys.iter().filter(same_cell).count();
                    open.push(((rank, place, index, key.dataset, key.method), (index, *key)));
                }
            }
        }
        open.sort_by_key(|(order, _)| *order);
        open.into_iter().map(|(_, trial)| trial).collect()
    }
}

/// Runs one trial of `plan` from the beginning; `go_on` is asked after each stage. It makes its data itself: a trial is
/// known by the settings of its data, so others would pass for them.
pub fn run_trial(
    plan: &Experiment,
    key: &TrialKey,
    resources: &Resources,
    go_on: &dyn Fn() -> Result<()>,
) -> Result<Trial> {
    let data = &plan.datasets[key.dataset].data;
    let benchmark = data.benchmark(key.data_seed, &plan.raw)?;
    run_on(plan, key, &benchmark, resources, go_on)
}

/// The same on these very data, made before.
fn run_on(
    plan: &Experiment,
    key: &TrialKey,
    benchmark: &Benchmark,
    resources: &Resources,
    go_on: &dyn Fn() -> Result<()>,
) -> Result<Trial> {
    let method = &plan.methods[key.method];
    let seed = Seed::new(key.seed);
    let data = &plan.datasets[key.dataset].data;
    let outcome = match data.on_arrival() {
        None => trial::run(&*method.method, benchmark, seed, resources, go_on)?,
        Some(batches) => {
            let method = &*method.method;
            arrival::run(method, benchmark, batches, seed, resources, go_on)?
        }
    };
    Ok(Trial {
        id: plan.trial_id(key),
        dataset: plan.datasets[key.dataset].name.clone(),
        method: method.name.clone(),
        data_seed: key.data_seed,
        seed: key.seed,
        engine: ENGINE_REVISION,
        version: env!("CARGO_PKG_VERSION").into(),
        isa: method
            .method
            .depends_on_isa()
            .then_some(resources.runtime.isa),
        outcome,
    })
}

/// What makes two benchmarks the same.
type DataKey<'a> = (&'a Dataset, u64, &'a RawData);

/// What the threads share.
struct Shared<'a, 'b> {
    plans: Vec<&'a Experiment>,
    stores: Vec<Mutex<&'b mut Store>>,
    resources: Resources,
    observer: &'a dyn Observer,
    queue: Mutex<VecDeque<(usize, TrialKey)>>,
    /// Data in use: made once for all trials that run on them at the same time, and dropped with the last.
    data: Mutex<Vec<(DataKey<'a>, Weak<Benchmark>)>>,
    failure: Mutex<Option<Error>>,
}

impl<'a> Shared<'a, '_> {
    /// One thread: takes trials until none is left or one has failed.
    fn work(&self) {
        // The data of the trial before, in case the next one has the same.
        let mut held: Option<(DataKey<'a>, Arc<Benchmark>)> = None;
        while lock(&self.failure).is_none() {
            let Some((part, key)) = lock(&self.queue).pop_front() else {
                return;
            };
            if !self.observer.may_start(self.plans[part], &key) {
                lock(&self.queue).clear();
                return;
            }
            if let Err(error) = self.run(part, &key, &mut held) {
                lock(&self.failure).get_or_insert(error);
            }
        }
    }

    fn run(
        &self,
        part: usize,
        key: &TrialKey,
        held: &mut Option<(DataKey<'a>, Arc<Benchmark>)>,
    ) -> Result<()> {
        let Shared { observer, .. } = self;
        let plan = self.plans[part];
        let stopped = || match observer.should_stop() {
            true => Err(Error::Interrupted),
            false => Ok(()),
        };
        stopped()?;
        observer.started(plan, key);
        let wanted = (&plan.datasets[key.dataset].data, key.data_seed, &plan.raw);
        if held.as_ref().is_some_and(|(known, _)| *known != wanted) {
            *held = None;
        }
        let benchmark = match held {
            Some((_, benchmark)) => benchmark.clone(),
            None => self.benchmark(wanted)?,
        };
        *held = Some((wanted, benchmark.clone()));
        let memo = self.resources.memo.as_ref();
        let memo = memo.map(|memo| Arc::new(memo.for_one_trial()));
        let resources = Resources {
            memo: memo.clone(),
            ..self.resources.clone()
        };
        let trial = run_on(plan, key, &benchmark, &resources, &|| {
            observer.stage(plan, key);
            stopped()
        })?;
        if memo.is_some_and(|memo| memo.has_recalled()) {
            observer.recalled(plan, key);
        }
        lock(&self.stores[part]).add(trial.clone())?;
        observer.finished(plan, key, &trial);
        Ok(())
    }

    fn benchmark(&self, wanted: DataKey<'a>) -> Result<Arc<Benchmark>> {
        // Held while making the data, so that two threads do not make the same.
        let mut data = lock(&self.data);
        data.retain(|(_, benchmark)| benchmark.strong_count() > 0);
        let known = data.iter().find(|(key, _)| *key == wanted);
        if let Some(benchmark) = known.and_then(|(_, benchmark)| benchmark.upgrade()) {
            return Ok(benchmark);
        }
        let (dataset, data_seed, raw) = wanted;
        let benchmark = Arc::new(dataset.benchmark(data_seed, raw)?);
        data.push((wanted, Arc::downgrade(&benchmark)));
        Ok(benchmark)
    }
}

/// A thread that panicked has been reported already; its lock is still good.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
