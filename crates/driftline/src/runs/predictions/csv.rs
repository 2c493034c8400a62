//! Predictions as CSV. Probabilities are written with as many digits as bring back the same number.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use super::{CLASS, IdColumn, Labels, Probabilities, Rows, probability_column};
use crate::{Error, Result};

pub(in super::super) struct CsvSink<'a> {
    writer: csv::Writer<BufWriter<&'a File>>,
    path: &'a Path,
    classes: &'a [String],
}

impl<'a> CsvSink<'a> {
    pub fn new(
        file: &'a File,
        path: &'a Path,
        names: &[String],
        classes: &'a [String],
    ) -> Result<Self> {
        let mut writer = csv::Writer::from_writer(BufWriter::new(file));
        writer.write_record(names).map_err(fault(path))?;
        Ok(Self {
            writer,
            path,
            classes,
        })
    }

    pub fn write(
        &mut self,
        ids: &[IdColumn],
        labels: &Labels,
        probabilities: &Probabilities,
    ) -> Result<()> {
        for row in 0..labels.len() {
            for column in ids {
                let written = self.writer.write_field(&column.values[row]);
                written.map_err(fault(self.path))?;
            }
            predicted(&mut self.writer, self.classes, labels, probabilities, row)
                .map_err(fault(self.path))?;
        }
        Ok(())
    }

    pub fn finish(mut self) -> Result<()> {
        self.writer.flush().map_err(Error::io(self.path))
    }
}

/// The class, the probabilities, and the end of the record.
fn predicted<W: Write>(
    writer: &mut csv::Writer<W>,
    classes: &[String],
    labels: &Labels,
    probabilities: &Probabilities,
    row: usize,
) -> csv::Result<()> {
    writer.write_field(&classes[labels.as_slice()[row] as usize])?;
    for p in probabilities.row(row) {
        writer.write_field(p.to_string())?;
    }
    writer.write_record(None::<&[u8]>)
}

/// The predictions of one window of a run: where each row came from, its time, what is passed through, and the rest.
pub(super) fn window_csv(
    rows: &Rows,
    classes: &[String],
    labels: &Labels,
    probabilities: &Probabilities,
) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(vec![]);
    let in_memory = "a record of texts fits into memory";
    let mut names = vec!["file".to_owned(), "row".to_owned()];
    names.extend(rows.times.is_some().then(|| "time".to_owned()));
    names.extend(rows.ids.iter().map(|column| column.name.clone()));
    names.push(CLASS.into());
    names.extend(classes.iter().map(|class| probability_column(class)));
    writer.write_record(&names).expect(in_memory);
    for row in 0..labels.len() {
        let (file, number) = rows.origins.get(row);
        let mut fields = vec![file.display().to_string(), number.to_string()];
        fields.extend(rows.times.as_ref().map(|times| times[row].to_string()));
        fields.extend(rows.ids.iter().map(|column| column.values[row].clone()));
        for field in fields {
            writer.write_field(field).expect(in_memory);
        }
        predicted(&mut writer, classes, labels, probabilities, row).expect(in_memory);
    }
    writer.into_inner().expect(in_memory)
}

fn fault(path: &Path) -> impl Fn(csv::Error) -> Error {
    move |error| match error.into_kind() {
        csv::ErrorKind::Io(error) => Error::io(path)(error),
        other => Error::corrupt(path, format!("cannot be written: {other:?}")),
    }
}
