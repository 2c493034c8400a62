//! Progress of a run on standard error: a bar with an estimate on a terminal, plain lines elsewhere. Also the place
//! where clocks are read, and where the times of the trials go to `timings.jsonl`.

use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use driftline::experiment::{Observer, Plan, Trial, TrialKey};
use indicatif::{ProgressBar, ProgressStyle};

use crate::interrupt;

/// How much to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Talk {
    Quiet,
    Normal,
    Verbose,
}

impl Talk {
    /// One line on standard error, unless asked to be quiet.
    pub fn say(self, line: &str) {
        if self != Talk::Quiet {
            eprintln!("{line}");
        }
    }
}

/// Watches one run.
pub struct Progress {
    talk: Talk,
    jobs: usize,
    timings: PathBuf,
    bar: Option<ProgressBar>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Trials still to be run, by data set and method: they differ in cost by orders of magnitude.
    open: HashMap<(String, String), usize>,
    finished: usize,
    to_run: usize,
    running: HashMap<TrialKey, Instant>,
    /// Seconds and number of the finished trials of one kind.
    spent: HashMap<(String, String), (f64, usize)>,
}

impl Progress {
    pub fn new(
        plan: &Plan,
        open: &[TrialKey],
        talk: Talk,
        jobs: usize,
        folder: &std::path::Path,
    ) -> Self {
        let on_terminal = std::io::stderr().is_terminal();
        let bar = (talk != Talk::Quiet && on_terminal && !open.is_empty()).then(|| {
            let style = ProgressStyle::with_template("{bar:30} {pos}/{len}  {msg}");
            ProgressBar::new(open.len() as u64)
                .with_style(style.expect("the template is well-formed"))
        });
        let mut state = State {
            to_run: open.len(),
            ..State::default()
        };
        for key in open {
            *state.open.entry(kind(plan, key)).or_default() += 1;
        }
        Self {
            talk,
            jobs,
            timings: folder.join("timings.jsonl"),
            bar,
            state: Mutex::new(state),
        }
    }

    fn say(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.println(line),
            None if self.talk != Talk::Quiet => eprintln!("{line}"),
            None => {}
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn write_timing(&self, trial: &Trial, seconds: f64) -> std::io::Result<()> {
        let line = serde_json::json!({
            "id": trial.id, "dataset": trial.dataset, "method": trial.method, "data_seed": trial.data_seed,
            "seed": trial.seed, "seconds": (seconds * 1000.0).round() / 1000.0, "jobs": self.jobs,
        });
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.timings)?;
        writeln!(file, "{line}")
    }
}

impl State {
    /// Seconds of work left, by the mean time of trials of the same kind; unknown kinds count like the mean of all.
    fn remaining(&self) -> Option<f64> {
        let (seconds, count) = self
            .spent
            .values()
            .fold((0.0, 0), |(s, n), (seconds, count)| {
                (s + seconds, n + count)
            });
        let mean = (count > 0).then(|| seconds / count as f64)?;
        let cost = |(kind, &open): (&(String, String), &usize)| {
            open as f64
                * self
                    .spent
                    .get(kind)
                    .map_or(mean, |(seconds, count)| seconds / *count as f64)
        };
        Some(self.open.iter().map(cost).sum())
    }
}

fn kind(plan: &Plan, key: &TrialKey) -> (String, String) {
    (
        plan.datasets[key.dataset].name.clone(),
        plan.methods[key.method].name.clone(),
    )
}

/// `12 s`, `3 min`, `2.5 h`.
pub fn readable(seconds: f64) -> String {
    match seconds {
        s if s < 99.5 => format!("{s:.0} s"),
        s if s < 99.5 * 60.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

impl Observer for Progress {
    fn begin(&self, to_run: usize, finished: usize) {
        if finished > 0 {
            self.say(&format!(
                "{finished} trials are finished already, {to_run} to run"
            ));
        }
        if let Some(bar) = &self.bar {
            bar.enable_steady_tick(Duration::from_millis(250));
        }
    }

    fn started(&self, plan: &Plan, key: &TrialKey) {
        self.state().running.insert(*key, Instant::now());
        if self.talk == Talk::Verbose {
            let (dataset, method) = kind(plan, key);
            self.say(&format!(
                "start {dataset} · {method} · data {} · seed {}",
                key.data_seed, key.seed
            ));
        }
    }

    fn finished(&self, plan: &Plan, key: &TrialKey, trial: &Trial) {
        let line = {
            let mut state = self.state();
            let seconds = state
                .running
                .remove(key)
                .map_or(0.0, |start| start.elapsed().as_secs_f64());
            let kind = kind(plan, key);
            state.finished += 1;
            if let Some(open) = state.open.get_mut(&kind) {
                *open = open.saturating_sub(1);
            }
            let spent = state.spent.entry(kind).or_default();
            *spent = (spent.0 + seconds, spent.1 + 1);
            if let Err(error) = self.write_timing(trial, seconds) {
                self.say(&format!("warning: {}: {error}", self.timings.display()));
            }
            let left = state.remaining().map_or(String::new(), |left| {
                format!(", about {} left", readable(left / self.jobs as f64))
            });
            if let Some(bar) = &self.bar {
                bar.set_position(state.finished as u64);
                bar.set_message(left.trim_start_matches(", ").to_owned());
            }
            format!(
                "{}/{} {} · {} · data {} · seed {}: {:.1} % in {:.1} s{left}",
                state.finished,
                state.to_run,
                trial.dataset,
                trial.method,
                trial.data_seed,
                trial.seed,
                100.0 * trial.outcome.accuracy,
                seconds,
            )
        };
        if self.bar.is_none() || self.talk == Talk::Verbose {
            self.say(&line);
        }
    }

    fn should_stop(&self) -> bool {
        interrupt::requested()
    }
}
