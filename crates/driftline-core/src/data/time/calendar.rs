//! The proleptic Gregorian calendar in microseconds since 1970.

use std::fmt;

pub(super) const SECOND: i64 = 1_000_000;
pub(super) const DAY: i64 = 86_400 * SECOND;

/// Days from 1970-01-01 to a date. Years begin in March, so that the leap day comes last.
pub(super) fn days_from_date(year: i64, month: u32, day: u32) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let month_from_march = i64::from((month + 9) % 12);
    let day_of_year = (153 * month_from_march + 2) / 5 + i64::from(day) - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// The date so many days after 1970-01-01.
pub(super) fn date_from_days(days: i64) -> (i64, u32, u32) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = (day_of_year - (153 * month_from_march + 2) / 5 + 1) as u32;
    let month = ((month_from_march + 2) % 12 + 1) as u32;
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    (year, month, day)
}

pub(super) fn days_in_month(year: i64, month: u32) -> u32 {
    let (next_year, next_month) = if month == 12 {
        (year + 1, 1)
    } else {
        (year, month + 1)
    };
    (days_from_date(next_year, next_month, 1) - days_from_date(year, month, 1)) as u32
}

/// Months from year 0 to a moment.
pub(super) fn months(micros: i64) -> i64 {
    let (year, month, _) = date_from_days(micros.div_euclid(DAY));
    year * 12 + i64::from(month) - 1
}

/// `2015-03-01T12:00:00.25Z`; the time of day is left out at midnight.
pub(super) fn write(micros: i64, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let (year, month, day) = date_from_days(micros.div_euclid(DAY));
    write!(f, "{year:04}-{month:02}-{day:02}")?;
    let within = micros.rem_euclid(DAY);
    if within == 0 {
        return Ok(());
    }
    let seconds = within / SECOND;
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    write!(f, "T{hour:02}:{minute:02}:{second:02}")?;
    let fraction = within % SECOND;
    if fraction != 0 {
        let digits = format!("{fraction:06}");
        write!(f, ".{}", digits.trim_end_matches('0'))?;
    }
    f.write_str("Z")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn known_days() {
        assert_eq!(days_from_date(1970, 1, 1), 0);
        assert_eq!(days_from_date(2000, 2, 29), 11_016);
        assert_eq!(days_from_date(1969, 12, 31), -1);
        assert_eq!(date_from_days(20_000), (2024, 10, 4));
        assert_eq!((days_in_month(1900, 2), days_in_month(2024, 2)), (28, 29));
        assert_eq!(days_in_month(2023, 12), 31);
    }

    proptest! {
        #[test]
        fn dates_and_days_agree(days in -1_000_000i64..1_000_000) {
            let (year, month, day) = date_from_days(days);
            prop_assert_eq!(days_from_date(year, month, day), days);
            prop_assert!((1..=12).contains(&month) && (1..=days_in_month(year, month)).contains(&day));
        }
    }
}
