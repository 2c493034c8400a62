//! A stream walked window by window, in time order, however large it is. It is read twice: once to check every row and
//! to learn the times, once to walk it with the rows of at most a few windows in memory.

mod first;
mod plan;
mod second;
mod survey;
mod times;

use std::fmt;

use super::schema::{self, Opened};
use super::{
    ColumnChoice, DateOrder, Encoding, InputDigest, NoteCode, Notes, ReadOptions, Rows,
    TableSource, Time,
};
use driftline_core::Result;
use driftline_core::data::{Remainder, Windowing};
use plan::WindowPlan;
use second::SecondPass;
use survey::Survey;

pub use survey::AnswerCounts;

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
    pub detected: String,
    /// What the stream says about its rows' classes, where answers were asked for.
    pub answers: Option<AnswerCounts>,
    /// What the files are known by; of data without files, a hash of the columns that were read.
    pub digests: Vec<InputDigest>,
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

impl Window {
    /// Rows that came by themselves.
    pub fn of(rows: Rows) -> Self {
        Self {
            number: 1,
            rows,
            span: None,
            notes: Notes::new(),
        }
    }
}

/// The windows of a stream.
pub struct WindowedStream {
    outline: Outline,
    notes: Notes,
    walk: SecondPass,
}

impl WindowedStream {
    /// Reads the stream once and stands before its first window. Whatever is wrong with a row is told now; so is whether
    /// the stream must be sorted.
    pub fn open(
        source: Box<dyn TableSource>,
        encoding: &Encoding,
        choice: &ColumnChoice,
        windowing: &Windowing,
        options: &ReadOptions,
    ) -> Result<Self> {
        Self::surveyed(source, encoding, choice, windowing, options, None)
    }

    /// Stands before the first window of `rows` rows that nobody has looked at yet: what is wrong with one is told when
    /// its window comes, and nothing is hashed. For tables in memory, in their own order.
    pub fn unread(
        source: Box<dyn TableSource>,
        encoding: &Encoding,
        choice: &ColumnChoice,
        windowing: &Windowing,
        options: &ReadOptions,
        rows: u64,
    ) -> Result<Self> {
        Self::surveyed(source, encoding, choice, windowing, options, Some(rows))
    }

    fn surveyed(
        source: Box<dyn TableSource>,
        encoding: &Encoding,
        choice: &ColumnChoice,
        windowing: &Windowing,
        options: &ReadOptions,
        known: Option<u64>,
    ) -> Result<Self> {
        schema::expect_images(encoding, options)?;
        let read = encoding.read_options(choice, options);
        let checked = ReadOptions {
            digest: true,
            only_checked: encoding.only_checked(choice),
            ..read.clone()
        };
        let Opened {
            frames,
            applied,
            mut notes,
        } = schema::open(&*source, encoding, choice, &checked)?;
        let detected = frames.head().detected.clone();
        let survey = match known {
            Some(rows) => Survey::unread(rows),
            None => first::pass(frames, &applied, options)?,
        };
        if let Some(text) = &survey.written {
            let order = match applied.dates {
                Some(DateOrder::MonthFirst) => "month, day, year",
                _ => "day, month, year",
            };
            notes.add(NoteCode::DatesRead, "", 1, || {
                format!("times such as `{text}` are read as {order}")
            });
        }
        let plan = WindowPlan::make(&survey, windowing, &applied.files[0], &mut notes)?;
        notes.add_small_windows(&plan.sizes, encoding.classes().len());
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
            detected,
            answers: choice.answers.is_some().then_some(survey.answers),
            digests: survey.digests,
        };
        let walk = SecondPass::new(source, read, applied, plan);
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

    /// The same rows in the same order as one window, the tail among them.
    pub fn into_one_window(mut self) -> Self {
        let rows = self.walk.join_windows();
        self.outline.windows = vec![WindowOutline { rows }];
        self.outline.remainder = Remainder::None;
        self
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
