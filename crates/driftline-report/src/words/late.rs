//! Labels that came late, in sentences: what a window really was like, whether the estimates hold, and what an audit says.

use driftline_runs::{Audited, LateScore};

use crate::numbers::{count, per_cent, points, signed};

/// One window by its labels.
pub fn late_score(late: &LateScore) -> String {
    let score = &late.score;
    let mut text = format!(
        "Window {}: {} % of {} right ({} to {}), {} % before the step, {} % unadapted.",
        late.window,
        per_cent(score.accuracy_after),
        count(score.scored, "labelled row"),
        per_cent(late.accuracy_low),
        per_cent(late.accuracy_high),
        per_cent(score.accuracy_before),
        per_cent(score.accuracy_unadapted)
    );
    let interval = late.estimated_low.zip(late.estimated_high);
    if let (Some(estimate), Some((low, high))) = (late.estimated_accuracy, interval) {
        let [estimate, low, high] = [estimate, low, high].map(per_cent);
        let verdict = match late.estimate_holds {
            Some(true) => "the labels agree with it",
            _ => "the labels contradict it",
        };
        text += &format!(" The estimate was {estimate} % ({low} to {high}): {verdict}.");
    }
    text
}

/// How good the estimates were wherever there are labels; nothing where there are none to check.
pub fn estimates(all: &[LateScore]) -> Option<String> {
    let error =
        |late: &LateScore| Some((late.estimated_accuracy? - late.score.accuracy_after).abs());
    let errors: Vec<f64> = all.iter().filter_map(error).collect();
    if errors.is_empty() {
        return None;
    }
    let held = all.iter().filter(|late| late.estimate_holds == Some(true));
    Some(format!(
        "Of {} with an estimate and labels, the estimates were off by {} points on average, and {} agreed with the labels.",
        count(errors.len(), "window"),
        per_cent(errors.iter().sum::<f64>() / errors.len() as f64),
        held.count()
    ))
}

/// Where an audit stands, and what it asks for.
pub fn audit(audited: &Audited) -> String {
    let Audited {
        window,
        version,
        rival,
        rows,
        differing,
        labels,
        ..
    } = audited;
    if *differing == 0 {
        return format!(
            "On window {window}, version {version} and {rival} agree on all {rows} rows: there is nothing to settle."
        );
    }
    let mut text = format!(
        "On window {window}, version {version} and {rival} class {differing} of {rows} rows differently; {rival} is better \
         by {} to {}",
        signed(100.0 * audited.low, 1),
        points(audited.high)
    );
    text += &match labels {
        0 => ".".to_owned(),
        labels => format!(", by {}.", count(*labels, "label")),
    };
    text += &match (audited.settled, audited.leaning) {
        (Some(true), _) => format!(" Settled: {rival} is better."),
        (Some(false), _) => format!(" Settled: version {version} is better."),
        (None, Some(for_rival)) => {
            let own = format!("version {version}");
            let leader = if for_rival { rival } else { &own };
            format!(" Not settled; so far the labels favour {leader}.")
        }
        (None, None) => String::new(),
    };
    if !audited.asked.is_empty() {
        text += &format!(
            " {} would narrow the interval from {} to {} points or less.",
            count(audited.asked.len(), "more label"),
            per_cent(audited.width),
            per_cent(audited.width_after)
        );
    }
    text
}
