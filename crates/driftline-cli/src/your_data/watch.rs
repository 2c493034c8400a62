//! Progress of an adaptation on standard error: a line per window, or a bar on a terminal.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use driftline_io::Notes;
use driftline_report::words;
use driftline_runs::{ModelFile, Watch, WindowRecord};

use crate::notes;
use crate::progress::Bar;
use crate::verbosity::Verbosity;

/// Watches one command.
pub struct Watcher {
    bar: Bar,
    /// What came up so far: of the source, and of the stream with all its windows.
    notes: Mutex<(Notes, Notes)>,
    compared: AtomicUsize,
}

impl Watcher {
    pub fn new(verbosity: Verbosity) -> Self {
        Self {
            bar: Bar::new(verbosity, 0),
            notes: Mutex::default(),
            compared: AtomicUsize::new(0),
        }
    }

    /// Clears the bar, and tells what came up where all went well: notes beside an error would hide it.
    pub fn end<T>(&self, result: driftline_core::Result<T>) -> driftline_core::Result<T> {
        self.bar.end();
        if result.is_ok() {
            let (mut all, stream) = std::mem::take(&mut *self.notes());
            all.extend(stream);
            notes::tell(all.as_slice(), self.bar.verbosity);
        }
        result
    }

    fn notes(&self) -> MutexGuard<'_, (Notes, Notes)> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watch for Watcher {
    fn fitted(&self, source: &ModelFile) {
        self.bar.say(&words::fitted(source));
        // Every seed reads the same source.
        self.notes().0 = source.source.notes.clone();
    }

    fn begin(&self, windows: usize, finished: usize) {
        if finished > 0 {
            let line = format!("{finished} of {windows} windows are finished already");
            self.bar.say(&line);
        }
        self.bar.set_length(windows);
        self.bar.moved(finished, String::new(), "");
    }

    fn noted(&self, notes: &Notes) {
        self.notes().1.extend(notes.clone());
    }

    fn window(&self, record: &WindowRecord, windows: usize) {
        self.noted(&record.notes);
        let line = words::window(record, windows);
        self.bar.moved(record.window, line.clone(), &line);
        if let Some(why) = words::why(record).filter(|_| self.bar.verbosity == Verbosity::Verbose) {
            self.bar.say(&why);
        }
    }

    fn compared(&self, candidate: &str, seed: u64) {
        let name = format!("{candidate}, seed {seed}");
        let done = self.compared.fetch_add(1, Ordering::Relaxed) + 1;
        self.bar.moved(done, name.clone(), &format!("{name}: done"));
    }
}
