//! How accurate the model was as served and is now, with intervals, and whether that was counted or estimated.

use driftline_runs::{By, Quantity, Verdict};

use super::when::{span, windows};
use crate::numbers::{per_cent, points, signed};

/// `99.2 % (97.0 to 100.0)`.
pub fn with_interval(own: &Quantity) -> String {
    let [value, low, high] = [own.value, own.low, own.high].map(per_cent);
    format!("{value} % ({low} to {high})")
}

/// `+3.2 points (−1.0 to +7.4)`.
pub fn difference(own: &Quantity) -> String {
    let [low, high] = [own.low, own.high].map(|end| signed(100.0 * end, 1));
    format!("{} ({low} to {high})", points(own.value))
}

/// `estimated` or `counted`.
pub fn how(by: By) -> &'static str {
    match by {
        By::Answers => "counted",
        By::Estimate => "estimated",
    }
}

/// Which windows the numbers are of.
pub fn place(verdict: &Verdict) -> String {
    match (&verdict.newest, &verdict.span) {
        (Some(newest), _) if newest.windows.len() > 1 => windows(&newest.windows),
        (_, Some(times)) => match span(times) {
            Some(dates) => format!("{dates} (window {})", verdict.window),
            None => format!("window {}", verdict.window),
        },
        _ => format!("window {}", verdict.window),
    }
}

/// The numbers of the verdict in a sentence or two.
pub fn accuracies(verdict: &Verdict) -> String {
    let place = place(verdict);
    let known = verdict.served.zip(verdict.unadapted);
    let Some((served, unadapted)) = known else {
        return match (&verdict.in_use, &verdict.unadapted) {
            (Some(own), Some(unadapted)) => format!(
                "Accuracy on {place}, {}: {}, unadapted {}.",
                basis(verdict, own.by),
                with_interval(own),
                with_interval(unadapted)
            ),
            _ => {
                format!("The accuracy on {place} is unknown: there are no labels and no estimate.")
            }
        };
    };
    let by = basis(verdict, served.by);
    let gain = verdict.difference.as_ref();
    let gain = gain.map_or(String::new(), |own| {
        format!(", a difference of {}", difference(own))
    });
    let mut text = format!(
        "Accuracy as served on {place}, {by}: {}, unadapted {}{gain}.",
        with_interval(&served),
        with_interval(&unadapted)
    );
    match &verdict.in_use {
        // By answers, the sentence on the effect says it.
        Some(own) if *own != served && verdict.newest.is_none() => {
            text += &format!(
                " Version {}, now in use, is at {} there.",
                verdict.version,
                with_interval(own)
            );
        }
        None => text += " The version in use was not measured there.",
        _ => {}
    }
    text
}

fn basis(verdict: &Verdict, by: By) -> String {
    let rows = verdict.newest.as_ref().map(|newest| newest.rows);
    match (by, rows) {
        (By::Estimate, _) => "estimated without labels (90 % interval)".into(),
        (By::Answers, Some(rows)) => {
            format!("counted on {rows} labelled rows (90 % interval)")
        }
        (By::Answers, None) => "counted on labelled rows (90 % interval)".into(),
    }
}
