//! A table split by the values of one column, in one pass, however the values interleave: rows are gathered by key in a
//! bounded buffer and spilled to one temporary file whenever it is full. Each part is then read like a table of its own.

mod chunk;
mod part;
mod sent;
mod spill;

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use part::TablePart;
pub use sent::SentParts;

use self::chunk::Layout;
use self::part::Shared;
use self::spill::{Piece, Spill};
use super::columns::find;
use super::natural::natural_order;
use super::schema::all_fields;
use super::selection::cell_text;
use super::{Batch, Column, Head, InputDigest, ReadOptions, TableSource};
use driftline_core::Result;
use driftline_core::error::DataFault;

/// Bytes of rows that wait in memory before they are spilled.
const BUFFER: usize = 64 << 20;

/// The parts of a table, in the natural order of their keys.
pub struct Partition {
    shared: Arc<Shared>,
    parts: Vec<Gathered>,
}

/// The rows of one key.
#[derive(Default)]
struct Gathered {
    key: String,
    rows: u64,
    /// Where its spilled rows are.
    pieces: Vec<Piece>,
    /// Rows that wait to be spilled, and what they look like.
    waiting: Vec<u8>,
    waiting_rows: u32,
    layout: Option<Arc<Layout>>,
}

impl Partition {
    /// Reads `source` once and splits its rows by the column `by`. The rows wait in a file in `folder` that has no name
    /// and is gone when the process ends, however it ends.
    pub fn split(
        source: &dyn TableSource,
        by: &str,
        options: &ReadOptions,
        folder: &Path,
    ) -> Result<Self> {
        Self::split_within(BUFFER, source, by, options, folder)
    }

    fn split_within(
        buffer: usize,
        source: &dyn TableSource,
        by: &str,
        options: &ReadOptions,
        folder: &Path,
    ) -> Result<Self> {
        let mut options = options.clone();
        options.digest = true;
        options.only_checked.clear();
        options.text.push(by.to_owned());
        if let Some(columns) = &mut options.columns {
            columns.push(by.to_owned());
        }
        let mut frames = source.open(&options)?;
        let all = all_fields(&*frames, source, &options)?;
        find(&all, by, "the key", &frames.files()[0])?;
        let at = find(frames.fields(), by, "the key", &frames.files()[0])?;
        let mut split = Split {
            places: HashMap::new(),
            parts: vec![],
            spill: Spill::new(folder)?,
            bytes: 0,
            layout: None,
        };
        while let Some(frame) = frames.next_frame()? {
            options.cancel.check()?;
            split.add(&frame, at, frames.files())?;
            if split.bytes > buffer {
                split.flush()?;
            }
        }
        split.flush()?;
        let Split {
            mut parts, spill, ..
        } = split;
        // Nothing waits any more: the room is given back.
        for part in &mut parts {
            part.waiting = vec![];
        }
        parts.sort_by(|a, b| natural_order(&a.key, &b.key));
        let shared = Shared {
            digests: frames.digests()?,
            head: Head {
                all_fields: Some(all),
                hashes_files: true,
                ..frames.head().clone()
            },
            spill,
        };
        Ok(Self {
            shared: Arc::new(shared),
            parts,
        })
    }

    pub fn len(&self) -> usize {
        self.parts.len()
    }

    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The keys in their natural order, and how many rows each has.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = (&str, u64)> {
        self.parts.iter().map(|part| (&*part.key, part.rows))
    }

    /// The rows of one key, by its place in [`Partition::keys`].
    pub fn part(&self, place: usize) -> TablePart {
        TablePart::new(self.shared.clone(), &self.parts[place])
    }

    /// The rows of a key, if it has any.
    pub fn find(&self, key: &str) -> Option<TablePart> {
        Some(self.part(self.place(key)?))
    }

    /// Where a key stands among all.
    pub fn place(&self, key: &str) -> Option<usize> {
        let order = |part: &Gathered| natural_order(&part.key, key);
        self.parts.binary_search_by(order).ok()
    }

    /// What the whole table is known by.
    pub fn digests(&self) -> &[InputDigest] {
        &self.shared.digests
    }
}

impl fmt::Debug for Partition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Partition({} keys)", self.parts.len())
    }
}

/// A table while it is being split.
struct Split {
    places: HashMap<String, usize>,
    parts: Vec<Gathered>,
    spill: Spill,
    /// What waits in all buffers together.
    bytes: usize,
    /// What the last frame looked like.
    layout: Option<Arc<Layout>>,
}

impl Split {
    fn add(&mut self, frame: &Batch, at: usize, files: &[PathBuf]) -> Result<()> {
        let layout = Layout::of(frame);
        let layout = match self.layout.take() {
            Some(last) if *last == layout => last,
            _ => Arc::new(layout),
        };
        self.layout = Some(layout.clone());
        for row in 0..frame.rows {
            let place = self.place(frame, at, row, files)?;
            let part = &mut self.parts[place];
            if part.layout.as_ref() != Some(&layout) {
                part.spill(&mut self.spill)?;
                part.layout = Some(layout.clone());
            }
            let before = part.waiting.len();
            chunk::write_row(frame, row, &mut part.waiting);
            self.bytes += part.waiting.len() - before;
            part.rows += 1;
            part.waiting_rows += 1;
        }
        Ok(())
    }

    /// Where the key of a row stands among the parts.
    fn place(&mut self, frame: &Batch, at: usize, row: usize, files: &[PathBuf]) -> Result<usize> {
        let owned;
        let key = match &frame.columns[at] {
            Column::Text(texts) => texts.get(row),
            column => {
                owned = cell_text(column, row);
                owned.as_deref()
            }
        };
        let Some(key) = key.filter(|key| !key.is_empty()) else {
            let fault = DataFault::new(&files[frame.file], "the key of the stream is missing");
            let fault = fault.row(frame.number_of(row));
            let help = "every row needs one; leave rows out with {where}";
            return Err(fault.help(help).into());
        };
        if let Some(place) = self.places.get(key) {
            return Ok(*place);
        }
        let place = self.parts.len();
        self.places.insert(key.to_owned(), place);
        self.parts.push(Gathered {
            key: key.to_owned(),
            ..Gathered::default()
        });
        Ok(place)
    }

    fn flush(&mut self) -> Result<()> {
        for part in &mut self.parts {
            part.spill(&mut self.spill)?;
        }
        self.bytes = 0;
        self.spill.flush()
    }
}

impl Gathered {
    fn spill(&mut self, spill: &mut Spill) -> Result<()> {
        let Some(layout) = self.layout.take() else {
            return Ok(());
        };
        let rows = std::mem::take(&mut self.waiting_rows);
        self.pieces.push(spill.write(&self.waiting, rows, layout)?);
        self.waiting.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests;
