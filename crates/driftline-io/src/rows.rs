//! Encoded rows with what belongs to them: times, answers, identifiers, and where each came from.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::digest::Identity;
use super::encoding::Applied;
use super::schema::{self, Opened};
use super::selection::no_rows;
use super::{
    Batches, ColumnChoice, Encoding, InputDigest, NoteCode, Notes, ReadOptions, StoredType,
    TableSource, Time,
};
use driftline_core::data::Inputs;
use driftline_core::error::DataFault;
use driftline_core::{Cancel, Result};

/// Rows ready for a model.
#[derive(Clone, Debug)]
pub struct Rows {
    pub inputs: Inputs,
    /// Where a time column was chosen.
    pub times: Option<Vec<Time>>,
    /// Where answers were asked for. They are for scoring: nothing that adapts may see them.
    pub answers: Option<Vec<Answer>>,
    /// The columns to pass through, in the order of [`ColumnChoice::ids`].
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
    rows: Vec<(u32, u64)>,
}

impl Rows {
    /// Inputs and nothing else.
    pub fn of(inputs: Inputs) -> Self {
        let rows = (1..=inputs.len() as u64).map(|row| (0, row)).collect();
        Self {
            inputs,
            times: None,
            answers: None,
            ids: vec![],
            origins: Origins {
                files: Arc::from([PathBuf::from("memory")]),
                rows,
            },
        }
    }

    pub fn len(&self) -> usize {
        self.inputs.len()
    }

    pub fn is_empty(&self) -> bool {
        self.inputs.is_empty()
    }
}

impl Origins {
    /// The file of row `index` and the number of the row in it, from 1.
    pub fn get(&self, index: usize) -> (&Path, u64) {
        let (file, row) = self.rows[index];
        (&self.files[file as usize], row)
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

/// Rows under construction.
#[derive(Clone, Debug, Default)]
pub(crate) struct RowBuffer {
    pub values: Vec<f32>,
    pub times: Vec<Time>,
    pub answers: Vec<Answer>,
    pub ids: Vec<IdColumn>,
    pub origins: Vec<(u32, u64)>,
    has_times: bool,
    has_answers: bool,
}

impl RowBuffer {
    pub fn new(ids: Vec<String>, has_times: bool, has_answers: bool) -> Self {
        let ids = ids.into_iter().map(|name| IdColumn {
            name,
            values: vec![],
        });
        Self {
            ids: ids.collect(),
            has_times,
            has_answers,
            ..Self::default()
        }
    }

    pub fn len(&self) -> usize {
        self.origins.len()
    }

    /// Lets all rows go and keeps the memory for others.
    pub fn clear(&mut self) {
        self.values.clear();
        self.times.clear();
        self.answers.clear();
        self.origins.clear();
        self.ids.iter_mut().for_each(|id| id.values.clear());
    }

    /// Brings the rows into another order: row `order[i]` becomes row i.
    pub fn reorder(&mut self, order: &[usize], width: usize) {
        fn picked<T: Clone>(all: &[T], order: &[usize]) -> Vec<T> {
            order.iter().map(|&at| all[at].clone()).collect()
        }
        let mut values = Vec::with_capacity(self.values.len());
        for &at in order {
            values.extend_from_slice(&self.values[at * width..(at + 1) * width]);
        }
        self.values = values;
        self.origins = picked(&self.origins, order);
        if self.has_times {
            self.times = picked(&self.times, order);
        }
        if self.has_answers {
            self.answers = picked(&self.answers, order);
        }
        for id in &mut self.ids {
            id.values = picked(&id.values, order);
        }
    }

    pub fn finish(self, applied: &Applied) -> Result<Rows> {
        Ok(Rows {
            inputs: Inputs::new(self.values, applied.encoding().shape())?,
            times: self.has_times.then_some(self.times),
            answers: self.has_answers.then_some(self.answers),
            ids: self.ids,
            origins: Origins {
                files: applied.files.clone(),
                rows: self.origins,
            },
        })
    }
}

/// Rows one batch after another in the order of the files: for predictions on files larger than memory.
pub struct RowReader {
    frames: Box<dyn Batches>,
    applied: Applied,
    notes: Notes,
    cancel: Cancel,
    /// Where the data are to be hashed.
    identity: Option<Identity>,
}

impl RowReader {
    pub fn open(
        source: &dyn TableSource,
        encoding: &Encoding,
        choice: &ColumnChoice,
        options: &ReadOptions,
    ) -> Result<Self> {
        schema::expect_images(encoding, options)?;
        let read = encoding.read_options(choice, options);
        let Opened {
            frames,
            applied,
            notes,
        } = schema::open(source, encoding, choice, &read)?;
        source.check(&read)?;
        Ok(Self {
            applied,
            frames,
            notes,
            cancel: options.cancel.clone(),
            identity: None,
        })
    }

    /// The next rows, as many as the reader finds convenient and at least one, or none at the end.
    pub fn next_rows(&mut self) -> Result<Option<Rows>> {
        loop {
            let mut buffer = self.applied.buffer();
            match self.fill(&mut buffer)? {
                false => return Ok(None),
                true if buffer.len() > 0 => return buffer.finish(&self.applied).map(Some),
                true => {}
            }
        }
    }

    /// Adds one frame to `buffer`; false at the end.
    fn fill(&mut self, buffer: &mut RowBuffer) -> Result<bool> {
        self.cancel.check()?;
        let Some(frame) = self.frames.next_frame()? else {
            return Ok(false);
        };
        if let Some(identity) = &mut self.identity {
            identity.see(&frame);
        }
        let rows = self.applied.selected(&frame);
        let left_out = (frame.rows - rows.len()) as u64;
        self.notes.add(NoteCode::Filtered, "", left_out, || {
            "rows that do not match the conditions were left out".into()
        });
        self.applied
            .encode(&frame, &rows, buffer, &mut self.notes)?;
        Ok(true)
    }

    pub fn files(&self) -> &[PathBuf] {
        &self.applied.files
    }

    /// How the file stores a column that is passed through.
    pub fn stored_as(&self, column: &str) -> StoredType {
        let head = self.frames.head();
        let field = head.place(column).map(|at| head.fields[at].stored);
        field.unwrap_or(StoredType::Text)
    }

    /// What was handled so far.
    pub fn notes(&self) -> &Notes {
        &self.notes
    }

    /// What was detected about the files.
    pub fn detected(&self) -> &str {
        &self.frames.head().detected
    }
}

impl fmt::Debug for RowReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RowReader")
            .field("detected", &self.detected())
            .finish_non_exhaustive()
    }
}

