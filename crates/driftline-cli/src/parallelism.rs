//! How the cores are shared among trials.

use std::num::NonZeroUsize;
use std::sync::Arc;

use driftline_core::Cancel;
use driftline_lab::experiment::{Memo, Resources};
use driftline_models::Runtime;

/// How many trials run at the same time, on how many threads each.
#[derive(Clone, Copy, Debug)]
pub struct Parallelism {
    pub jobs: NonZeroUsize,
    pub threads: NonZeroUsize,
}

impl Parallelism {
    /// All cores for this many trials, `jobs` of them at the same time or as many as there are cores. Cores that are left
    /// over by few trials help inside each of them.
    pub fn of(jobs: Option<NonZeroUsize>, trials: usize) -> Self {
        let at_least_one = |n| NonZeroUsize::new(n).unwrap_or(NonZeroUsize::MIN);
        let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let jobs = jobs.unwrap_or(cores).min(at_least_one(trials));
        Self {
            jobs,
            threads: at_least_one(cores.get() / jobs.get()),
        }
    }

    /// How each trial computes.
    pub fn resources(self, memo: Option<&Arc<Memo>>, cancel: &Cancel) -> Resources {
        let runtime = Runtime::default()
            .with_threads(self.threads)
            .with_cancel(cancel.clone());
        Resources {
            runtime,
            memo: memo.cloned(),
        }
    }
}
