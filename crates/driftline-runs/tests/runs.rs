//! The practitioner's operations through the library: model files, runs, resuming, steps, and what is refused.

#[path = "runs/auto.rs"]
mod auto;
#[path = "runs/folders.rs"]
mod folders;
#[path = "runs/going_on.rs"]
mod going_on;
#[path = "runs/identity.rs"]
mod identity;
#[path = "runs/later_answers.rs"]
mod later_answers;
#[path = "runs/memory.rs"]
pub mod memory;
#[path = "runs/model_file.rs"]
mod model_file;
#[cfg(feature = "parquet")]
#[path = "runs/passed_through.rs"]
mod passed_through;
#[path = "runs/rare.rs"]
mod rare;
#[path = "runs/turning.rs"]
mod turning;

use std::sync::atomic::{AtomicUsize, Ordering};

use driftline_core::Cancel;
use driftline_models::Runtime;
use driftline_runs::method::TrainingSpec;
use driftline_runs::{Watch, WindowRecord};

/// So many passes over the data, all else as `adapt` has it.
fn epochs(epochs: usize) -> Option<TrainingSpec> {
    let mut training = TrainingSpec::default();
    training.epochs = epochs.try_into().unwrap();
    Some(training)
}

/// Stops a run after so many windows.
struct StopAfter {
    windows: AtomicUsize,
    cancel: Cancel,
}

impl StopAfter {
    fn new(windows: usize) -> Self {
        Self {
            windows: AtomicUsize::new(windows),
            cancel: Cancel::new(),
        }
    }

    /// What the run must compute with.
    fn runtime(&self) -> Runtime {
        Runtime::default().with_cancel(self.cancel.clone())
    }
}

impl Watch for StopAfter {
    fn window(&self, _: &WindowRecord, _: usize) {
        if self.windows.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.cancel.cancel();
        }
    }
}
