//! The verdict on a run, made once from its records: what to do, how accurate the model was as served and is now, whether
//! adapting helped, why, and what ends a hold. Sentences, pages, JSON, exit codes, fleets and metrics only say what stands here.

mod action;
mod effect;
mod hold;
mod missing;
mod newest;
mod quantity;
mod roll_back;
mod signs;
#[cfg(test)]
mod tests;

use serde::Serialize;

pub use action::{Action, FailOn, Task};
pub use effect::{Effect, Reason};
pub use hold::{LastStep, StepKind, WayOut};
pub use newest::{ENOUGH_ANSWERS, Newest};
pub use quantity::{By, Quantity};
pub use roll_back::{Basis, RollBack};
pub use signs::{AccuracySummary, Signs};

pub(crate) use effect::MOST_RELABELLED;
pub(crate) use newest::original;

use self::action::Facts;
use self::quantity::Quantities;
use crate::asked::AskedRows;
use crate::folder::RunManifest;
use crate::model_file::SourceRecord;
use crate::record::WindowRecord;

/// What is said of a run, and of the version in use.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Verdict {
    /// What a person is to do now.
    pub action: Action,
    /// The version in use, by the number under which its model was made: a window that was held makes no other.
    pub version: usize,
    /// The candidate that it came from, where one of several was deployed.
    pub candidate: Option<String>,
    /// The newest window, and its first and last time where there are times.
    pub window: usize,
    pub span: Option<[String; 2]>,
    /// On the newest window (by answers: the newest windows), the version that stood before each window: what was served.
    pub served: Option<Quantity>,
    /// The source model on the same rows, and by how much what was served is better.
    pub unadapted: Option<Quantity>,
    pub difference: Option<Quantity>,
    /// The version that is in use from now on, on the same rows.
    pub in_use: Option<Quantity>,
    /// Whether adapting helped, in a word, and what speaks for that.
    pub effect: Effect,
    pub reasons: Vec<Reason>,
    /// Classes that are there and that the version in use hardly ever predicts.
    pub lost_classes: Vec<String>,
    pub last_step: LastStep,
    /// Windows, and those of them whose step left the model as it was.
    pub windows: usize,
    pub held: usize,
    /// The version in use by answers; absent where no answers tell.
    pub newest: Option<Newest>,
    /// Along the whole stream, where any window has answers.
    pub along: Option<AccuracySummary>,
    pub signs: Signs,
}

impl Verdict {
    /// `None` of no windows. `asked` has the rows that were asked for, with the labels that have come.
    pub fn of(
        manifest: &RunManifest,
        records: &[WindowRecord],
        source: &SourceRecord,
        asked: &AskedRows,
    ) -> Option<Self> {
        let last = records.last()?;
        let repeats = manifest.settings.repeats();
        // Methods that repeat score the same rows after every step over the stream: only the last of these counts.
        let from = match repeats {
            true => manifest.planned.min(records.len()).saturating_sub(1),
            false => 0,
        };
        let at_source = signs::balance(source, last);
        let version = original(records, manifest.current);
        let judged = effect::judge(records, from, manifest.current, &at_source)?;
        let quantities = Quantities::of(records, manifest.current, &judged, repeats);
        let kind = StepKind::of(manifest, last);
        // The whole interval lies below, so that a few unlucky rows do not count.
        let held_out = source.validation.as_ref().map(|own| own.accuracy);
        let fallen = quantities.in_use.zip(held_out);
        let fallen = fallen.filter(|(own, held_out)| own.high < held_out - effect::MOST_FALLEN);
        let facts = Facts {
            records,
            version: manifest.current,
            kind,
            judged: &judged,
            fallen: fallen.is_some(),
            asked,
        };
        let (action, waiting) = (facts.action(), facts.waiting());
        let mut reasons = judged.reasons;
        reasons.extend(fallen.map(|(_, held_out)| Reason::Fallen { held_out }));
        reasons.extend(waiting);
        let lost_classes = judged.lost;
        let made = version.checked_sub(1).and_then(|at| records.get(at));
        Some(Self {
            version,
            candidate: made.and_then(|record| record.candidate.clone()),
            window: last.window,
            span: last.from.clone().zip(last.to.clone()).map(<[_; 2]>::from),
            served: quantities.served,
            unadapted: quantities.unadapted,
            difference: quantities.difference,
            in_use: quantities.in_use,
            effect: judged.effect,
            reasons,
            lost_classes,
            last_step: LastStep::of(kind, last, &action),
            windows: records.len(),
            held: records.iter().filter(|r| r.kept_as_it_was()).count(),
            newest: judged.newest,
            along: AccuracySummary::of(&records[from..], repeats),
            signs: Signs::of(records, last, source, &at_source),
            action,
        })
    }

    /// Whether a run that ends so counts as a failure, which schedulers hear of by exit code 3.
    pub fn fails(&self, on: FailOn) -> bool {
        on.applies(&self.action, self.last_step.kind, self.effect)
    }
}
