//! What came of a run: the verdict on the version in use in a sentence, and the details behind it.

use driftline_runs::{Basis, Newest, Reason, RollBack, RunVerdict, Summary};

use super::reason::{classes, lost, reason};
use crate::numbers::{per_cent, points, signed};

/// The outcome of a run: lost classes first, then the verdict, what speaks for it, and where to go back to.
pub fn outcome(summary: &Summary) -> String {
    let verdict = match &summary.newest {
        Some(newest) => with_answers(summary, newest),
        None => without_answers(summary),
    };
    let mut sentences: Vec<String> = lost(summary).into_iter().collect();
    sentences.push(verdict);
    sentences.extend(summary.reasons.iter().filter_map(reason));
    sentences.extend(summary.roll_back.as_ref().map(roll_back));
    sentences.join(" ")
}

fn with_answers(summary: &Summary, newest: &Newest) -> String {
    let what = match summary.verdict {
        RunVerdict::Helped => "Adapting helped",
        RunVerdict::Hurt => "Adapting hurt",
        RunVerdict::Doubtful => "It is doubtful that adapting helped",
        _ => "Adapting made no clear difference",
    };
    let earlier = match newest.windows.len() {
        1 => "",
        _ => ", earlier windows by the versions of their time",
    };
    format!(
        "{what}: on {}, version {} (in use{earlier}) has an accuracy of {} % on {} rows, against {} % unadapted ({}, 90 % \
         interval {} to {}), and a balanced accuracy of {} %, against {} %.",
        windows(&newest.windows),
        newest.version,
        per_cent(newest.accuracy),
        newest.rows,
        per_cent(newest.accuracy_unadapted),
        points(newest.gain),
        signed(100.0 * newest.gain_low, 1),
        signed(100.0 * newest.gain_high, 1),
        per_cent(newest.balanced_accuracy),
        per_cent(newest.balanced_accuracy_unadapted),
    )
}

/// `window 6`, `windows 4 to 6`.
fn windows(numbers: &[usize]) -> String {
    match numbers {
        [first, .., last] => format!("windows {first} to {last}"),
        [only] => format!("window {only}"),
        [] => "no window".into(),
    }
}

fn without_answers(summary: &Summary) -> String {
    let judged = match summary.verdict {
        RunVerdict::Doubtful => "the model shows signs of going wrong",
        RunVerdict::Held => "the last step was held",
        _ => "there are no warning signs",
    };
    format!(
        "Without answers, whether adapting helped cannot be known for version {}, which is in use; {judged}.",
        summary.version
    )
}

/// Where to go back to, and what that rests on.
fn roll_back(back: &RollBack) -> String {
    let version = match back.to {
        0 => "version 0, the source model".into(),
        n => format!("version {n}"),
    };
    match &back.because {
        Basis::BestOnNewest {
            window,
            balanced_accuracy,
        } => format!(
            "Better to go back to {version}: of the versions scored on window {window}, it has the best balanced \
             accuracy there ({} %).",
            per_cent(*balanced_accuracy)
        ),
        Basis::LastBeforeTheLoss { window } => format!(
            "Better to go back to {version}, the last to predict them (in window {window}); its accuracy on the newest \
             windows is not known."
        ),
        _ => format!("Better to go back to {version}: no later version predicts them."),
    }
}

/// The verdict in a few words, for a badge: `holds`, `fails` or `open`, and the words.
pub fn badge(summary: &Summary) -> (&'static str, String) {
    let gain = summary.newest.as_ref().map(|newest| points(newest.gain));
    let gain = gain.map_or(String::new(), |gain| format!(": {gain}"));
    let scored = match summary.newest {
        Some(_) => "",
        None => "Not scored; ",
    };
    let lost = summary.reasons.iter().find_map(|reason| match reason {
        Reason::LostClasses { classes: lost, .. } => Some(classes(lost)),
        _ => None,
    });
    match (summary.verdict, lost) {
        (_, Some(lost)) => ("fails", format!("✗ {scored}lost {lost}")),
        (RunVerdict::Helped, _) => ("holds", format!("✓ Adapting helped{gain}")),
        (RunVerdict::Hurt, _) => ("fails", format!("✗ Adapting hurt{gain}")),
        (RunVerdict::Same, _) => ("open", format!("○ No clear difference{gain}")),
        (RunVerdict::Doubtful, _) if summary.newest.is_some() => ("fails", "✗ Doubtful".into()),
        (RunVerdict::Doubtful, _) => ("fails", "✗ Not scored; signs of going wrong".into()),
        (RunVerdict::Held, _) => ("open", "○ Not scored; the last step was held".into()),
        _ => ("open", "○ Not scored; no warning signs".into()),
    }
}

/// What else is worth knowing, as names and values.
pub fn details(summary: &Summary) -> Vec<(&'static str, String)> {
    let signs = &summary.signs;
    let percentage = |value: f64| format!("{} %", per_cent(value));
    let mut details = vec![];
    let mut tell = |name, value| details.push((name, value));
    if let Some(accuracy) = &summary.accuracy {
        if let Some(before) = accuracy.before {
            tell(
                "Accuracy before adapting to each window",
                percentage(before),
            );
        }
        let name = "Gain over the unadapted model along the whole stream, each window by the version of its time";
        let [low, high] = [accuracy.gain_low, accuracy.gain_high].map(|end| signed(100.0 * end, 1));
        let gain = points(accuracy.gain);
        tell(name, format!("{gain} (90 % interval {low} to {high})"));
    }
    if let Some(newest) = &summary.newest {
        let (class, share) = (&newest.majority_class, percentage(newest.majority_share));
        tell(
            "Most frequent class in the windows judged",
            format!("{class}, {share}"),
        );
    }
    let (most, window) = (
        percentage(signs.most_disagreement),
        signs.most_disagreement_window,
    );
    tell(
        "Largest share whose class changed in one step",
        format!("{most}, in window {window}"),
    );
    let name = "Share of the last window classed differently from the source model";
    tell(name, percentage(signs.last_flips));
    let name = "Class balance shift from the source in the last window";
    tell(name, percentage(signs.balance_shift));
    if !signs.fading_classes.is_empty() {
        let name = "Classes predicted far less often than in the source, in the last window";
        tell(name, signs.fading_classes.join(", "));
    }
    if let Some(change) = signs.confidence_change {
        let name = "Source model's confidence in the last window, against held-out source rows";
        tell(name, points(change));
    }
    if summary.held > 0 {
        let held = format!("{} of {}", summary.held, summary.windows);
        tell("Windows held (the model stayed as it was)", held);
    }
    details
}
