//! A stream walked window by window, in time order, however large it is.

use std::num::NonZeroUsize;

use super::{Choice, Encoding, FrameSource, Notes, Period, ReadOptions, Rows, Time};
use crate::Result;
use crate::data::{Remainder, Tail};

/// Where one window ends and the next begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cut {
    /// Windows of so many rows.
    Size(NonZeroUsize, Tail),
    /// So many windows, as even as possible.
    Count(NonZeroUsize),
    /// A window per calendar period, or per step of a numeric time column. The last one may be incomplete.
    Every(Period),
}

/// What lies ahead, learned before the first window is read.
#[derive(Clone, Debug, PartialEq)]
pub struct Outline {
    /// Rows in all, after `--where`.
    pub rows: u64,
    pub windows: Vec<WindowOutline>,
    pub remainder: Remainder,
    /// Whether the rows had to be sorted by their times.
    pub sorted: bool,
    /// What was detected about the files.
    pub stated: String,
}

/// One window to come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WindowOutline {
    pub rows: usize,
    /// The first and last time of its rows, where a time column was chosen.
    pub span: Option<(Time, Time)>,
}

/// One window.
#[derive(Clone, Debug)]
pub struct Window {
    /// From 1: the model after window N is version N.
    pub number: usize,
    pub rows: Rows,
    pub span: Option<(Time, Time)>,
    /// What was handled in its rows.
    pub notes: Notes,
}

/// The windows of a stream.
pub struct WindowedStream {}

impl WindowedStream {
    /// Surveys the stream (times first, to learn whether it must be sorted) and stands before its first window.
    pub fn open(
        source: Box<dyn FrameSource>,
        encoding: &Encoding,
        choice: &Choice,
        cut: Cut,
        options: &ReadOptions,
    ) -> Result<Self> {
        todo!()
    }

    pub fn outline(&self) -> &Outline {
        todo!()
    }

    /// What was handled about the stream as a whole: sorting, columns, the tail.
    pub fn notes(&self) -> &Notes {
        todo!()
    }

    /// Goes on with window `number`, from 1, without encoding those before it: for a run that is resumed.
    pub fn start_at(&mut self, number: usize) -> Result<()> {
        todo!()
    }

    pub fn next_window(&mut self) -> Result<Option<Window>> {
        todo!()
    }
}

impl Iterator for WindowedStream {
    type Item = Result<Window>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_window().transpose()
    }
}
