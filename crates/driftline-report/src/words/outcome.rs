//! What came of a run: the verdict in a sentence, and the details behind it.

use driftline::service::{AccuracySummary, Signs, Summary, Verdict};

use crate::numbers::{fixed, per_cent, signed};

/// The outcome of a run in one sentence.
pub fn outcome(summary: &Summary) -> String {
    match &summary.accuracy {
        Some(accuracy) => with_answers(summary.verdict, accuracy),
        None => without_answers(summary.verdict, &summary.signs),
    }
}

fn with_answers(verdict: Verdict, accuracy: &AccuracySummary) -> String {
    let half = fixed(100.0 * accuracy.gain_half_width, 1);
    let gained = format!("{} ± {half} points", fixed(100.0 * accuracy.gain.abs(), 1));
    let what = match verdict {
        Verdict::Helped => format!("Adapting helped, by {gained}"),
        Verdict::Hurt => {
            format!(
                "Adapting made things worse, by {gained}, so the source model is better left alone"
            )
        }
        _ => format!("Adapting made no clear difference ({gained})"),
    };
    format!(
        "{what}: {} % of {} rows right instead of {} % unadapted.",
        per_cent(accuracy.after),
        accuracy.scored,
        per_cent(accuracy.unadapted)
    )
}

fn without_answers(verdict: Verdict, signs: &Signs) -> String {
    let fading = match &signs.fading_classes[..] {
        [] => String::new(),
        [one] => format!("class {one}"),
        several => format!("the classes {}", several.join(", ")),
    };
    let judged = match verdict {
        Verdict::Unchanged => {
            "every window was held, so the model is still the source model".into()
        }
        Verdict::Steady => "nothing looks wrong".into(),
        Verdict::Watch => "some signs are worth a look".into(),
        _ if !fading.is_empty() => {
            format!(
                "the signs are those of a model that goes astray, for it hardly ever predicts {fading}"
            )
        }
        _ => "the signs are those of a model that goes astray".into(),
    };
    format!("Whether adapting helped cannot be known without answers; {judged}.")
}

/// What else is worth knowing, as names and values.
pub fn details(summary: &Summary) -> Vec<(&'static str, String)> {
    let signs = &summary.signs;
    let percentage = |value: f64| format!("{} %", per_cent(value));
    let mut details = vec![];
    if let Some(accuracy) = &summary.accuracy {
        details.extend(accuracy.before.map(|before| {
            (
                "Right if each window is served by the model before it",
                percentage(before),
            )
        }));
        // Where every step has the same rows, or there are two at most, this would say again what the sentence says.
        if accuracy.before.is_some() && summary.windows > 2 {
            let (gain, half) = (accuracy.last_gain, accuracy.last_gain_half_width);
            let (gain, half) = (signed(100.0 * gain, 1), fixed(100.0 * half, 1));
            details.push((
                "Adapted less unadapted in the last two windows that have answers",
                format!("{gain} ± {half} points"),
            ));
        }
    }
    details.push((
        "Most that one step gave another class",
        format!(
            "{}, in window {}",
            percentage(signs.most_disagreement),
            signs.most_disagreement_window
        ),
    ));
    details.push((
        "Last window classed differently from the source model",
        percentage(signs.last_flips),
    ));
    details.push((
        "Class balance there, away from the source's",
        percentage(signs.balance_shift),
    ));
    if !signs.fading_classes.is_empty() {
        details.push((
            "Hardly ever predicted there",
            signs.fading_classes.join(", "),
        ));
    }
    if let Some(change) = signs.confidence_change {
        details.push((
            "Source model's confidence there, against held-out source rows",
            format!("{} points", signed(100.0 * change, 1)),
        ));
    }
    if summary.held > 0 {
        details.push((
            "Windows held, too little being left to learn from",
            format!("{} of {}", summary.held, summary.windows),
        ));
    }
    details
}
