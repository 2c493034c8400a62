//! What speaks for a verdict, a sentence each.

use driftline_runs::{Basis, Effect, Newest, Reason, RollBack, Verdict};

use super::action::version;
use super::quantities::place;
use crate::numbers::{per_cent, points, signed};

/// The classes that the version in use has lost, if it has lost any.
pub fn lost(verdict: &Verdict) -> Option<String> {
    let names = &verdict.lost_classes;
    let (them, they_are) = match names.len() {
        0 => return None,
        1 => ("it", "it is"),
        _ => ("them", "they are"),
    };
    Some(format!(
        "Adapting lost {}: on window {}, version {} (in use) hardly ever predicts {them}, although {they_are} present.",
        classes(names),
        verdict.window,
        verdict.version
    ))
}

/// Whether adapting helped: by answers, or as far as signs tell.
pub fn effect(verdict: &Verdict) -> Option<String> {
    match (&verdict.newest, verdict.effect) {
        (Some(newest), _) if verdict.version == 0 => Some(format!(
            "The version in use is the unadapted model itself; its balanced accuracy is {} %.",
            per_cent(newest.balanced_accuracy)
        )),
        (Some(newest), _) => Some(by_answers(verdict, newest)),
        (None, Effect::Doubtful) => Some("The model shows signs of going wrong.".into()),
        _ => None,
    }
}

fn by_answers(verdict: &Verdict, newest: &Newest) -> String {
    let version = verdict.version;
    let what = match verdict.effect {
        Effect::Helped => "Adapting helped",
        Effect::Hurt => "Adapting hurt",
        Effect::Doubtful => "It is doubtful that adapting helped",
        _ => "Adapting made no clear difference",
    };
    let earlier = match newest.windows.len() {
        1 => "",
        _ => "; earlier windows by the versions in use then",
    };
    format!(
        "{what}: on {}, version {version} (in use{earlier}) is right on {} % of {} rows, the unadapted model on {} % ({}, 90 % \
         interval {} to {}); balanced accuracy {} % against {} %.",
        place(verdict),
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

/// What the advice to go back rests on.
pub fn roll_back(back: &RollBack) -> String {
    let to = version(back.to);
    match &back.because {
        Basis::BestOnNewest {
            window,
            balanced_accuracy,
        } => format!(
            "Better to go back to {to}: of the versions scored on window {window}, it has the best balanced accuracy there ({} %).",
            per_cent(*balanced_accuracy)
        ),
        _ => format!("Better to go back to {to}: the labels show that it is more accurate."),
    }
}

/// `None` for what stands before: lost classes, and the accuracies, which the effect itself tells.
pub fn reason(reason: &Reason) -> Option<String> {
    Some(match reason {
        Reason::NeverPredicted {
            window,
            classes: never,
        } => format!(
            "No version predicts {}, which {} in window {window}.",
            classes(never),
            if never.len() == 1 { "is" } else { "are" }
        ),
        Reason::BalancedAccuracy { gain } => format!(
            "Balanced accuracy, which weighs all classes equally, disagrees with accuracy: {}.",
            points(*gain)
        ),
        Reason::BelowMajority { class, share } => format!(
            "Always predicting {class} would be more accurate ({} %).",
            per_cent(*share)
        ),
        Reason::Estimated {
            window,
            accuracy,
            unadapted,
        } => format!(
            "On window {window} its accuracy is estimated at {}, that of the unadapted model at {}.",
            interval(accuracy),
            interval(unadapted)
        ),
        Reason::Relabelled { window, share } => format!(
            "The last step changed the class of {} % of window {window}.",
            per_cent(*share)
        ),
        Reason::BalanceShift { window, share } => format!(
            "To match the class balance of the source, {} % of window {window} would have to change class.",
            per_cent(*share)
        ),
        Reason::NotMeasured { window } => {
            format!("The version in use was not measured on window {window}, the newest.")
        }
        Reason::NoAnswers {
            last_scored: Some(window),
        } => format!("The last window with labels is window {window}."),
        Reason::Fallen { held_out } => format!(
            "That is far below the source model's {} % on held-out source rows.",
            per_cent(*held_out)
        ),
        Reason::LabelsWait { rows } => format!(
            "{rows} labels have arrived: the next step uses them, and `driftline score` scores the window with them now."
        ),
        _ => return None,
    })
}

/// `81.0 % (75.0 to 87.0)`.
fn interval([estimate, low, high]: &[f64; 3]) -> String {
    let [estimate, low, high] = [*estimate, *low, *high].map(per_cent);
    format!("{estimate} % ({low} to {high})")
}

/// `class cat`, `the classes cat and dog`.
pub fn classes(names: &[String]) -> String {
    match names {
        [] => "no class".into(),
        [one] => format!("class {one}"),
        [first @ .., last] => format!("the classes {} and {last}", first.join(", ")),
    }
}
