//! `predict`: class and probabilities for every row of a table, batch by batch, to CSV or Parquet.

use std::path::Path;

use super::fit::limited;
use super::measure::right;
use super::model_file::ModelFile;
use super::predictions::{ANSWER, CLASS_UNADAPTED, Format, Sink};
use driftline_core::data::Proportion;
use driftline_core::files::write_with;
use driftline_core::{Error, Result};
use driftline_io::{
    ColumnChoice, IdColumn, Notes, ReadOptions, RowReader, Rows, StoredType, TableSource,
};
use driftline_models::Runtime;

/// What was predicted.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Predicted {
    pub rows: usize,
    /// How often each class was predicted.
    pub class_counts: Vec<usize>,
    /// How many of the rows with an answer are right, where answers were named.
    pub right: Option<Proportion>,
    pub notes: Notes,
    /// What was detected about the input.
    pub detected: String,
}

/// How a table is predicted.
#[derive(Clone, Debug)]
pub struct Predict<'a> {
    pub model_file: &'a ModelFile,
    /// The source model, whose class is then given too.
    pub unadapted: Option<&'a ModelFile>,
    /// The columns to pass through, the rows to take, and the answers, which are then given too. Missing values are
    /// filled in if this or the model says so.
    pub choice: ColumnChoice,
    pub read: ReadOptions,
    pub runtime: Runtime,
}

/// Writes the predictions of `model_file` for `data` to `out`, whole or not at all. `choice` names the columns to pass
/// through and the rows to take.
pub fn predict(
    model_file: &ModelFile,
    data: &dyn TableSource,
    choice: &ColumnChoice,
    read: &ReadOptions,
    out: &Path,
    runtime: &Runtime,
) -> Result<Predicted> {
    let predict = Predict {
        model_file,
        unadapted: None,
        choice: choice.clone(),
        read: read.clone(),
        runtime: runtime.clone(),
    };
    predict.run(data, out)
}

impl Predict<'_> {
    /// Writes the predictions for `data` to `out`, whole or not at all.
    pub fn run(&self, data: &dyn TableSource, out: &Path) -> Result<Predicted> {
        self.runtime.install(|| self.write(data, out))
    }

    fn write(&self, data: &dyn TableSource, out: &Path) -> Result<Predicted> {
        let Self { model_file, .. } = self;
        let format = Format::of(out)?;
        refuse_overwriting_input(data, out)?;
        let own = self.choice.clone();
        let mut choice = own.inheriting(&model_file.source.choice);
        // Answers are read twice: as classes, to count those that are right, and as the text they are.
        choice.ids.extend(choice.answers.clone());
        let read = limited(&self.read, &self.runtime);
        let mut reader = RowReader::open(data, &model_file.encoding, &choice, &read)?;
        let mut counts = vec![0; model_file.classes().len()];
        let mut rows = 0;
        let mut hits = choice.answers.as_ref().map(|_| Proportion::new(0, 0));
        write_with(out, |file| {
            let ids = self.choice.ids.iter();
            let mut ids: Vec<(String, StoredType)> =
                ids.map(|id| (id.clone(), reader.stored_as(id))).collect();
            ids.extend(
                choice
                    .answers
                    .as_ref()
                    .map(|_| (ANSWER.into(), StoredType::Text)),
            );
            ids.extend(
                self.unadapted
                    .map(|_| (CLASS_UNADAPTED.into(), StoredType::Text)),
            );
            let mut sink = Sink::new(format, file, out, &ids, model_file.classes())?;
            while let Some(mut batch) = reader.next_rows()? {
                let (labels, probabilities) = model_file.predict(&batch)?;
                for (count, more) in counts.iter_mut().zip(labels.counts()) {
                    *count += more;
                }
                rows += batch.inputs.len();
                if let (Some(hits), Some(answers)) = (&mut hits, &batch.answers) {
                    *hits += right(&labels, answers);
                }
                let unadapted = self.unadapted_classes(&batch)?;
                batch.ids.extend(unadapted);
                sink.write(&batch.ids, &labels, &probabilities)?;
            }
            sink.finish()
        })?;
        Ok(Predicted {
            rows,
            class_counts: counts,
            right: hits,
            notes: reader.notes().clone(),
            detected: reader.detected().into(),
        })
    }

    /// The source model's classes by name, if they are asked for.
    fn unadapted_classes(&self, rows: &Rows) -> Result<Option<IdColumn>> {
        let Some(source) = self.unadapted else {
            return Ok(None);
        };
        let (labels, _) = source.predict(rows)?;
        let name = |&class: &u32| source.classes()[class as usize].clone();
        Ok(Some(IdColumn {
            name: CLASS_UNADAPTED.into(),
            values: labels.as_slice().iter().map(name).collect(),
        }))
    }
}

fn refuse_overwriting_input(data: &dyn TableSource, out: &Path) -> Result<()> {
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
