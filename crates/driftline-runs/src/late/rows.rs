//! The rows of a window that is finished, read again where they came from: a run keeps what was predicted, not the inputs.

use crate::fit::limited;
use crate::folder::RunFolder;
use crate::stream::FileWindows;
use driftline_adapt::Stages;
use driftline_core::data::Windowing;
use driftline_core::error::DataFault;
use driftline_core::{Error, Result};
use driftline_io::{ColumnChoice, Files, InputDigest, Notes, ReadOptions, Rows, read_all_hashed};
use driftline_models::Runtime;

/// The rows that arrived with `window`, without answers.
pub(super) fn rows_of(
    run: &RunFolder,
    window: usize,
    read: &ReadOptions,
    runtime: &Runtime,
) -> Result<Rows> {
    let newest = run.manifest().windows;
    let record = window.checked_sub(1).and_then(|at| run.records().get(at));
    let record = record
        .ok_or_else(|| Error::out_of_range("the window", window, format!("from 1 to {newest}")))?;
    if let Some(earlier) = record.findings().labels_of.filter(|own| *own < window) {
        return rows_of(run, earlier, read, runtime);
    }
    let source = run.model(Some(0))?;
    let choice = ColumnChoice {
        answers: None,
        ..run.manifest().settings.choice.clone()
    };
    let read = limited(read, runtime);
    if !record.inputs.is_empty() {
        let files = files(&record.inputs)?;
        let mut notes = Notes::new();
        let (rows, found) = read_all_hashed(&files, &source.encoding, &choice, &read, &mut notes)?;
        expect_same(&record.inputs, &found)?;
        return Ok(rows);
    }
    let plan = run.manifest().settings.resolve(run.registry())?;
    let curriculum = &plan.candidate.curriculum;
    let whole = Windowing::Count(std::num::NonZeroUsize::MIN);
    let cut = curriculum.windowing().unwrap_or(&whole);
    let files = Box::new(files(&run.manifest().stream)?);
    let mut stream = FileWindows::open(files, &source.encoding, &choice, cut, &read)?;
    expect_same(&run.manifest().stream, &stream.outline().digests)?;
    let before = run.model(Some(record.teacher))?.version;
    // The curriculum asks for the rows as it did then, so that the same ones arrive.
    let stage = stream.stage(&**curriculum, window - 1, &before)?;
    let (_, arrived) = stage.ok_or_else(|| Error::empty("the window that arrived"))?;
    Ok(arrived.rows.clone())
}

fn files(inputs: &[InputDigest]) -> Result<Files> {
    let paths: Vec<_> = inputs.iter().map(|input| &input.path).collect();
    if let Some(lost) = paths.iter().find(|path| !path.exists()) {
        let fault = DataFault::new(lost, "is not there any more, and the run keeps no inputs");
        let help =
            "run the command in the folder in which the run was made, with its files in place";
        return Err(fault.help(help.to_owned()).into());
    }
    Files::new(paths)
}

fn expect_same(then: &[InputDigest], now: &[InputDigest]) -> Result<()> {
    let differs = |(then, now): &(&InputDigest, &InputDigest)| then.blake3 != now.blake3;
    match then.iter().zip(now).find(differs) {
        Some((_, now)) => {
            let message = "has changed since the run read it";
            Err(DataFault::new(&now.path, message).into())
        }
        None => Ok(()),
    }
}
