//! Where live rows are cut into windows: after so many rows, or when a row of a later period comes.

use std::num::NonZeroUsize;

use crate::folder::RunFolder;
use crate::step::written_time;
use driftline_core::Result;
use driftline_core::data::{Period, Time, Windowing};
use driftline_core::error::DataFault;

/// The rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cut {
    Size(NonZeroUsize),
    /// Periods are counted from the one that the run's first window begins in.
    Every(Period, Time),
}

impl Cut {
    /// What is asked for, or else what the run does.
    pub fn of(run: &RunFolder, asked: Option<&Windowing>) -> Result<Self> {
        let settings = &run.manifest().settings;
        let plan = settings.resolve(run.registry())?;
        let own = plan.candidate.curriculum.windowing().cloned();
        match asked.cloned().or(own) {
            Some(Windowing::Size(rows, _)) => Ok(Self::Size(rows)),
            Some(Windowing::Every(period)) => Self::every(run, period),
            _ => Err(DataFault::new(
                run.folder(),
                "does not say how its windows are cut for a stream without an end",
            )
            .help("say it with {window} N or {every} PERIOD")
            .into()),
        }
    }

    fn every(run: &RunFolder, period: Period) -> Result<Self> {
        let fault = |message: &str, help: &str| -> Result<Self> {
            Err(DataFault::new(run.folder(), message)
                .help(help.to_owned())
                .into())
        };
        let by_rows = "cut by rows with {window}, or make the run with {time}";
        if run.manifest().settings.choice.time.is_none() {
            return fault(
                "has no time column, which windows of a period need",
                by_rows,
            );
        }
        let first = run.records().iter().find_map(|record| record.from.as_ref());
        let Some(first) = first.and_then(|text| written_time(text)) else {
            return fault("has no window with a time to count periods from", by_rows);
        };
        match (first, period.is_calendar()) {
            (Time::Moment(_), true) | (Time::Number(_), false) => Ok(Self::Every(period, first)),
            (Time::Moment(_), false) => fault(
                "has moments for times",
                "give a period, for example {every} P1D",
            ),
            (Time::Number(_), true) => fault(
                "has numbers for times",
                "give a step of the numbers, for example {every} 10",
            ),
        }
    }

    /// Which period a row is in; 0 where rows are counted.
    fn period(&self, time: Option<&Time>) -> i64 {
        match (self, time) {
            (Self::Every(period, first), Some(time)) => {
                Period::index(*period, *first, *time).unwrap_or(0)
            }
            _ => 0,
        }
    }

    /// Whether a time can be placed at all; what cannot is refused before it is logged.
    pub(super) fn places(&self, time: &Time) -> bool {
        match self {
            Self::Every(period, first) => Period::index(*period, *first, *time).is_some(),
            Self::Size(_) => true,
        }
    }
}

/// The window that is open: its rows, and the newest period among them.
#[derive(Clone, Debug, Default)]
pub(super) struct Open {
    rows: usize,
    period: Option<i64>,
}

impl Open {
    /// Whether the window ends before this row. A row of an earlier period is late, and belongs to the window at hand.
    pub fn ends_before(&self, cut: &Cut, time: Option<&Time>) -> bool {
        self.period.is_some_and(|period| cut.period(time) > period)
    }

    /// Takes a row; whether the window ends with it.
    pub fn take(&mut self, cut: &Cut, time: Option<&Time>) -> bool {
        self.rows += 1;
        let period = cut.period(time);
        self.period = Some(self.period.map_or(period, |own| own.max(period)));
        matches!(cut, Cut::Size(rows) if self.rows >= rows.get())
    }
}
