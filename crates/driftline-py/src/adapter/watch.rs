//! Progress, told to a function of Python's after every window.

use std::sync::Mutex;

use driftline_core::Cancel;
use driftline_io::{NoteCode, Notes};
use driftline_runs::{Watch, WindowRecord};
use pyo3::prelude::*;

use crate::interrupt::locked;

pub struct Watching {
    call: Option<Py<PyAny>>,
    cancel: Cancel,
    /// What the function raised: it stops the run.
    failed: Mutex<Option<PyErr>>,
    /// What was handled rather than refused.
    notes: Mutex<Notes>,
}

/// What a user is not warned of: it is in the history, or nothing is amiss.
const IN_ORDER: [NoteCode; 4] = [
    NoteCode::Tail,
    NoteCode::ColumnsReordered,
    NoteCode::WindowHeld,
    NoteCode::NothingLearned,
];

impl Watching {
    pub fn new(call: Option<Py<PyAny>>, cancel: Cancel) -> Self {
        Self {
            call,
            cancel,
            failed: Mutex::new(None),
            notes: Mutex::default(),
        }
    }

    /// Warnings for the user.
    pub fn notes(&self) -> Vec<String> {
        let notes = locked(&self.notes);
        let told = notes.as_slice().iter();
        let told = told.filter(|note| !IN_ORDER.contains(&note.code));
        told.map(ToString::to_string).collect()
    }

    pub fn failed(self) -> Option<PyErr> {
        locked(&self.failed).take()
    }

    fn tell(&self, done: usize, planned: usize) {
        let Some(call) = &self.call else { return };
        let told = Python::attach(|py| call.call1(py, (done, planned)).map(drop));
        if let Err(error) = told {
            locked(&self.failed).get_or_insert(error);
            self.cancel.cancel();
        }
    }
}

impl Watch for Watching {
    fn begin(&self, windows: usize, finished: usize) {
        self.tell(finished, windows);
    }

    fn noted(&self, notes: &Notes) {
        locked(&self.notes).extend(notes.clone());
    }

    fn window(&self, record: &WindowRecord, windows: usize) {
        self.noted(&record.notes);
        self.tell(record.window, windows);
    }
}
