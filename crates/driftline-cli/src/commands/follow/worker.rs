//! The thread that adapts to what the log holds, and what others may know of it.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use driftline_core::{Cancel, Error};
use driftline_runs::{Closed, Follower, RunFolder, Turn};

use super::arguments::{FollowingArgs, Opened};
use super::kernel::make_way;
use crate::failure::Result;

/// How often it is looked whether there is more.
const PAUSE: Duration = Duration::from_millis(20);
/// How long it waits after something went wrong.
const PATIENCE: Duration = Duration::from_millis(500);

/// What happens.
pub enum Event<'a> {
    Window(&'a Closed),
    /// So many labels were taken, and what could not be done with them.
    Labels(usize, &'a [String]),
    /// Why it does not go on. It is tried again.
    Trouble(&'a str),
}

/// Whether other threads of the process come first.
#[derive(Clone, Copy, PartialEq)]
pub enum Priority {
    Same,
    BelowAnswers,
}

/// How far it is.
#[derive(Default)]
pub struct Progress {
    adapted_to: AtomicU64,
    /// How often somebody has asked to be told when all that is logged was looked at, and which of them were answered.
    asked: AtomicU64,
    answered: AtomicU64,
    trouble: Mutex<Option<String>>,
}

impl Progress {
    /// The last row that the run has adapted to.
    pub fn adapted_to(&self) -> u64 {
        self.adapted_to.load(Ordering::Acquire)
    }

    pub fn trouble(&self) -> Option<String> {
        self.locked().clone()
    }

    fn locked(&self) -> MutexGuard<'_, Option<String>> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub struct Worker {
    cancel: Cancel,
    progress: Arc<Progress>,
    thread: JoinHandle<()>,
}

impl Worker {
    pub fn begin(
        folder: &Path,
        args: &FollowingArgs,
        opened: &Opened,
        progress: Arc<Progress>,
        priority: Priority,
        on: impl FnMut(Event<'_>) + Send + 'static,
    ) -> Result<Self> {
        let cancel = Cancel::new();
        let runtime = args.runtime(cancel.clone());
        let log = opened.log.clone();
        let follower = Follower::open(folder, log, opened.cut, args.learns(), runtime)?;
        progress
            .adapted_to
            .store(follower.adapted_to(), Ordering::Release);
        let work = Work {
            folder: folder.into(),
            follower,
            cancel: cancel.clone(),
            progress: progress.clone(),
            // A killed process may have left the report of an earlier window.
            report_is_old: true,
        };
        Ok(Self {
            cancel,
            progress,
            thread: std::thread::spawn(move || {
                if priority == Priority::BelowAnswers {
                    make_way();
                }
                work.go(on);
            }),
        })
    }

    /// Waits until all that is in the log by now was looked at.
    pub fn catch_up(&self, is_over: impl Fn() -> bool) {
        let own = self.progress.asked.fetch_add(1, Ordering::AcqRel) + 1;
        while self.progress.answered.load(Ordering::Acquire) < own && !is_over() {
            std::thread::sleep(PAUSE);
        }
    }

    /// Ends it; a window at hand is given up, and taken up again by the next process.
    pub fn end(self) {
        self.cancel.cancel();
        // A panic was told where it happened.
        let _ = self.thread.join();
    }
}

struct Work {
    folder: std::path::PathBuf,
    follower: Follower,
    cancel: Cancel,
    progress: Arc<Progress>,
    report_is_old: bool,
}

impl Work {
    fn go(mut self, mut on: impl FnMut(Event<'_>)) {
        while !self.cancel.is_cancelled() {
            // Whoever waits has asked before this turn, so that what it finds is all that there was.
            let asked = self.progress.asked.load(Ordering::Acquire);
            match self.turn(&mut on) {
                Ok(true) => *self.progress.locked() = None,
                Ok(false) => {
                    *self.progress.locked() = None;
                    self.progress.answered.store(asked, Ordering::Release);
                    std::thread::sleep(PAUSE);
                }
                Err(Error::Interrupted) => {}
                // `rollback` or `label` in another process: it is soon done.
                Err(Error::Busy { .. }) => std::thread::sleep(PAUSE),
                Err(error) => {
                    let told = error.to_string();
                    let before = self.progress.locked().replace(told.clone());
                    if before.as_ref() != Some(&told) {
                        on(Event::Trouble(&told));
                    }
                    std::thread::sleep(PATIENCE);
                }
            }
        }
    }

    /// One turn; whether there was anything to do.
    fn turn(&mut self, on: &mut impl FnMut(Event<'_>)) -> driftline_core::Result<bool> {
        match self.follower.turn()? {
            Turn::Window(closed) => {
                let done = self.follower.adapted_to();
                self.progress.adapted_to.store(done, Ordering::Release);
                self.report_is_old = true;
                on(Event::Window(&closed));
                Ok(true)
            }
            Turn::Labels(labels, refused) => {
                self.report_is_old = true;
                on(Event::Labels(labels, &refused));
                Ok(true)
            }
            Turn::Idle => {
                if self.report_is_old {
                    let mut run = RunFolder::open(&self.folder)?;
                    let page = driftline_report::run_html(&run).map_err(|error| match error {
                        driftline_report::Error::Library(error) => error,
                        error => Error::Other(Box::new(error)),
                    })?;
                    run.write_report(&page)?;
                    self.report_is_old = false;
                }
                Ok(false)
            }
        }
    }
}
