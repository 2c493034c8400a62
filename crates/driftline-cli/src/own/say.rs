//! Models, windows and outcomes in words.

use driftline::reading::Notes;
use driftline::service::{
    AccuracySummary, Bundle, Plan, Signs, Summary, Survey, Validation, Verdict, WindowRecord,
};

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

/// The outcome of a run in one sentence or two.
pub fn outcome(summary: &Summary) -> String {
    let mut text = match &summary.accuracy {
        Some(accuracy) => with_answers(summary.verdict, accuracy),
        None => without_answers(summary.verdict, &summary.signs),
    };
    if summary.held > 0 {
        text += &format!(
            " {} of {} windows were held, because too little was left to learn from.",
            summary.held, summary.windows
        );
    }
    text
}

fn with_answers(verdict: Verdict, accuracy: &AccuracySummary) -> String {
    let AccuracySummary {
        scored,
        before,
        after,
        unadapted,
        gain,
        gain_half_width,
        last_gain,
        last_gain_half_width,
    } = *accuracy;
    let gained = format!(
        "{} ± {} points",
        fixed(100.0 * gain.abs(), 1),
        fixed(100.0 * gain_half_width, 1)
    );
    let signed_gain = format!(
        "{} ± {} points",
        signed(100.0 * gain, 1),
        fixed(100.0 * gain_half_width, 1)
    );
    let what = match verdict {
        Verdict::Helped => format!("Adapting helped, by {gained}"),
        Verdict::Hurt => format!(
            "Adapting made things worse, by {gained}, so the source model is better left alone"
        ),
        _ => format!("Adapting made no clear difference ({signed_gain})"),
    };
    format!(
        "{what}: {} % of {scored} rows right instead of {} % unadapted, and {} % if each window is served by the model \
         before it. In the last two windows the difference is {} ± {} points.",
        per_cent(after),
        per_cent(unadapted),
        per_cent(before),
        signed(100.0 * last_gain, 1),
        fixed(100.0 * last_gain_half_width, 1),
    )
}

fn without_answers(verdict: Verdict, signs: &Signs) -> String {
    let mut seen = vec![format!(
        "one step changed at most {} % of a window (window {})",
        per_cent(signs.most_disagreement),
        signs.most_disagreement_window
    )];
    seen.push(format!(
        "{} % of the last window is classed differently from the source model",
        per_cent(signs.last_flips)
    ));
    seen.push(format!(
        "its class balance is {} % away from the source's",
        per_cent(signs.balance_shift)
    ));
    if let Some(change) = signs.confidence_change {
        seen.push(format!(
            "the source model's confidence is {} points from its level on held-out source rows",
            signed(100.0 * change, 1)
        ));
    }
    if !signs.fading_classes.is_empty() {
        seen.push(format!(
            "hardly any row is given to {}",
            signs.fading_classes.join(", ")
        ));
    }
    let judged = match verdict {
        Verdict::Steady => "Nothing looks wrong",
        Verdict::Watch => "Some signs are worth a look",
        _ => "Doubtful: these are the signs of a model that goes astray",
    };
    format!(
        "Whether adapting helped cannot be known without answers. {judged}: {}. Score some rows by hand, or give --answers.",
        seen.join("; ")
    )
}

/// A fraction as a percentage with one digit.
pub fn per_cent(fraction: f64) -> String {
    fixed(100.0 * fraction, 1)
}

/// One line each on standard error, even when all else is quiet: notes may change what a result means.
pub fn notes(notes: &Notes) {
    for note in notes.as_slice() {
        eprintln!("note: {note}");
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
