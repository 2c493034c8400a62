//! Progress of a run on standard error: a bar with an estimate on a terminal, plain lines elsewhere. Also the place
//! where clocks are read, and where the times of the trials go to `timings.jsonl`.

use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use driftline_core::Cancel;
use driftline_lab::experiment::{Experiment, Observer, Trial, TrialKey};
use indicatif::{ProgressBar, ProgressStyle};

use crate::estimate::{self, Estimate, Timing, readable};
use crate::parallelism::Parallelism;
use crate::verbosity::Verbosity;

/// A bar on a terminal where somebody wants to see it, lines elsewhere.
pub struct Bar {
    pub verbosity: Verbosity,
    bar: Option<ProgressBar>,
}

impl Bar {
    pub fn new(verbosity: Verbosity, length: usize) -> Self {
        let wanted = verbosity != Verbosity::Quiet && std::io::stderr().is_terminal();
        let bar = wanted.then(|| {
            let style = ProgressStyle::with_template("{bar:30} {pos}/{len}  {msg}");
            ProgressBar::new(length as u64).with_style(style.expect("the template is well-formed"))
        });
        Self { verbosity, bar }
    }

    pub fn is_shown(&self) -> bool {
        self.bar.is_some()
    }

    /// A line above the bar.
    pub fn say(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.println(line),
            None => self.verbosity.say(line),
        }
    }

    pub fn set_length(&self, length: usize) {
        if let Some(bar) = &self.bar {
            bar.set_length(length as u64);
        }
    }

    /// Moves the bar, or says `line` where there is none.
    pub fn moved(&self, done: usize, message: String, line: &str) {
        match &self.bar {
            Some(bar) => {
                bar.set_position(done as u64);
                bar.set_message(message);
            }
            None if line.is_empty() => {}
            None => self.verbosity.say(line),
        }
    }

    pub fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// An experiment, its folder, and those of its trials that are to be run.
pub struct PendingTrials<'a> {
    pub plan: &'a Experiment,
    pub folder: &'a Path,
    pub open: Vec<TrialKey>,
}

/// Watches one run.
pub struct Progress<'a> {
    parallelism: Parallelism,
    cancel: Cancel,
    pending: Vec<PendingTrials<'a>>,
    /// No trial starts after it.
    deadline: Option<Instant>,
    bar: Bar,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// By experiment and key: those that run have begun.
    open: HashMap<(String, TrialKey), Option<Begun>>,
    estimate: Estimate,
    finished: usize,
    to_run: usize,
}

#[derive(Clone, Copy)]
struct Begun {
    since: Instant,
    /// Whether it took up steps kept from before.
    recalled: bool,
}

impl<'a> Progress<'a> {
    pub fn new(
        pending: Vec<PendingTrials<'a>>,
        verbosity: Verbosity,
        parallelism: Parallelism,
        cancel: &Cancel,
    ) -> Self {
        let mut state = State::default();
        for one in &pending {
            state.estimate.read(one.plan, one.folder);
            let open = one.open.iter();
            let open = open.map(|key| ((one.plan.name.clone(), *key), None));
            state.open.extend(open);
        }
        state.to_run = state.open.len();
        let mut bar = Bar::new(verbosity, state.to_run);
        bar.bar = bar.bar.filter(|_| state.to_run > 0);
        Self {
            parallelism,
            cancel: cancel.clone(),
            pending,
            deadline: None,
            bar,
            state: Mutex::new(state),
        }
    }

    /// Starts no trial when `budget` is used up, counted from now.
    pub fn within(mut self, budget: Option<Duration>) -> Self {
        self.deadline = budget.and_then(|budget| Instant::now().checked_add(budget));
        self
    }

    /// Trials that have not been run, and about how many seconds they will take.
    pub fn left(&self) -> (usize, f64) {
        let state = self.state();
        (state.open.len(), self.seconds_left(&state))
    }

    pub fn end(&self) {
        self.bar.end();
    }

