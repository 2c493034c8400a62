//! Progress, told to a function of Python's after every window.

use std::sync::{Mutex, PoisonError};

use driftline::Cancel;
use driftline::reading::{NoteCode, Notes};
use driftline::runs::{Watch, WindowRecord};
use pyo3::prelude::*;

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
        let notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        let told = notes.as_slice().iter();
        let told = told.filter(|note| !IN_ORDER.contains(&note.code));
        told.map(ToString::to_string).collect()
    }

    fn note(&self, more: &Notes) {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        notes.extend(more.clone());
    }

    pub fn failed(self) -> Option<PyErr> {
        self.failed
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, done: usize, planned: usize) {
        let Some(call) = &self.call else { return };
        let told = Python::attach(|py| call.call1(py, (done, planned)).map(drop));
        if let Err(error) = told {
            let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
            failed.get_or_insert(error);
            self.cancel.cancel();
        }
    }
}

impl Watch for Watching {
    fn begin(&self, windows: usize, finished: usize) {
        self.tell(finished, windows);
    }

    fn noted(&self, notes: &Notes) {
        self.note(notes);
    }

    fn window(&self, record: &WindowRecord, windows: usize) {
        self.note(&record.notes);
        self.tell(record.window, windows);
    }
}
