//! The length of a window in time.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Time;
use super::calendar::{DAY, SECOND, months};
use crate::{Error, Result};

/// How much time a window covers: `P7D`, `PT1H`, `P1M`, `P1Y`, or a plain number where times are numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Period {
    /// Calendar months; a year has twelve.
    Months(u32),
    /// Microseconds; a day has 24 hours, a week 7 days.
    Duration(i64),
    /// A step of a numeric time column, such as 1 for a window per session.
    Number(f64),
}

impl Period {
    pub fn is_calendar(self) -> bool {
        !matches!(self, Period::Number(_))
    }

    /// Which period a time is in, counted from the one that `first` is in. Periods of days begin at midnight UTC of the
    /// first day, months on their first day, numbers at the first number.
    pub fn index(self, first: Time, time: Time) -> Option<i64> {
        match (self, first, time) {
            (Period::Months(length), Time::Moment(first), Time::Moment(time)) => {
                Some((months(time) - months(first)).div_euclid(i64::from(length)))
            }
            (Period::Duration(length), Time::Moment(first), Time::Moment(time)) => {
                let start = first.div_euclid(DAY) * DAY;
                Some(time.checked_sub(start)?.div_euclid(length))
            }
            (Period::Number(length), Time::Number(first), Time::Number(time)) => {
                // A step of 0.1 must not lose 0.3 to rounding.
                let steps = ((time - first) / length + 1e-9).floor();
                (steps.abs() < 9e15).then_some(steps as i64)
            }
            _ => None,
        }
    }
}

impl FromStr for Period {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong = || {
            Error::out_of_range(
                "the length of a window",
                format!("`{text}`"),
                "an ISO 8601 period such as P7D, PT12H, P1M or P1Y, or a number above 0 for times that are numbers",
            )
        };
        if let Ok(number) = text.parse::<f64>() {
            return (number > 0.0 && number.is_finite())
                .then_some(Period::Number(number))
                .ok_or_else(wrong);
        }
        let rest = text.strip_prefix('P').ok_or_else(wrong)?;
        let (date, time) = match rest.split_once('T') {
            Some((_, "")) => return Err(wrong()),
            Some((date, time)) => (date, time),
            None => (rest, ""),
        };
        let months = sum(date, &[('Y', 12), ('M', 1)], "WD").ok_or_else(wrong)?;
        let days = sum(date, &[('W', 7), ('D', 1)], "YM").ok_or_else(wrong)?;
        let seconds = sum(time, &[('H', 3600), ('M', 60), ('S', 1)], "").ok_or_else(wrong)?;
        match (months, days, seconds) {
            (1..=12_000, 0, 0) => Ok(Period::Months(months as u32)),
            (0, ..=4_000_000, ..=400_000_000_000) if days + seconds > 0 => {
                Ok(Period::Duration(days * DAY + seconds * SECOND))
            }
            _ => Err(wrong()),
        }
    }
}

/// Adds up numbers followed by their units; those with a unit of `others` are counted elsewhere. None if anything else
/// is there.
fn sum(text: &str, units: &[(char, i64)], others: &str) -> Option<i64> {
    let mut total = 0i64;
    let mut digits = String::new();
    for c in text.chars() {
        if c.is_ascii_digit() {
            digits.push(c);
            continue;
        }
        let number: i64 = digits.parse().ok()?;
        digits.clear();
        match units.iter().find(|(unit, _)| *unit == c) {
            Some((_, size)) => total = total.checked_add(number.checked_mul(*size)?)?,
            None if others.contains(c) => {}
            None => return None,
        }
    }
    digits.is_empty().then_some(total)
}

impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Period::Months(n) if n % 12 == 0 => write!(f, "P{}Y", n / 12),
            Period::Months(n) => write!(f, "P{n}M"),
            Period::Duration(length) if length % DAY == 0 => write!(f, "P{}D", length / DAY),
            Period::Duration(length) => write!(f, "PT{}S", length / SECOND),
            Period::Number(step) => step.fmt(f),
        }
    }
}

impl Serialize for Period {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Period {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// Text, as in ISO 8601.
#[cfg(feature = "schema")]
impl schemars::JsonSchema for Period {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Period".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::time::parse_moment;

    #[test]
    fn periods_are_read_and_written() {
        for (text, period) in [
            ("P7D", Period::Duration(7 * DAY)),
            ("P1M", Period::Months(1)),
            ("P1Y", Period::Months(12)),
            ("0.5", Period::Number(0.5)),
            ("PT90S", Period::Duration(90 * SECOND)),
        ] {
            assert_eq!(text.parse::<Period>().unwrap(), period, "{text}");
            assert_eq!(period.to_string(), text);
        }
        assert_eq!("P2W".parse::<Period>().unwrap(), Period::Duration(14 * DAY));
        assert_eq!(
            "P1DT12H".parse::<Period>().unwrap(),
            Period::Duration(3 * DAY / 2)
        );
        assert_eq!("P1Y6M".parse::<Period>().unwrap(), Period::Months(18));
        for bad in [
            "",
            "P",
            "PT",
            "7D",
            "P0D",
            "P-1D",
            "0",
            "-1",
            "inf",
            "P1H",
            "P1M1D",
            "PT1M1",
            "P1.5D",
            "P99999999999999999999D",
            "P9999999999D",
        ] {
            assert!(bad.parse::<Period>().is_err(), "{bad}");
        }
    }

    #[test]
    fn periods_begin_where_people_expect() {
        let moment = |text| Time::Moment(parse_moment(text).unwrap());
        let first = moment("2015-01-31T18:00");
        let index = |period: &str, text| {
            let period: Period = period.parse().unwrap();
            period.index(first, moment(text)).unwrap()
        };
        assert_eq!(index("P1D", "2015-01-31T23:59"), 0);
        assert_eq!(index("P1D", "2015-02-01"), 1);
        assert_eq!(index("P1M", "2015-02-01"), 1);
        assert_eq!(index("P1M", "2016-01-01"), 12);
        assert_eq!(index("P1Y", "2015-12-31"), 11 / 12);
        assert_eq!(index("PT6H", "2015-01-31T18:00"), 3);
        assert_eq!(index("P7D", "2015-01-30"), -1);
        let step: Period = "0.1".parse().unwrap();
        assert_eq!(step.index(Time::Number(0.0), Time::Number(0.3)), Some(3));
        assert_eq!(step.index(first, Time::Number(0.3)), None);
    }
}
