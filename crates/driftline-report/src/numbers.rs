//! Numbers as text: per cent with few decimals, ± where there is an interval, a real minus sign.

use driftline_models::evaluate::Interval;

pub fn fixed(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(zero) if zero.chars().all(|c| c == '0' || c == '.') => zero.into(),
        Some(positive) => format!("−{positive}"),
        None => text,
    }
}

/// A fraction as a percentage with one digit.
pub fn per_cent(fraction: f64) -> String {
    fixed(100.0 * fraction, 1)
}

/// With a sign: for differences.
pub fn signed(value: f64, decimals: usize) -> String {
    let text = fixed(value, decimals);
    if text.starts_with('−') || text.chars().all(|c| c == '0' || c == '.') {
        text
    } else {
        format!("+{text}")
    }
}

/// A difference of fractions: `+3.2 points`.
pub fn points(difference: f64) -> String {
    format!("{} points", signed(100.0 * difference, 1))
}

/// For tables: two decimals always, so that columns line up.
pub fn in_table(interval: &Interval) -> String {
    plus_minus(fixed(interval.mean, 2), interval.half_width, 2)
}

pub fn signed_in_table(interval: &Interval) -> String {
    plus_minus(signed(interval.mean, 2), interval.half_width, 2)
}

/// For sentences and charts: one decimal, or two where the interval would otherwise read ± 0.0.
pub fn in_text(interval: &Interval) -> String {
    let decimals = decimals(interval);
    let mean = fixed(interval.mean, decimals);
    plus_minus(mean, interval.half_width, decimals)
}

/// Half widths that one decimal would turn to 0 get two, unless two would as well.
pub fn decimals(interval: &Interval) -> usize {
    match interval.half_width {
        Some(half) if (0.005..0.095).contains(&half) => 2,
        _ => 1,
    }
}

pub fn plus_minus(mean: String, half_width: Option<f64>, decimals: usize) -> String {
    match half_width {
        Some(half) => format!("{mean} ± {}", fixed(half, decimals)),
        None => mean,
    }
}

/// `1 trial`, `2 trials`.
pub fn count(n: usize, noun: &str) -> String {
    match n {
        1 => format!("1 {noun}"),
        n => format!("{n} {noun}s"),
    }
}

/// `0–4, 7`: runs of seeds in short.
pub fn ranges(numbers: &[u64]) -> String {
    let mut numbers = numbers.to_vec();
    numbers.sort_unstable();
    numbers.dedup();
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(number) => *last = number,
            _ => runs.push((number, number)),
        }
    }
    let run = |(first, last): (u64, u64)| match last - first {
        0 => first.to_string(),
        1 => format!("{first}, {last}"),
        _ => format!("{first}–{last}"),
    };
    let runs: Vec<String> = runs.into_iter().map(run).collect();
    match runs.len() {
        0 => "none".into(),
        _ => runs.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_and_zeros() {
        assert_eq!(fixed(-0.01, 1), "0.0");
        assert_eq!(fixed(-1.26, 1), "−1.3");
        assert_eq!(signed(0.04, 1), "0.0");
        assert_eq!(signed(2.0, 1), "+2.0");
    }

    #[test]
    fn small_intervals_keep_a_digit() {
        let interval = |half_width| Interval {
            mean: 98.84,
            half_width,
            n: 5,
        };
        assert_eq!(in_text(&interval(Some(0.04))), "98.84 ± 0.04");
        assert_eq!(in_text(&interval(Some(1.2))), "98.8 ± 1.2");
        assert_eq!(in_text(&interval(Some(0.0))), "98.8 ± 0.0");
        assert_eq!(in_text(&interval(None)), "98.8");
    }

    #[test]
    fn seeds_in_short() {
        assert_eq!(ranges(&[4, 0, 1, 2, 7, 8]), "0–2, 4, 7, 8");
        assert_eq!(ranges(&[u64::MAX, 0]), "0, 18446744073709551615");
        assert_eq!(ranges(&[]), "none");
    }
}
