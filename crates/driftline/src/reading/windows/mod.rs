//! A stream walked window by window, in time order, however large it is: the times are read first, the rows of at most a
//! few windows are in memory.

mod plan;
mod survey;
mod walk;

use std::fmt;
use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};

use super::encoding::Applied;
use super::schema::{peek, schema_notes};
use super::{Choice, Encoding, FrameSource, Notes, Period, ReadOptions, Rows, Time};
use crate::Result;
use crate::data::{Remainder, Tail};
use plan::Plan;
use survey::Surveyor;
use walk::Walk;

/// Where one window ends and the next begins.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cut {
    /// Windows of so many rows.
    Size(NonZeroUsize, Tail),
    /// So many windows, as even as possible.
    Count(NonZeroUsize),
    /// A window per calendar period, or per step of a numeric time column. The last one may be incomplete; periods
    /// without rows have no window.
    Every(Period),
}

/// What lies ahead, learned before the first window is read.
#[derive(Clone, Debug, PartialEq)]
pub struct Outline {
    /// Rows in all, after `--where`.
    pub rows: u64,
    pub windows: Vec<WindowOutline>,
    pub remainder: Remainder,
    /// Whether the rows have to be sorted by their times.
    pub sorted: bool,
    /// The first and the last time, where a time column was chosen.
    pub span: Option<(Time, Time)>,
    /// What was detected about the files.
    pub stated: String,
}

/// One window to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowOutline {
    pub rows: usize,
}

/// One window.
#[derive(Clone, Debug)]
pub struct Window {
    /// From 1: the model after window N is version N.
    pub number: usize,
    pub rows: Rows,
    /// The first and the last time of its rows, where a time column was chosen.
    pub span: Option<(Time, Time)>,
    /// What was handled in its rows.
    pub notes: Notes,
}

/// The windows of a stream.
pub struct WindowedStream {
    outline: Outline,
    notes: Notes,
    walk: Walk,
}

impl WindowedStream {
    /// Surveys the stream (times first, to learn whether it must be sorted) and stands before its first window.
    pub fn open(
        source: Box<dyn FrameSource>,
        encoding: &Encoding,
        choice: &Choice,
        cut: Cut,
        options: &ReadOptions,
    ) -> Result<Self> {
        let (fields, stated) = peek(&*source, encoding, choice, options)?;
        let mut notes = Notes::new();
        schema_notes(encoding, choice, &fields, &mut notes);
        let read = encoding.read_options(choice, options);
        let frames = source.open(&read)?;
        // Missing columns are told before the survey takes its time.
        let applied = Applied::new(encoding, choice, frames.fields(), frames.files())?;
        source.check(&read)?;
        let surveyor = Surveyor {
            source: &*source,
            choice,
            options,
        };
        let plan = Plan::make(&surveyor, cut, &mut notes)?;
        let outline = Outline {
            rows: plan.rows,
            windows: plan
                .sizes
                .iter()
                .map(|&rows| WindowOutline { rows })
                .collect(),
            remainder: plan.remainder,
            sorted: plan.ranks.is_some(),
            span: plan.span,
            stated,
        };
        let walk = Walk::new(source, read, frames, applied, plan);
        Ok(Self {
            outline,
            notes,
            walk,
        })
    }

    pub fn outline(&self) -> &Outline {
        &self.outline
    }

    /// What was handled about the stream as a whole: sorting, columns, the tail.
    pub fn notes(&self) -> &Notes {
        &self.notes
    }

    /// Goes on with window `number`, from 1, without encoding those before it: for a run that is resumed. Call it before
    /// the first window is taken.
    pub fn start_at(&mut self, number: usize) {
        self.walk.start_at(number);
    }

    /// The next window, or none after the last.
    pub fn next_window(&mut self) -> Result<Option<Window>> {
        self.walk.next()
    }
}

impl Iterator for WindowedStream {
    type Item = Result<Window>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_window().transpose()
    }
}

impl fmt::Debug for WindowedStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WindowedStream")
            .field("outline", &self.outline)
            .finish_non_exhaustive()
    }
}
