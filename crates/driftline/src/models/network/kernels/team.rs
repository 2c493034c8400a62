//! A few threads that work on the parts of one step together, again and again: woken by a counter they spin on briefly,
//! since a step is far shorter than the time to wake a sleeping thread.

use std::cell::UnsafeCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;

use super::FlushDenormals;

/// Spins before a waiting thread gives its core away.
const SPINS: usize = 20_000;

/// A fork-join team; the calling thread is its first member.
#[derive(Debug)]
pub struct Team {
    shared: Arc<Shared>,
    helpers: Vec<JoinHandle<()>>,
}

/// A task as the helpers see it: a function of the member's number, its lifetime erased.
type Task = *const (dyn Fn(usize) + Sync);

struct Shared {
    /// Rises by one with every task; helpers wait for it.
    round: AtomicUsize,
    /// Helpers that have not finished the current task.
    busy: AtomicUsize,
    stop: AtomicBool,
    panicked: AtomicBool,
    /// Written by the caller only while no helper is busy, read by helpers only after `round` rose.
    task: UnsafeCell<Option<Task>>,
}

// SAFETY: `task` is handed over by the release/acquire pairs on `round` and `busy`, as its comment says.
unsafe impl Sync for Shared {}
// SAFETY: the pointer in `task` is only followed while `run` keeps its target alive; the target is `Sync`.
unsafe impl Send for Shared {}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Shared(round {})", self.round.load(Ordering::Relaxed))
    }
}

impl Team {
    /// A team of `members` threads, the caller among them.
    pub fn new(members: usize) -> Self {
        let shared = Arc::new(Shared {
            round: AtomicUsize::new(0),
            busy: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
            panicked: AtomicBool::new(false),
            task: UnsafeCell::new(None),
        });
        let helpers = (1..members.max(1))
            .map(|member| {
                let shared = Arc::clone(&shared);
                std::thread::spawn(move || help(&shared, member))
            })
            .collect();
        Self { shared, helpers }
    }

    pub fn members(&self) -> usize {
        self.helpers.len() + 1
    }

    /// Calls `work` once for every part. Which member takes which part is fixed, and must not matter to the result.
    pub fn for_each<T: Send>(&mut self, parts: &mut [T], work: impl Fn(usize, &mut T) + Sync) {
        let members = self.members().min(parts.len());
        if members <= 1 {
            for (index, part) in parts.iter_mut().enumerate() {
                work(index, part);
            }
            return;
        }
        let n = parts.len();
        let base = Base(parts.as_mut_ptr());
        let all = self.members();
        self.run(&|member| {
            let base = &base;
            for index in member * n / all..(member + 1) * n / all {
                // SAFETY: the ranges of different members are disjoint and inside `parts`, which outlives `run`;
                // `T: Send` lets another thread use the part.
                work(index, unsafe { &mut *base.0.add(index) });
            }
        });
    }

    /// Runs `task` on every member and waits for all.
    fn run(&mut self, task: &(dyn Fn(usize) + Sync)) {
        let shared = &*self.shared;
        // SAFETY: only the lifetime is erased; this function returns, or unwinds, after the last use (see `Finished`).
        let erased: Task = unsafe { std::mem::transmute::<&(dyn Fn(usize) + Sync), Task>(task) };
        // SAFETY: no helper is busy between two calls (`&mut self`), so none reads the cell now.
        unsafe { *shared.task.get() = Some(erased) };
        shared.busy.store(self.helpers.len(), Ordering::Relaxed);
        shared.round.fetch_add(1, Ordering::Release);
        for helper in &self.helpers {
            helper.thread().unpark();
        }
        let waiting = Finished(shared);
        task(0);
        drop(waiting);
        if shared.panicked.swap(false, Ordering::Relaxed) {
            panic!("a member of the team panicked");
        }
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        self.shared.round.fetch_add(1, Ordering::Release);
        for helper in self.helpers.drain(..) {
            helper.thread().unpark();
            // A helper catches panics of its tasks, so joining cannot fail in a way worth reporting.
            let _ = helper.join();
        }
    }
}

/// Waits for the helpers when dropped, also when the caller's own part panics: the task must outlive their use of it.
struct Finished<'a>(&'a Shared);

impl Drop for Finished<'_> {
    fn drop(&mut self) {
        wait(
            || self.0.busy.load(Ordering::Acquire) == 0,
            std::thread::yield_now,
        );
    }
}

struct Base<T>(*mut T);
// SAFETY: members only use disjoint elements, and `for_each` asks for `T: Send`.
unsafe impl<T: Send> Sync for Base<T> {}

fn help(shared: &Shared, member: usize) {
    let _flush = FlushDenormals::begin();
    let mut seen = 0;
    loop {
        let risen = || shared.round.load(Ordering::Acquire) != seen;
        wait(risen, || {
            std::thread::park_timeout(std::time::Duration::from_millis(1))
        });
        seen += 1;
        if shared.stop.load(Ordering::Relaxed) {
            return;
        }
        // SAFETY: `round` rose, so the caller has written the task and keeps it alive until `busy` falls to 0.
        let task = unsafe { (*shared.task.get()).map(|task| &*task) };
        let done = catch_unwind(AssertUnwindSafe(|| task.map(|task| task(member))));
        if done.is_err() {
            shared.panicked.store(true, Ordering::Relaxed);
        }
        shared.busy.fetch_sub(1, Ordering::Release);
    }
}

/// Spins until `ready`, then calls `rest` between the looks.
fn wait(ready: impl Fn() -> bool, rest: impl Fn()) {
    for _ in 0..SPINS {
        if ready() {
            return;
        }
        std::hint::spin_loop();
    }
    while !ready() {
        rest();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_worked_on_once_for_any_number_of_members() {
        for members in [1, 2, 3, 8] {
            let mut team = Team::new(members);
            for n in [0, 1, 2, 7, 100] {
                let mut parts = vec![0; n];
                for _ in 0..50 {
                    team.for_each(&mut parts, |index, part| *part += index + 1);
                }
                assert!(
                    parts.iter().enumerate().all(|(i, &p)| p == 50 * (i + 1)),
                    "{members} {n}"
                );
            }
        }
    }

    #[test]
    fn a_panic_reaches_the_caller_and_leaves_the_team_usable() {
        let mut team = Team::new(2);
        let mut parts = [0; 4];
        for bad in [0, 3] {
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                team.for_each(&mut parts, |index, _| assert_ne!(index, bad));
            }));
            assert!(outcome.is_err());
        }
        team.for_each(&mut parts, |_, part| *part += 1);
        assert_eq!(parts, [1; 4]);
    }
}
