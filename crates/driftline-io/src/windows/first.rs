//! The first pass over a stream. Every row is encoded, or seen to be fit for it, and let go again: what is wrong with the
//! last one is told before anything is trained. Times, answers and what the files are known by are learned on the way.

use super::survey::Survey;
use crate::ahead::Ahead;
use crate::digest::Identity;
use crate::encoding::Applied;
use crate::{Batch, Batches, Notes, ReadOptions};
use driftline_core::{Error, Result};

/// Rows that are encoded at a time: enough for all threads, few enough to take little memory.
const ROWS: usize = 16_384;

/// Reads `frames` to their end.
pub(super) fn pass(
    frames: Box<dyn Batches>,
    applied: &Applied,
    options: &ReadOptions,
) -> Result<Survey> {
    let mut survey = Survey::new(options.limits.memory);
    let mut identity = Identity::of(&*frames);
    let mut frames = Ahead::new(frames);
    let mut buffer = applied.buffer();
    loop {
        options.cancel.check()?;
        let Some(frame) = frames.next()? else {
            break;
        };
        identity.see(&frame);
        let rows = applied.selected(&frame);
        if let (0, Some(&row)) = (survey.rows, rows.first()) {
            survey.written = applied.written_time(&frame, row);
        }
        survey.rows += rows.len() as u64;
        survey.filtered += (frame.rows - rows.len()) as u64;
        let plain = applied.is_plain(&frame);
        for rows in rows.chunks(ROWS) {
            buffer.clear();
            // The same is noted again when the windows are read.
            let notes = &mut Notes::new();
            if !plain {
                applied.encode_inputs(&frame, rows, &mut buffer, notes)?;
            }
            applied.read_parts(&frame, rows, &mut buffer, notes)?;
            see_times(&mut survey, applied, &frame, rows, &buffer.times)?;
            survey.answers.see(&buffer.answers);
        }
    }
    survey.digests = identity.digests(&mut *frames.into_frames())?;
    Ok(survey)
}

fn see_times(
    survey: &mut Survey,
    applied: &Applied,
    frame: &Batch,
    rows: &[usize],
    times: &[crate::Time],
) -> Result<()> {
    for (&time, &row) in times.iter().zip(rows) {
        let wrong = |message| -> Error { applied.time_fault(frame, row, message).into() };
        survey.see(time).map_err(wrong)?;
    }
    Ok(())
}
