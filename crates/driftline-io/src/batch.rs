//! A table as it is read: named columns, and frames of consecutive rows, column by column.

use std::ops::Range;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{InputDigest, NoteCode, Notes, ReadOptions, Texts};
use driftline_core::Result;
use driftline_core::data::Shape;

/// Rows of a table, one frame after another.
///
/// Implement it to read a format of your own; the built-in readers come from [`open`](super::open).
pub trait Batches: Send {
    /// What is known before the first frame is read.
    fn head(&self) -> &Head;

    /// The next rows, or none at the end. After an error the reader is at its end.
    fn next_frame(&mut self) -> Result<Option<Batch>>;

    /// What the files are known by, once the last frame was given. Only of a reader whose head says that it hashes them.
    fn digests(&mut self) -> Result<Vec<InputDigest>> {
        Ok(vec![])
    }

    fn fields(&self) -> &[Field] {
        &self.head().fields
    }

    fn files(&self) -> &[PathBuf] {
        &self.head().files
    }
}

/// What a reader says about its table.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Head {
    /// The columns of every frame.
    pub fields: Vec<Field>,
    /// The columns of the whole table, also those that [`ReadOptions::columns`] left out. A reader that does not know
    /// them is opened once more without that choice.
    pub all_fields: Option<Vec<Field>>,
    /// The files that rows come from; [`Batch::file`] counts in it. A reader without files gives a name for messages.
    pub files: Vec<PathBuf>,
    /// What was detected, for people: "CSV, `;` between fields, header in line 1".
    pub detected: String,
    /// How many rows there are, where the format says so beforehand. It may be wrong in a damaged file.
    pub rows: Option<u64>,
    /// Whether the files are hashed while they are read, which [`ReadOptions::digest`] asks for. Where they are not,
    /// because there is no file, whoever reads them hashes the frames.
    pub hashes_files: bool,
    /// Columns of later files that the first one lacks, and that are not given: the file and the name. Known at the end.
    pub passed_over: Vec<(PathBuf, String)>,
    /// What was handled in a file as a whole: the kind of note, the file, and what follows its name.
    #[serde(default)]
    pub remarks: Vec<(NoteCode, PathBuf, String)>,
}

impl Head {
    /// A table of one file, or of none with a name for messages.
    pub fn new(file: impl Into<PathBuf>, fields: Vec<Field>, detected: impl Into<String>) -> Self {
        Self {
            fields,
            all_fields: None,
            files: vec![file.into()],
            detected: detected.into(),
            rows: None,
            hashes_files: false,
            passed_over: vec![],
            remarks: vec![],
        }
    }

    pub(crate) fn remark(&mut self, code: NoteCode, what: impl Into<String>) {
        self.remarks
            .push((code, self.files[0].clone(), what.into()));
    }

    /// Notes what was handled in the files as a whole.
    pub(crate) fn note(&self, notes: &mut Notes) {
        for (code, path, what) in &self.remarks {
            let path = path.display().to_string();
            notes.add(*code, &path, 1, || format!("{path} {what}"));
        }
    }

    /// Where a column stands among the fields.
    pub(crate) fn place(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.name == name)
    }
}

/// What can be walked from the start as often as needed: [`Files`](super::Files), or a closure that opens your reader.
pub trait TableSource: Send + Sync {
    /// A reader at the first row. `options.columns` and `options.text` are wishes: it may give more columns, and numbers
    /// where text was wished.
    fn open(&self, options: &ReadOptions) -> Result<Box<dyn Batches>>;

    /// The files that are read, where there are any.
    fn paths(&self) -> &[PathBuf] {
        &[]
    }

    /// Whether all parts have the columns of the first, as far as that can be told without reading the rows: what is
    /// wrong is better said before hours of work than after.
    fn check(&self, _options: &ReadOptions) -> Result<()> {
        Ok(())
    }
}

impl<F> TableSource for F
where
    F: Fn(&ReadOptions) -> Result<Box<dyn Batches>> + Send + Sync,
{
    fn open(&self, options: &ReadOptions) -> Result<Box<dyn Batches>> {
        self(options)
    }
}

/// A type of values that a file may fix for a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StoredType {
    /// Text, or nothing that is fixed.
    Text,
    Whole,
    Number,
    Moment,
}

/// A column's name and what it holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    pub name: String,
    pub kind: Kind,
    /// How the format stores its values, where it says so: what is passed through can then be written alike.
    pub stored: StoredType,
}

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    Number,
    Text,
    /// Moments, from formats that have a type for them.
    Time,
    /// Images of one shape, values from 0 to 1.
    Image(Shape),
}

