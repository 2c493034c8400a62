//! When a window was: dates where there are dates, in one format; numbers otherwise.

use driftline_runs::WindowRecord;

/// `2024-03-01`, or `2024-03-01 12:00` where the time of day counts; none of what is no date.
pub fn date(text: &str) -> Option<String> {
    let (day, time) = match text.split_once('T') {
        Some((day, time)) => (day, Some(time)),
        None => (text, None),
    };
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|own| own.is_ascii_digit());
    // Years before 0 begin with a sign.
    let parts: Vec<&str> = day.strip_prefix('-').unwrap_or(day).split('-').collect();
    if parts.len() != 3 || !parts.iter().all(|part| digits(part)) {
        return None;
    }
    match time.and_then(|time| time.get(..5)) {
        Some(minutes) => Some(format!("{day} {minutes}")),
        None => Some(day.into()),
    }
}

/// `2024-03-01 to 2024-03-07`.
pub fn span([from, to]: &[String; 2]) -> Option<String> {
    let (from, to) = (date(from)?, date(to)?);
    Some(if from == to {
        from
    } else {
        format!("{from} to {to}")
    })
}

/// When a window began: a date where there is one.
pub fn began(record: &WindowRecord) -> Option<String> {
    record.from.as_deref().and_then(date)
}

/// A window by its dates where there are dates, else by its number.
pub fn window(record: &WindowRecord) -> String {
    let times = record.from.clone().zip(record.to.clone());
    let dates = times.and_then(|(from, to)| span(&[from, to]));
    dates.unwrap_or_else(|| format!("window {}", record.window))
}

/// `window 6`, `windows 4 to 6`.
pub fn windows(numbers: &[usize]) -> String {
    match numbers {
        [first, .., last] => format!("windows {first} to {last}"),
        [only] => format!("window {only}"),
        [] => "no window".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_have_one_format_and_numbers_are_no_dates() {
        let found = [
            "2024-03-01",
            "2024-03-01T12:05:00Z",
            "2024-03-01T12:05:00.25Z",
        ]
        .map(date);
        let expected = ["2024-03-01", "2024-03-01 12:05", "2024-03-01 12:05"];
        assert_eq!(found.map(Option::unwrap), expected);
        for number in ["1936", "-3", "700000.5", "", "1-2", "a-b-c"] {
            assert_eq!(date(number), None, "{number}");
        }
        let span = |from: &str, to: &str| span(&[from.into(), to.into()]);
        assert_eq!(span("2024-03-01", "2024-03-01").unwrap(), "2024-03-01");
        assert_eq!(span("3", "4"), None);
    }
}
