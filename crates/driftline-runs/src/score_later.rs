//! Answers that come later: the windows of a run are scored anew by the versions that it has kept. Nothing is trained.

use super::file_run::FileRun;
use super::folder::RunFolder;
use super::measure::{balance, weighted_scores};
use super::record::{Serving, WindowRecord};
use super::stream::FileWindows;
use crate::method::Method;
use driftline_adapt::Stages;
use driftline_core::data::{Inputs, Labels};
use driftline_core::{Error, Result};
use driftline_io::Answer;
use driftline_models::{Classifier, Runtime};

impl FileRun {
    /// Whether the answers that are asked for are others than the run has.
    pub(super) fn has_new_answers(&self, run: &RunFolder) -> bool {
        let known = &run.manifest().settings.choice.answers;
        self.choice.answers.is_some() && self.choice.answers != *known
    }

    /// Scores the finished windows of the stream; those that came by `step` have no answers in it.
    pub(super) fn score(
        &self,
        run: &mut RunFolder,
        plan: &Method,
        stream: &mut FileWindows,
    ) -> Result<()> {
        let mut records = run.records().to_vec();
        let planned = run.manifest().planned;
        for record in records.iter_mut().take(planned) {
            self.runtime.cancel().check()?;
            let before = run.model(Some(record.teacher))?.version;
            // The curriculum asks for the rows as it did then, so that the same ones arrive.
            let curriculum = &*plan.candidate.curriculum;
            let stage = stream.stage(curriculum, record.window - 1, &before)?;
            let (_, window) = stage.ok_or_else(|| Error::empty("the window that arrived"))?;
            let answers = window.rows.answers.as_deref();
            rescored(
                run,
                record,
                &window.rows.inputs,
                (answers, None),
                &self.runtime,
            )?;
        }
        run.rescored(records, self.choice.answers.clone())
    }
}

/// Scores a window by the versions of its time, which the run has kept. Weights say how many rows each answer stands for.
pub(super) fn rescored(
    run: &RunFolder,
    record: &mut WindowRecord,
    inputs: &Inputs,
    (answers, weights): (Option<&[Answer]>, Option<&[f64]>),
    runtime: &Runtime,
) -> Result<()> {
    let classes = &run.manifest().classes;
    let predict = |number: usize| -> Result<Labels> {
        let model_file = run.model(Some(number))?.with_runtime(runtime)?;
        model_file.version.predict(inputs)
    };
    let before = predict(record.teacher)?;
    let (after, source) = (predict(record.window)?, predict(0)?);
    let all = [&before, &after, &source];
    let (score, (gained, lost)) = weighted_scores(all, answers, weights, classes);
    record.score = score;
    record.rows = inputs.len();
    record.serving = Some(Serving {
        class_balance: balance(&before, classes),
        gained,
        lost,
    });
    Ok(())
}