/// Rows of one file, in its order; as a rule one after another.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    /// Which of [`Batches::files`].
    pub file: usize,
    /// The number of its first row among the data rows of the file, from 1.
    pub first_row: u64,
    /// The numbers of all its rows, where some between them were left out.
    pub scattered: Option<Vec<u64>>,
    /// One for each of [`Batches::fields`], all of the same length.
    pub columns: Vec<Column>,
    pub rows: usize,
}

/// The values of one column.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    Numbers(Numbers),
    Text(Texts),
    /// Microseconds since 1970-01-01T00:00:00Z.
    Times(Vec<Option<i64>>),
    /// The pixels of all images, one after another, each row by row with channels last.
    Images(Vec<f32>),
}

/// Numbers, NaN where one is missing. They are single only where nothing is lost by it.
#[derive(Clone, Debug, PartialEq)]
pub enum Numbers {
    Single(Vec<f32>),
    Double(Vec<f64>),
}

impl Field {
    pub fn new(name: impl Into<String>, kind: Kind) -> Self {
        Self {
            name: name.into(),
            kind,
            stored: StoredType::Text,
        }
    }
}

impl Kind {
    /// For messages: "column `age` holds …".
    pub fn name(self) -> &'static str {
        match self {
            Kind::Number => "numbers",
            Kind::Text => "text",
            Kind::Time => "times",
            Kind::Image(_) => "images",
        }
    }
}

impl Batch {
    /// Rows one after another of a reader's only file.
    pub fn new(first_row: u64, columns: Vec<Column>, rows: usize) -> Self {
        Self {
            file: 0,
            first_row,
            scattered: None,
            columns,
            rows,
        }
    }

    /// The number of a row among the data rows of its file, from 1.
    pub fn number_of(&self, row: usize) -> u64 {
        match &self.scattered {
            Some(numbers) => numbers[row],
            None => self.first_row + row as u64,
        }
    }
}

impl Numbers {
    pub fn len(&self) -> usize {
        match self {
            Numbers::Single(values) => values.len(),
            Numbers::Double(values) => values.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn get(&self, row: usize) -> f64 {
        match self {
            Numbers::Single(values) => f64::from(values[row]),
            Numbers::Double(values) => values[row],
        }
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = f64> + '_ {
        (0..self.len()).map(|row| self.get(row))
    }
}

impl Column {
    /// Consecutive rows of a column that has `all` rows.
    pub fn slice(&self, rows: Range<usize>, all: usize) -> Column {
        match self {
            Column::Numbers(Numbers::Single(values)) => {
                Column::Numbers(Numbers::Single(values[rows].to_vec()))
            }
            Column::Numbers(Numbers::Double(values)) => {
                Column::Numbers(Numbers::Double(values[rows].to_vec()))
            }
            Column::Text(texts) => Column::Text(rows.map(|row| texts.get(row)).collect()),
            Column::Times(times) => Column::Times(times[rows].to_vec()),
            Column::Images(pixels) => {
                let size = pixels.len() / all.max(1);
                Column::Images(pixels[rows.start * size..rows.end * size].to_vec())
            }
        }
    }

    /// The bytes that it takes in memory, about.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Column::Numbers(Numbers::Single(values)) | Column::Images(values) => 4 * values.len(),
            Column::Numbers(Numbers::Double(values)) => 8 * values.len(),
            Column::Text(texts) => texts.bytes(),
            Column::Times(values) => 16 * values.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_column_can_be_cut() {
        let texts = [Some("a"), None, Some("c")];
        let columns = [
            Column::Numbers(Numbers::Single(vec![1.0, 2.0, 3.0])),
            Column::Numbers(Numbers::Double(vec![0.1, 0.2, 0.3])),
            Column::Text(texts.into_iter().collect()),
            Column::Times(vec![Some(1), None, Some(3)]),
            Column::Images(vec![0.0, 0.1, 0.2, 0.3, 0.4, 0.5]),
        ];
        let cut: Vec<Column> = columns.iter().map(|column| column.slice(1..3, 3)).collect();
        let expected = [
            Column::Numbers(Numbers::Single(vec![2.0, 3.0])),
            Column::Numbers(Numbers::Double(vec![0.2, 0.3])),
            Column::Text(texts[1..].iter().copied().collect()),
            Column::Times(vec![None, Some(3)]),
            Column::Images(vec![0.2, 0.3, 0.4, 0.5]),
        ];
        assert_eq!(cut, expected);
        for column in columns {
            assert_eq!(column.slice(0..3, 3), column);
            assert_eq!(column.slice(2..2, 3).bytes(), 0);
        }
    }
}
