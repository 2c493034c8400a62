//! Work shared among threads: whoever is free takes the next piece. A piece computes on one thread, so that it holds one
//! window at a time and takes up no other piece while it waits.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};

use driftline_models::Runtime;

/// Calls `work` for every place below `count`, on all threads of `runtime`. With fewer pieces than threads, those left
/// over help inside the pieces.
pub(super) fn share(runtime: &Runtime, count: usize, work: impl Fn(usize, &Runtime) + Sync) {
    let threads = runtime.threads().get();
    let workers = threads.min(count).max(1);
    let each = NonZeroUsize::new(threads / workers).unwrap_or(NonZeroUsize::MIN);
    let next = AtomicUsize::new(0);
    let take = || {
        let own = runtime.clone().with_threads(each);
        own.install(|| {
            loop {
                let place = next.fetch_add(1, Ordering::Relaxed);
                if place >= count || own.cancel().is_cancelled() {
                    return;
                }
                work(place, &own);
            }
        });
    };
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(take);
        }
    });
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn every_piece_is_done_once() {
        for (threads, count) in [(1, 5), (3, 100), (4, 2), (2, 0)] {
            let threads = NonZeroUsize::new(threads).unwrap();
            let runtime = Runtime::default().with_threads(threads);
            let seen = Mutex::new(vec![]);
            share(&runtime, count, |place, own| {
                assert!(own.threads() <= threads);
                seen.lock().unwrap().push(place);
            });
            let mut seen = seen.into_inner().unwrap();
            seen.sort_unstable();
            assert_eq!(seen, (0..count).collect::<Vec<_>>());
        }
    }
}
