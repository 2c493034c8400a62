//! When a row was observed: a moment, or a plain number such as a session or a year.

mod calendar;
mod clock;
mod parse;
mod period;

use std::cmp::Ordering;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use clock::{Clock, ClockSurvey};
pub use parse::{DateOrder, parse_moment, parse_moment_in, year_is_last};
pub use period::Period;

/// A point of the stream's clock. The times of one stream are all of one variant.
///
/// Written as a number, or as ISO 8601 text in UTC.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Time {
    Number(f64),
    /// Microseconds since 1970-01-01T00:00:00Z.
    Moment(i64),
}

impl Time {
    /// Numbers by value, moments by time; a number comes before a moment.
    pub fn order(&self, other: &Time) -> Ordering {
        match (self, other) {
            (Time::Number(a), Time::Number(b)) => a.total_cmp(b),
            (Time::Moment(a), Time::Moment(b)) => a.cmp(b),
            (Time::Number(_), Time::Moment(_)) => Ordering::Less,
            (Time::Moment(_), Time::Number(_)) => Ordering::Greater,
        }
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Time::Number(value) => value.fmt(f),
            Time::Moment(micros) => calendar::write(*micros, f),
        }
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            // Sessions and years are written without a point.
            Time::Number(value) if value.fract() == 0.0 && value.abs() < 9e15 => {
                serializer.serialize_i64(*value as i64)
            }
            Time::Number(value) => serializer.serialize_f64(*value),
            moment => serializer.collect_str(moment),
        }
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Number(f64),
            Text(String),
        }
        match Written::deserialize(deserializer)? {
            Written::Number(value) => Ok(Time::Number(value)),
            Written::Text(text) => parse_moment(&text).map(Time::Moment).ok_or_else(|| {
                serde::de::Error::custom(format!("`{text}` is not a date or a time of ISO 8601"))
            }),
        }
    }
}
