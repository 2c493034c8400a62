//! Progress of an adaptation on standard error: a line per window, or a bar on a terminal.

use std::io::IsTerminal;

use driftline::reading::Notes;
use driftline::service::{Bundle, Watch, WindowRecord};
use indicatif::{ProgressBar, ProgressStyle};

use super::say;
use crate::progress::Talk;
use crate::{interrupt, output};

/// Watches one command.
pub struct Watcher {
    talk: Talk,
    bar: Option<ProgressBar>,
}

impl Watcher {
    pub fn new(talk: Talk) -> Self {
        let on_terminal = std::io::stderr().is_terminal();
        let bar = (talk != Talk::Quiet && on_terminal).then(|| {
            let style = ProgressStyle::with_template("{bar:30} {pos}/{len}  {msg}");
            ProgressBar::new(0).with_style(style.expect("the template is well-formed"))
        });
        Self { talk, bar }
    }

    fn say(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.println(line),
            None => self.talk.say(line),
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
        self.say(&say::fitted(source));
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

    /// Notes are said even when all else is quiet: they may change what a result means.
    fn noted(&self, notes: &Notes) {
        for note in notes.as_slice() {
            match &self.bar {
                Some(bar) => bar.println(format!("note: {note}")),
                None => output::tell(&format!("note: {note}")),
            }
        }
    }

    fn window(&self, record: &WindowRecord, windows: usize) {
        self.noted(&record.notes);
        let line = say::window(record, windows);
        match &self.bar {
            Some(bar) => {
                bar.set_position(record.window as u64);
                bar.set_message(line);
            }
            None => self.talk.say(&line),
        }
    }

    fn should_stop(&self) -> bool {
        interrupt::requested()
    }
}
