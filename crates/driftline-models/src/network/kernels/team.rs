//! A few threads that work on the parts of one step together, again and again. A step is shorter than the time to wake a
//! sleeping thread, so a waiting one spins; but briefly, since on a busy machine it keeps others from working. Parts are
//! handed out one by one: who is late, or shares its core with another process, takes fewer, and nobody waits for a helper
//! that has taken none.

use std::cell::UnsafeCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{JoinHandle, Thread};
use std::time::Duration;

use super::FlushDenormals;

/// Looks before a waiting thread gives its core away: some ten microseconds.
const SPINS: usize = 1000;
/// A sleeping thread looks up so often even if nobody wakes it.
const NAP: Duration = Duration::from_millis(1);
/// Set in `Shared::inside` while helpers may take part.
const OPEN: usize = 1 << (usize::BITS - 1);

/// A fork-join team; the calling thread is its first member.
#[derive(Debug)]
pub struct Team {
    shared: Arc<Shared>,
    helpers: Vec<JoinHandle<()>>,
}

/// Work as the helpers see it, its lifetime erased, and who waits for it.
struct Task {
    work: *const (dyn Fn() + Sync),
    caller: Thread,
}

struct Shared {
    /// Rises by one with every task; helpers wait for it.
    round: AtomicUsize,
    /// Helpers that work on the current task, or are about to see that it is closed; and [`OPEN`].
    inside: AtomicUsize,
    stop: AtomicBool,
    panicked: AtomicBool,
    /// Written by the caller only while closed and nobody is inside, read by helpers only inside.
    task: UnsafeCell<Option<Task>>,
}

// SAFETY: `task` is handed over by the release/acquire pairs on `inside`, as its comment says.
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
            inside: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
            panicked: AtomicBool::new(false),
            task: UnsafeCell::new(None),
        });
        let helpers = (1..members.max(1))
            .map(|_| {
                let shared = Arc::clone(&shared);
                std::thread::spawn(move || help(&shared))
            })
            .collect();
        Self { shared, helpers }
    }

    /// Calls `work` once for every part. Who takes which part depends on chance, and must not matter to the result.
    pub fn for_each<T: Send>(&mut self, parts: &mut [T], work: impl Fn(usize, &mut T) + Sync) {
        if self.helpers.is_empty() || parts.len() <= 1 {
            for (index, part) in parts.iter_mut().enumerate() {
                work(index, part);
            }
            return;
        }
        let n = parts.len();
        let base = Base(parts.as_mut_ptr());
        let next = AtomicUsize::new(0);
        self.run(n - 1, &|| {
            let base = &base;
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= n {
                    return;
                }
                // SAFETY: every index is given out once and lies inside `parts`, which outlives `run`; `T: Send` lets
                // another thread use the part.
                work(index, unsafe { &mut *base.0.add(index) });
            }
        });
    }

    /// Runs `work` here and on up to `most` helpers; back when all that have begun are done.
    fn run(&mut self, most: usize, work: &(dyn Fn() + Sync)) {
        let shared = &*self.shared;
        // SAFETY: only the lifetime is erased; this function returns, or unwinds, after the last use (see `Closing`).
        let erased =
            unsafe { std::mem::transmute::<&(dyn Fn() + Sync), *const (dyn Fn() + Sync)>(work) };
        let task = Task {
            work: erased,
            caller: std::thread::current(),
        };
        // SAFETY: between two calls (`&mut self`) it is closed and nobody is inside, so none reads the cell now.
        unsafe { *shared.task.get() = Some(task) };
        shared.inside.fetch_or(OPEN, Ordering::Release);
        shared.round.fetch_add(1, Ordering::Release);
        for helper in self.helpers.iter().take(most) {
            helper.thread().unpark();
        }
        let closing = Closing(shared);
        work();
        drop(closing);
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

/// Lets no more helpers in and waits for those inside when dropped, also when the caller's own part panics: the task must
/// outlive their use of it.
struct Closing<'a>(&'a Shared);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.inside.fetch_and(!OPEN, Ordering::AcqRel);
        wait(|| self.0.inside.load(Ordering::Acquire) == 0);
    }
}

struct Base<T>(*mut T);
// SAFETY: members only use disjoint elements, and `for_each` asks for `T: Send`.
unsafe impl<T: Send> Sync for Base<T> {}

fn help(shared: &Shared) {
    let _flush = FlushDenormals::begin();
    let mut seen = 0;
    loop {
        wait(|| shared.round.load(Ordering::Acquire) != seen);
        seen = shared.round.load(Ordering::Acquire);
        if shared.stop.load(Ordering::Relaxed) {
            return;
        }
        if shared.inside.fetch_add(1, Ordering::AcqRel) & OPEN == 0 {
            // Too late; the cell is not to be looked at.
            shared.inside.fetch_sub(1, Ordering::Release);
            continue;
        }
        // SAFETY: inside, the caller has written the task and keeps it alive.
        let task = unsafe { &*shared.task.get() };
        let caller = task.as_ref().map(|task| task.caller.clone());
        let done = catch_unwind(AssertUnwindSafe(|| {
            if let Some(task) = task {
                // SAFETY: the caller waits in `Closing` as long as somebody is inside.
                unsafe { (*task.work)() }
            }
        }));
        if done.is_err() {
            shared.panicked.store(true, Ordering::Relaxed);
        }
        // The last to leave what is closed wakes the caller.
        if shared.inside.fetch_sub(1, Ordering::AcqRel) == 1
            && let Some(caller) = caller
        {
            caller.unpark();
        }
    }
}

/// Spins until `ready`, then sleeps between the looks.
fn wait(ready: impl Fn() -> bool) {
    for _ in 0..SPINS {
        if ready() {
            return;
        }
        std::hint::spin_loop();
    }
    while !ready() {
        std::thread::park_timeout(NAP);
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
