//! Progress of a fleet on standard error, and which streams took much longer than the others.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use driftline::fleet::{FleetWatch, Need, StreamRow};
use driftline::runs::Bundle;
use driftline_report::words;
use indicatif::ProgressBar;

use crate::progress;
use crate::verbosity::Verbosity;

pub struct FleetProgress {
    verbosity: Verbosity,
    bar: Option<ProgressBar>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    begun: HashMap<String, Instant>,
    total: usize,
    ended: usize,
    failed: usize,
    spent: Duration,
    /// The slowest, the slowest first.
    slowest: Vec<(Duration, String)>,
}

/// A stream that takes so many times the mean of all is named.
const SLOW: u32 = 10;
const NAMED: usize = 5;
/// Without a terminal, a line for every so many streams.
const LINES: usize = 20;

impl FleetProgress {
    pub fn new(verbosity: Verbosity) -> Self {
        Self {
            verbosity,
            bar: progress::bar(verbosity, 0),
            state: Mutex::default(),
        }
    }

    /// Streams that failed.
    pub fn failed(&self) -> usize {
        self.state().failed
    }

    /// Clears the bar and names the stragglers.
    pub fn end<T>(&self, result: driftline::Result<T>) -> driftline::Result<T> {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        let state = self.state();
        let mean = state.spent / u32::try_from(state.ended.max(1)).unwrap_or(u32::MAX);
        for (took, key) in state.slowest.iter().filter(|(took, _)| *took > mean * SLOW) {
            self.verbosity.say(&format!(
                "slow: {key} took {:.1} s, the others {:.3} s on average",
                took.as_secs_f64(),
                mean.as_secs_f64()
            ));
        }
        result
    }

    fn say(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.println(line),
            None => self.verbosity.say(line),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FleetWatch for FleetProgress {
    fn fitted(&self, source: &Bundle) {
        self.say(&words::fitted(source));
    }

    fn begin(&self, streams: usize, finished: usize) {
        if finished > 0 {
            self.say(&format!(
                "{finished} of {streams} streams are finished already"
            ));
        }
        let mut state = self.state();
        state.total = streams - finished;
        if let Some(bar) = &self.bar {
            bar.set_length(state.total as u64);
        }
    }

    fn started(&self, key: &str) {
        self.state().begun.insert(key.to_owned(), Instant::now());
    }

    fn ended(&self, row: &StreamRow) {
        let mut state = self.state();
        if let Some(begun) = state.begun.remove(&row.key) {
            let took = begun.elapsed();
            state.spent += took;
            state.slowest.push((took, row.key.clone()));
            state.slowest.sort_by_key(|slow| std::cmp::Reverse(slow.0));
            state.slowest.truncate(NAMED);
        }
        state.ended += 1;
        let failed = row.state == Need::Failed;
        state.failed += usize::from(failed);
        let (ended, total) = (state.ended, state.total);
        drop(state);
        if failed && self.verbosity != Verbosity::Quiet {
            let why = row.error.as_deref().unwrap_or_default();
            self.say(&format!("failed: {}: {why}", row.key));
        }
        match &self.bar {
            Some(bar) => {
                bar.inc(1);
                bar.set_message(row.key.clone());
            }
            None if ended % (total / LINES).max(1) == 0 => {
                self.verbosity.say(&format!("{ended} of {total} streams"));
            }
            None => {}
        }
    }
}
