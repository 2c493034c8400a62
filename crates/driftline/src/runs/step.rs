//! `step`: one more window for a run that exists, adapted to from its current version.

use super::fit::limited;
use super::folder::RunFolder;
use super::predictions::WindowTable;
use super::session::Session;
use super::walk::Keep;
use crate::adapt::Registry;
use crate::models::Runtime;
use crate::reading::{
    ColumnChoice, FrameSource, InputDigest, Notes, ReadOptions, Rows, read_all_hashed,
};
use crate::{Error, Result};

/// What became of the new rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stepped {
    /// They made this version.
    Added(usize),
    /// The run has seen these contents, the last of them in this window (0: in its own stream). Nothing was changed.
    Known(usize),
}

/// Adapts `run` to all rows of `data` as one window. `answers` names a column to score by; else the run's own is used
/// where the data have it.
pub fn step(
    run: &mut RunFolder,
    data: &dyn FrameSource,
    answers: Option<&str>,
    read: &ReadOptions,
    runtime: &Runtime,
) -> Result<Stepped> {
    runtime.install(|| {
        run.expect_own_report()?;
        let (finished, planned) = (run.manifest().windows, run.manifest().planned);
        let choice = step_choice(&run.manifest().settings.choice, data, answers, read)?;
        let source = run.model(Some(0))?;
        let mut notes = Notes::new();
        let read = limited(read, runtime);
        let (rows, inputs) = read_all_hashed(data, &source.encoding, &choice, &read, &mut notes)?;
        notes.add_small_windows(&[rows.len()], source.classes().len());
        if let Some(window) = run.window_of(&inputs) {
            return Ok(Stepped::Known(window));
        }
        if finished < planned {
            return Err(Error::Unfinished {
                path: run.folder().into(),
                finished,
                planned,
            });
        }
        let settings = run.manifest().settings.clone();
        let registry = Registry::clone(run.registry());
        let stopped = run.stopped()?;
        let mut session =
            Session::resumed(source, None, &settings, &registry, runtime, stopped, None)?;
        arrived(&mut session, run, rows, inputs, notes)?;
        run.settle()?;
        Ok(Stepped::Added(finished + 1))
    })
}

/// The columns of a window that comes by itself: scored by `answers`, or by the run's own column where the data have it.
pub(crate) fn step_choice(
    own: &ColumnChoice,
    data: &dyn FrameSource,
    answers: Option<&str>,
    read: &ReadOptions,
) -> Result<ColumnChoice> {
    let mut choice = own.clone();
    match answers {
        Some(column) => choice.answers = Some(column.to_owned()),
        None if choice.answers.is_none() => {}
        None => {
            let reader = data.open(read)?;
            let present = |column: &String| reader.fields().iter().any(|f| f.name == *column);
            choice.answers = choice.answers.filter(present);
        }
    }
    Ok(choice)
}

/// Adapts to rows that came by themselves and keeps what came of it.
pub(crate) fn arrived(
    session: &mut Session,
    kept: &mut impl Keep,
    rows: Rows,
    inputs: Vec<InputDigest>,
    notes: Notes,
) -> Result<()> {
    let step = session.arrive(&rows, &*kept)?;
    let span = span(&rows);
    let mut measured = session.measure(&step, &rows, span, notes)?;
    measured.record.inputs = inputs;
    let table = WindowTable {
        rows,
        classes: session.source().classes().to_vec(),
        labels: measured.labels,
        probabilities: measured.probabilities,
    };
    let standing = session.standing();
    kept.keep(measured.record, session.current(), standing, Some(table))
}

/// The first and last time of some rows.
pub(crate) fn span(rows: &Rows) -> Option<(String, String)> {
    let times = rows.times.as_ref()?;
    Some((times.first()?.to_string(), times.last()?.to_string()))
}
