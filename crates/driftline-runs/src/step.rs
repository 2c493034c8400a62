//! `step`: one more window for a run that exists, adapted to from its current version.

use std::sync::Arc;

use super::asked::GivenLabels;
use super::fit::limited;
use super::folder::{Origin, RunFolder};
use driftline_core::error::DataFault;
use driftline_core::{Error, Result};
use driftline_io::time::parse_moment;
use driftline_io::{
    ColumnChoice, InputDigest, NoteCode, Notes, ReadOptions, Rows, TableSource, Time, Window,
    read_all_hashed,
};
use driftline_models::Runtime;

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
    data: &dyn TableSource,
    answers: Option<&str>,
    read: &ReadOptions,
    runtime: &Runtime,
) -> Result<Stepped> {
    step_with(run, data, answers, None, read, runtime)
}

/// The same with labels from a file: of rows that were asked for in earlier windows, and for what is asked about this one.
pub fn step_with(
    run: &mut RunFolder,
    data: &dyn TableSource,
    answers: Option<&str>,
    labels: Option<&Arc<GivenLabels>>,
    read: &ReadOptions,
    runtime: &Runtime,
) -> Result<Stepped> {
    take(run, data, answers, labels, Novelty::Looked, read, runtime)
}

/// The same for live rows, which are new whatever they hold.
pub(crate) fn step_live(
    run: &mut RunFolder,
    data: &dyn TableSource,
    read: &ReadOptions,
    runtime: &Runtime,
) -> Result<Stepped> {
    take(run, data, None, None, Novelty::Known, read, runtime)
}

/// Whether rows are known to be new, or their contents are compared with what the run has seen.
#[derive(Clone, Copy, PartialEq)]
enum Novelty {
    Known,
    Looked,
}

fn take(
    run: &mut RunFolder,
    data: &dyn TableSource,
    answers: Option<&str>,
    labels: Option<&Arc<GivenLabels>>,
    novelty: Novelty,
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
        refuse_source(run, &inputs)?;
        note_old_rows(run, &rows, &mut notes);
        let seen = run.window_of(&inputs);
        if let Some(window) = seen.filter(|_| novelty == Novelty::Looked) {
            return Ok(Stepped::Known(window));
        }
        if finished < planned {
            return Err(Error::Unfinished {
                path: run.folder().into(),
                finished,
                planned,
            });
        }
        let window = Arc::new(by_itself(rows, notes));
        if let Some(labels) = labels {
            if let Some(fault) = labels.foreign_to(&run.asked()?, &window) {
                return Err(fault.into());
            }
            run.fill_asked(labels, false)?;
        }
        let mut session = run.session(None, runtime, None)?;
        let expert = labels.map(|labels| labels.expert(&window));
        session.arrive_with(window, inputs, expert, run)?;
        run.settle()?;
        if let Some(labels) = labels {
            run.fill_asked(labels, false)?;
        }
        Ok(Stepped::Added(finished + 1))
    })
}

/// The rows that the run began with bring nothing new: adapting to them would undo what it has learned since.
pub fn refuse_source(run: &RunFolder, inputs: &[InputDigest]) -> Result<()> {
    let Origin::Source(source) = &run.manifest().origin else {
        return Ok(());
    };
    let is_source = |input: &&InputDigest| source.iter().any(|own| own.blake3 == input.blake3);
    match inputs.iter().find(is_source) {
        None => Ok(()),
        Some(input) => Err(DataFault::new(
            &input.path,
            "is the labelled source that the run began with, not a new window",
        )
        .help("name the rows that came after the last window")
        .into()),
    }
}

/// Notes rows that are dated before the last window ended.
fn note_old_rows(run: &RunFolder, rows: &Rows, notes: &mut Notes) {
    let last = run.records().last();
    let (Some(last), Some(times)) = (last, &rows.times) else {
        return;
    };
    let Some(end) = last.to.as_ref().and_then(|text| written_time(text)) else {
        return;
    };
    let same_kind =
        |time: &&Time| matches!(**time, Time::Number(_)) == matches!(end, Time::Number(_));
    let old = times.iter().filter(same_kind);
    let old = old.filter(|time| time.order(&end).is_lt()).count();
    notes.add(NoteCode::OldRows, "", u64::from(old > 0), || {
        let (all, window) = (rows.len(), last.window);
        format!("{old} of {all} rows are dated before {end}, when window {window} ended")
    });
}

/// A time as records have it.
pub(crate) fn written_time(text: &str) -> Option<Time> {
    let number = text.parse().ok().map(Time::Number);
    number.or_else(|| parse_moment(text).map(Time::Moment))
}

/// The columns of a window that comes by itself: scored by `answers`, or by the run's own column where the data have it.
pub fn step_choice(
    own: &ColumnChoice,
    data: &dyn TableSource,
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

/// Rows that came by themselves, as a window.
pub fn by_itself(rows: Rows, notes: Notes) -> Window {
    let times = rows.times.as_ref();
    let span = times.and_then(|times| Some((*times.first()?, *times.last()?)));
    Window {
        span,
        notes,
        ..Window::of(rows)
    }
}
