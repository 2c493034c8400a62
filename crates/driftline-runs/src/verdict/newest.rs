//! The newest windows, and how the version in use does on them as far as the records tell: on a window they know the
//! version adapted to it, the one before it, and the source model.

use serde::Serialize;

use crate::record::{ClassScore, Score, Shares, WindowRecord};
use driftline_adapt::Estimate;
use driftline_models::evaluate::PairedRows;

/// Fewer answers than this say too little: earlier windows are then taken in too, each by the version adapted to it.
pub const ENOUGH_ANSWERS: usize = 100;

/// The version in use on the newest windows, by their answers. Accuracies are fractions.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Newest {
    pub version: usize,
    /// From the oldest to the newest; the newest is scored by the version in use, those before it by those of their time.
    pub windows: Vec<usize>,
    /// Rows with an answer.
    pub rows: usize,
    pub accuracy: f64,
    pub accuracy_unadapted: f64,
    /// The mean recall of the classes that occur.
    pub balanced_accuracy: f64,
    pub balanced_accuracy_unadapted: f64,
    /// The most frequent class and its share: what always answering it would get right.
    pub majority_class: String,
    pub majority_share: f64,
    /// Accuracy less that of the source model, with its 90 % score interval and the exact test's p.
    pub gain: f64,
    pub gain_low: f64,
    pub gain_high: f64,
    pub p_value: f64,
}

/// Which of the models that were measured on a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Adapted,
    Serving,
    Source,
}

/// A window as one model saw it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen<'a> {
    pub record: &'a WindowRecord,
    pub role: Role,
}

/// The version whose model `version` is: a step that was held, or that took an earlier version up again, gives a model that
/// there was before a new number.
pub(crate) fn original(records: &[WindowRecord], mut version: usize) -> usize {
    let same = |record: &WindowRecord| match record.kept_as_it_was() {
        true => Some(record.teacher),
        false => record.taken_back_to,
    };
    while let Some(record) = version.checked_sub(1).and_then(|at| records.get(at))
        && let Some(earlier) = same(record).filter(|earlier| *earlier < version)
    {
        version = earlier;
    }
    version
}

impl<'a> Seen<'a> {
    /// `version` on the window of `record`, if it was measured there.
    pub fn of(records: &[WindowRecord], record: &'a WindowRecord, version: usize) -> Option<Self> {
        let same = |other: usize| original(records, other) == original(records, version);
        let role = match () {
            () if same(0) => Role::Source,
            () if same(record.window) => Role::Adapted,
            () if same(record.teacher) && record.serving.is_some() => Role::Serving,
            () => return None,
        };
        Some(Self { record, role })
    }

    pub fn balance(&self) -> &'a Shares {
        match (self.role, &self.record.serving) {
            (Role::Adapted, _) => &self.record.class_balance,
            (Role::Serving, Some(serving)) => &serving.class_balance,
            _ => &self.record.class_balance_unadapted,
        }
    }

    /// What the policy says of this model, where there are no answers.
    pub fn estimate(&self) -> Option<Estimate> {
        let record = self.record;
        let estimate = match self.role {
            Role::Adapted => record.estimated(),
            Role::Serving => record.estimate_before.clone(),
            Role::Source => record.estimate_unadapted.clone(),
        };
        estimate.filter(|_| record.score.is_none())
    }

    fn paired(&self, score: &Score) -> PairedRows {
        match (self.role, &self.record.serving) {
            (Role::Adapted, _) => PairedRows::new(score.gained, score.lost, score.scored),
            (Role::Serving, Some(serving)) => {
                PairedRows::new(serving.gained, serving.lost, score.scored)
            }
            _ => PairedRows::new(0, 0, score.scored),
        }
    }

    fn recall(&self, class: &ClassScore) -> Option<f64> {
        match self.role {
            Role::Adapted => class.recall_after,
            Role::Serving => class.recall_before,
            Role::Source => class.recall_unadapted,
        }
    }
}

/// The newest windows with enough answers between them; none where the newest has no answers or did not see `version`.
pub(super) fn newest(records: &[WindowRecord], from: usize, version: usize) -> Vec<Seen<'_>> {
    let mut found: Vec<Seen> = vec![];
    let mut answers = 0;
    for record in records[from..].iter().rev() {
        let seen = Seen::of(records, record, version);
        // Where it was not in use yet, the versions that led to it stand for it; those that were given up do not.
        let forebear = (!found.is_empty() && record.window < version).then_some(Seen {
            record,
            role: Role::Adapted,
        });
        match (seen.or(forebear), &record.score) {
            (Some(seen), Some(score)) => {
                found.insert(0, seen);
                answers += score.scored;
            }
            _ if found.is_empty() => return vec![],
            _ => {}
        }
        if answers >= ENOUGH_ANSWERS {
            break;
        }
    }
    found
}

/// Rows and hits of each class over some windows.
fn recalls(seen: &[Seen]) -> Vec<(String, usize, f64)> {
    let mut classes: Vec<(String, usize, f64)> = vec![];
    for (window, score) in seen
        .iter()
        .filter_map(|s| Some((s, s.record.score.as_ref()?)))
    {
        for class in &score.classes {
            let hits = (window.recall(class).unwrap_or(0.0) * class.rows as f64).round();
            match classes.iter_mut().find(|(name, ..)| *name == class.class) {
                Some((_, rows, right)) => (*rows, *right) = (*rows + class.rows, *right + hits),
                None => classes.push((class.class.clone(), class.rows, hits)),
            }
        }
    }
    classes
}

/// The mean recall over the classes that occur; 0 where none does.
pub(super) fn balanced_accuracy(seen: &[Seen]) -> f64 {
    let recalls = recalls(seen);
    let recalls = recalls.iter().filter(|(_, rows, _)| *rows > 0);
    let recalls: Vec<f64> = recalls.map(|(_, rows, hits)| hits / *rows as f64).collect();
    recalls.iter().sum::<f64>() / recalls.len().max(1) as f64
}

impl Newest {
    /// `None` of no windows.
    pub(super) fn of(seen: &[Seen], version: usize) -> Option<Self> {
        let scores = || {
            seen.iter()
                .filter_map(|s| Some((s, s.record.score.as_ref()?)))
        };
        let mut all = PairedRows::default();
        for (window, score) in scores() {
            let PairedRows { gained, lost, n } = window.paired(score);
            all = PairedRows::new(all.gained + gained, all.lost + lost, all.n + n);
        }
        if all.n == 0 {
            return None;
        }
        let unadapted = scores().map(|(_, s)| s.accuracy_unadapted * s.scored as f64);
        let accuracy_unadapted = unadapted.sum::<f64>() / all.n as f64;
        let source: Vec<Seen> = seen
            .iter()
            .map(|s| Seen {
                role: Role::Source,
                ..*s
            })
            .collect();
        let most = recalls(seen).into_iter().max_by_key(|(_, rows, _)| *rows)?;
        let (gain_low, gain_high) = all.interval();
        Some(Self {
            version,
            windows: seen.iter().map(|s| s.record.window).collect(),
            rows: all.n,
            accuracy: accuracy_unadapted + all.difference(),
            accuracy_unadapted,
            balanced_accuracy: balanced_accuracy(seen),
            balanced_accuracy_unadapted: balanced_accuracy(&source),
            majority_class: most.0,
            majority_share: most.1 as f64 / all.n as f64,
            gain: all.difference(),
            gain_low,
            gain_high,
            p_value: all.p_value(),
        })
    }
}
