//! From the survey to the windows: how large each is, and which row belongs where if the rows must be sorted.

use std::collections::BTreeMap;

use super::Cut;
use super::survey::{Survey, Surveyor};
use crate::data::{Remainder, Windowing};
use crate::reading::time::Clock;
use crate::reading::{NoteCode, Notes, Period, Time};
use crate::{Error, Result};

/// How the stream is to be walked.
pub(super) struct Plan {
    pub rows: u64,
    /// Rows of each window.
    pub sizes: Vec<usize>,
    pub remainder: Remainder,
    /// The place of every row in the order of time; none if the rows are in that order already.
    pub ranks: Option<Vec<u32>>,
    pub span: Option<(Time, Time)>,
    pub clock: Clock,
}

impl Plan {
    pub fn make(surveyor: &Surveyor, cut: Cut, notes: &mut Notes) -> Result<Self> {
        let survey = surveyor.survey()?;
        if survey.rows == 0 {
            let why = match survey.filtered {
                0 => "has no rows",
                _ => "has no row that --where lets pass",
            };
            return Err(surveyor.fault(why)?.into());
        }
        notes.add(NoteCode::Filtered, "", survey.filtered, || {
            "rows that --where does not let pass were left out".into()
        });
        notes.add(NoteCode::Unsorted, "", survey.falls, || {
            "the times do not ascend: the rows were sorted by them".into()
        });
        notes.add(NoteCode::DuplicateTimes, "", survey.repeats, || {
            "rows share their time with the row before; such rows keep the order of the file".into()
        });
        let clock = clock(surveyor, &survey, cut)?;
        let mut counts = BTreeMap::new();
        let mut see = |time: Time| count(cut, clock, &survey, time, &mut counts);
        let ranks = match (survey.falls, cut) {
            (0, Cut::Every(_)) => {
                surveyor.walk(|time| time.map_or(Ok(()), &mut see))?;
                None
            }
            (0, _) => None,
            _ => {
                let times = times(surveyor, &survey)?;
                if let Err(message) = times.iter().try_for_each(|&time| see(time)) {
                    return Err(surveyor.fault(message)?.into());
                }
                Some(ranks(&times))
            }
        };
        let rows = usize::try_from(survey.rows).unwrap_or(usize::MAX);
        let (sizes, remainder) = match cut {
            Cut::Size(size, tail) => sizes(surveyor, &Windowing::Size(size, tail), rows)?,
            Cut::Count(count) => sizes(surveyor, &Windowing::Count(count), rows)?,
            Cut::Every(_) => {
                let (first, last) = (counts.keys().next(), counts.keys().last());
                let all = last.zip(first).map_or(0, |(last, first)| last - first + 1);
                let empty = all as u64 - counts.len() as u64;
                notes.add(NoteCode::EmptyPeriods, "", empty, || {
                    "periods without a row have no window".into()
                });
                (counts.into_values().collect(), Remainder::None)
            }
        };
        let tail = match remainder {
            Remainder::None => 0,
            Remainder::Dropped(n) | Remainder::Kept(n) | Remainder::Merged(n) => n as u64,
        };
        notes.add(NoteCode::Tail, "", tail, || remainder.to_string());
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

fn sizes(
    surveyor: &Surveyor,
    windowing: &Windowing,
    rows: usize,
) -> Result<(Vec<usize>, Remainder)> {
    let split = match windowing.split(rows) {
        Ok(split) => split,
        Err(Error::WindowTooLarge { window, examples }) => {
            let short = format!("has {examples} rows, fewer than one window of {window}");
            let help = "choose a smaller --window, or the number of --windows";
            return Err(surveyor.fault(short)?.help(help).into());
        }
        Err(Error::UnevenWindows { window, rest, .. }) => {
            let uneven = format!(
                "has {rows} rows: {rest} are left over after windows of {window}, and the tail is forbidden"
            );
            let help = "let --tail merge, keep or drop them, or choose another --window";
            return Err(surveyor.fault(uneven)?.help(help).into());
        }
        Err(other) => return Err(other),
    };
    let sizes = split.windows.iter().map(|window| window.len());
    Ok((sizes.collect(), split.remainder))
}

/// What the stream's times mean, which matters where they are cut by the calendar.
fn clock(surveyor: &Surveyor, survey: &Survey, cut: Cut) -> Result<Clock> {
    let Cut::Every(period) = cut else {
        return Ok(Clock::AsIs);
    };
    let Some((first, last)) = survey.span else {
        return Err(surveyor
            .fault("windows of a period need a time column")?
            .help("name it with --time, or cut by rows with --window")
            .into());
    };
    match (first, period.is_calendar()) {
        (Time::Number(_), true) => match survey.clock.clock() {
            Some(clock) => Ok(clock),
            None => Err(surveyor
                .fault(format!(
                    "its times are the numbers {first} to {last}, neither years nor times since 1970, so {period} means nothing"
                ))?
                .help("give a step of the numbers, for example --every 1")
                .into()),
        },
        (Time::Moment(_), false) => Err(surveyor
            .fault(format!("its times are moments ({first} to {last}), so a step of {period} means nothing"))?
            .help("give a period, for example --every P7D")
            .into()),
        _ => Ok(Clock::AsIs),
    }
}

/// More windows than a run can sensibly have, and than a period of nanoseconds may make.
const MOST_WINDOWS: usize = 1_000_000;

/// Counts a row into its period.
fn count(
    cut: Cut,
    clock: Clock,
    survey: &Survey,
    time: Time,
    counts: &mut BTreeMap<i64, usize>,
) -> Result<(), String> {
    let (Cut::Every(period), Some((first, _))) = (cut, survey.span) else {
        return Ok(());
    };
    let index = Period::index(period, clock.read(first), clock.read(time))
        .ok_or_else(|| format!("`{time}` is too far from `{first}`"))?;
    *counts.entry(index).or_default() += 1;
    if counts.len() > MOST_WINDOWS {
        return Err(format!(
            "there are more than {MOST_WINDOWS} windows of {period}"
        ));
    }
    Ok(())
}

/// All times; they must fit into memory.
fn times(surveyor: &Surveyor, survey: &Survey) -> Result<Vec<Time>> {
    let needed = survey
        .rows
        .saturating_mul((size_of::<Time>() + 2 * size_of::<u32>()) as u64);
    if needed > surveyor.options.limits.memory || survey.rows > u64::from(u32::MAX) {
        return Err(surveyor
            .fault(format!(
                "has {} rows whose times do not ascend, too many to sort",
                survey.rows
            ))?
            .help("sort the rows by their time beforehand")
            .into());
    }
    let mut times = Vec::with_capacity(survey.rows as usize);
    surveyor.walk(|time| {
        times.extend(time);
        Ok(())
    })?;
    Ok(times)
}

/// The place of every row when they are sorted by time, equal ones in the order of the file.
fn ranks(times: &[Time]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..times.len() as u32).collect();
    order.sort_by(|&a, &b| times[a as usize].order(&times[b as usize]));
    let mut ranks = vec![0; times.len()];
    for (rank, &row) in order.iter().enumerate() {
        ranks[row as usize] = rank as u32;
    }
    ranks
}
