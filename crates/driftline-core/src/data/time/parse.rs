//! Moments written as ISO 8601, or with the year last: a date, or a date and a time with or without a zone.

use serde::{Deserialize, Serialize};

use super::calendar::{DAY, SECOND, days_from_date, days_in_month};

/// What comes first in a date that ends with its year.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DateOrder {
    DayFirst,
    MonthFirst,
}

/// Microseconds since 1970; a time without a zone is taken as UTC. Between date and time stands `T` or a space; `2015-03`
/// means the first of the month, `24:00` the end of the day, `1.3.2015` the first of March.
pub fn parse_moment(text: &str) -> Option<i64> {
    parse_moment_in(text, None)
}

/// The same where it may be known what comes first in a date that ends with its year. With points that is the day, unless
/// something else is known; with slashes it cannot be told without knowing.
pub fn parse_moment_in(text: &str, order: Option<DateOrder>) -> Option<i64> {
    let text = text.trim();
    let (date, time) = match text.find(['T', 't', ' ']) {
        Some(at) => (&text[..at], Some(text[at + 1..].trim_start())),
        None => (text, None),
    };
    let days = match year_is_last(date) {
        true => parse_year_last(date, order)?,
        false => parse_date(date)?,
    };
    let within = time.map_or(Some(0), parse_time)?;
    days.checked_mul(DAY)?.checked_add(within)
}

/// Whether a text looks like a date that ends with its year, were it one that cannot be read for want of an order.
pub fn year_is_last(text: &str) -> bool {
    let date = text.trim().split([' ', 'T']).next().unwrap_or_default();
    let parts: Vec<&str> = date.split(['.', '/']).collect();
    let digits = |part: &str, lengths: std::ops::RangeInclusive<usize>| {
        lengths.contains(&part.len()) && part.bytes().all(|c| c.is_ascii_digit())
    };
    let [first, second, year] = parts[..] else {
        return false;
    };
    digits(first, 1..=2) && digits(second, 1..=2) && digits(year, 4..=4)
}

/// `5.6.2024` or `05/06/2024`.
fn parse_year_last(text: &str, order: Option<DateOrder>) -> Option<i64> {
    let (order, separator) = match (order, text.contains('/')) {
        (Some(order), true) => (order, '/'),
        (order, false) => (order.unwrap_or(DateOrder::DayFirst), '.'),
        (None, true) => return None,
    };
    let parts: Option<Vec<i64>> = text.split(separator).map(number).collect();
    let [first, second, year] = parts?[..] else {
        return None;
    };
    let (day, month) = match order {
        DateOrder::DayFirst => (first as u32, second as u32),
        DateOrder::MonthFirst => (second as u32, first as u32),
    };
    let right = (1..=12).contains(&month) && (1..=days_in_month(year, month)).contains(&day);
    right.then(|| days_from_date(year, month, day))
}

fn parse_date(text: &str) -> Option<i64> {
    let separator = if text.contains('/') { '/' } else { '-' };
    let mut parts = text.split(separator);
    let year = parts.next().filter(|year| year.len() == 4)?;
    let year = number(year)?;
    let month = two_digits(parts.next()?).filter(|month| (1..=12).contains(month))?;
    let day = parts.next().map_or(Some(1), two_digits)?;
    let right = parts.next().is_none() && (1..=days_in_month(year, month)).contains(&day);
    right.then(|| days_from_date(year, month, day))
}

/// Microseconds since midnight UTC.
fn parse_time(text: &str) -> Option<i64> {
    let (clock, zone) = match text.find(['Z', 'z', '+', '-']) {
        Some(at) => (text[..at].trim_end(), parse_zone(&text[at..])?),
        None => (text, 0),
    };
    let mut parts = clock.split(':');
    let hour = i64::from(two_digits(parts.next()?)?);
    let minute = i64::from(two_digits(parts.next()?)?);
    let seconds = parts.next().map_or(Some(0), parse_seconds)?;
    let within = (hour * 60 + minute) * 60 * SECOND + seconds;
    let right = parts.next().is_none() && minute < 60 && within <= DAY;
    right.then_some(within - zone)
}

