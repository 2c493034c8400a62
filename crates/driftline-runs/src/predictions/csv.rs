//! Predictions as CSV. Probabilities are written with as many digits as bring back the same number.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;

use super::{CLASS, IdColumn, Labels, Probabilities, Rows, probability_column};
use driftline_core::{Error, Result};

pub struct CsvSink<'a> {
    writer: BufWriter<&'a File>,
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
        let mut writer = BufWriter::new(file);
        writer.write_all(&header(names)).map_err(Error::io(path))?;
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
        let begin = |row: usize, line: &mut Vec<u8>| {
            ids.iter().for_each(|id| field(line, &id.values[row]));
        };
        let part = |(index, part): (usize, &[u32])| {
            let rows = index * PART..index * PART + part.len();
            let mut all = vec![];
            lines(&mut all, rows, self.classes, labels, probabilities, begin);
            all
        };
        let parts = labels.as_slice().par_chunks(PART).enumerate().map(part);
        for part in parts.collect::<Vec<_>>() {
            self.writer.write_all(&part).map_err(Error::io(self.path))?;
        }
        Ok(())
    }

    pub fn finish(mut self) -> Result<()> {
        self.writer.flush().map_err(Error::io(self.path))
    }
}

/// The predictions of one window of a run: where each row came from, its time, what is passed through, and the rest.
/// It is written beside the work, which may be waiting for it: so it takes no thread of the pool.
pub(super) fn window_csv(
    rows: &Rows,
    classes: &[String],
    labels: &Labels,
    probabilities: &Probabilities,
) -> Vec<u8> {
    let mut names = vec!["file".to_owned(), "row".to_owned()];
    names.extend(rows.times.is_some().then(|| "time".to_owned()));
    names.extend(rows.ids.iter().map(|column| column.name.clone()));
    names.push(CLASS.into());
    names.extend(classes.iter().map(|class| probability_column(class)));
    let begin = |row: usize, line: &mut Vec<u8>| {
        let (file, number) = rows.origins.get(row);
        match file.to_str() {
            Some(file) => field(line, file),
            None => field(line, &file.display().to_string()),
        }
        plain(line, number);
        if let Some(times) = &rows.times {
            plain(line, times[row]);
        }
        rows.ids.iter().for_each(|id| field(line, &id.values[row]));
    };
    let mut all = header(&names);
    lines(
        &mut all,
        0..labels.len(),
        classes,
        labels,
        probabilities,
        begin,
    );
    all
}

/// Rows that one thread writes at a time.
const PART: usize = 1024;

/// One line per row: what `begin` writes, the class, the probabilities.
fn lines(
    all: &mut Vec<u8>,
    rows: Range<usize>,
    classes: &[String],
    labels: &Labels,
    probabilities: &Probabilities,
    begin: impl Fn(usize, &mut Vec<u8>),
) {
    all.reserve(rows.len() * (64 + 12 * classes.len()));
    for row in rows {
        begin(row, all);
        field(all, &classes[labels.as_slice()[row] as usize]);
        for p in probabilities.row(row) {
            plain(all, p);
        }
        // The line ends where the next field would begin.
        all.pop();
        all.push(b'\n');
    }
}

fn header(names: &[String]) -> Vec<u8> {
    let mut line = vec![];
    names.iter().for_each(|name| field(&mut line, name));
    line.pop();
    line.push(b'\n');
    line
}

/// A number or a time, which needs no quotes, and a comma.
fn plain(line: &mut Vec<u8>, value: impl std::fmt::Display) {
    write!(line, "{value},").expect("a buffer takes everything");
}

/// A text, in quotes if it could be taken for something else, and a comma.
fn field(line: &mut Vec<u8>, text: &str) {
    if text
        .bytes()
        .any(|b| matches!(b, b',' | b'"' | b'\n' | b'\r'))
    {
        line.push(b'"');
        for byte in text.bytes() {
            if byte == b'"' {
                line.push(b'"');
            }
            line.push(byte);
        }
        line.push(b'"');
    } else {
        line.extend_from_slice(text.as_bytes());
    }
    line.push(b',');
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The plain twin: the `csv` crate, field by field.
        #[test]
        fn lines_are_those_of_the_csv_crate(
            rows in prop::collection::vec(("[a-z,\"\n\r é]{0,5}", 0u32..3, 0f32..1.0, 0f32..1e-6), 1..40),
        ) {
            let classes = ["plain".to_owned(), "with, comma".into(), "with \"quotes\"".into()];
            let values = rows.iter().flat_map(|&(.., a, b)| [a * 0.5, b, 1.0 - a * 0.5 - b]);
            let probabilities = Probabilities::new(values.collect(), 3).unwrap();
            let labels = Labels::new(rows.iter().map(|row| row.1).collect(), 3).unwrap();
            let names = ["id".to_owned(), "a\"b".into(), "p_é".into(), "p, 1".into(), String::new()];
            let mut writer = csv::Writer::from_writer(vec![]);
            writer.write_record(&names).unwrap();
            for (at, (text, label, ..)) in rows.iter().enumerate() {
                writer.write_field(text).unwrap();
                writer.write_field(&classes[*label as usize]).unwrap();
                for p in probabilities.row(at) {
                    writer.write_field(p.to_string()).unwrap();
                }
                writer.write_record(None::<&[u8]>).unwrap();
            }
            let begin = |row: usize, line: &mut Vec<u8>| field(line, &rows[row].0);
            let mut all = header(&names);
            lines(&mut all, 0..rows.len(), &classes, &labels, &probabilities, begin);
            prop_assert_eq!(
                String::from_utf8(all).unwrap(),
                String::from_utf8(writer.into_inner().unwrap()).unwrap()
            );
        }
    }
}
