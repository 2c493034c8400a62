//! A table as it is read: named columns, and frames of consecutive rows, column by column.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{InputDigest, ReadOptions, Texts};
use crate::Result;
use crate::data::Shape;

/// Rows of a table, one frame after another.
///
/// Implement it to read a format of your own; the built-in readers come from [`open`](super::open).
pub trait Frames: Send {
    /// The columns of every frame, known before the first is read.
    fn fields(&self) -> &[Field];

    /// The files that rows come from; [`Frame::file`] counts in it. A reader without files gives a name for messages.
    fn files(&self) -> &[PathBuf];

    /// The next rows, or none at the end. After an error the reader is at its end.
    fn next_frame(&mut self) -> Result<Option<Frame>>;

    /// What was detected, for people: "CSV, `;` between fields, header in line 1".
    fn detected(&self) -> String;

    /// How many rows there are, where the format says so beforehand. It may be wrong in a damaged file.
    fn rows(&self) -> Option<u64> {
        None
    }

    /// The columns of the whole table, also those that [`ReadOptions::columns`] left out. A reader that does not know
    /// them is opened once more without that choice.
    fn all_fields(&self) -> Option<&[Field]> {
        None
    }

    /// How the format stores the values of a column, where it says so: what was passed through can then be written alike.
    fn stored_as(&self, _column: &str) -> StoredType {
        StoredType::Text
    }

    /// Columns of later files that the first one lacks, and that are not given: the file and the name. Known at the end.
    fn passed_over(&self) -> &[(PathBuf, String)] {
        &[]
    }

    /// Whether the files are hashed while they are read, which [`ReadOptions::digest`] asks for. Where they are not,
    /// because there is no file, whoever reads them hashes the frames.
    fn hashes_files(&self) -> bool {
        false
    }

    /// What the files are known by, once the last frame was given.
    fn digests(&mut self) -> Result<Vec<InputDigest>> {
        Ok(vec![])
    }
}

/// What can be walked from the start as often as needed: [`Files`](super::Files), or a closure that opens your reader.
pub trait FrameSource: Send + Sync {
    /// A reader at the first row. `options.columns` and `options.text` are wishes: it may give more columns, and numbers
    /// where text was wished.
    fn open(&self, options: &ReadOptions) -> Result<Box<dyn Frames>>;

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

impl<F> FrameSource for F
where
    F: Fn(&ReadOptions) -> Result<Box<dyn Frames>> + Send + Sync,
{
    fn open(&self, options: &ReadOptions) -> Result<Box<dyn Frames>> {
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
pub struct Frame {
    /// Which of [`Frames::files`].
    pub file: usize,
    /// The number of its first row among the data rows of the file, from 1.
    pub first_row: u64,
    /// The numbers of all its rows, where some between them were left out.
    pub scattered: Option<Vec<u64>>,
    /// One for each of [`Frames::fields`], all of the same length.
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

impl Frame {
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
