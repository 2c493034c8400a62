//! Models, windows and outcomes in words.

use driftline::reading::Notes;
use driftline::service::{
    AccuracySummary, Bundle, Plan, Signs, Summary, Survey, Validation, Verdict, WindowRecord,
};

use crate::output;
use crate::report::numbers::{fixed, signed};

/// `trained linear on 200 rows, 4 classes: 88.5 % of held-out rows right (84.4–91.8)`
pub fn fitted(bundle: &Bundle) -> String {
    let source = &bundle.source;
    format!(
        "trained {} on {} rows of {} ({}), {} classes: {}",
        source.model,
        source.rows,
        bundle.encoding.shape(),
        source.stated,
        bundle.classes().len(),
        source.validation.as_ref().map_or_else(
            || "too few rows to hold any out, so its accuracy is not known".into(),
            validated
        )
    )
}

pub fn validated(validation: &Validation) -> String {
    format!(
        "{} % of {} held-out rows right (90 % interval {}–{})",
        per_cent(validation.accuracy),
        validation.n,
        per_cent(validation.low),
        per_cent(validation.high)
    )
}

pub fn window(record: &WindowRecord, windows: usize) -> String {
    let fate = match record.held {
        true => "held".into(),
        false => format!("{} of {} kept", record.kept, record.seen),
    };
    let accuracy = record.score.as_ref().map_or(String::new(), |score| {
        format!(
            ", accuracy {} → {} % (unadapted {})",
            per_cent(score.accuracy_before),
            per_cent(score.accuracy_after),
            per_cent(score.accuracy_unadapted)
        )
    });
    format!(
        "window {}/{}: {fate}, {} % relabelled, confidence {}{accuracy}",
        record.window,
        windows.max(record.window),
        per_cent(record.disagreement),
        fixed(record.confidence_after, 2)
    )
}

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

/// The outcome and the details, for a terminal.
pub fn outcome_text(summary: &Summary) -> String {
    let mut text = outcome(summary) + "\n";
    for (name, value) in details(summary) {
        text += &format!("  {name}: {value}\n");
    }
    text
}

/// A fraction as a percentage with one digit.
pub fn per_cent(fraction: f64) -> String {
    fixed(100.0 * fraction, 1)
}

/// One line each on standard error, even when all else is quiet: notes may change what a result means.
pub fn notes(notes: &Notes) {
    for note in notes.as_slice() {
        output::tell(&format!("note: {note}"));
    }
}

/// What a source holds, before anything is trained.
pub fn survey(survey: &Survey) -> String {
    let counts = survey.classes.iter().zip(&survey.class_counts);
    let counts: Vec<String> = counts.map(|(class, n)| format!("{class} ({n})")).collect();
    format!(
        "source    {} rows, {}\nclasses   {}\ninput     {}: {}\nmodel     {}\n",
        survey.rows,
        survey.stated,
        counts.join(", "),
        survey.input,
        survey.features.join(", "),
        survey.model
    )
}

/// What an adaptation would do.
pub fn plan(plan: &Plan) -> String {
    let mut text = plan.source.as_ref().map_or(String::new(), survey);
    text += &format!(
        "stream    {} rows, {}\nwindows   {}; {}\n",
        plan.rows,
        plan.stated,
        plan.windows.len(),
        plan.remainder
    );
    if let Some((from, to)) = &plan.span {
        text += &format!("time      {from} to {to}\n");
    }
    for (number, rows) in plan.windows.iter().enumerate() {
        text += &format!("  window {}: {rows} rows\n", number + 1);
    }
    text
}
