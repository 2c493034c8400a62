//! `step`: one more window for a run that exists, adapted to from its current version.

use super::adapt::{Data, Walker};
use super::digest::InputDigest;
use super::run::{RunFolder, StepInput};
use super::stages::Stage;
use crate::data::Domain;
use crate::models::network::Runtime;
use crate::reading::{Notes, ReadOptions, read_all};
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
    data: &Data,
    answers: Option<&str>,
    read: &ReadOptions,
    runtime: Runtime,
) -> Result<Stepped> {
    let inputs = InputDigest::of_all(&data.inputs)?;
    if let Some(window) = run.manifest().window_of(&inputs) {
        return Ok(Stepped::Known(window));
    }
    let (finished, planned) = (run.manifest().windows, run.manifest().planned);
    if finished < planned {
        return Err(Error::corrupt(
            run.folder(),
            format!(
                "is not finished: {finished} of {planned} windows; the command that began it goes on with it, then step"
            ),
        ));
    }
    let mut choice = run.manifest().settings.choice.clone();
    match answers {
        Some(column) => choice.answers = Some(column.to_owned()),
        None => {
            let reader = data.source.open(read)?;
            let present = |column: &String| reader.fields().iter().any(|f| f.name == *column);
            choice.answers = choice.answers.filter(present);
        }
    }
    let mut walker = Walker::new(run, runtime)?;
    let encoding = run.model(Some(0))?.encoding;
    let mut notes = Notes::new();
    let rows = read_all(&*data.source, &encoding, &choice, read, &mut notes)?;
    let number = run.manifest().windows + 1;
    let times = rows.times.as_ref();
    let stage = Stage {
        number,
        learn: Domain::new(rows.inputs.clone()),
        span: times.and_then(|times| Some((times.first()?.to_string(), times.last()?.to_string()))),
        rows,
        notes,
        last: true,
    };
    let input = StepInput {
        window: number,
        inputs,
    };
    walker.advance(run, stage, Some(input))?;
    Ok(Stepped::Added(number))
}
