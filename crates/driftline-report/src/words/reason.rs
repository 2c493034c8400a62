//! What speaks for a verdict, a sentence each.

use driftline_runs::{Reason, Summary};

use crate::numbers::{per_cent, points};

/// The classes that the version in use has lost, if it has lost any.
pub fn lost(summary: &Summary) -> Option<String> {
    let (window, names) = summary.reasons.iter().find_map(|reason| match reason {
        Reason::LostClasses { window, classes } => Some((window, classes)),
        _ => None,
    })?;
    let (them, they_are) = match names.len() {
        1 => ("it", "it is"),
        _ => ("them", "they are"),
    };
    Some(format!(
        "Adapting lost {}: on window {window}, version {} (in use) hardly ever predicts {them}, although {they_are} there.",
        classes(names),
        summary.version
    ))
}

/// `None` for what stands before: lost classes, and the accuracies, which the verdict itself tells.
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
            "Balanced accuracy, in which every class counts alike, says otherwise than accuracy: {}.",
            points(*gain)
        ),
        Reason::BelowMajority { class, share } => format!(
            "Always answering {class} would be more accurate ({} %).",
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
            "The last step gave {} % of window {window} another class.",
            per_cent(*share)
        ),
        Reason::BalanceShift { window, share } => format!(
            "For the class balance of the source, {} % of window {window} would have to change class.",
            per_cent(*share)
        ),
        Reason::LastStepHeld { window, why } => match why {
            Some(why) => format!("The step to window {window} was held: {why}."),
            None => format!(
                "The step to window {window} was held: too few rows were left to learn from."
            ),
        },
        Reason::SourceModel => "The version in use is the unadapted model itself.".into(),
        Reason::NotMeasured { window } => {
            format!("It was not measured on window {window}, the newest.")
        }
        Reason::NoAnswers {
            last_scored: Some(window),
        } => format!("The last window with answers is window {window}."),
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
