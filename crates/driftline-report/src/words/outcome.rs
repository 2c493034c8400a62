//! What came of a run: what to do, how accurate it is, what speaks for that, and what ends a hold; and the same in short.

use driftline_runs::{Action, StepKind, Verdict};

use super::action::{headline, todo, ways_out};
use super::quantities::accuracies;
use super::reason::{effect, lost, reason, roll_back};
use crate::numbers::{per_cent, points, signed};

/// The outcome of the run in the folder `run`.
pub fn outcome(verdict: &Verdict, run: &str) -> String {
    format!("{} {}", headline(verdict, run), explanation(verdict, run))
}

/// What stands behind the headline.
pub fn explanation(verdict: &Verdict, run: &str) -> String {
    let mut sentences = vec![accuracies(verdict)];
    sentences.extend(lost(verdict));
    sentences.extend(effect(verdict));
    sentences.extend(verdict.reasons.iter().filter_map(reason));
    if let Action::RollBack(back) = &verdict.action {
        sentences.push(roll_back(back));
    }
    sentences.extend(hold(verdict));
    sentences.extend(ways_out(verdict, run));
    sentences.join(" ")
}

/// Why the newest step was not deployed.
fn hold(verdict: &Verdict) -> Option<String> {
    let window = verdict.window;
    let what = match verdict.last_step.kind {
        StepKind::Held => "held",
        StepKind::TakenBack => "taken back",
        _ => return None,
    };
    let why = verdict.last_step.why.as_deref();
    let why = why.unwrap_or("too few rows were left to learn from");
    Some(format!("The step to window {window} was {what}: {why}."))
}

/// The action in a few words, for a badge: `holds`, `fails` or `open`, and the words.
pub fn badge(verdict: &Verdict) -> (&'static str, String) {
    let (tone, sign) = match &verdict.action {
        Action::Label { .. } => ("open", "○"),
        Action::RollBack(_) => ("fails", "✗"),
        _ => ("holds", "✓"),
    };
    let todo = todo(&verdict.action, verdict.last_step.kind);
    (tone, format!("{sign} {todo}"))
}

/// What else is worth knowing, as names and values.
pub fn details(verdict: &Verdict) -> Vec<(&'static str, String)> {
    let signs = &verdict.signs;
    let percentage = |value: f64| format!("{} %", per_cent(value));
    let mut details = vec![];
    let mut tell = |name, value| details.push((name, value));
    if let Some(along) = &verdict.along {
        if let Some(before) = along.before {
            tell(
                "Accuracy as served along the whole stream",
                percentage(before),
            );
        }
        let name = "Gain over the unadapted model along the whole stream, each window by the version in use then";
        let [low, high] = [along.gain_low, along.gain_high].map(|end| signed(100.0 * end, 1));
        let gain = points(along.gain);
        tell(name, format!("{gain} (90 % interval {low} to {high})"));
    }
    if let Some(newest) = &verdict.newest {
        let (class, share) = (&newest.majority_class, percentage(newest.majority_share));
        tell(
            "Most frequent class in the windows judged",
            format!("{class}, {share}"),
        );
    }
    if signs.most_disagreement > 0.0 {
        let (most, window) = (
            percentage(signs.most_disagreement),
            signs.most_disagreement_window,
        );
        let name = "Largest share whose class changed in one step";
        tell(name, format!("{most}, in window {window}"));
    }
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
    if verdict.held > 0 {
        let held = format!("{} of {}", verdict.held, verdict.windows);
        tell("Windows held (the model did not change)", held);
    }
    details
}
