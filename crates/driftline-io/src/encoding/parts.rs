//! The parts of a row beside its inputs: its time and its answer.

use std::collections::BTreeMap;

use super::apply::Applied;
use crate::formats::text_table::number;
use crate::selection::cell_text;
use crate::time::{DateOrder, parse_moment_in, year_is_last};
use crate::{Answer, Batch, Column, NoteCode, Notes, Time};
use driftline_core::Result;

impl Applied {
    /// The time of one row.
    pub(super) fn time_in(&self, frame: &Batch, at: usize, row: usize) -> Result<Time> {
        time_of(&frame.columns[at], row, self.dates)
            .map_err(|message| self.place(frame, at, row, message).into())
    }

    /// The time in a row as it is written, where its date ends with the year.
    pub fn written_time(&self, frame: &Batch, row: usize) -> Option<String> {
        let Column::Text(texts) = &frame.columns[self.time?] else {
            return None;
        };
        let text = texts.get(row).filter(|text| year_is_last(text));
        text.map(String::from)
    }

    /// The answers of some rows, appended to `answers`.
    pub(super) fn answer(
        &self,
        frame: &Batch,
        rows: &[usize],
        at: usize,
        answers: &mut Vec<Answer>,
        notes: &mut Notes,
    ) {
        let (mut missing, mut unknown) = (0, BTreeMap::<String, u64>::new());
        for &row in rows {
            answers.push(match cell_text(&frame.columns[at], row) {
                None => {
                    missing += 1;
                    Answer::Missing
                }
                Some(text) => match self.classes.find(&text) {
                    Some(class) => Answer::Class(class),
                    None => {
                        // A column of something else would fill memory with its values.
                        let about = if unknown.len() < 20 {
                            text
                        } else {
                            "others".into()
                        };
                        *unknown.entry(about).or_default() += 1;
                        Answer::Unknown
                    }
                },
            });
        }
        notes.add(NoteCode::MissingAnswers, "", missing, || {
            "rows without a true class are not scored".into()
        });
        for (class, count) in unknown {
            notes.add(NoteCode::UnknownClasses, &class, count, || {
                format!("the true classes include `{class}`, which the source lacks: those rows count as errors")
            });
        }
    }
}

/// The time in a cell, or what is wrong with it.
pub(super) fn time_of(
    column: &Column,
    row: usize,
    dates: Option<DateOrder>,
) -> Result<Time, String> {
    let time = match column {
        Column::Times(times) => times[row].map(Time::Moment),
        Column::Numbers(numbers) => {
            let value = numbers.get(row);
            if value.is_infinite() {
                return Err(format!("{value} is not a time"));
            }
            (!value.is_nan()).then_some(Time::Number(value))
        }
        Column::Text(texts) => match texts.get(row) {
            None => None,
            Some(text) => {
                let moment = parse_moment_in(text, dates).map(Time::Moment);
                let time =
                    moment.or_else(|| number(text).filter(|v| !v.is_nan()).map(Time::Number));
                let shown: String = text.chars().take(40).collect();
                Some(time.ok_or_else(|| match year_is_last(text) && dates.is_none() {
                        true => format!("`{shown}` may begin with the day or with the month"),
                        false => format!("`{shown}` is not a time: ISO 8601 (2015-03-01T12:00), day.month.year or a number is needed"),
                    })?)
            }
        },
        Column::Images(_) => return Err("holds images, not times".into()),
    };
    time.ok_or_else(|| "the time is missing".into())
}
