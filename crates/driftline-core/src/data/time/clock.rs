//! What the numbers of a time column mean when a calendar period is asked for: years, dates or ticks since 1970.

use super::Time;
use super::calendar::{DAY, SECOND, days_from_date, days_in_month};

/// How a stored time becomes one of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    AsIs,
    /// 1936 is the first of January 1936.
    Years,
    /// 20150301.
    Dates,
    /// Seconds, milliseconds, microseconds or nanoseconds since 1970: so many a second.
    Ticks(i64),
}

/// What is learned about the numbers of a column before deciding.
#[derive(Clone, Copy, Debug)]
pub struct ClockSurvey {
    years: bool,
    dates: bool,
    largest: f64,
}

impl Default for ClockSurvey {
    fn default() -> Self {
        Self {
            years: true,
            dates: true,
            largest: 0.0,
        }
    }
}

impl ClockSurvey {
    pub fn see(&mut self, value: f64) {
        self.years &= value.fract() == 0.0 && (1000.0..=3000.0).contains(&value);
        self.dates &= date(value).is_some();
        self.largest = self.largest.max(value.abs());
    }

    /// The meaning that fits all numbers seen; none if they are too small for ticks.
    pub fn clock(&self) -> Option<Clock> {
        Some(match self.largest {
            _ if self.years => Clock::Years,
            _ if self.dates => Clock::Dates,
            ..1e8 => return None,
            ..1e11 => Clock::Ticks(1),
            ..1e14 => Clock::Ticks(1_000),
            ..1e17 => Clock::Ticks(1_000_000),
            _ => Clock::Ticks(1_000_000_000),
        })
    }
}

impl Clock {
    pub fn read(self, time: Time) -> Time {
        let Time::Number(value) = time else {
            return time;
        };
        match self {
            Clock::AsIs => time,
            Clock::Years => Time::Moment(days_from_date(value as i64, 1, 1) * DAY),
            Clock::Dates => Time::Moment(date(value).unwrap_or(0) * DAY),
            // Whole ticks first: microseconds since 1970 are not exact as the product of floats.
            Clock::Ticks(per_second) => {
                let whole = (value as i64).div_euclid(per_second);
                let rest = value - (whole * per_second) as f64;
                let micros = rest / per_second as f64 * SECOND as f64;
                Time::Moment(
                    whole
                        .saturating_mul(SECOND)
                        .saturating_add(micros.round() as i64),
                )
            }
        }
    }
}

/// The day that a number such as 20150301 writes, counted from 1970.
fn date(value: f64) -> Option<i64> {
    if value.fract() != 0.0 || !(18_000_101.0..=22_001_231.0).contains(&value) {
        return None;
    }
    let number = value as i64;
    let (year, month, day) = (
        number / 10_000,
        (number / 100 % 100) as u32,
        (number % 100) as u32,
    );
    let right = (1..=12).contains(&month) && (1..=days_in_month(year, month)).contains(&day);
    right.then(|| days_from_date(year, month, day))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(values: &[f64]) -> Option<Clock> {
        let mut survey = ClockSurvey::default();
        values.iter().for_each(|&value| survey.see(value));
        survey.clock()
    }

    #[test]
    fn numbers_are_told_apart_by_their_size() {
        assert_eq!(clock(&[1905.0, 2013.0]), Some(Clock::Years));
        assert_eq!(clock(&[20_150_301.0, 20_151_231.0]), Some(Clock::Dates));
        assert_eq!(clock(&[1.4e9, 1.5e9 + 0.5]), Some(Clock::Ticks(1)));
        assert_eq!(clock(&[0.0, 1.4e12]), Some(Clock::Ticks(1_000)));
        assert_eq!(clock(&[1.4e15]), Some(Clock::Ticks(1_000_000)));
        assert_eq!(clock(&[1.4e18]), Some(Clock::Ticks(1_000_000_000)));
        assert_eq!(clock(&[1.0, 8.0]), None);
    }

    #[test]
    fn every_meaning_gives_its_moment() {
        let shown = |clock: Clock, value| clock.read(Time::Number(value)).to_string();
        assert_eq!(shown(Clock::Years, 1936.0), "1936-01-01");
        assert_eq!(shown(Clock::Dates, 20_150_301.0), "2015-03-01");
        assert_eq!(
            shown(Clock::Ticks(1), 1_425_211_200.25),
            "2015-03-01T12:00:00.25Z"
        );
        assert_eq!(
            shown(Clock::Ticks(1_000), 1_425_211_200_250.0),
            "2015-03-01T12:00:00.25Z"
        );
        assert_eq!(shown(Clock::AsIs, 7.0), "7");
    }
}
