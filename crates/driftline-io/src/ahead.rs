//! Batches read a little ahead of whoever uses them: while a window is trained on and written, whichever thread of the pool
//! has nothing to do reads the next one. No thread is added, so that as many are at work as were asked for.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::{Batch, Batches, Column};
use driftline_core::Result;

/// About so many bytes of frames wait to be used, and never more than so many frames.
const MOST_BYTES: usize = 8 << 20;
const MOST_FRAMES: usize = 64;

/// Whoever waits for a reader looks so often whether there is something to help with.
const LOOK: Duration = Duration::from_micros(100);

/// A reader that reads ahead.
pub(super) struct Ahead {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// Not here while somebody reads.
    frames: Option<Box<dyn Batches>>,
    /// What was read: frames, then what ended the reading.
    ready: VecDeque<Outcome>,
    bytes: usize,
    ended: bool,
    /// Whether the pool has been asked to read.
    asked: bool,
    /// Nobody takes frames any more.
    given_up: bool,
}

/// A frame, the end, a fault, or a panic that is to go on where the frame was wanted.
type Outcome = std::thread::Result<Result<Option<Batch>>>;

impl Ahead {
    pub fn new(frames: Box<dyn Batches>) -> Self {
        let state = State {
            frames: Some(frames),
            ready: VecDeque::new(),
            bytes: 0,
            ended: false,
            asked: false,
            given_up: false,
        };
        Self {
            shared: Arc::new(Shared {
                state: Mutex::new(state),
                changed: Condvar::new(),
            }),
        }
    }

    /// The next frame, or none at the end.
    pub fn next(&mut self) -> Result<Option<Batch>> {
        loop {
            let mut state = self.shared.state();
            match state.ready.pop_front() {
                Some(Ok(Ok(Some(frame)))) => {
                    state.bytes -= bytes(&frame);
                    self.ask(state);
                    return Ok(Some(frame));
                }
                Some(Ok(end)) => return end,
                Some(Err(panic)) => {
                    drop(state);
                    resume_unwind(panic)
                }
                None if state.ended => return Ok(None),
                None => {}
            }
            // Nobody reads: it is done here, up to the first frame.
            match state.frames.is_some() {
                true => {
                    drop(state);
                    self.shared.read(1);
                }
                false => self.shared.wait(state),
            }
        }
    }

    /// The reader after its last frame.
    pub fn into_frames(self) -> Box<dyn Batches> {
        loop {
            let mut state = self.shared.state();
            state.given_up = true;
            match state.frames.take() {
                Some(frames) => return frames,
                None => self.shared.wait(state),
            }
        }
    }

    /// Has the pool go on reading if there is room.
    fn ask(&self, mut state: MutexGuard<'_, State>) {
        if state.asked || state.frames.is_none() || !state.wants_more() {
            return;
        }
        state.asked = true;
        drop(state);
        let shared = self.shared.clone();
        rayon::spawn(move || shared.read(usize::MAX));
    }
}

/// A job that is under way ends with its frame. One that still waits for its turn, which may be long where a thread goes from
/// stream to stream, finds nothing to read, and keeps nothing meanwhile.
impl Drop for Ahead {
    fn drop(&mut self) {
        let mut state = self.shared.state();
        state.given_up = true;
        let unused = (state.frames.take(), std::mem::take(&mut state.ready));
        drop(state);
        drop(unused);
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing panics while it is held.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads up to `most` frames, as far as they are wanted and nobody else reads.
    fn read(&self, most: usize) {
        let mut state = self.state();
        state.asked = false;
        let Some(mut frames) = state.frames.take() else {
            return;
        };
        let mut read = 0;
        while read < most && state.wants_more() {
            drop(state);
            let next = catch_unwind(AssertUnwindSafe(|| frames.next_frame()));
            state = self.state();
            state.take_in(next);
            read += 1;
            self.changed.notify_all();
        }
        state.frames = Some(frames);
        drop(state);
        self.changed.notify_all();
    }

    /// Until something has changed, or might have. A thread of the pool helps meanwhile: the reader may have shared its
    /// work out.
    fn wait(&self, state: MutexGuard<'_, State>) {
        drop(state);
        if rayon::yield_now() == Some(rayon::Yield::Executed) {
            return;
        }
        let idle =
            |state: &mut State| state.frames.is_none() && state.ready.is_empty() && !state.ended;
        drop(self.changed.wait_timeout_while(self.state(), LOOK, idle));
    }
}

impl State {
    fn wants_more(&self) -> bool {
        let room = self.bytes < MOST_BYTES && self.ready.len() < MOST_FRAMES;
        room && !self.ended && !self.given_up
    }

