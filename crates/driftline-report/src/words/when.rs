//! When a window was: dates where there are dates, in one format; numbers otherwise.

use driftline_runs::WindowRecord;

/// The day and, where it counts, the time of day; none of what is no date.
fn parts(text: &str) -> Option<(&str, Option<&str>)> {
    let (day, time) = match text.split_once('T') {
        Some((day, time)) => (day, time.get(..5)),
        None => (text, None),
    };
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|own| own.is_ascii_digit());
    // Years before 0 begin with a sign.
    let parts: Vec<&str> = day.strip_prefix('-').unwrap_or(day).split('-').collect();
    let is_day = parts.len() == 3 && parts.iter().all(|part| digits(part));
    is_day.then_some((day, time))
}

/// `2024-03-01 12:00`, to the minute.
pub fn minute(text: &str) -> Option<String> {
    let (day, time) = parts(text)?;
    Some(format!("{day} {}", time.unwrap_or("00:00")))
}

/// `2024-03-01 to 2024-03-07`; within a day `2024-03-01 08:00 to 12:00`.
pub fn span([from, to]: &[String; 2]) -> Option<String> {
    let ((first, begin), (last, end)) = (parts(from)?, parts(to)?);
    Some(match (begin, end) {
        _ if first != last => format!("{first} to {last}"),
        (None, None) => first.into(),
        _ => {
            let [begin, end] = [begin, end].map(|time| time.unwrap_or("00:00"));
            format!("{first} {begin} to {end}")
        }
    })
}

/// When every window began: days where they differ, else to the minute; none where a window has no date.
pub fn began(records: &[WindowRecord]) -> Option<Vec<String>> {
    let from = records.iter().map(|record| record.from.as_deref());
    let from = from.collect::<Option<Vec<_>>>()?;
    let days = from.iter().map(|text| Some(parts(text)?.0.to_owned()));
    let days = days.collect::<Option<Vec<String>>>()?;
    match days.windows(2).all(|pair| pair[0] != pair[1]) {
        true => Some(days),
        false => from.into_iter().map(minute).collect(),
    }
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
        .map(minute);
        let expected = ["2024-03-01 00:00", "2024-03-01 12:05", "2024-03-01 12:05"];
        assert_eq!(found.map(Option::unwrap), expected);
        for number in ["1936", "-3", "700000.5", "", "1-2", "a-b-c"] {
            assert_eq!(minute(number), None, "{number}");
        }
        let span = |from: &str, to: &str| span(&[from.into(), to.into()]);
        assert_eq!(span("2024-03-01", "2024-03-01").unwrap(), "2024-03-01");
        let within = span("2024-03-01T08:00:00Z", "2024-03-01T12:30:00Z");
        assert_eq!(within.unwrap(), "2024-03-01 08:00 to 12:30");
        let days = span("2024-03-01T08:00:00Z", "2024-03-04");
        assert_eq!(days.unwrap(), "2024-03-01 to 2024-03-04");
        assert_eq!(span("3", "4"), None);
        let record = |from: &str| WindowRecord {
            from: Some(from.into()),
            ..WindowRecord::default()
        };
        let days = [record("2024-03-01T08:00:00Z"), record("2024-03-02")];
        assert_eq!(began(&days).unwrap(), ["2024-03-01", "2024-03-02"]);
        let hours = [
            record("2024-03-01T08:00:00Z"),
            record("2024-03-01T09:00:00Z"),
        ];
        assert_eq!(began(&hours).unwrap()[1], "2024-03-01 09:00");
        assert_eq!(began(&[record("7")]), None);
    }
}
