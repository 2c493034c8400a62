//! Encoded rows with what belongs to them: times, answers, identifiers, and where each came from.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Choice, Encoding, FrameSource, Notes, ReadOptions, Time};
use crate::Result;
use crate::data::Inputs;

/// Rows ready for a model.
#[derive(Clone, Debug)]
pub struct Rows {
    pub inputs: Inputs,
    /// Where a time column was chosen.
    pub times: Option<Vec<Time>>,
    /// Where answers were asked for. They are for scoring: nothing that adapts may see them.
    pub answers: Option<Vec<Answer>>,
    /// The columns to pass through, in the order of [`Choice::ids`].
    pub ids: Vec<IdColumn>,
    pub origins: Origins,
}

/// What the stream says about a row's class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The number of the class in [`Encoding::classes`].
    Class(u32),
    /// A class that the source lacks: every prediction is wrong.
    Unknown,
    /// No answer: the row is not scored.
    Missing,
}

/// A column passed through as text; missing values are empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdColumn {
    pub name: String,
    pub values: Vec<String>,
}

/// Where each row came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origins {
    files: Arc<[PathBuf]>,
    /// The file and the row in it, from 1.
    rows: Vec<(u32, u64)>,
}

/// Rows one batch after another in the order of the files: for predictions on files larger than memory.
pub struct RowReader {}

impl RowReader {
    pub fn open(
        source: &dyn FrameSource,
        encoding: &Encoding,
        choice: &Choice,
        options: &ReadOptions,
    ) -> Result<Self> {
        todo!()
    }
    /// The next rows, as many as the reader finds convenient, or none at the end.
    pub fn next_rows(&mut self) -> Result<Option<Rows>> {
        todo!()
    }
    /// What was handled so far.
    pub fn notes(&self) -> &Notes {
        todo!()
    }
    /// What was detected about the files.
    pub fn stated(&self) -> String {
        todo!()
    }
}

/// All rows at once, in time order where a time column is chosen. Refuses more than `options.limits.memory`.
pub fn read_all(
    source: &dyn FrameSource,
    encoding: &Encoding,
    choice: &Choice,
    options: &ReadOptions,
    notes: &mut Notes,
) -> Result<Rows> {
    todo!()
}

impl Origins {
    /// The file of row `index` and the number of the row in it, from 1.
    pub fn get(&self, index: usize) -> (&Path, u64) {
        let (file, row) = self.rows[index];
        (&self.files[file as usize], row)
    }
}
