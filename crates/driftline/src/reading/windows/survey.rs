//! The first pass over a stream: how many rows there are, and how their times lie. Only the columns that this needs are
//! read.

use crate::Result;
use crate::error::DataFault;
use crate::reading::columns::find;
use crate::reading::encoding::time_of;
use crate::reading::selection::Selection;
use crate::reading::time::ClockSurvey;
use crate::reading::{Choice, FrameSource, ReadOptions, Time};

/// What to survey.
pub(super) struct Surveyor<'a> {
    pub source: &'a dyn FrameSource,
    pub choice: &'a Choice,
    pub options: &'a ReadOptions,
}

/// What was learned.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Survey {
    /// Rows that count, and rows that `--where` left out.
    pub rows: u64,
    pub filtered: u64,
    /// How often a time is earlier than, and the same as, the one before it.
    pub falls: u64,
    pub repeats: u64,
    /// The earliest and the latest time.
    pub span: Option<(Time, Time)>,
    pub clock: ClockSurvey,
}

impl Surveyor<'_> {
    pub fn survey(&self) -> Result<Survey> {
        let mut survey = Survey::default();
        let mut before: Option<Time> = None;
        let filtered = self.walk(|time| {
            survey.rows += 1;
            let Some(time) = time else { return Ok(()) };
            if let Time::Number(value) = time {
                survey.clock.see(value);
            }
            if let Some(before) = before {
                if std::mem::discriminant(&before) != std::mem::discriminant(&time) {
                    return Err(format!("`{time}` is another kind of time than `{before}`"));
                }
                match before.order(&time) {
                    std::cmp::Ordering::Greater => survey.falls += 1,
                    std::cmp::Ordering::Equal => survey.repeats += 1,
                    std::cmp::Ordering::Less => {}
                }
            }
            let (mut first, mut last) = survey.span.unwrap_or((time, time));
            if time.order(&first).is_lt() {
                first = time;
            }
            if time.order(&last).is_gt() {
                last = time;
            }
            survey.span = Some((first, last));
            before = Some(time);
            Ok(())
        })?;
        survey.filtered = filtered;
        Ok(survey)
    }

    /// Shows the time of every row that counts, if there is a time column; the result is how many rows do not count.
    pub fn walk(&self, mut see: impl FnMut(Option<Time>) -> Result<(), String>) -> Result<u64> {
        let filters = self.choice.filters.iter().map(|filter| &filter.column);
        let columns: Vec<String> = filters.chain(&self.choice.time).cloned().collect();
        let text = self.choice.text_columns().map(String::from);
        let text = text.filter(|name| Some(name) != self.choice.time.as_ref());
        let mut options = self.options.clone();
        options.text.extend(text);
        options.columns = Some(columns);
        let mut frames = self.source.open(&options)?;
        let path = frames.files()[0].clone();
        let selection = Selection::new(self.choice, frames.fields(), &path)?;
        let time = self.choice.time.as_deref();
        let time = time
            .map(|name| find(frames.fields(), name, "the time", &path))
            .transpose()?;
        let mut left_out = 0;
        while let Some(frame) = frames.next_frame()? {
            let rows = selection.rows(&frame);
            left_out += (frame.rows - rows.len()) as u64;
            for row in rows {
                let seen = match time {
                    None => see(None),
                    Some(at) => time_of(&frame.columns[at], row).and_then(|time| see(Some(time))),
                };
                seen.map_err(|message| {
                    let fault = DataFault::new(&frames.files()[frame.file], message)
                        .row(frame.first_row + row as u64);
                    match time {
                        Some(at) => fault.column(&frames.fields()[at].name),
                        None => fault,
                    }
                })?;
            }
        }
        Ok(left_out)
    }

    /// The file to name in messages about the whole stream.
    pub fn fault(&self, message: impl Into<String>) -> Result<DataFault> {
        let options = ReadOptions {
            columns: Some(vec![]),
            ..self.options.clone()
        };
        let frames = self.source.open(&options)?;
        Ok(DataFault::new(&frames.files()[0], message))
    }
}
