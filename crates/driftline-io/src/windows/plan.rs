//! From the survey to the windows: how large each is, and which row belongs where if the rows must be sorted.

use std::collections::BTreeMap;
use std::path::Path;

use super::survey::Survey;
use crate::selection::no_rows;
use crate::time::Clock;
use crate::{NoteCode, Notes, Period, Time};
use driftline_core::data::{Remainder, Windowing};
use driftline_core::error::DataFault;
use driftline_core::{Error, Result};

/// How the stream is to be walked.
pub(super) struct WindowPlan {
    pub rows: u64,
    /// Rows of each window.
    pub sizes: Vec<usize>,
    pub remainder: Remainder,
    /// The place of every row in the order of time; none if the rows are in that order already.
    pub ranks: Option<Vec<u32>>,
    pub span: Option<(Time, Time)>,
    pub clock: Clock,
}

impl WindowPlan {
    /// `path` is the file to name in messages about the whole stream.
    pub fn make(survey: &Survey, cut: &Windowing, path: &Path, notes: &mut Notes) -> Result<Self> {
        if survey.rows == 0 {
            return Err(no_rows(path, survey.filtered > 0));
        }
        notes.add(NoteCode::Filtered, "", survey.filtered, || {
            "rows that do not match the conditions were left out".into()
        });
        notes.add(NoteCode::Unsorted, "", survey.falls, || {
            "the times do not ascend: the rows were sorted by them".into()
        });
        notes.add(NoteCode::DuplicateTimes, "", survey.repeats, || {
            "rows share their time with the row before; such rows keep the order of the file".into()
        });
        let clock = clock(survey, cut, path)?;
        let rows = usize::try_from(survey.rows).unwrap_or(usize::MAX);
        let (sizes, remainder) = match cut {
            Windowing::Every(period) => {
                let counts = periods(survey, *period, clock, path)?;
                let (first, last) = (counts.keys().next(), counts.keys().last());
                let all = last.zip(first).map_or(0, |(last, first)| last - first + 1);
                let empty = all as u64 - counts.len() as u64;
                notes.add(NoteCode::EmptyPeriods, "", empty, || {
                    "periods without a row have no window".into()
                });
                (counts.into_values().collect(), Remainder::None)
            }
            by_rows => sizes(by_rows, rows, path)?,
        };
        let tail = match remainder {
            Remainder::None => 0,
            Remainder::Dropped(n) | Remainder::Kept(n) | Remainder::Merged(n) => n as u64,
        };
        notes.add(NoteCode::Tail, "", tail, || remainder.to_string());
        let ranks = match survey.falls {
            0 => None,
            _ => Some(survey.times.ranks().ok_or_else(|| too_many(survey, path))?),
        };
        let span = survey.span;
        Ok(Self {
            rows: survey.rows,
            sizes,
            remainder,
            ranks,
            span: span.map(|(first, last)| (clock.read(first), clock.read(last))),
            clock,
        })
    }
}

fn sizes(windowing: &Windowing, rows: usize, path: &Path) -> Result<(Vec<usize>, Remainder)> {
    let split = match windowing.split(rows) {
        Ok(split) => split,
        Err(Error::WindowTooLarge { window, examples }) => {
            let short = format!("has {examples} rows, fewer than one window of {window}");
            let help = "choose a smaller {window}, or the number of {windows}";
            return Err(DataFault::new(path, short).help(help).into());
        }
        Err(Error::UnevenWindows { window, rest, .. }) => {
            let uneven = format!(
                "has {rows} rows: {rest} are left over after windows of {window}, and the tail is forbidden"
            );
            let help = "let {tail} merge, keep or drop them, or choose another {window}";
            return Err(DataFault::new(path, uneven).help(help).into());
        }
        Err(other) => return Err(other),
    };
    let sizes = split.windows.iter().map(|window| window.len());
    Ok((sizes.collect(), split.remainder))
}

/// What the stream's times mean, which matters where they are cut by the calendar.
fn clock(survey: &Survey, cut: &Windowing, path: &Path) -> Result<Clock> {
    let Windowing::Every(period) = cut else {
        return Ok(Clock::AsIs);
    };
    let Some((first, last)) = survey.span else {
        return Err(
            DataFault::new(path, "windows of a period need a time column")
                .help("name it with {time}, or cut by rows with {window}")
                .into(),
        );
    };
    match (first, period.is_calendar()) {
        (Time::Number(_), true) => survey.clock.clock().ok_or_else(|| {
            DataFault::new(
                path,
                format!("its times are the numbers {first} to {last}, neither years nor times since 1970, so {period} means nothing"),
            )
            .help("give a step of the numbers, for example {every} 1")
            .into()
        }),
        (Time::Moment(_), false) => Err(DataFault::new(
            path,
            format!("its times are moments ({first} to {last}), so a step of {period} means nothing"),
        )
        .help("give a period, for example {every} P7D")
        .into()),
        _ => Ok(Clock::AsIs),
    }
}

/// More windows than a run can sensibly have, and than a period of nanoseconds may make.
const MOST_WINDOWS: usize = 1_000_000;

/// The rows of each period, by its number.
fn periods(
    survey: &Survey,
    period: Period,
    clock: Clock,
    path: &Path,
) -> Result<BTreeMap<i64, usize>> {
    let mut counts = BTreeMap::new();
    let Some((first, _)) = survey.span else {
        return Ok(counts);
    };
    let times = survey.times.all().ok_or_else(|| too_many(survey, path))?;
    for time in times {
        let index = Period::index(period, clock.read(first), clock.read(time))
            .ok_or_else(|| DataFault::new(path, format!("`{time}` is too far from `{first}`")))?;
        *counts.entry(index).or_default() += 1;
        if counts.len() > MOST_WINDOWS {
            let many = format!("there are more than {MOST_WINDOWS} windows of {period}");
            return Err(DataFault::new(path, many).into());
        }
    }
    Ok(counts)
}

/// The times did not fit into the memory allowed, though they are needed.
fn too_many(survey: &Survey, path: &Path) -> DataFault {
    let rows = survey.rows;
    let (message, help) = match survey.falls {
        0 => (
            format!("has {rows} rows, too many to be cut by their times"),
            "cut it by rows with {window}, or into parts that are adapted to one after another",
        ),
        _ => (
            format!("has {rows} rows whose times do not ascend, too many to sort"),
            "sort the rows by their time beforehand",
        ),
    };
    DataFault::new(path, message).help(help)
}
