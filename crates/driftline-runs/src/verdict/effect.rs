//! Whether adapting helped the version in use on the newest windows, and what speaks for that. Without answers nothing is
//! claimed, but signs of a model gone astray are named.

use serde::{Deserialize, Serialize};

use super::missing::missing;
use super::newest::{self, Newest, Role, Seen};
use super::roll_back::{self, RollBack};
use crate::record::{Shares, WindowRecord};

/// Whether adapting helped, in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// More accurate than the source model on the newest windows, and no class was lost.
    Helped,
    /// Less accurate.
    Hurt,
    /// Neither is clearly so.
    Same,
    /// Something speaks against it: lost classes, measures that disagree, or a step that overturned a window.
    Doubtful,
    /// There are no answers, and nothing speaks against it.
    Unknown,
}

/// One of the reasons for it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "code")]
#[non_exhaustive]
pub enum Reason {
    /// Classes that are there and that the version in use hardly ever predicts, although other versions did.
    LostClasses { window: usize, classes: Vec<String> },
    /// Classes that no version predicts.
    NeverPredicted { window: usize, classes: Vec<String> },
    /// The exact test on rows that only one of the models gets right.
    Accuracy { gain: f64, p_value: f64 },
    /// Balanced accuracy disagrees with accuracy.
    BalancedAccuracy { gain: f64 },
    /// Always answering one class would get more right.
    BelowMajority { class: String, share: f64 },
    /// The guard's estimates of the version in use and of the source model: accuracy, low, high.
    Estimated {
        window: usize,
        accuracy: [f64; 3],
        unadapted: [f64; 3],
    },
    /// The step overturned this share of its window.
    Relabelled { window: usize, share: f64 },
    /// This share of the newest window would have to change class for the balance of the source.
    BalanceShift { window: usize, share: f64 },
    /// The version in use is the source model.
    SourceModel,
    /// The version in use was not measured on the newest window.
    NotMeasured { window: usize },
    /// The newest window has no answers; the last that has.
    NoAnswers { last_scored: Option<usize> },
    /// The version in use is far less accurate than the source model was on held-out rows of its source.
    Fallen { held_out: f64 },
    /// Labels of this many rows of the newest window have come, and no decision has heard of them yet.
    LabelsWait { rows: usize },
}

/// By so much accuracy may fall below that on held-out rows of the source before somebody should look: what the guard's alarm
/// allows, too.
pub(super) const MOST_FALLEN: f64 = 0.1;
/// A point of balanced accuracy is no news.
const BALANCED_DIFFERENCE: f64 = 0.01;
/// Rules of thumb, for want of answers: what a step may overturn, and by how much the balance may move.
pub const MOST_RELABELLED: f64 = 1.0 / 3.0;
const MOST_SHIFT: f64 = 0.3;

/// The effect and all that belongs to it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Judged {
    pub effect: Effect,
    pub reasons: Vec<Reason>,
    pub lost: Vec<String>,
    pub newest: Option<Newest>,
    pub roll_back: Option<RollBack>,
}

/// Judges `version`. Records before `from` have the rows of later ones; `at_source` is how the source was balanced.
pub(super) fn judge(
    records: &[WindowRecord],
    from: usize,
    version: usize,
    at_source: &Shares,
) -> Option<Judged> {
    let last = records.last()?;
    let own = Seen::of(records, last, version);
    let scored = newest::newest(records, from, version);
    let newest = Newest::of(&scored, version);
    let seen: Vec<Seen> = match &newest {
        Some(_) => scored,
        None => own.into_iter().collect(),
    };
    let window = last.window;
    let absent = missing(records, &seen);
    let by_source = own.is_some_and(|own| own.role == Role::Source);
    let mut reasons = vec![];
    // A source model cannot have lost anything by adapting.
    let lost = match by_source {
        true => vec![],
        false => absent.lost,
    };
    if !lost.is_empty() {
        let classes = lost.clone();
        reasons.push(Reason::LostClasses { window, classes });
    }
    let mut effect = match &newest {
        Some(newest) => by_answers(newest, &mut reasons),
        None => by_signs(own, at_source, &mut reasons),
    };
    if !absent.never.is_empty() {
        let classes = absent.never;
        reasons.push(Reason::NeverPredicted { window, classes });
    }
    if by_source {
        reasons.push(Reason::SourceModel);
    }
    if newest.is_none() {
        let scored = records.iter().rfind(|record| record.score.is_some());
        match own {
            None => reasons.push(Reason::NotMeasured { window }),
            Some(_) => reasons.push(Reason::NoAnswers {
                last_scored: scored.map(|record| record.window),
            }),
        }
    }
    if !lost.is_empty() && effect != Effect::Hurt {
        effect = Effect::Doubtful;
    }
    let doubted = matches!(effect, Effect::Hurt | Effect::Doubtful);
    let roll_back = doubted.then(|| roll_back::roll_back(records, &seen, version));
    Some(Judged {
        effect,
        reasons,
        lost,
        newest,
        roll_back: roll_back.flatten(),
    })
}

fn by_answers(newest: &Newest, reasons: &mut Vec<Reason>) -> Effect {
    let (gain, p_value) = (newest.gain, newest.p_value);
    reasons.push(Reason::Accuracy { gain, p_value });
    let balanced = newest.balanced_accuracy - newest.balanced_accuracy_unadapted;
    let mut effect = match p_value <= driftline_models::evaluate::PairedRows::LEVEL {
        true if gain > 0.0 => Effect::Helped,
        true => Effect::Hurt,
        false => Effect::Same,
    };
    let disagrees = match effect {
        Effect::Helped => balanced < -BALANCED_DIFFERENCE,
        Effect::Hurt => balanced > BALANCED_DIFFERENCE,
        _ => false,
    };
    if disagrees {
        reasons.push(Reason::BalancedAccuracy { gain: balanced });
        effect = Effect::Doubtful;
    }
    // Both are counts of the same rows: less than half a row is rounding.
    if (newest.majority_share - newest.accuracy) * newest.rows as f64 > 0.5 {
        reasons.push(Reason::BelowMajority {
            class: newest.majority_class.clone(),
            share: newest.majority_share,
        });
    }
    effect
}

/// Without answers nothing is known for certain.
fn by_signs(own: Option<Seen>, at_source: &Shares, reasons: &mut Vec<Reason>) -> Effect {
    let Some(own) = own.filter(|own| own.role != Role::Source) else {
        return Effect::Unknown;
    };
    let window = own.record.window;
    if let (Some(estimate), Some(unadapted)) = (own.estimate(), &own.record.estimate_unadapted) {
        if estimate.high >= unadapted.low && own.record.findings().alarm.is_none() {
            return Effect::Unknown;
        }
        reasons.push(Reason::Estimated {
            window,
            accuracy: [estimate.accuracy, estimate.low, estimate.high],
            unadapted: [unadapted.accuracy, unadapted.low, unadapted.high],
        });
        return Effect::Doubtful;
    }
    let before = reasons.len();
    let share = own.record.disagreement;
    if own.role == Role::Adapted && share > MOST_RELABELLED {
        reasons.push(Reason::Relabelled { window, share });
    }
    let share = own.balance().distance(at_source);
    if share > MOST_SHIFT {
        reasons.push(Reason::BalanceShift { window, share });
    }
    match reasons.len() > before {
        true => Effect::Doubtful,
        false => Effect::Unknown,
    }
}
