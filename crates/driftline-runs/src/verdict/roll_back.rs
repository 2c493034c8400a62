//! The version to go back to where answers say that it is better than the one in use. Nothing is advised that nobody has
//! measured.

use serde::{Deserialize, Serialize};

use super::missing::missing;
use super::newest::{Role, Seen, balanced_accuracy, original};
use crate::record::WindowRecord;

/// An earlier version, and what speaks for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RollBack {
    pub to: usize,
    pub because: Basis,
}

/// What the choice rests on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "code")]
#[non_exhaustive]
pub enum Basis {
    /// It is the best of the versions that were scored on the newest window, by balanced accuracy.
    BestOnNewest {
        window: usize,
        balanced_accuracy: f64,
    },
    /// Labels that were asked for have proved that the source model is better.
    Labels,
}

/// The best of the versions that were scored on the newest of `seen`, if it is better than `version`; it has another model.
pub(super) fn roll_back(
    records: &[WindowRecord],
    seen: &[Seen],
    version: usize,
) -> Option<RollBack> {
    let newest = seen.last()?;
    if newest.role == Role::Source {
        return None;
    }
    let window = newest.record.window;
    if newest.record.score.is_none() {
        let alarm = newest.record.findings().alarm;
        let proved = alarm.is_some_and(|alarm| alarm.worse_than_source);
        let because = Basis::Labels;
        return proved.then_some(RollBack { to: 0, because });
    }
    let one = |seen: &Seen| balanced_accuracy(std::slice::from_ref(seen));
    let in_use = original(records, version);
    let candidates = [0, original(records, newest.record.teacher)].into_iter();
    let known = candidates.filter(|&to| to < in_use).filter_map(|to| {
        let seen = Seen::of(records, newest.record, to)?;
        let whole = missing(records, &[seen]).lost.is_empty() || to == 0;
        whole.then(|| (to, one(&seen)))
    });
    let best = known.max_by(|a, b| a.1.total_cmp(&b.1));
    let (to, balanced_accuracy) = best.filter(|best| best.1 > one(newest))?;
    Some(RollBack {
        to,
        because: Basis::BestOnNewest {
            window,
            balanced_accuracy,
        },
    })
}
