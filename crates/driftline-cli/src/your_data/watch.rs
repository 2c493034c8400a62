//! Progress of an adaptation on standard error: a line per window, or a bar on a terminal.

use driftline::reading::Notes;
use driftline::runs::{Bundle, Watch, WindowRecord};
use driftline_report::words;
use indicatif::ProgressBar;

use crate::verbosity::Verbosity;
use crate::{output, progress};

/// Watches one command.
pub struct Watcher {
    verbosity: Verbosity,
    bar: Option<ProgressBar>,
}

impl Watcher {
    pub fn new(verbosity: Verbosity) -> Self {
        Self {
            verbosity,
            bar: progress::bar(verbosity, 0),
        }
    }

    fn say(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.println(line),
            None => self.verbosity.say(line),
        }
    }

    pub fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Watch for Watcher {
    fn fitted(&self, source: &Bundle) {
        self.say(&words::fitted(source));
        self.noted(&source.source.notes);
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
        let tell = || output::tell_notes(notes.as_slice());
        match &self.bar {
            Some(bar) => bar.suspend(tell),
            None => tell(),
        }
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