/// All rows at once, in time order where a time column is chosen. Refuses more than `options.limits.memory`.
pub fn read_all(
    source: &dyn TableSource,
    encoding: &Encoding,
    choice: &ColumnChoice,
    options: &ReadOptions,
    notes: &mut Notes,
) -> Result<Rows> {
    read_all_hashed(source, encoding, choice, options, notes).map(|(rows, _)| rows)
}

/// The same, with what the data are known by.
pub fn read_all_hashed(
    source: &dyn TableSource,
    encoding: &Encoding,
    choice: &ColumnChoice,
    options: &ReadOptions,
    notes: &mut Notes,
) -> Result<(Rows, Vec<InputDigest>)> {
    let hashed = ReadOptions {
        digest: true,
        ..options.clone()
    };
    let mut reader = RowReader::open(source, encoding, choice, &hashed)?;
    reader.identity = Some(Identity::of(&*reader.frames));
    let mut buffer = reader.applied.buffer();
    while reader.fill(&mut buffer)? {
        let bytes = 4 * buffer.values.len() as u64;
        if bytes > options.limits.memory {
            let message = format!(
                "has more rows than fit into {} bytes",
                options.limits.memory
            );
            return Err(DataFault::new(&reader.applied.files[0], message)
                .help("split the file")
                .into());
        }
    }
    if buffer.len() == 0 {
        let filtered = !choice.filters.is_empty();
        return Err(no_rows(&reader.applied.files[0], filtered));
    }
    if choice.time.is_some() {
        sort(&mut buffer, encoding.shape().size(), &mut reader.notes);
    }
    let digests = match &reader.identity {
        Some(identity) => identity.digests(&mut *reader.frames)?,
        None => vec![],
    };
    notes.extend(reader.notes);
    Ok((buffer.finish(&reader.applied)?, digests))
}

fn sort(buffer: &mut RowBuffer, width: usize, notes: &mut Notes) {
    let times = &buffer.times;
    let steps = times.windows(2).map(|pair| pair[0].order(&pair[1]));
    let falls = steps.filter(|step| step.is_gt()).count() as u64;
    if falls == 0 {
        return;
    }
    notes.add(NoteCode::Unsorted, "", falls, || {
        "the times do not ascend: the rows were sorted by them".into()
    });
    let mut order: Vec<usize> = (0..times.len()).collect();
    order.sort_by(|&a, &b| times[a].order(&times[b]));
    buffer.reorder(&order, width);
}