    fn take_in(&mut self, next: Outcome) {
        match &next {
            Ok(Ok(Some(frame))) => self.bytes += bytes(frame),
            _ => self.ended = true,
        }
        self.ready.push_back(next);
    }
}

fn bytes(frame: &Batch) -> usize {
    frame.columns.iter().map(Column::bytes).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Head, Numbers};
    use driftline_core::Error;

    /// Batches of one row; what comes after the last is given.
    struct Counting {
        head: Head,
        next: u64,
        rows: u64,
        end: fn() -> Result<()>,
        /// Tells whoever holds the other end whether it is still there.
        _alive: Arc<()>,
    }

    impl Batches for Counting {
        fn head(&self) -> &Head {
            &self.head
        }

        fn next_frame(&mut self) -> Result<Option<Batch>> {
            if self.next == self.rows {
                // A reader that has failed is at its end.
                let end = std::mem::replace(&mut self.end, || Ok(()));
                return end().map(|()| None);
            }
            self.next += 1;
            let half = Column::Numbers(Numbers::Double(vec![0.5]));
            Ok(Some(Batch::new(self.next, vec![half], 1)))
        }
    }

    fn ahead(rows: u64, end: fn() -> Result<()>) -> Ahead {
        watched(rows, end, Arc::new(()))
    }

    fn watched(rows: u64, end: fn() -> Result<()>, alive: Arc<()>) -> Ahead {
        Ahead::new(Box::new(Counting {
            head: Head::new("counting", vec![], ""),
            next: 0,
            rows,
            end,
            _alive: alive,
        }))
    }

    /// The only thread of a pool goes from reader to reader: what it has asked itself to do later keeps none of them.
    #[test]
    fn a_reader_that_is_given_up_is_gone() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        pool.unwrap().install(|| {
            let alive = Arc::new(());
            let mut ahead = watched(1000, || Ok(()), alive.clone());
            assert!(ahead.next().unwrap().is_some());
            assert_eq!(Arc::strong_count(&alive), 2);
            drop(ahead);
            assert_eq!(Arc::strong_count(&alive), 1);
        });
    }

    #[test]
    fn frames_come_in_order_here_and_there() {
        let all = || {
            let mut ahead = ahead(1000, || Ok(()));
            for row in 1..=1000 {
                assert_eq!(ahead.next().unwrap().unwrap().first_row, row);
            }
            assert!(ahead.next().unwrap().is_none() && ahead.next().unwrap().is_none());
            ahead.into_frames()
        };
        all();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        pool.unwrap().install(all);
        // One that is given up ends its thread.
        ahead(1000, || Ok(())).into_frames();
    }

    #[test]
    fn faults_and_panics_come_through() {
        let mut faulty = ahead(3, || Err(Error::empty("the rest")));
        (0..3).for_each(|_| assert!(faulty.next().unwrap().is_some()));
        assert!(faulty.next().is_err());
        assert!(faulty.next().unwrap().is_none());
        let panicking = catch_unwind(|| {
            let mut panicking = ahead(3, || panic!("a fault of the reader"));
            while panicking.next().unwrap().is_some() {}
        });
        assert!(panicking.is_err());
    }
}
