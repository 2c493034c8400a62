//! How to compute: how many threads, which instruction set, how much memory, and a way to stop. Given once, at a door;
//! it decides how fast a result comes, never what it is (but for roundings that depend on the instruction set).

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::{Arc, OnceLock};

use super::network::Isa;
use driftline_core::Cancel;

/// Clones share the threads and the token to cancel.
#[derive(Clone)]
pub struct Runtime {
    pub isa: Isa,
    threads: NonZeroUsize,
    memory: u64,
    cancel: Cancel,
    pool: Arc<Pool>,
}

/// The threads of one process. A process that was forked off has none of its parent's: it makes its own.
#[derive(Default)]
struct Pool {
    made: OnceLock<(u32, rayon::ThreadPool)>,
    forked: OnceLock<Box<Pool>>,
}

/// Bytes of rows held in memory at once, unless something else is said.
const MEMORY: u64 = 4 << 30;

impl Default for Runtime {
    /// The fastest instruction set, one thread.
    fn default() -> Self {
        Self {
            isa: Isa::detect(),
            threads: NonZeroUsize::MIN,
            memory: MEMORY,
            cancel: Cancel::new(),
            pool: Arc::default(),
        }
    }
}

impl Runtime {
    /// One thread for every core that the process may use.
    pub fn all_cores() -> Self {
        let cores = std::thread::available_parallelism();
        Self::default().with_threads(cores.unwrap_or(NonZeroUsize::MIN))
    }

    pub fn with_threads(mut self, threads: NonZeroUsize) -> Self {
        self.threads = threads;
        self.pool = Arc::default();
        self
    }

    pub fn with_isa(self, isa: Isa) -> Self {
        Self { isa, ..self }
    }

    /// Stops when `cancel` is asked to.
    pub fn with_cancel(self, cancel: Cancel) -> Self {
        Self { cancel, ..self }
    }

    pub fn threads(&self) -> NonZeroUsize {
        self.threads
    }

    pub fn memory(&self) -> u64 {
        self.memory
    }

    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Runs `work` so that everything inside it that can be shared is shared among these threads.
    pub fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match self.pool.here(self.threads) {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }
}

impl Pool {
    /// The threads of this process; none where the system refuses even one.
    fn here(&self, threads: NonZeroUsize) -> Option<&rayon::ThreadPool> {
        let own = std::process::id();
        let mut at = self;
        loop {
            let (process, pool) = match at.made.get() {
                Some(made) => made,
                None => {
                    let pool = build(threads)?;
                    at.made.get_or_init(|| (own, pool))
                }
            };
            if *process == own {
                return Some(pool);
            }
            at = at.forked.get_or_init(Box::default);
        }
    }
}

fn build(threads: NonZeroUsize) -> Option<rayon::ThreadPool> {
    let builder = rayon::ThreadPoolBuilder::new().num_threads(threads.get());
    // The system refuses more threads: one is always there, and the result is the same.
    let pool = builder.build().or_else(|_| {
        let alone = rayon::ThreadPoolBuilder::new().num_threads(1);
        alone.use_current_thread().build()
    });
    pool.ok()
}

/// Two are equal when they compute alike.
impl PartialEq for Runtime {
    fn eq(&self, other: &Self) -> bool {
        (self.isa, self.threads, self.memory) == (other.isa, other.threads, other.memory)
    }
}

impl Eq for Runtime {}

impl fmt::Debug for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Runtime({}, {} threads)", self.isa, self.threads)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_inside_has_the_threads_that_were_given() {
        let three = Runtime::default().with_threads(NonZeroUsize::new(3).unwrap());
        assert_eq!(three.install(rayon::current_num_threads), 3);
        let one = three.clone().with_threads(NonZeroUsize::MIN);
        assert_eq!(one.install(rayon::current_num_threads), 1);
        assert_eq!(three.install(rayon::current_num_threads), 3);
    }
}
