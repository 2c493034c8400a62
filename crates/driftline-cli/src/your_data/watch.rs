//! Progress of an adaptation on standard error: a line per window, or a bar on a terminal.

use std::sync::{Mutex, MutexGuard, PoisonError};

use driftline::reading::Notes;
use driftline::runs::{Bundle, Watch, WindowRecord};
use driftline_report::words;
use indicatif::ProgressBar;

use crate::verbosity::Verbosity;
use crate::{notes, progress};

/// Watches one command.
pub struct Watcher {
    verbosity: Verbosity,
    bar: Option<ProgressBar>,
    /// What came up so far: of the source, and of the stream with all its windows.
    notes: Mutex<(Notes, Notes)>,
}

impl Watcher {
    pub fn new(verbosity: Verbosity) -> Self {
        Self {
            verbosity,
            bar: progress::bar(verbosity, 0),
            notes: Mutex::default(),
        }
    }

    fn say(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.println(line),
            None => self.verbosity.say(line),
        }
    }

    /// Clears the bar, and tells what came up where all went well: notes beside an error would hide it.
    pub fn end<T>(&self, result: driftline::Result<T>) -> driftline::Result<T> {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        if result.is_ok() {
            let (mut all, stream) = std::mem::take(&mut *self.notes());
            all.extend(stream);
            notes::tell(all.as_slice(), self.verbosity);
        }
        result
    }

    fn notes(&self) -> MutexGuard<'_, (Notes, Notes)> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watch for Watcher {
    fn fitted(&self, source: &Bundle) {
        self.say(&words::fitted(source));
        // Every seed reads the same source.
        self.notes().0 = source.source.notes.clone();
    }

    fn begin(&self, windows: usize, finished: usize) {
        if finished > 0 {
            self.say(&format!(
                "{finished} of {windows} windows are finished already"
            ));
        }
        if let Some(bar) = &self.bar {
            bar.set_length(windows as u64);
            bar.set_position(finished as u64);
        }
    }

    fn noted(&self, notes: &Notes) {
        self.notes().1.extend(notes.clone());
    }

    fn window(&self, record: &WindowRecord, windows: usize) {
        self.noted(&record.notes);
        let line = words::window(record, windows);
        match &self.bar {
            Some(bar) => {
                bar.set_position(record.window as u64);
                bar.set_message(line);
            }
            None => self.verbosity.say(&line),
        }
    }

    fn compared(&self, candidate: &str, seed: u64) {
        match &self.bar {
            Some(bar) => {
                bar.inc(1);
                bar.set_message(format!("{candidate}, seed {seed}"));
            }
            None => self
                .verbosity
                .say(&format!("{candidate}, seed {seed}: done")),
        }
    }
}
