//! The version to go back to where the one in use is worse than it was.

use serde::Serialize;

use super::super::record::WindowRecord;
use super::missing::{missing, predicts};
use super::newest::{Role, Seen, balanced_accuracy};

/// An earlier version, and what speaks for it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RollBack {
    pub to: usize,
    pub because: Basis,
}

/// What the choice rests on.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "code")]
#[non_exhaustive]
pub enum Basis {
    /// It is the best of the versions that were scored on the newest window, by balanced accuracy.
    BestOnNewest {
        window: usize,
        balanced_accuracy: f64,
    },
    /// It is the last that still predicted the lost classes, on its own window; nobody knows how it does on the newest.
    LastBeforeTheLoss { window: usize },
    /// No version predicted them but the source model.
    SourceModel,
}

/// The best of the versions before `version` that is better on the newest of `seen`, or the last that had the `lost` classes.
pub(super) fn roll_back(
    records: &[WindowRecord],
    seen: &[Seen],
    version: usize,
    lost: &[String],
) -> Option<RollBack> {
    let newest = seen.last()?;
    if newest.role == Role::Source {
        return None;
    }
    let window = newest.record.window;
    if newest.record.score.is_some() {
        let one = |seen: &Seen| balanced_accuracy(std::slice::from_ref(seen));
        let candidates = [0, newest.record.teacher].into_iter();
        let known = candidates.filter(|&to| to < version).filter_map(|to| {
            let seen = Seen::of(records, newest.record, to)?;
            let whole = missing(records, &[seen]).lost.is_empty() || to == 0;
            whole.then(|| (to, one(&seen)))
        });
        let best = known.max_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((to, balanced_accuracy)) = best.filter(|best| best.1 > one(newest)) {
            return Some(RollBack {
                to,
                because: Basis::BestOnNewest {
                    window,
                    balanced_accuracy,
                },
            });
        }
    }
    if lost.is_empty() {
        return None;
    }
    let whole = |record: &&WindowRecord| lost.iter().all(|class| predicts(record, class));
    let earlier = records.iter().filter(|record| record.window < version);
    let last = earlier.rev().find(whole).map(|record| record.window);
    match (last, &newest.record.score) {
        (Some(to), _) => Some(RollBack {
            to,
            because: Basis::LastBeforeTheLoss { window: to },
        }),
        (None, None) => Some(RollBack {
            to: 0,
            because: Basis::SourceModel,
        }),
        // The answers say that the source model is worse still.
        (None, Some(_)) => None,
    }
}
