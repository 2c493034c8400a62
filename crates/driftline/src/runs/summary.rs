//! A run in a few numbers: by how much adapting helped or hurt where answers tell, and what can be seen without them.

use serde::Serialize;

use super::folder::RunFolder;
use super::model_file::SourceRecord;
use super::record::{Score, Shares, WindowRecord};
use crate::evaluate::paired_shares;

/// The outcome of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    pub windows: usize,
    pub held: usize,
    pub verdict: Verdict,
    /// Where any window has answers.
    pub accuracy: Option<AccuracySummary>,
    pub signs: Signs,
}

/// What may be said about the adapted model. The last four are guesses from what can be seen without answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    Helped,
    Hurt,
    NoClearDifference,
    /// Every window was held, so the model is still the source model.
    Unchanged,
    /// Nothing looks wrong.
    Steady,
    /// Something changed that is worth a look.
    Watch,
    /// The signs of a model that has gone astray.
    Doubtful,
}

/// Accuracies over all scored rows, as fractions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AccuracySummary {
    pub scored: usize,
    /// Each window by the model before it; absent for methods that wait for the end of the stream.
    pub before: Option<f64>,
    pub after: f64,
    pub unadapted: f64,
    /// Adapted less unadapted, with half of its 90 % interval.
    pub gain: f64,
    pub gain_half_width: f64,
    /// The same for the last two windows.
    pub last_gain: f64,
    pub last_gain_half_width: f64,
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
        let records = run.records();
        let last = records.last()?;
        let held = records.iter().filter(|record| record.held).count();
        let accuracy = match run.manifest().settings.repeats() {
            false => AccuracySummary::of(records),
            // The same rows are scored after every step over the stream: only the last of these counts.
            true => {
                let steps = run.manifest().planned.min(records.len());
                let accuracy = AccuracySummary::of(&records[steps.saturating_sub(1)..]);
                accuracy.map(|accuracy| AccuracySummary {
                    before: None,
                    ..accuracy
                })
            }
        };
        let signs = Signs::of(records, last, source);
        let verdict = match &accuracy {
            Some(accuracy) => accuracy.verdict(),
            None => signs.verdict(held, records.len()),
        };
        Some(Self {
            windows: records.len(),
            held,
            verdict,
            accuracy,
            signs,
        })
    }
}

impl AccuracySummary {
    fn of(records: &[WindowRecord]) -> Option<Self> {
        let scores = || records.iter().filter_map(|record| record.score.as_ref());
        let scored: usize = scores().map(|score| score.scored).sum();
        if scored == 0 {
            return None;
        }
        let mean = |pick: fn(&Score) -> f64| {
            let sum: f64 = scores().map(|s| pick(s) * s.scored as f64).sum();
            sum / scored as f64
        };
        let gain = |skip: usize| {
            let counts = scores().skip(skip).fold((0, 0, 0), |(g, l, n), s| {
                (g + s.gained, l + s.lost, n + s.scored)
            });
            paired_shares(counts.0, counts.1, counts.2)
        };
        let (all, last) = (gain(0)?, gain(scores().count().saturating_sub(2))?);
        Some(Self {
            scored,
            before: Some(mean(|s| s.accuracy_before)),
            after: mean(|s| s.accuracy_after),
            unadapted: mean(|s| s.accuracy_unadapted),
            gain: all.0,
            gain_half_width: all.1,
            last_gain: last.0,
            last_gain_half_width: last.1,
        })
    }

    fn verdict(&self) -> Verdict {
        match self.gain {
            gain if gain > self.gain_half_width => Verdict::Helped,
            gain if -gain > self.gain_half_width => Verdict::Hurt,
            _ => Verdict::NoClearDifference,
        }
    }
}

impl Signs {
    fn of(records: &[WindowRecord], last: &WindowRecord, source: &SourceRecord) -> Self {
        let most = records.iter().fold(last, |most, record| {
            if record.disagreement > most.disagreement {
                record
            } else {
                most
            }
        });
        let rows = source.rows.max(1) as f64;
        let names = last.class_balance.0.iter().map(|(name, _)| name.clone());
        let counts = source.class_counts.iter().map(|&n| n as f64 / rows);
        let at_source = Shares(names.zip(counts).collect());
        let fading = at_source.0.iter().zip(&last.class_balance.0);
        Self {
            most_disagreement: most.disagreement,
            most_disagreement_window: most.window,
            last_flips: last.flips,
            balance_shift: last.class_balance.distance(&at_source),
            fading_classes: fading
                .filter(|((_, then), (_, now))| *now < then / 5.0)
                .map(|((name, _), _)| name.clone())
                .collect(),
            confidence_change: source
                .validation
                .map(|validation| last.confidence_unadapted - validation.confidence),
        }
    }

    /// Rules of thumb: a class that fades away or a step that overturns a third of a window is how self-training goes
    /// wrong; half of that is worth a look.
    fn verdict(&self, held: usize, windows: usize) -> Verdict {
        let doubtful = !self.fading_classes.is_empty()
            || self.most_disagreement > 1.0 / 3.0
            || self.balance_shift > 0.3
            || 2 * held > windows;
        let watch = self.most_disagreement > 1.0 / 6.0
            || self.balance_shift > 0.15
            || self.last_flips > 0.25
            || self.confidence_change.is_some_and(|change| change < -0.1)
            || held > 0;
        match (doubtful, watch) {
            _ if held == windows => Verdict::Unchanged,
            (true, _) => Verdict::Doubtful,
            (false, true) => Verdict::Watch,
            (false, false) => Verdict::Steady,
        }
    }
}
