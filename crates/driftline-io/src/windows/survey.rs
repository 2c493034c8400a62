//! What a stream is like before it is cut: how many rows there are, how their times lie, what its answers and its files
//! are.

use std::cmp::Ordering;

use super::times::Times;
use crate::time::ClockSurvey;
use crate::{Answer, InputDigest, Time};

/// What the first pass learned.
#[derive(Debug, Default)]
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
    pub times: Times,
    pub answers: AnswerCounts,
    pub digests: Vec<InputDigest>,
    /// The first time as it is written, where its date ends with the year.
    pub written: Option<String>,
    before: Option<Time>,
}

/// How many rows of a stream have an answer of which kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnswerCounts {
    /// A class of the model.
    pub known: u64,
    /// A class that the source lacks.
    pub unknown: u64,
    pub missing: u64,
}

impl Survey {
    /// Times are kept as far as `memory` bytes go.
    pub fn new(memory: u64) -> Self {
        Self {
            times: Times::new(memory),
            ..Self::default()
        }
    }

    /// So many rows, of which nothing else is known.
    pub fn unread(rows: u64) -> Self {
        Self {
            rows,
            ..Self::default()
        }
    }

    /// The time of the next row, in the order of the files; the message says what is wrong with it.
    pub fn see(&mut self, time: Time) -> Result<(), String> {
        if let Time::Number(value) = time {
            self.clock.see(value);
        }
        if let Some(before) = self.before {
            if std::mem::discriminant(&before) != std::mem::discriminant(&time) {
                return Err(format!(
                    "`{time}` is a different kind of time from `{before}`"
                ));
            }
            match before.order(&time) {
                Ordering::Greater => self.falls += 1,
                Ordering::Equal => self.repeats += 1,
                Ordering::Less => {}
            }
        }
        let (mut first, mut last) = self.span.unwrap_or((time, time));
        if time.order(&first).is_lt() {
            first = time;
        }
        if time.order(&last).is_gt() {
            last = time;
        }
        self.span = Some((first, last));
        self.before = Some(time);
        self.times.push(time);
        Ok(())
    }
}

impl AnswerCounts {
    pub(super) fn see(&mut self, answers: &[Answer]) {
        for answer in answers {
            match answer {
                Answer::Class(_) => self.known += 1,
                Answer::Unknown => self.unknown += 1,
                Answer::Missing => self.missing += 1,
            }
        }
    }
}
