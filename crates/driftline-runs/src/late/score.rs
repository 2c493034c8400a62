//! `score`: what a window really was like, by labels that come late; and whether what was estimated then holds. Nothing
//! is trained.

use serde::Serialize;

use super::labels::{Answers, LabelFile};
use super::rows::rows_of;
use super::weights::weights;
use crate::folder::RunFolder;
use crate::record::{Score, WindowRecord};
use crate::score_later::rescored;
use driftline_core::Error;
use driftline_core::Result;
use driftline_core::data::Proportion;
use driftline_core::error::DataFault;
use driftline_io::ReadOptions;
use driftline_models::Runtime;

/// A window by its labels, beside what was estimated of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LateScore {
    pub window: usize,
    pub score: Score,
    /// The 90 % interval of `accuracy_after`, by the rows that have a label.
    pub accuracy_low: f64,
    pub accuracy_high: f64,
    pub estimated_accuracy: Option<f64>,
    pub estimated_low: Option<f64>,
    pub estimated_high: Option<f64>,
    /// Whether the estimated interval and that of the labels have anything in common.
    pub estimate_holds: Option<bool>,
}

/// Scores one window of `run` by labels of some or all of its rows, and keeps the result in its record. Without a file the
/// labels are those of the rows that were asked for.
pub fn score(
    run: &mut RunFolder,
    window: usize,
    labels: Option<&LabelFile<'_>>,
    read: &ReadOptions,
    runtime: &Runtime,
) -> Result<LateScore> {
    runtime.install(|| {
        run.settle()?;
        let rows = rows_of(run, window, read, runtime)?;
        let answers = Answers::of(labels, run, window, &rows)?;
        if answers.is_empty() && labels.is_none() {
            let message = format!("has no labels for window {window} yet");
            return Err(DataFault::new(run.folder(), message)
                .help("give a file of labels with --labels, or answer what the run asks with `driftline label`")
                .into());
        }
        if answers.is_empty() {
            return Err(Error::empty("the column of labels"));
        }
        let weights = weights(run, window, &answers)?;
        let known = (Some(&*answers.of_rows), weights.as_deref());
        let mut records = run.records().to_vec();
        let record = &mut records[window - 1];
        rescored(run, record, &rows.inputs, known, runtime)?;
        let late = LateScore::of(record).ok_or_else(|| Error::empty("the column of labels"))?;
        let answers = run.manifest().settings.choice.answers.clone();
        run.rescored(records, answers)?;
        Ok(late)
    })
}

impl LateScore {
    /// `None` of a window without answers.
    pub fn of(record: &WindowRecord) -> Option<Self> {
        let score = record.score.clone()?;
        let rows = score
            .effective_rows
            .map_or(score.scored, |rows| rows as usize);
        let hits = (score.accuracy_after * rows as f64).round() as usize;
        let (low, high) = Proportion::new(hits, rows).interval();
        let estimated = record.estimated_low.zip(record.estimated_high);
        Some(Self {
            window: record.window,
            accuracy_low: low,
            accuracy_high: high,
            estimated_accuracy: record.estimated_accuracy,
            estimated_low: record.estimated_low,
            estimated_high: record.estimated_high,
            estimate_holds: estimated.map(|(from, to)| from <= high && low <= to),
            score,
        })
    }
}
