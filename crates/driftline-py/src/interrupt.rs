//! Work without Python's lock, on a thread of its own: other threads of Python go on, and Ctrl-C is heard.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use driftline_core::Cancel;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::errors::told;

/// What a thread that panicked has left is still whole: everything behind these locks is replaced at once.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How often signals are looked at.
pub const LOOK: Duration = Duration::from_millis(50);

/// Runs `work`. A signal cancels it; what was finished stays, and the signal's exception is raised.
pub fn work<T: Send>(
    py: Python<'_>,
    cancel: &Cancel,
    work: impl FnOnce() -> driftline_core::Result<T> + Send,
) -> PyResult<T> {
    cancel.clear();
    let mut signal = None;
    let result = std::thread::scope(|scope| {
        let (done, finished) = channel();
        let worker = scope.spawn(move || {
            let result = catch_unwind(AssertUnwindSafe(work));
            // Nobody listens only when the waiting thread is gone, and then nobody asks.
            let _ = done.send(());
            result
        });
        let finished = Mutex::new(finished);
        loop {
            let waited = py.detach(|| locked(&finished).recv_timeout(LOOK));
            if waited != Err(RecvTimeoutError::Timeout) {
                break;
            }
            if let Err(error) = py.check_signals() {
                cancel.cancel();
                signal.get_or_insert(error);
            }
        }
        py.detach(|| worker.join())
    });
    cancel.clear();
    match (result, signal) {
        (_, Some(signal)) => Err(signal),
        (Ok(Ok(result)), None) => result.map_err(told),
        (Ok(Err(panic)) | Err(panic), None) => Err(fault(&*panic)),
    }
}

/// The same for what is done before anybody could press a key: on the calling thread, which need not wait for another to start.
pub fn brief<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> driftline_core::Result<T> + Send,
) -> PyResult<T> {
    match py.detach(|| catch_unwind(AssertUnwindSafe(work))) {
        Ok(result) => result.map_err(told),
        Err(panic) => Err(fault(&*panic)),
    }
}

/// A panic is a fault of ours; it must not take the interpreter with it.
fn fault(panic: &(dyn std::any::Any + Send)) -> PyErr {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    let text = text.unwrap_or_else(|| "no message".into());
    PyRuntimeError::new_err(format!(
        "a fault in driftline itself, please report it: {text}"
    ))
}
