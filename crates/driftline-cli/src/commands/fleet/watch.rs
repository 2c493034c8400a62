//! Progress of a fleet on standard error, and which streams took much longer than the others.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use driftline_fleet::{FleetWatch, Need, StreamRow};
use driftline_report::words;
use driftline_runs::ModelFile;

use crate::progress::Bar;
use crate::verbosity::Verbosity;

pub struct FleetProgress {
    bar: Bar,
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

/// A stream that takes this many times the mean of all is named.
const SLOW: u32 = 10;
const NAMED: usize = 5;
/// Without a terminal, a line for every N streams.
const LINES: usize = 20;

impl FleetProgress {
    pub fn new(verbosity: Verbosity) -> Self {
        Self {
            bar: Bar::new(verbosity, 0),
            state: Mutex::default(),
        }
    }

    /// Streams that failed.
    pub fn failed(&self) -> usize {
        self.state().failed
    }

    /// Clears the bar and names the stragglers.
    pub fn end<T>(&self, result: driftline_core::Result<T>) -> driftline_core::Result<T> {
        self.bar.end();
        let state = self.state();
        let mean = state.spent / u32::try_from(state.ended.max(1)).unwrap_or(u32::MAX);
        for (took, key) in state.slowest.iter().filter(|(took, _)| *took > mean * SLOW) {
            let (took, mean) = (took.as_secs_f64(), mean.as_secs_f64());
            self.bar.verbosity.say(&format!(
                "slow: {key} took {took:.1} s, the others {mean:.3} s on average"
            ));
        }
        result
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FleetWatch for FleetProgress {
    fn fitted(&self, source: &ModelFile) {
        self.bar.say(&words::fitted(source));
    }

    fn begin(&self, streams: usize, finished: usize) {
        if finished > 0 {
            let line = format!("{finished} of {streams} streams are finished already");
            self.bar.say(&line);
        }
        let mut state = self.state();
        state.total = streams - finished;
        self.bar.set_length(state.total);
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
        if failed {
            let why = row.error.as_deref().unwrap_or_default();
            self.bar.say(&format!("failed: {}: {why}", row.key));
        }
        let told = ended % (total / LINES).max(1) == 0;
        let line = told.then(|| format!("{ended} of {total} streams"));
        let line = line.unwrap_or_default();
        self.bar.moved(ended, row.key.clone(), &line);
    }
}