/// `05` or `05.25`, as microseconds; what is finer is cut off.
fn parse_seconds(text: &str) -> Option<i64> {
    let (whole, fraction) = text.split_once(['.', ',']).unwrap_or((text, ""));
    let whole = two_digits(whole).filter(|&seconds| seconds <= 60)?;
    if !fraction.bytes().all(|c| c.is_ascii_digit()) {
        return None;
    }
    let digits: String = fraction.chars().chain("000000".chars()).take(6).collect();
    Some(i64::from(whole) * SECOND + number(&digits)?)
}

/// `Z`, `+01:00`, `-0330` or `+01`, as microseconds ahead of UTC.
fn parse_zone(text: &str) -> Option<i64> {
    let sign = match text.as_bytes()[0] {
        b'+' => 1,
        b'-' => -1,
        _ => return (text.len() == 1).then_some(0),
    };
    let rest = text[1..].replace(':', "");
    let (hours, minutes) = match rest.len() {
        2 => (two_digits(&rest)?, 0),
        4 if rest.is_ascii() => (two_digits(&rest[..2])?, two_digits(&rest[2..])?),
        _ => return None,
    };
    (hours <= 18 && minutes < 60)
        .then(|| sign * (i64::from(hours) * 60 + i64::from(minutes)) * 60 * SECOND)
}

fn two_digits(text: &str) -> Option<u32> {
    if text.len() != 2 {
        return None;
    }
    number(text).map(|value| value as u32)
}

fn number(text: &str) -> Option<i64> {
    let digits = text.bytes().all(|c| c.is_ascii_digit());
    (digits && !text.is_empty())
        .then(|| text.parse().ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::Time;

    #[test]
    fn the_ways_to_write_a_moment() {
        let noon = parse_moment("2015-03-01T12:00:00Z").unwrap();
        assert_eq!(noon, 1_425_211_200 * SECOND);
        for same in [
            "2015-03-01 12:00",
            "2015-03-01T13:00+01:00",
            "2015-03-01T08:30:00.000-0330",
            "2015/03/01 12:00:00 Z",
            "  2015-03-01t13:00:00+01 ",
        ] {
            assert_eq!(parse_moment(same), Some(noon), "{same}");
        }
        assert_eq!(parse_moment("2015-03-01").unwrap() + DAY / 2, noon);
        assert_eq!(parse_moment("2015-03"), parse_moment("2015-03-01"));
        assert_eq!(parse_moment("2015-02-28T24:00"), parse_moment("2015-03-01"));
        assert_eq!(
            parse_moment("1970-01-01T00:00:00.1234567").unwrap(),
            123_456
        );
        for bad in [
            "",
            "2015",
            "2015-02-29",
            "2015-13-01",
            "15-03-01",
            "2015-03-01T",
            "2015-03-01T25:00",
            "2015-03-01T12",
            "2015-03-01T12:00:00+99:00",
            "30.02.2015",
            "01.03.15",
            "01/03/2015",
            "1.3",
            "2015-03-01T12:00:00ZZ",
            "2015-3-1",
            "é015-03-01",
            "2015-03-01T12:00+é1",
            "2015-03-01-01",
        ] {
            assert_eq!(parse_moment(bad), None, "{bad}");
        }
    }

    #[test]
    fn dates_that_end_with_their_year() {
        let moment = |text| parse_moment(text);
        for same in ["05.06.2024", "5.6.2024", " 05.06.2024 00:00"] {
            assert_eq!(moment(same), moment("2024-06-05"), "{same}");
        }
        assert_eq!(moment("31.12.2024 23:59:30"), moment("2024-12-31T23:59:30"));
        let read = |text, order| parse_moment_in(text, Some(order));
        assert_eq!(
            read("05/06/2024", DateOrder::DayFirst),
            moment("2024-06-05")
        );
        for text in ["05/06/2024", "5.6.2024"] {
            assert_eq!(read(text, DateOrder::MonthFirst), moment("2024-05-06"));
        }
        assert_eq!(read("13.13.2024", DateOrder::DayFirst), None);
        assert!(year_is_last("05/06/2024 12:00") && !year_is_last("2024/05/06"));
        assert!(!year_is_last("1.5") && !year_is_last("10.0.0.2024"));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(micros in -60_000_000_000_000_000i64..200_000_000_000_000_000) {
            prop_assert_eq!(parse_moment(&Time::Moment(micros).to_string()), Some(micros));
        }

        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,30}", like in "[0-9TZ:+. -]{0,25}") {
            let _ = (parse_moment(&text), parse_moment(&like));
        }
    }
}
