//! What came of a run: the verdict in a sentence, and the details behind it.

use driftline::runs::{AccuracySummary, Signs, Summary, Verdict};

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
        Verdict::Helped => format!("Adapting helped by {gained}"),
        Verdict::Hurt => format!("Adapting hurt by {gained}, so keep the source model"),
        _ => format!("Adapting made no clear difference ({gained})"),
    };
    format!(
        "{what}: accuracy {} % on {} rows, against {} % unadapted.",
        per_cent(accuracy.after),
        accuracy.scored,
        per_cent(accuracy.unadapted)
    )
}

fn without_answers(verdict: Verdict, signs: &Signs) -> String {
    let fading = match &signs.fading_classes[..] {
        [] => String::new(),
        [one] => format!("class {one}"),
        several => format!("classes {}", several.join(", ")),
    };
    let judged = match verdict {
        Verdict::Unchanged => "every window was held, so this is still the source model".into(),
        Verdict::Steady => "there are no warning signs".into(),
        Verdict::Watch => "some signs are worth a look".into(),
        _ if !fading.is_empty() => {
            format!("the model shows signs of going wrong: it hardly ever predicts {fading}")
        }
        _ => "the model shows signs of going wrong".into(),
    };
    format!("Without answers, whether adapting helped cannot be known; {judged}.")
}

/// What else is worth knowing, as names and values.
pub fn details(summary: &Summary) -> Vec<(&'static str, String)> {
    let signs = &summary.signs;
    let percentage = |value: f64| format!("{} %", per_cent(value));
    let mut details = vec![];
    if let Some(accuracy) = &summary.accuracy {
        details.extend(accuracy.before.map(|before| {
            (
                "Accuracy before adapting to each window",
                percentage(before),
            )
        }));
        // Where every step has the same rows, or there are two at most, this would say again what the sentence says.
        if accuracy.before.is_some() && summary.windows > 2 {
            let (gain, half) = (accuracy.last_gain, accuracy.last_gain_half_width);
            let (gain, half) = (signed(100.0 * gain, 1), fixed(100.0 * half, 1));
            details.push((
                "Gain over the unadapted model in the last two scored windows",
                format!("{gain} ± {half} points"),
            ));
        }
    }
    details.push((
        "Largest share relabelled in one step",
        format!(
            "{}, in window {}",
            percentage(signs.most_disagreement),
            signs.most_disagreement_window
        ),
    ));
    details.push((
        "Share of the last window classed differently from the source model",
        percentage(signs.last_flips),
    ));
    details.push((
        "Class balance shift from the source in the last window",
        percentage(signs.balance_shift),
    ));
    if !signs.fading_classes.is_empty() {
        details.push((
            "Classes hardly ever predicted in the last window",
            signs.fading_classes.join(", "),
        ));
    }
    if let Some(change) = signs.confidence_change {
        details.push((
            "Source model's confidence in the last window, against held-out source rows",
            format!("{} points", signed(100.0 * change, 1)),
        ));
    }
    if summary.held > 0 {
        details.push((
            "Windows held (too few rows left to learn from)",
            format!("{} of {}", summary.held, summary.windows),
        ));
    }
    details
}