    /// The work left shared among the jobs, but not less than the longest trial.
    fn seconds_left(&self, state: &State) -> f64 {
        let mut total = 0.0;
        let mut longest: f64 = 0.0;
        for one in &self.pending {
            for key in &one.open {
                let Some(begun) = state.open.get(&(one.plan.name.clone(), *key)) else {
                    continue;
                };
                let threads = self.parallelism.threads.get() as f64;
                let whole = state.estimate.seconds(one.plan, key) / threads;
                let spent = begun.map_or(0.0, |begun| begun.since.elapsed().as_secs_f64());
                let left = (whole - spent).max(0.0);
                total += left;
                longest = longest.max(left);
            }
        }
        longest.max(total / self.parallelism.jobs.get() as f64)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes what a trial took, for the estimates of later runs.
    fn write_timing(&self, plan: &Experiment, trial: &Trial, seconds: f64, recalled: bool) {
        let mut pending = self.pending.iter();
        let Some(own) = pending.find(|one| one.plan.name == plan.name) else {
            return;
        };
        let path = estimate::path(own.folder);
        let timing = Timing {
            id: trial.id.clone(),
            dataset: trial.dataset.clone(),
            method: trial.method.clone(),
            data_seed: trial.data_seed,
            seed: trial.seed,
            seconds: (seconds * 1000.0).round() / 1000.0,
            jobs: self.parallelism.jobs.get(),
            threads: self.parallelism.threads.get(),
            recalled,
        };
        let line = serde_json::to_string(&timing).expect("a timing has string keys only");
        let file = OpenOptions::new().create(true).append(true).open(&path);
        if let Err(error) = file.and_then(|mut file| writeln!(file, "{line}")) {
            let path = path.display();
            self.bar.say(&format!("warning: {path}: {error}"));
        }
    }
}

/// A trial as one line names it.
pub fn describe(plan: &Experiment, key: &TrialKey) -> String {
    let (name, data, seed) = (&plan.name, key.data_seed, key.seed);
    let (dataset, method) = (
        &plan.datasets[key.dataset].name,
        &plan.methods[key.method].name,
    );
    format!("{name} · {dataset} · {method} · data {data} · seed {seed}")
}

impl Observer for Progress<'_> {
    fn begin(&self, to_run: usize, finished: usize) {
        let left = readable(self.left().1);
        match (to_run, finished) {
            (0, _) => {}
            (_, 0) => self
                .bar
                .say(&format!("{to_run} trials to run, about {left}")),
            _ => self.bar.say(&format!(
                "{finished} trials are finished already, {to_run} to run, about {left}"
            )),
        }
        if let Some(bar) = &self.bar.bar {
            bar.enable_steady_tick(Duration::from_millis(250));
        }
    }

    fn may_start(&self, _: &Experiment, _: &TrialKey) -> bool {
        self.deadline
            .is_none_or(|deadline| Instant::now() < deadline)
    }

    fn started(&self, plan: &Experiment, key: &TrialKey) {
        let begun = Begun {
            since: Instant::now(),
            recalled: false,
        };
        let trial = (plan.name.clone(), *key);
        self.state().open.insert(trial, Some(begun));
        if self.bar.verbosity == Verbosity::Verbose {
            self.bar.say(&format!("start {}", describe(plan, key)));
        }
    }

    fn recalled(&self, plan: &Experiment, key: &TrialKey) {
        let mut state = self.state();
        if let Some(Some(begun)) = state.open.get_mut(&(plan.name.clone(), *key)) {
            begun.recalled = true;
        }
    }

    fn finished(&self, plan: &Experiment, key: &TrialKey, trial: &Trial) {
        let mut state = self.state();
        let begun = state.open.remove(&(plan.name.clone(), *key)).flatten();
        let time = begun.map_or(String::new(), |begun| {
            let seconds = begun.since.elapsed().as_secs_f64();
            self.write_timing(plan, trial, seconds, begun.recalled);
            if begun.recalled {
                return format!(" in {seconds:.1} s, with steps kept from before");
            }
            let core = seconds * self.parallelism.threads.get() as f64;
            state.estimate.learn(plan, key, core);
            format!(" in {seconds:.1} s")
        });
        state.finished += 1;
        let left = match state.open.len() {
            0 => String::new(),
            _ => format!("about {} left", readable(self.seconds_left(&state))),
        };
        let comma = if left.is_empty() { "" } else { ", " };
        let (finished, to_run, name) = (state.finished, state.to_run, describe(plan, key));
        let accuracy = 100.0 * trial.outcome.accuracy;
        drop(state);
        let line = format!("{finished}/{to_run} {name}: {accuracy:.1} %{time}{comma}{left}");
        if self.bar.is_shown() && self.bar.verbosity == Verbosity::Verbose {
            self.bar.say(&line);
        }
        self.bar.moved(finished, left, &line);
    }

    fn should_stop(&self) -> bool {
        self.cancel.is_cancelled()
    }
}
