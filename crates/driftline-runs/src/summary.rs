//! A run in a few numbers: the verdict on the version in use, accuracies along the whole stream where there are answers,
//! and what can be seen without them.

use serde::Serialize;

use super::attention::Attention;
use super::folder::{RunFolder, RunManifest};
use super::model_file::SourceRecord;
use super::record::{Score, Shares, WindowRecord};
use super::verdict::{Newest, Reason, RollBack, RunVerdict, judge};
use driftline_models::evaluate::PairedRows;

/// The outcome of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Summary {
    pub windows: usize,
    /// Steps that left the model as it was.
    pub held: usize,
    /// Whether the last step was one of them.
    pub last_step_held: bool,
    /// Why somebody should look at it, if somebody should.
    pub attention: Option<Attention>,
    /// The version in use, which the verdict is about.
    pub version: usize,
    pub verdict: RunVerdict,
    pub reasons: Vec<Reason>,
    /// The version in use on the newest windows; absent where no answers tell.
    pub newest: Option<Newest>,
    /// Where to go back to, if the verdict is against the version in use.
    pub roll_back: Option<RollBack>,
    /// Where any window has answers.
    pub accuracy: Option<AccuracySummary>,
    pub signs: Signs,
}

/// Accuracies over all scored rows, as fractions: each window by the version of its time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AccuracySummary {
    pub scored: usize,
    /// Each window by the model before it; absent for methods that wait for the end of the stream.
    pub before: Option<f64>,
    pub after: f64,
    pub unadapted: f64,
    /// Adapted less unadapted, with its 90 % interval.
    pub gain: f64,
    pub gain_low: f64,
    pub gain_high: f64,
}

/// What can be seen without answers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Signs {
    /// The largest share of a window that one step gave another class, and its window.
    pub most_disagreement: f64,
    pub most_disagreement_window: usize,
    /// The share of the last window that the adapted and the source model class differently.
    pub last_flips: f64,
    /// The share of the last window that would have to change class for the balance of the source.
    pub balance_shift: f64,
    /// Classes that the adapted model gives less than a fifth of their share in the source, in the last window.
    pub fading_classes: Vec<String>,
    /// The source model's mean confidence in the last window less that on held-out source rows; absent without those.
    pub confidence_change: Option<f64>,
}

impl Summary {
    /// `None` of no windows.
    pub fn of(run: &RunFolder, source: &SourceRecord) -> Option<Self> {
        Self::of_records(run.manifest(), run.records(), source)
    }

    /// The same for a run that has no folder of its own.
    pub fn of_records(
        manifest: &RunManifest,
        records: &[WindowRecord],
        source: &SourceRecord,
    ) -> Option<Self> {
        let last = records.last()?;
        let repeats = manifest.settings.repeats();
        // Methods that repeat score the same rows after every step over the stream: only the last of these counts.
        let from = match repeats {
            true => manifest.planned.min(records.len()).saturating_sub(1),
            false => 0,
        };
        let accuracy = AccuracySummary::of(&records[from..]).map(|accuracy| AccuracySummary {
            before: accuracy.before.filter(|_| !repeats),
            ..accuracy
        });
        let at_source = balance(source, last);
        let version = manifest.current;
        let judged = judge(records, from, version, &at_source)?;
        Some(Self {
            windows: records.len(),
            held: records.iter().filter(|r| r.kept_as_it_was()).count(),
            last_step_held: last.kept_as_it_was(),
            attention: Attention::of(manifest, last, judged.verdict, judged.newest.as_ref()),
            version,
            verdict: judged.verdict,
            reasons: judged.reasons,
            newest: judged.newest,
            roll_back: judged.roll_back,
            accuracy,
            signs: Signs::of(records, last, source, &at_source),
        })
    }
}

/// How the source was divided among the classes.
fn balance(source: &SourceRecord, last: &WindowRecord) -> Shares {
    let rows = source.rows.max(1) as f64;
    let names = last.class_balance.0.iter().map(|(name, _)| name.clone());
    let counts = source.class_counts.iter().map(|&n| n as f64 / rows);
    Shares(names.zip(counts).collect())
}

impl AccuracySummary {
    fn of(records: &[WindowRecord]) -> Option<Self> {
        let scores = || records.iter().filter_map(|record| record.score.as_ref());
        let sum = |pick: fn(&Score) -> usize| scores().map(pick).sum::<usize>();
        let rows = PairedRows::new(sum(|s| s.gained), sum(|s| s.lost), sum(|s| s.scored));
        if rows.n == 0 {
            return None;
        }
        let mean = |pick: fn(&Score) -> f64| {
            let sum: f64 = scores().map(|s| pick(s) * s.scored as f64).sum();
            sum / rows.n as f64
        };
        let (gain_low, gain_high) = rows.interval();
        Some(Self {
            scored: rows.n,
            before: Some(mean(|s| s.accuracy_before)),
            after: mean(|s| s.accuracy_after),
            unadapted: mean(|s| s.accuracy_unadapted),
            gain: rows.difference(),
            gain_low,
            gain_high,
        })
    }
}

impl Signs {
    fn of(
        records: &[WindowRecord],
        last: &WindowRecord,
        source: &SourceRecord,
        at_source: &Shares,
    ) -> Self {
        let most = records.iter().fold(last, |most, record| {
            if record.disagreement > most.disagreement {
                record
            } else {
                most
            }
        });
        let fading = at_source.0.iter().zip(&last.class_balance.0);
        Self {
            most_disagreement: most.disagreement,
            most_disagreement_window: most.window,
            last_flips: last.flips,
            balance_shift: last.class_balance.distance(at_source),
            fading_classes: fading
                .filter(|((_, then), (_, now))| *now < then / 5.0)
                .map(|((name, _), _)| name.clone())
                .collect(),
            confidence_change: source
                .validation
                .map(|validation| last.confidence_unadapted - validation.confidence),
        }
    }
}
