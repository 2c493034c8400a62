//! When a row was observed: a moment, or a plain number such as a session or a year.

use std::fmt;
/// A point of the stream's clock. Times of one stream are of one variant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Time {
    Number(f64),
    /// Microseconds since 1970-01-01T00:00:00Z; shown as ISO 8601.
    Moment(i64),
}

/// The length of a window: `P7D`, `PT1H`, `P1M`, `P1Y`, or a plain number for numeric times. Parsed from text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Period {
    Months(u32),
    /// Microseconds.
    Duration(i64),
    Number(f64),
}
// impl Display, Serialize/Deserialize (as text/number), FromStr for Period; Ord for Time (total_cmp)
