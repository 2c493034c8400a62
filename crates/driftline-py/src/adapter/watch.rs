//! Progress, told to a function of Python's after every window.

use std::sync::{Mutex, PoisonError};

use driftline::Cancel;
use driftline::runs::{Watch, WindowRecord};
use pyo3::prelude::*;

pub struct Watching {
    call: Option<Py<PyAny>>,
    cancel: Cancel,
    /// What the function raised: it stops the run.
    failed: Mutex<Option<PyErr>>,
}

impl Watching {
    pub fn new(call: Option<Py<PyAny>>, cancel: Cancel) -> Self {
        Self {
            call,
            cancel,
            failed: Mutex::new(None),
        }
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

    fn window(&self, record: &WindowRecord, windows: usize) {
        self.tell(record.window, windows);
    }
}
