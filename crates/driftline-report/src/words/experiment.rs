//! The outcome of an experiment in a few plain sentences, computed from its numbers: it says less where they say
//! less, and does not praise.

use driftline_lab::experiment::{ExperimentManifest, ResultTable, Row, Store};
use driftline_models::evaluate::{Interval, paired_difference};

use crate::experiment::manifest::{is_baseline, planned};
use crate::numbers::{count, decimals, fixed, in_text};

/// About two sentences per data set.
pub fn experiment(store: &Store) -> String {
    let manifest = store.manifest();
    let table = ResultTable::of(store);
    let finished = store.trials().count();
    let planned = planned(manifest);
    if finished == 0 {
        return "No trial is finished yet.".into();
    }
    let mut sentences = Vec::new();
    if finished < planned {
        let text = format!("So far {finished} of {planned} trials are finished.");
        sentences.push(text);
    }
    for dataset in &manifest.datasets {
        let rows = table.rows.iter().filter(|row| row.dataset == dataset.name);
        let rows: Vec<&Row> = rows.collect();
        sentences.extend(explain_dataset(manifest, &rows));
    }
    sentences.join(" ")
}

fn explain_dataset(manifest: &ExperimentManifest, rows: &[&Row]) -> Vec<String> {
    let Some((subject, others)) = rows.split_last() else {
        return Vec::new();
    };
    let (baselines, others): (Vec<&Row>, Vec<&Row>) = others
        .iter()
        .partition(|row| is_baseline(manifest, &row.method));
    let Row {
        method, accuracy, ..
    } = subject;
    let mut first = format!(
        "{}, {method} {} {} % accuracy on the target",
        occasion(subject),
        if accuracy.n > 1 {
            "averages"
        } else {
            "reaches"
        },
        fixed(accuracy.mean, decimals(accuracy)),
    );
    if manifest.datasets.len() > 1 {
        first = format!("{}: {first}", subject.dataset);
    }
    if let Some(baseline) = baselines.first() {
        let mean = fixed(baseline.accuracy.mean, 1);
        let than = format!("the unadapted source model ({mean} %)");
        first += &match paired_difference(&subject.values, &baseline.values) {
            Some(difference) => format!(", {}", compared(&difference, &than)),
            None => format!("; it has no trial in common with {than}"),
        };
    }
    let mut sentences = vec![first + "."];
    sentences.extend(the_others(subject, &others));
    if others.is_empty()
        && let Some(source) = subject.held_out_source
    {
        sentences.push(format!(
            "On held-out source examples, the source model reaches {} %.",
            fixed(source.mean, 1)
        ));
    }
    sentences
}

/// Over what the mean was taken.
fn occasion(row: &Row) -> String {
    let distinct = |key: fn(&(u64, u64)) -> u64| {
        let mut keys: Vec<u64> = row.values.iter().map(|(k, _)| key(k)).collect();
        keys.sort_unstable();
        keys.dedup();
        keys.len()
    };
    let (draws, seeds) = (distinct(|key| key.0), distinct(|key| key.1));
    let n = row.values.len();
    match (draws, seeds) {
        _ if n <= 1 => "In a single trial".into(),
        (_, 1) => format!("Over {draws} draws of the data"),
        (1, _) => format!("Over {seeds} training seeds"),
        _ => format!("Over {n} trials ({draws} draws of the data, {seeds} training seeds)"),
    }
}

/// A difference in words; only one that exceeds its uncertainty counts as one.
fn compared(difference: &Interval, than: &str) -> String {
    let mean = difference.mean;
    let direction = if mean > 0.0 { "above" } else { "below" };
    let size = in_text(&Interval {
        mean: mean.abs(),
        ..*difference
    });
    match difference.half_width {
        _ if mean.abs() < 1e-9 && difference.half_width.unwrap_or(0.0) < 1e-9 => {
            format!("the same as {than}")
        }
        Some(half) if mean.abs() <= half => {
            format!("not clearly different from {than}: {size} points {direction}")
        }
        _ => format!("{size} points {direction} {than}"),
    }
}

/// The methods between the baseline and the last.
fn the_others(subject: &Row, others: &[&Row]) -> Option<String> {
    const NAMED: usize = 3;
    if others.len() > NAMED {
        let by_mean = |a: &&&Row, b: &&&Row| a.accuracy.mean.total_cmp(&b.accuracy.mean);
        let named = |row: &&Row| format!("{} % ({})", fixed(row.accuracy.mean, 1), row.method);
        return Some(format!(
            "The {} other methods range from {} to {}.",
            others.len(),
            named(others.iter().min_by(by_mean)?),
            named(others.iter().max_by(by_mean)?),
        ));
    }
    let one = |row: &&Row| {
        let difference = paired_difference(&row.values, &subject.values);
        let difference = difference.map(|by| compared(&by, &subject.method));
        let remarks: Vec<String> = difference.into_iter().chain(spread(row)).collect();
        let text = format!("{} reaches {} %", row.method, fixed(row.accuracy.mean, 1));
        match remarks.len() {
            0 => text,
            _ => format!("{text} ({})", remarks.join("; ")),
        }
    };
    let parts: Vec<String> = others.iter().map(one).collect();
    Some(match parts.split_last()? {
        (last, []) => format!("{last}."),
        (last, before) => format!("{} and {last}.", before.join(", ")),
    })
}

/// A mean of very different trials hides them.
fn spread(row: &Row) -> Option<String> {
    const WIDE: f64 = 10.0;
    let values = || row.values.iter().map(|(_, value)| *value);
    let low = values().fold(f64::INFINITY, f64::min);
    let high = values().fold(f64::NEG_INFINITY, f64::max);
    let trials = count(row.values.len(), "trial");
    let (from, to) = (fixed(low, 1), fixed(high, 1));
    (high - low > WIDE).then(|| format!("its {trials} range from {from} to {to} %"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn difference(mean: f64, half_width: Option<f64>) -> Interval {
        Interval {
            mean,
            half_width,
            n: 5,
        }
    }

    #[test]
    fn only_a_difference_beyond_its_uncertainty_is_called_one() {
        let cases = [
            (51.2, Some(0.2), "51.2 ± 0.2 points above X"),
            (-3.0, Some(1.0), "3.0 ± 1.0 points below X"),
            (
                0.3,
                Some(1.2),
                "not clearly different from X: 0.3 ± 1.2 points above",
            ),
            (0.0, Some(0.0), "the same as X"),
            (0.0, None, "the same as X"),
            (-7.5, None, "7.5 points below X"),
        ];
        for (mean, half_width, words) in cases {
            assert_eq!(compared(&difference(mean, half_width), "X"), words);
        }
    }
}
