//! Frames read on a thread of their own, a little ahead of whoever uses them: while a window is trained on and written, the
//! next one is read.

use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::JoinHandle;

use super::{Column, Frame, Frames};
use crate::Result;

/// About so many bytes of frames wait to be used, and never more than so many frames.
const MOST_BYTES: usize = 8 << 20;
const MOST_FRAMES: usize = 64;

/// A reader that reads ahead: on its thread as long as it has frames, then here again.
pub(super) struct Ahead {
    /// It tells how large the others will be.
    first: Option<Frame>,
    there: Option<There>,
    here: Option<Box<dyn Frames>>,
}

/// What a reading thread sends, and the thread, which gives its reader back.
type There = (Receiver<Result<Option<Frame>>>, JoinHandle<Box<dyn Frames>>);

impl Ahead {
    pub fn new(mut frames: Box<dyn Frames>) -> Result<Self> {
        // Inside a pool of threads everything stays in it: another thread would use a pool that nobody asked for.
        let first = match rayon::current_thread_index() {
            Some(_) => None,
            None => frames.next_frame()?,
        };
        let Some(first) = first else {
            return Ok(Self {
                first: None,
                there: None,
                here: Some(frames),
            });
        };
        let bytes: usize = first.columns.iter().map(Column::bytes).sum();
        let (sender, receiver) = sync_channel((MOST_BYTES / bytes.max(1)).clamp(1, MOST_FRAMES));
        let thread = std::thread::spawn(move || {
            loop {
                let frame = frames.next_frame();
                let last = !matches!(frame, Ok(Some(_)));
                if sender.send(frame).is_err() || last {
                    return frames;
                }
            }
        });
        Ok(Self {
            first: Some(first),
            there: Some((receiver, thread)),
            here: None,
        })
    }

    /// The next frame, or none at the end.
    pub fn next(&mut self) -> Result<Option<Frame>> {
        if let Some(first) = self.first.take() {
            return Ok(Some(first));
        }
        if let Some((receiver, _)) = &self.there
            && let Ok(frame) = receiver.recv()
        {
            return frame;
        }
        self.return_here();
        match &mut self.here {
            Some(frames) => frames.next_frame(),
            None => Ok(None),
        }
    }

    /// The reader after its last frame.
    pub fn into_frames(mut self) -> Box<dyn Frames> {
        self.return_here();
        self.here.expect("a reader is here or there")
    }

    fn return_here(&mut self) {
        if let Some((receiver, thread)) = self.there.take() {
            // Nobody takes its frames any more: it need not wait.
            drop(receiver);
            let frames = thread.join().unwrap_or_else(|panic| resume_unwind(panic));
            self.here = Some(frames);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::Error;
    use crate::reading::{Field, Numbers};

    /// Frames of one row; what comes after the last is given.
    struct Counting {
        next: u64,
        rows: u64,
        end: fn() -> Result<()>,
    }

    impl Frames for Counting {
        fn fields(&self) -> &[Field] {
            &[]
        }

        fn files(&self) -> &[PathBuf] {
            &[]
        }

        fn next_frame(&mut self) -> Result<Option<Frame>> {
            if self.next == self.rows {
                // A reader that has failed is at its end.
                let end = std::mem::replace(&mut self.end, || Ok(()));
                return end().map(|()| None);
            }
            self.next += 1;
            Ok(Some(Frame {
                file: 0,
                first_row: self.next,
                columns: vec![Column::Numbers(Numbers::Double(vec![0.5]))],
                rows: 1,
            }))
        }

        fn detected(&self) -> String {
            String::new()
        }
    }

    fn ahead(rows: u64, end: fn() -> Result<()>) -> Ahead {
        Ahead::new(Box::new(Counting { next: 0, rows, end })).unwrap()
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
        let panicking = std::panic::catch_unwind(|| {
            let mut panicking = ahead(3, || panic!("a fault of the reader"));
            while panicking.next().unwrap().is_some() {}
        });
        assert!(panicking.is_err());
    }
}
