//! `predict`: class and probabilities for every row of a table, batch by batch, to CSV or Parquet.

use std::path::Path;

use super::fit::limited;
use super::model_file::Bundle;
use super::predictions::{Format, Sink};
use crate::files::write_with;
use crate::models::Runtime;
use crate::reading::{ColumnChoice, FrameSource, Notes, ReadOptions, RowReader, Stored};
use crate::{Error, Result};

/// What was predicted.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Predicted {
    pub rows: usize,
    /// How often each class was predicted.
    pub class_counts: Vec<usize>,
    pub notes: Notes,
    /// What was detected about the input.
    pub detected: String,
}

/// Writes the predictions of `bundle` for `data` to `out`, whole or not at all. `choice` names the columns to pass
/// through and the rows to take.
pub fn predict(
    bundle: &Bundle,
    data: &dyn FrameSource,
    choice: &ColumnChoice,
    read: &ReadOptions,
    out: &Path,
    runtime: &Runtime,
) -> Result<Predicted> {
    runtime.install(|| {
        let read = limited(read, runtime);
        write_predictions(bundle, data, choice, &read, out)
    })
}

fn write_predictions(
    bundle: &Bundle,
    data: &dyn FrameSource,
    choice: &ColumnChoice,
    read: &ReadOptions,
    out: &Path,
) -> Result<Predicted> {
    let format = Format::of(out)?;
    refuse_overwriting_input(data, out)?;
    let mut reader = RowReader::open(data, &bundle.encoding, choice, read)?;
    let mut counts = vec![0; bundle.classes().len()];
    let mut rows = 0;
    write_with(out, |file| {
        let ids = choice.ids.iter();
        let ids: Vec<(String, Stored)> = ids.map(|id| (id.clone(), reader.stored_as(id))).collect();
        let mut sink = Sink::new(format, file, out, &ids, bundle.classes())?;
        while let Some(batch) = reader.next_rows()? {
            let (labels, probabilities) = bundle.predict(&batch)?;
            for (count, more) in counts.iter_mut().zip(labels.counts()) {
                *count += more;
            }
            rows += batch.inputs.len();
            sink.write(&batch.ids, &labels, &probabilities)?;
        }
        sink.finish()
    })?;
    Ok(Predicted {
        rows,
        class_counts: counts,
        notes: reader.notes().clone(),
        detected: reader.detected().into(),
    })
}

fn refuse_overwriting_input(data: &dyn FrameSource, out: &Path) -> Result<()> {
    let Ok(out_path) = out.canonicalize() else {
        return Ok(());
    };
    let same = |path: &std::path::PathBuf| path.canonicalize().is_ok_and(|path| path == out_path);
    match data.paths().iter().any(same) {
        true => Err(Error::corrupt(
            out,
            "is the input itself; predictions must go to another file",
        )),
        false => Ok(()),
    }
}
